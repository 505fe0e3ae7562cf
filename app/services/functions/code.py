"""Refuse code if no user can be asked, as in a question that one copilot asks another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.domain.errors import DeskpilotError
from app.services.functions.context import CallContext, FunctionReply

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from app.services.functions.context import CallContext

    Function = Callable[[CallContext, dict[str, Any]], Awaitable[FunctionReply]]


async def run_code(desk: CallContext, arguments: dict[str, Any]) -> FunctionReply:
    """Refuse the call, with a message that lets the assistant continue.

    Raises: DeskpilotError, always.
    """
    raise DeskpilotError(
        f"Code cannot be run here; the {arguments.get('language')} code was not run.",
        "Answer without running it, or tell the person how to run it.",
    )
