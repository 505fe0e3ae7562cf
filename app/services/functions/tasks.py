"""Tasks that a copilot gives to other copilots, if the user allowed it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from app.domain.errors import DeskpilotError
from app.services.functions.context import CallContext, FunctionReply, sources_of, told

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from app.services.functions.context import CallContext

    Function = Callable[[CallContext, dict[str, Any]], Awaitable[FunctionReply]]


MOST = 8  # maximum number of tasks in one call


async def assign_tasks_to_agents(desk: CallContext, arguments: dict[str, Any]) -> FunctionReply:
    """Return each copilot's answer to its task, in the order of the tasks, or the reason for each
    task that failed.

    Raises: DeskpilotError if the user did not allow it, or if there are no tasks or too many.
    """
    if desk.assign is None:
        raise DeskpilotError(
            "The person has not let you ask other copilots.",
            "Answer without it, or ask the person to allow it.",
        )
    entries: list[str] = []
    failed: list[bool] = []
    for raw in sources_of(arguments, "task_requests", MOST):
        try:
            made = await desk.assign(raw)
            entries.append(json.dumps({"id": raw.get("id")} | made, ensure_ascii=False))
            failed.append(False)
        except DeskpilotError as error:
            entries.append(told(error))
            failed.append(True)
    return FunctionReply("\n".join(entries), all(failed), entries)


def words_of(content: str) -> str:
    """Return the answers of other copilots, or the reasons for failures, as one text."""
    found = [json.loads(line) for line in content.splitlines()]
    return "\n\n".join(
        str(one.get("message") or f"{one.get('error', '')} {one.get('remedy', '')}").strip()
        for one in found
    )
