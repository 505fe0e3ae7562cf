"""Requests that take several steps. They are planned here and run by the terminal; failed steps are
repaired. The results are described and shown, and can be shown again in another form.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError

from backends.copilot.models import thread_embedder
from backends.copilot.present import not_understood
from backends.copilot.tables import SERVER, designed
from backends.copilot.turn import Interpretation
from backends.data.number_check import traced
from backends.data.values import Result
from backends.data.workflow.report import ROWS, TOOL, Shown, WorkflowResult
from backends.data.workflow.step import Workflow
from backends.data.workflow.summary import pieces, summary
from backends.planning import Intent, Plan, plan
from backends.planning.followup import Before, as_whole, shown_again
from backends.planning.japanese import as_chinese, as_japanese, kana_left
from backends.planning.library import asked_for, planned_with
from backends.planning.plan import REPAIRS, mended, moved
from backends.protocol.events import ArtifactEvent, FunctionCall, MessageChunk, StatusUpdate
from backends.protocol.request import FunctionResult, Human, RequestedCall
from backends.query.lexicon import WIDE, language_of
from backends.sentences import joined, say

if TYPE_CHECKING:
    from backends.copilot.models import CopilotModels
    from backends.copilot.tables import TableSource
    from backends.copilot.turn import OpenTurn
    from backends.data.values import Profile
    from backends.protocol.events import Event
    from backends.protocol.request import CopilotRequest, Message
    from backends.query.annotate import Embed


FIND = "find_values"
BACK = {
    "en": (
        "I didn't understand “{words}”, and the attached tables don't contain it. Without it, I"
        " could do this:"
    ),
    "zh": "我没有理解“{words}”，添加的表里也找不到。不考虑它，我可以做：",
    "ja": (
        "「{words}」の意味がわからず、添付した表にも見つかりません。それを除けば、次のことができます："
    ),
}

DOUBT = {
    "en": "I can only do this without “{words}”. Is this what you want?",
    "zh": "我能做的没有顾及“{words}”。您要的是这个吗？",
    "ja": "「{words}」を考えに入れずにできることです。これでよろしいですか？",
}
ENDED = {
    "en": (
        "“{table}” ends on {high}: it has nothing from {start} to {end}. For its last days, I could"
        " do this:"
    ),
    "zh": (
        "“{table}”的数据到 {high} 为止，没有 {start} 至 {end} 的。按表里最后的这段时间，我可以做："
    ),
    "ja": (
        "「{table}」のデータは {high} までで、{start} から {end} のものはありません。"
        "表の最後の期間なら、次のことができます："
    ),
}


def runs_workflows(query: CopilotRequest) -> bool:
    """Return whether the terminal can run workflows."""
    return any(tool.server_id == SERVER and tool.name == TOOL for tool in query.tools)


async def planned(
    query: CopilotRequest,
    turn: OpenTurn,
    sources: list[TableSource],
    models: CopilotModels,
    today: dt.date,
) -> Plan | None:
    """Return the plan for a request about tables, or None if there is none or if the terminal
    cannot run workflows.
    """
    if not sources or not runs_workflows(query) or any(s.table is not None for s in sources):
        return None
    columns = [column.name for source in sources for column in source.profile.columns]
    if (named := asked_for(turn.question, designed(sources), columns)) is not None:
        return planned_with(turn.question, named)
    profiles = [with_found(s.profile, turn) for s in sources]
    return await asyncio.to_thread(
        made_plan, turn.question, profiles, moment(today), thread_embedder(models)
    )


def made_plan(
    question: str, profiles: list[Profile], now: dt.datetime, embed: Embed | None
) -> Plan | None:
    """Return the plan for a request, or None if there is none.

    If a table ends before the days that are requested, the plan is for the table's last days.
    """
    japanese = language_of(question) == "ja"
    read = as_chinese(question, profiles) if japanese else question
    made = plan(read, profiles, now=now, embed=embed, told="ja" if japanese else None)
    if made is None:
        return None
    made = moved(made, profiles)
    return as_asked(made, question, read, profiles) if japanese else made


def as_asked(made: Plan, asked: str, read: str, profiles: list[Profile]) -> Plan:
    """Return the plan for a Japanese request that was planned with Chinese words. The plan's unread
    words are changed back to the user's own words.
    """
    left = [as_japanese(word, asked) for word in made.unread]
    left += [word for word in kana_left(read, profiles) if not any(word in one for one in left)]
    workflow = made.workflow.model_copy(update={"description": asked})
    doubts = [as_japanese(word, asked) for word in made.doubts]
    return made.model_copy(update={"unread": left, "doubts": doubts, "workflow": workflow})


def started(made: Plan | None, turn: OpenTurn, sources: list[TableSource]) -> list[Event]:
    """Return the events that start a plan; empty if no plan fits, or if the question is a follow-up
    that does not need several steps.
    """
    if made is None or not made.serves or (not made.several and turn.previous is not None):
        return []
    wanted = wanted_values(made, turn, sources) if made.several else None
    return [wanted] if wanted is not None else begun(made)


def wanted_values(
    made: Plan | None, turn: OpenTurn, sources: list[TableSource]
) -> FunctionCall | None:
    """Return the call that searches for unread words in columns with too many values for their
    profile. Return None if no words are left, or if every such table has already been searched.
    """
    if made is None or not made.unread:
        return None
    phrases = list(
        dict.fromkeys(phrase for word in made.unread for phrase in spoken(turn.question, word))
    )
    seen = {str(call.arguments.get("parameters", {}).get("source")) for call, _ in found_in(turn)}
    for source in sources:
        columns = [c for c in source.profile.columns if c.kind == "text"]
        if source.profile.source not in seen and any(not c.complete for c in columns) and phrases:
            parameters = {"source": source.profile.source, "phrases": phrases[:50]}
            arguments = {"server_id": SERVER, "tool_name": FIND, "parameters": parameters}
            return FunctionCall("execute_agent_tool", arguments, {})
    return None


def spoken(question: str, word: str) -> list[str]:
    """Return the phrases that may contain an unread word, the longest first, as the question writes
    them.
    """
    at = question.lower().find(word)
    if at < 0:
        return [word]
    if WIDE.search(word):
        ends = range(min(len(question), at + len(word) + 3), at + len(word) - 1, -1)
        return [question[start:end] for start in range(max(0, at - 3), at + 1) for end in ends]
    before, after = question[:at].split(), question[at:].split()
    return [
        " ".join([*before[len(before) - i :], *after[:n]]).strip("?!.,;:'\"’s ")
        for i in range(min(2, len(before)), -1, -1)
        for n in (3, 2, 1)
    ]


def found_in(turn: OpenTurn) -> list[tuple[RequestedCall, FunctionResult]]:
    """Return the calls of this turn that searched for values, with their results."""
    return [(c, r) for c, r in turn.pairs if c.arguments.get("tool_name") == FIND]


def with_found(profile: Profile, turn: OpenTurn) -> Profile:
    """Return a profile that also lists the complete values that were found in its large columns."""
    columns = {column.name: column for column in profile.columns}
    for call, returned in found_in(turn):
        if str(call.arguments.get("parameters", {}).get("source")) != profile.source:
            continue
        try:
            rows = Result.model_validate_json(returned.texts[0]).rows
        except (ValidationError, IndexError):
            continue
        for _, name, value, whole in rows:
            column = columns.get(str(name))
            if column is not None and whole and value not in column.values:
                columns[column.name] = column.model_copy(update={"values": [value, *column.values]})
    return profile.model_copy(update={"columns": list(columns.values())})


def begun(made: Plan) -> list[Event]:
    """Return the plan for a request, with the call that runs it or with a question to the user."""
    if made.asks or made.ended:
        return asked_back(made)
    steps = [step.model_dump(exclude_defaults=True) for step in made.workflow.steps]
    details = [{"plan": [t.model_dump() for t in made.workflow.tasks], "steps": steps}]
    return [StatusUpdate("INFO", made.intent.rewritten, details), call(made)]


def asked_back(made: Plan) -> list[Event]:
    """Return the question to the user: which words were not understood, and what can be done
    without them by clicking once.
    """
    left = [*made.unread, *made.doubts]
    language = made.intent.language
    words = (", " if language == "en" else "、").join(made.unread or made.doubts)
    choice = Interpretation(
        interface=TOOL,
        arguments={
            "source": made.workflow.sources()[0],
            "workflow": made.workflow.model_dump(mode="json"),
        },
        words=[made.intent.rewritten],
        score=0.0,
        slots={"intent": made.intent.model_dump(mode="json"), "unread": left},
    )
    told = choice.model_dump(exclude={"score"})
    details: list[dict[str, Any]] = [
        {"interpretation": told | {"ignored": left, "decision": "ask"}, "alternatives": [told]}
    ]
    told_so = (BACK if made.unread else DOUBT)[language].format(words=words) if left else ""
    if made.ended:
        told_so = "\n\n".join(
            part for part in (told_so, ENDED[language].format(**made.ended)) if part
        )
    back = f"{told_so}\n- {made.intent.rewritten}"
    return [StatusUpdate("INFO", made.intent.rewritten, details), MessageChunk(back)]


def chosen_workflow(known: object) -> Interpretation | None:
    """Return an interpretation that is computed by a workflow, or None for anything else."""
    with suppress(ValidationError):
        reading = Interpretation.model_validate(known)
        return reading if reading.interface == TOOL else None
    return None


def chosen(reading: Interpretation | None) -> list[Event] | None:
    """Return the call for a workflow that the user chose when asked, or None for any other
    choice.
    """
    if reading is None or reading.interface != TOOL:
        return None
    try:
        workflow = Workflow.model_validate(reading.arguments.get("workflow"))
        intent = Intent.model_validate(reading.slots.get("intent"))
    except ValidationError:
        return None
    left = [str(word) for word in reading.slots.get("unread") or []]
    return [call(Plan(intent=intent, workflow=workflow, several=True, unread=left))]


def moment(today: dt.date) -> dt.datetime:
    """Return the current time. If the given day is not today, return the end of that day."""
    now = dt.datetime.now()
    return now if today == now.date() else dt.datetime.combine(today, dt.time(23, 59))


def call(made: Plan, run: str = "", repairs: dict[str, int] | None = None) -> FunctionCall:
    """Return the call that runs a plan."""
    parameters: dict[str, Any] = {"workflow": made.workflow.model_dump(mode="json"), "run": run}
    arguments = {"server_id": SERVER, "tool_name": TOOL, "parameters": parameters}
    state = {
        "intent": made.intent.model_dump(mode="json"),
        "repairs": repairs or {},
        "unread": [*made.unread, *made.doubts],
    }
    return FunctionCall("execute_agent_tool", arguments, state)


def finished(turn: OpenTurn) -> list[Event] | None:
    """Return the events that follow the terminal's last workflow: the answer, or the call that
    repairs the workflow. Return None if no workflow was run.
    """
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
            {str(k): int(v) for k, v in cast("dict[str, int]", raw).items()}
            if isinstance(raw, dict)
            else {}
        )
        return repaired(
            Plan(intent=intent, workflow=workflow, several=True, unread=unread), result, repairs
        )
    return [*shown(intent, workflow, result), *left_out(unread, intent.language)]


def left_out(unread: list[str], language: str) -> list[Event]:
    """Return the message that names the words that were not understood."""
    return [MessageChunk(not_understood(unread, language))] if unread else []


def repaired(made: Plan, result: WorkflowResult, repairs: dict[str, int]) -> list[Event]:
    """Return the call in which a failed step is repaired, or the reason why a repair is not
    possible.
    """
    failed = result.failed[0]
    again = (
        mended(made.workflow, failed.id, failed.error)
        if repairs.get(failed.id, 0) < REPAIRS
        else None
    )
    if again is None:
        return [
            MessageChunk(
                joined(*(say(text, made.intent.language) for text in (failed.error, failed.remedy)))
            )
        ]
    note = StatusUpdate("WARNING", f"{failed.interface}: {failed.error}")
    plan_ = made.model_copy(update={"workflow": again})
    return [note, call(plan_, result.run, repairs | {failed.id: repairs.get(failed.id, 0) + 1})]


def shown(intent: Intent, workflow: Workflow, result: WorkflowResult) -> list[Event]:
    """Return the summary, followed by each chart and table."""
    counts = [one.rows_in_all - min(len(one.rows), ROWS) for one in result.shown]
    known = (
        f"{workflow.model_dump_json()} {intent.model_dump_json()} {len(workflow.tasks)} {counts}"
    )
    said = summary(workflow, result, intent.language)
    events: list[Event] = [MessageChunk(traced(said, result.as_results(), known, intent.language))]
    for one in pieces(workflow, result, intent.language):
        chart = {"chartType": "plotly", **one.figure} if one.figure is not None else None
        events.append(ArtifactEvent(one.kind, one.title, one.left_out, one.uid, one.rows, chart))
    return events


def resumed(
    turn: OpenTurn, sources: list[TableSource], today: dt.date
) -> tuple[OpenTurn, list[Event]]:
    """Return the turn with its question made complete, and the events that restart the previous
    workflow, if nothing else is needed. If the question does not follow a workflow, the turn is
    returned unchanged.
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
    """Return the workflow that answered the previous question, what the question was about, and the
    output.
    """
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
