"""What the terminal sends a copilot: golden requests of both generations, read by models of each.

`write_golden` writes them anew when the wire changes on purpose:
    python -c "from tests.contract.test_copilot_requests import write_golden; write_golden()"
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from openbb_ai.models import AgentTool, LlmClientFunctionCallResultMessage, QueryRequest
from pydantic import BaseModel, Field

from app.adapters.copilots.requests import LEFT_OUT, write_request
from app.domain.conversation import Turn
from app.domain.copilot import Copilot, Dialect, OfferedWidget, RequestOffer
from app.domain.events import CallResult, CellRef, Citation, Citations, CopilotCall, Ended, Status
from app.domain.stream import Message
from app.services.conversation import code
from app.services.functions.agent_tools import agent_tools
from backends.protocol.parser import parse_request
from backends.protocol.request import CopilotMessage, FunctionResult, Human, RequestedCall

DATA = Path(__file__).parent.parent / "data"
DIALECTS: tuple[Dialect, ...] = ("2024", "today")
UID = "9f8e7d6c-5b4a-4c2e-9d0f-9e8d7c6b5a4b"
OTHER = "1f8e7d6c-5b4a-4c2e-9d0f-9e8d7c6b5a4b"


class Context2024(BaseModel):
    """A named piece of context, as copilots of 2024 read it."""

    class Data(BaseModel):
        """Its content."""

        content: Any

    uuid: UUID
    name: str
    description: str
    data: Data
    metadata: dict[str, Any] | None = None


class Widget2024(BaseModel):
    """A widget of 2024."""

    uuid: str
    name: str
    description: str
    metadata: dict[str, Any] | None = None


class Result2024(BaseModel):
    """A tool's result of 2024; its code wants `content`, whatever its README shows."""

    role: Literal["tool"]
    function: str
    input_arguments: dict[str, Any] | None = None
    content: str


class Message2024(BaseModel):
    """What a person or a copilot said; a call is its JSON as a string."""

    role: Literal["ai", "human"]
    content: str


class Request2024(BaseModel):
    """A request of 2024. Fields it does not know are ignored; null is refused where a default is
    not null.
    """

    messages: list[Result2024 | Message2024] = Field(min_length=1)
    context: str | list[Context2024] | None = None
    use_docs: bool = False
    widgets: list[Widget2024] = []


def conversation() -> list[Turn]:
    """Return a conversation with all that can stand in one."""
    sources = [
        {"widget_uuid": u, "origin": "deskpilot", "id": u, "input_args": {}} for u in (UID, OTHER)
    ]
    call = {
        "function": "get_widget_data",
        "input_arguments": {"data_sources": sources},
        "extra_state": {"k": 1},
    }
    tool = {
        "function": "execute_agent_tool",
        "input_arguments": {
            "server_id": "deskpilot",
            "tool_name": "count",
            "parameters": {"source": UID},
        },
    }
    first = [
        Status("INFO", "reading"),
        CopilotCall("get_widget_data", call["input_arguments"], json.dumps(call)),
        CallResult("get_widget_data", '[{"a": 1}]\n[{"b": "é✓\u2028"}]', False, 0.1, ['[{"a": 1}]', '[{"b": "é✓\u2028"}]']),
        Message("assistant", "message", "There are **two** tables [1].", id="m", created_at=1.0),
        Citations([Citation(UID, "Sales", CellRef("h", 0, "a"), 1)]),
        Ended("done"),
    ]  # fmt: skip
    second = [
        Message("assistant", "message", "Let me count. "),
        CopilotCall("execute_agent_tool", tool["input_arguments"], json.dumps(tool)),
        CallResult("execute_agent_tool", '{"error": "gone", "remedy": "attach"}', True, 0.0),
    ]
    stopped = [
        CopilotCall("f", {}, '{"function": "f", "input_arguments": {}}'),
        Ended("stopped", "Stopped."),
    ]
    return [
        Turn("1", "c", None, "What is in them?", "done", 1.0, list(first)),
        Turn(
            "2", "c", "1", '{"function": "x", "input_arguments": {}}', "stopped", 2.0, list(stopped)
        ),
        Turn("3", "c", "2", "How many rows?", "running", 3.0, list(second)),
    ]


def offer() -> RequestOffer:
    """Return two widgets and two of our tools."""
    shown = [
        OfferedWidget(u, n, "A table of 1 rows: a", metadata={"rows": 1, "profile": {"rows": 1}})
        for u, n in ((UID, "Sales"), (OTHER, "Parcels"))
    ]  # fmt: skip
    schema = {
        "type": "object",
        "properties": {"source": {"type": "string"}},
        "required": ["source"],
    }
    tools = [
        {
            "server_id": "deskpilot",
            "name": n,
            "url": "deskpilot:data",
            "description": n,
            "input_schema": schema,
        }
        for n in ("look_up", "count")
    ]
    return RequestOffer(
        shown, tools, {"deskpilot-today": "2024-06-01"}, "Europe/Berlin", "smollm2-135m"
    )


def written(dialect: Dialect, turns: list[Turn] | None = None) -> dict[str, Any]:
    features: dict[str, Any] = {"hasFunctionCalling": True}
    if dialect == "today":
        features = {"mcp-tools": True, "widget-dashboard-select": True}
    copilot = Copilot("i", "n", "http://localhost/q", dialect, features=features)
    body = write_request(copilot, turns or conversation(), offer())
    return json.loads(json.dumps(body))


def golden(dialect: Dialect) -> Path:
    return DATA / f"request_{dialect}.json"


def write_golden() -> None:
    for dialect in DIALECTS:
        golden(dialect).write_text(
            json.dumps(written(dialect), indent=1, ensure_ascii=False) + "\n", "utf-8"
        )


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_request_is_what_it_was(dialect: Dialect) -> None:
    assert written(dialect) == json.loads(golden(dialect).read_text("utf-8"))


def test_todays_sdk_reads_the_golden_request() -> None:
    request = QueryRequest.model_validate_json(golden("today").read_bytes())
    assert request.widgets is not None
    assert [str(w.uuid) for w in request.widgets.primary] == [UID, OTHER]
    assert [t.name for t in request.tools or []] == ["look_up", "count"]
    assert (request.timezone, request.workspace_options) == (
        "Europe/Berlin",
        {"deskpilot-today": "2024-06-01"},
    )
    results = [m for m in request.messages if isinstance(m, LlmClientFunctionCallResultMessage)]
    assert [len(r.data) for r in results] == [2, 1]  # an entry for each data source
    assert results[0].extra_state == {"k": 1}


def test_todays_sdk_reads_every_tool_of_ours() -> None:
    tools = [AgentTool.model_validate(tool) for tool in agent_tools()]
    assert {t.server_id for t in tools} == {
        "deskpilot"
    }  # no underscore: terminals split names at the first
    for tool in tools:
        Draft202012Validator.check_schema(tool.input_schema or {})


def test_a_copilot_of_2024_reads_the_golden_request() -> None:
    request = Request2024.model_validate_json(golden("2024").read_bytes())
    assert [m.role for m in request.messages] == [
        "human", "ai", "tool", "ai", "human", "human", "ai", "ai", "tool",
    ]  # fmt: skip
    assert [w.uuid for w in request.widgets] == [UID, OTHER]
    assert all(
        "profile" not in (w.metadata or {}) for w in request.widgets
    )  # it would fill their prompt
    raw = json.loads(golden("2024").read_text("utf-8"))
    assert set(raw) == {"messages", "widgets", "context"}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_our_own_copilot_reads_the_same_in_both(dialect: Dialect) -> None:
    query = parse_request(json.loads(golden(dialect).read_text("utf-8")))
    assert query.dialect == dialect
    assert [type(m) for m in query.messages] == [
        Human, RequestedCall, FunctionResult, CopilotMessage, Human, Human, CopilotMessage, RequestedCall, FunctionResult,
    ]  # fmt: skip
    result = query.messages[2]
    assert isinstance(result, FunctionResult)
    assert result.texts == ['[{"a": 1}]', '[{"b": "é✓\u2028"}]']
    assert [w.uuid for w in query.primary] == [UID, OTHER]


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
ITEMS = st.lists(
    st.one_of(
        TEXT.map(lambda t: Message("assistant", "message", t)),
        TEXT.map(lambda t: Status("INFO", t)),
        st.just(CopilotCall("f", {"a": [1]}, '{"function": "f", "input_arguments": {"a": [1]}}')),
        st.lists(TEXT, max_size=3).map(lambda e: CallResult("f", "\n".join(e), False, 0.0, e)),
    ),
    max_size=8,
)


@given(st.lists(st.tuples(TEXT, ITEMS), min_size=1, max_size=4))
def test_whatever_was_said_both_generations_can_be_asked(said: list[tuple[str, list[Any]]]) -> None:
    turns = [
        Turn(str(n), "c", None, q, "done", 0.0, list(items)) for n, (q, items) in enumerate(said)
    ]
    today = QueryRequest.model_validate(written("today", turns))
    Request2024.model_validate(written("2024", turns))
    people = [m for m in today.messages if m.role == "human"]
    assert len(people) == len(said)  # no question is lost or taken for a call
    assert all(isinstance(m.content, str) for m in people)  # type: ignore[union-attr]


@pytest.mark.parametrize("characters", [0, 3000, 30_000, 10**9])
def test_of_a_long_conversation_the_newest_goes_along_and_the_copilot_is_told(
    characters: int,
) -> None:
    call = CopilotCall("f", {"n": 1}, '{"function": "f", "input_arguments": {"n": 1}}')
    items = [
        call,
        CallResult("f", "r" * 1000, False, 0.0),
        Message("assistant", "message", "It is so."),
    ]
    turns = [
        Turn(str(n), "c", str(n - 1) if n else None, f"Question {n}", "done", 0.0, list(items))
        for n in range(50)
    ]
    copilot = Copilot("i", "n", "http://localhost/q", "today", features={"mcp-tools": True})
    messages = write_request(copilot, turns, offer(), characters)["messages"]
    asked = [m["content"] for m in messages if m["role"] == "human"]
    assert asked[-1] == "Question 49"  # what is asked now is never changed
    assert len(messages) == 4 * len(asked)  # no call without its result
    before = sum(len(m["content"]) for m in messages[:-4])
    assert before <= characters + len(LEFT_OUT) + 2
    whole = len(asked) == 50
    assert whole == (characters == 10**9)
    if len(asked) > 1:
        assert asked[0].startswith(LEFT_OUT) != whole
        assert asked[0].endswith(f"Question {50 - len(asked)}")
    QueryRequest.model_validate({"messages": messages})


def test_code_may_be_run_without_any_table_and_data_is_computed_only_with_one() -> None:
    copilot = Copilot("i", "n", "http://localhost/q", "today", features={"mcp-tools": True})
    offer = RequestOffer([], [*agent_tools(), code.TOOL], {}, "UTC", None)
    asked = Turn("t", "c", None, "Use Python to compute 6*7", "running", 0.0)
    assert [tool["name"] for tool in write_request(copilot, [asked], offer)["tools"]] == [
        "run_code"
    ]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_widgets_and_context_are_sent_even_if_there_are_none(dialect: Dialect) -> None:
    """Copilots of strangers read them unasked, as OpenBB's own terminal always sends them."""
    turn = Turn("t", "c", None, "q", "running", 0.0)
    body = write_request(
        Copilot("c", "C", "http://127.0.0.1", dialect), [turn], RequestOffer([], [])
    )
    none: list[Any] = []
    empty = {"primary": none, "secondary": none, "extra": none}
    assert body["context"] == none
    assert body["widgets"] == (none if dialect == "2024" else empty)
    if dialect == "today":
        sent = QueryRequest.model_validate(body)
        assert sent.widgets is not None
        assert sent.widgets.primary == []
