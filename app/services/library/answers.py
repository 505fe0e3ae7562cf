"""The result of a workflow as an answer in a conversation: steps, text, charts, tables."""

from __future__ import annotations

import contextlib
import json
import time
import uuid
from dataclasses import dataclass
from typing import Any, cast

from pydantic import ValidationError

from app.domain.conversation import TEMPORARY, Turn, is_temporary
from app.domain.events import Artifact, CallResult, CopilotCall, Ended, Status
from app.domain.stream import Message
from app.domain.tool import TERMINAL
from backends.data.steps import STEPS
from backends.data.workflow.report import TOOL, WorkflowResult
from backends.data.workflow.step import Workflow
from backends.data.workflow.summary import pieces, summary

FUNCTION = "execute_agent_tool"


@dataclass(frozen=True)
class Ran:
    """A workflow that ran in a turn. at: the position of its result among the turn's items;
    language: of its summary.
    """

    at: int
    workflow: Workflow
    result: WorkflowResult
    language: str


@dataclass(frozen=True)
class AnswerPlace:
    """The place of an answer: after `parent` in a conversation. note: where the answer comes
    from.
    """

    conversation_id: str
    parent: str | None
    question: str
    note: str


def ran_in(turn: Turn) -> Ran | None:
    """Return the last workflow in a turn that ran and gave a result; None if there is none."""
    for at in range(len(turn.items) - 1, 0, -1):
        if (made := ran_at(turn, at)) is not None:
            return made
    return None


def ran_at(turn: Turn, at: int) -> Ran | None:
    """Return the workflow whose result is the item at a position in a turn; None for any other
    item.
    """
    item, call = turn.items[at], turn.items[at - 1]
    if not isinstance(item, CallResult) or not isinstance(call, CopilotCall) or item.failed:
        return None
    parameters = call.arguments.get("parameters")
    if call.arguments.get("tool_name") != TOOL or not isinstance(parameters, dict):
        return None
    known = cast("dict[str, Any]", parameters)
    with contextlib.suppress(ValidationError):
        result = WorkflowResult.model_validate_json(item.content)
        workflow = Workflow.model_validate(known.get("workflow"))
        if any(step.interface not in STEPS for step in workflow.steps):
            return None  # a library workflow that was called by name has no steps to open
        return Ran(at, workflow.filled({}), result, language_of(call, turn.question))
    return None


def language_of(call: CopilotCall, question: str) -> str:
    """Return the language of an answer, as reported by the copilot or else that of the question."""
    with contextlib.suppress(ValueError):
        state = json.loads(call.wire).get("extra_state")
        intent = state.get("intent") if isinstance(state, dict) else None
        if isinstance(intent, dict) and intent.get("language"):
            return str(intent["language"])
    kana = any("\u3041" <= c <= "\u30fa" for c in question)
    return "ja" if kana else "zh" if any("\u4e00" <= c <= "\u9fff" for c in question) else "en"


def turn_of(
    place: AnswerPlace, workflow: Workflow, result: WorkflowResult, seconds: float, language: str
) -> Turn:
    """Return the result of a workflow as a complete turn; in a temporary conversation, the turn is
    temporary, too.
    """
    parameters = {"workflow": workflow.model_dump(mode="json"), "run": ""}
    arguments: dict[str, Any] = {"server_id": TERMINAL, "tool_name": TOOL, "parameters": parameters}
    state = {"by": "person", "intent": {"language": language}}
    wire = json.dumps(
        {"function": FUNCTION, "input_arguments": arguments, "extra_state": state},
        ensure_ascii=False,
    )
    now, uid = time.time(), uuid.uuid4().hex
    words = Message(
        "assistant",
        "message",
        summary(workflow, result, language),
        None,
        None,
        uuid.uuid4().hex,
        now,
    )
    made = [
        Artifact(
            one.kind,
            one.title,
            one.rows,
            {"chartType": "plotly", **one.figure} if one.figure else None,
            one.left_out,
            one.uid,
        )
        for one in pieces(workflow, result, language)
    ]
    ran = CallResult(FUNCTION, result.model_dump_json(), False, seconds)
    items = [
        Status("INFO", place.note),
        CopilotCall(FUNCTION, arguments, wire),
        ran,
        words,
        *made,
        Ended("done"),
    ]
    prefix = TEMPORARY if is_temporary(place.conversation_id) else ""
    return Turn(
        prefix + uid,
        place.conversation_id,
        place.parent,
        place.question,
        "done",
        now,
        cast("Any", items),
    )
