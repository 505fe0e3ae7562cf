"""Requests that take several steps: planned here, run by the terminal, mended if a step fails, told and shown."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError

from backends.copilot.tables import SERVER
from backends.kernel.workflow.step import Workflow
from backends.kernel.workflow.summary import pieces, summary
from backends.kernel.workflow.told import TOOL, WorkflowResult
from backends.planning import Intent, Plan, plan
from backends.planning.repair import REPAIRS, mended
from backends.wire.events import Artifact, Event, FunctionCall, MessageChunk, StatusUpdate

if TYPE_CHECKING:
    from backends.copilot.models import Models
    from backends.copilot.tables import Source
    from backends.copilot.turn import Turn
    from backends.wire.query import Query


def runs_workflows(query: Query) -> bool:
    """Tell whether the terminal runs workflows."""
    return any(tool.server_id == SERVER and tool.name == TOOL for tool in query.tools)


async def planned(
    query: Query, turn: Turn, sources: list[Source], models: Models, today: dt.date
) -> list[Event] | None:
    """Return the plan of a request that takes several steps, and the call that runs it; None for any other."""
    if not sources or not runs_workflows(query) or any(s.table is not None for s in sources):
        return None
    embed = models.embed if models.has_embedder() else None
    made = await plan(turn.question, [s.profile for s in sources], now=moment(today), embed=embed)
    if made is None or not made.several:
        return None
    steps = [step.model_dump(exclude_defaults=True) for step in made.workflow.steps]
    details = [{"plan": [t.model_dump() for t in made.workflow.tasks], "steps": steps}]
    return [StatusUpdate("INFO", made.intent.rewritten, details), call(made)]


def moment(today: dt.date) -> dt.datetime:
    """Return now; the end of a day that was given instead of today."""
    now = dt.datetime.now()
    return now if today == now.date() else dt.datetime.combine(today, dt.time(23, 59))


def call(made: Plan, run: str = "", repairs: dict[str, int] | None = None) -> FunctionCall:
    """Return the call that runs a plan."""
    parameters: dict[str, Any] = {"workflow": made.workflow.model_dump(mode="json"), "run": run}
    arguments = {"server_id": SERVER, "tool_name": TOOL, "parameters": parameters}
    state = {"intent": made.intent.model_dump(mode="json"), "repairs": repairs or {}, "unread": made.unread}
    return FunctionCall("execute_agent_tool", arguments, state)


def finished(turn: Turn) -> list[Event] | None:
    """Return what comes of the workflow the terminal ran last: the answer, or the call that mends it; None if none ran."""
    if not turn.pairs:
        return None
    called, returned = turn.pairs[-1]
    if called.function != "execute_agent_tool" or called.arguments.get("tool_name") != TOOL:
        return None
    text = returned.texts[0] if returned.texts else ""
    state = called.extra_state or returned.extra_state
    parameters = called.arguments.get("parameters")
    known = cast("dict[str, Any]", parameters) if isinstance(parameters, dict) else {}
    try:
        result = WorkflowResult.model_validate_json(text)
        workflow = Workflow.model_validate(known.get("workflow"))
        intent = Intent.model_validate(state.get("intent"))
    except ValidationError:
        return None
    listed = state.get("unread")
    unread = [str(word) for word in cast("list[Any]", listed)] if isinstance(listed, list) else []
    if result.failed:
        raw = state.get("repairs")
        repairs = (
            {str(k): int(v) for k, v in cast("dict[str, int]", raw).items()} if isinstance(raw, dict) else {}
        )
        return repaired(Plan(intent=intent, workflow=workflow, several=True, unread=unread), result, repairs)
    return [*shown(intent, workflow, result), *left_out(unread, intent.language)]


def left_out(unread: list[str], language: str) -> list[Event]:
    """Return what tells the words that were not understood."""
    if not unread:
        return []
    said = ", ".join(unread)
    return [
        MessageChunk(
            f"\n\n（没有理解：{said}）" if language == "zh" else f"\n\n*Not taken into account: {said}.*"
        )
    ]


def repaired(made: Plan, result: WorkflowResult, repairs: dict[str, int]) -> list[Event]:
    """Return the call with a failed step mended, or why it cannot be."""
    failed = result.failed[0]
    again = mended(made.workflow, failed.id, failed.error) if repairs.get(failed.id, 0) < REPAIRS else None
    if again is None:
        return [MessageChunk(f"{failed.error} {failed.remedy}".strip())]
    note = StatusUpdate("WARNING", f"{failed.interface}: {failed.error}")
    plan_ = made.model_copy(update={"workflow": again})
    return [note, call(plan_, result.run, repairs | {failed.id: repairs.get(failed.id, 0) + 1})]


def shown(intent: Intent, workflow: Workflow, result: WorkflowResult) -> list[Event]:
    """Return the summary, then each chart and table."""
    events: list[Event] = [MessageChunk(summary(workflow, result, intent.language))]
    for one in pieces(workflow, result):
        chart = {"chartType": "plotly", **one.figure} if one.figure is not None else None
        events.append(Artifact(one.kind, one.title, one.left_out, one.uid, one.rows, chart))
    return events
