"""A question right after a workflow that gives only the differences. Show the workflow again, or
restore the full question.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError

from backends.copilot.workflows import begun, moment
from backends.data.workflow.report import TOOL, Shown, WorkflowResult
from backends.data.workflow.step import Workflow
from backends.planning import Intent, Plan
from backends.planning.followup import Before, as_whole
from backends.planning.forms import shown_again
from backends.protocol.request import FunctionResult, Human, RequestedCall

if TYPE_CHECKING:
    import datetime as dt

    from backends.copilot.tables import TableSource
    from backends.copilot.turn import OpenTurn
    from backends.protocol.events import Event
    from backends.protocol.request import Message


def resumed(
    turn: OpenTurn, sources: list[TableSource], today: dt.date
) -> tuple[OpenTurn, list[Event]]:
    """Return the turn with the full question, and the events that restart the previous workflow if
    nothing else is needed. If the question does not follow a workflow, return the turn unchanged.
    """
    found = workflow_before(turn.before)
    if found is None:
        return turn, []
    workflow, intent, shown = found
    if not set(workflow.sources()) <= {s.profile.source for s in sources}:
        return turn, []  # one of its tables is no longer attached
    made = shown_again(turn.question, workflow, shown, intent.language)
    if made is not None:
        return turn, begun(Plan(intent=intent, workflow=made, several=True))
    profiles = [s.profile for s in sources]
    before = Before(workflow.description, workflow, intent.objects)
    whole = as_whole(turn.question, before, profiles, moment(today).date())
    return (replace(turn, question=whole) if whole else turn), []


def workflow_before(messages: list[Message]) -> tuple[Workflow, Intent, list[Shown]] | None:
    """Return the workflow that answered the previous question, its question and its output."""
    asked = [i for i, m in enumerate(messages) if isinstance(m, Human)]
    last = messages[asked[-1] :] if asked else []
    call = next((m for m in reversed(last) if isinstance(m, RequestedCall)), None)
    if call is None or call.arguments.get("tool_name") != TOOL:
        return None
    parameters = cast("dict[str, Any]", call.arguments.get("parameters") or {})
    returned = next((m for m in reversed(last) if isinstance(m, FunctionResult)), None)
    with suppress(ValidationError):
        workflow = Workflow.model_validate(parameters.get("workflow"))
        intent = Intent.model_validate(call.extra_state.get("intent"))
        shown: list[Shown] = []
        if returned is not None and returned.texts:
            result = WorkflowResult.model_validate_json(returned.texts[0])
            shown = [] if result.failed else result.shown
        return workflow, intent, shown
    return None
