"""Code a server of Open Interpreter's kind wants run: refused, since this terminal runs no code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.domain.errors import DeskpilotError

if TYPE_CHECKING:
    from app.data.sources import Sources
    from app.services.functions.answered import Answered


async def run_code(sources: Sources, arguments: dict[str, Any], offered: frozenset[str]) -> Answered:
    """Refuse, in words the assistant can go on with.

    Raises: DeskpilotError, always.
    """
    raise DeskpilotError(
        f"This terminal runs no code; the {arguments.get('language')} code was not run.",
        "Answer without running it, or tell the person how to run it.",
    )
