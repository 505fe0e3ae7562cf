"""Code where no person can be shown it, as of a copilot another one asked: refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.domain.errors import DeskpilotError

if TYPE_CHECKING:
    from app.services.functions.answered import Answered
    from app.services.functions.desk import Desk


async def run_code(desk: Desk, arguments: dict[str, Any]) -> Answered:
    """Refuse, in words the assistant can go on with.

    Raises: DeskpilotError, always.
    """
    raise DeskpilotError(
        f"No code is run here; the {arguments.get('language')} code was not run.",
        "Answer without running it, or tell the person how to run it.",
    )
