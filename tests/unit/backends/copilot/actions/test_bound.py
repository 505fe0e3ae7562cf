"""A model chooses under a grammar where code finds no tool, or not all that goes into one; what
nobody said is asked for.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any

import pytest

from app.domain.tool import McpEntry
from app.tools.mcp.server import tools_of
from backends.copilot import NoModel, answer
from backends.copilot.actions.choice import choose
from backends.copilot.actions.ground import arguments_of, choice_schema, simpler
from backends.copilot.actions.model_choice import decided, said_of
from backends.copilot.actions.request import read
from backends.copilot.actions.words import step_after, step_before
from backends.flexai.errors import InvokeBadRequestError
from backends.protocol.events import Event, FunctionCall, MessageChunk, StatusUpdate
from backends.protocol.parser import parse_request
from backends.protocol.request import OfferedTool
from backends.providers.llama_cpp.grammar import grammar_for
from tests.unembedded import Unembedded


@dataclass
class Model(Unembedded):
    """A language model that answers with what it is told to, and takes the schema; refuses: how
    many it cannot bind.
    """

    says: Any
    refuses: int = 0
    schemas: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    missing: bool = False

    async def chat(
        self, messages: list[dict[str, str]], *, model: str | None, parameters: dict[str, Any]
    ) -> AsyncGenerator[str, None]:
        if self.missing:
            raise NoModel("There is no model.", "Get one.")
        self.schemas.append(json.loads(parameters["json_schema"]))
        if len(self.schemas) <= self.refuses:
            raise InvokeBadRequestError("This cannot be bound.", "Simplify it.")
        grammar_for(parameters["json_schema"])  # as the provider does
        yield json.dumps(self.says)


def tool(name: str, about: str, *required: str, **properties: dict[str, Any]) -> OfferedTool:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return OfferedTool(name, "server", about, schema)


WEATHER = tool(
    "get_forecast", "Get the weather forecast for a city", "city", city={"type": "string"}
)
ECHO = tool("echo", "Echoes back the input string", "message", message={"type": "string"})
SUM = tool(
    "get-sum",
    "Returns the sum of two numbers",
    "a",
    "b",
    a={"type": "number"},
    b={"type": "number"},
)
BOOK = tool(
    "book_table", "Book a table at a restaurant", "restaurant", "day", restaurant={"type": "string"}, day={"type": "string"}
)  # fmt: skip


async def made(
    question: str, tools: list[OfferedTool], model: Model
) -> tuple[str, dict[str, Any], tuple[str, ...]] | None:
    known = await choose(question, tools, None)
    found = (await decided(question, tools, known, model, None)).choice
    return None if found is None else (found.tool.name, found.filled.values, found.filled.missing)


async def test_what_code_does_not_find_a_model_copies_from_the_sentence() -> None:
    question = "What weather will Oslo have tomorrow?"
    model = Model({"city": "Oslo"})
    assert await made(question, [WEATHER, ECHO], model) == ("get_forecast", {"city": "Oslo"}, ())
    offered = model.schemas[0]["properties"]["city"]["enum"]
    assert "Oslo" in offered
    assert all(one in question for one in offered)  # the grammar knows nothing that was not said
    assert await made("What is the sum of 17 and 25?", [SUM], Model({"a": 17, "b": 25})) == (
        "get-sum", {"a": 17, "b": 25}, (),
    )  # fmt: skip


@pytest.mark.parametrize(
    "guess", ["Paris", "weather", "What weather will Oslo have tomorrow?", "", "slo"]
)
async def test_a_value_that_was_not_said_is_asked_for(guess: str) -> None:
    question = "What weather will Oslo have tomorrow?"
    assert await made(question, [WEATHER], Model({"city": guess})) == (
        "get_forecast",
        {},
        ("city",),
    )


async def test_the_same_words_do_not_go_into_two_parameters() -> None:
    told = {"restaurant": "Luigi on Friday", "day": "Friday"}
    assert await made("Book a table at Luigi on Friday", [BOOK], Model(told)) == (
        "book_table", {"day": "Friday"}, ("restaurant",),
    )  # fmt: skip


async def test_where_nothing_said_can_go_in_no_model_is_asked() -> None:
    model = Model({})
    assert await made("What is the sum of the numbers?", [SUM], model) == (
        "get-sum",
        {},
        ("a", "b"),
    )
    assert await made("what is the weather like", [WEATHER], model) == (
        "get_forecast",
        {},
        ("city",),
    )
    assert model.schemas == []


async def test_a_tool_that_code_does_not_find_is_chosen_and_none_is_a_choice() -> None:
    question = "Use echo to say good morning"
    chosen = {"tool": "server.echo", "arguments": {"message": "good morning"}}
    assert await made(question, [ECHO, WEATHER], Model(chosen)) == (
        "echo",
        {"message": "good morning"},
        (),
    )
    assert await made(question, [ECHO], Model({"tool": "none"})) is None
    assert await made(question, [ECHO], Model({"tool": "server.other", "arguments": {}})) is None
    assert await made(question, [ECHO], Model([])) is None


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of France?",
        "Thanks a lot!",
        "Who won the cup in 1998?",
        "I had a table made of wood",
        "谢谢",
    ],
)
async def test_what_is_about_something_else_reaches_no_tool_whatever_the_model_says(
    question: str,
) -> None:
    tools = [WEATHER, ECHO, SUM, BOOK]
    for one in tools:
        arguments = {name: question.split()[-1] for name in one.schema["properties"]}
        model = Model({"tool": f"server.{one.name}", "arguments": arguments})
        found = await made(question, tools, model)
        assert found is None or found[2], found  # at most it is asked back


async def test_a_schema_that_cannot_be_bound_is_simplified_and_that_is_told() -> None:
    question = "What weather will Oslo have tomorrow?"
    known = await choose(question, [WEATHER], None)
    made = await decided(question, [WEATHER], known, Model({"city": "Oslo"}, refuses=1), None)
    assert made.choice is not None
    assert made.choice.filled.values == {"city": "Oslo"}
    assert "more than a grammar can say" in made.notes[0]
    for without in (Model({}, missing=True), Model({}, refuses=2)):
        assert (await decided(question, [WEATHER], known, without, None)).choice == known


SCHEMAS: list[dict[str, Any]] = [
    {"type": "object", "$defs": {"P": {"type": "object", "properties": {"n": {"type": "integer"}}}},
     "properties": {"p": {"$ref": "#/$defs/P"}, "all": {"type": "array", "items": {"$ref": "#/$defs/P"}}}},
    {"type": "object", "properties": {"tree": {"$ref": "#"}, "far": {"$ref": "http://e.example/x"}}},
    {"type": "object", "properties": {"a": {"type": ["string", "null"], "pattern": "(?=x)\\b"}, "b": {"not": {"type": "string"}}}},
    {"type": "object", "properties": {"c": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "d": {}, "e": {"const": 1}}},
    {"type": "object", "properties": {"k": {"if": {"const": 1}, "then": {"minimum": 3}}}, "patternProperties": {"^x": {}}},
    {},
]  # fmt: skip


@pytest.mark.parametrize("schema", SCHEMAS, ids=range(len(SCHEMAS)))
def test_a_grammar_is_made_for_every_tool_and_what_that_leaves_out_is_told(
    schema: dict[str, Any],
) -> None:
    entry = McpEntry("server", ("x",), known=({"name": "do", "inputSchema": schema},))
    [offered], warnings = tools_of(entry)
    text = json.dumps(offered.input_schema)
    assert "$ref" not in text
    loud = any(
        word in json.dumps(schema) for word in ('"$ref": "#"', "http:", '"not"', '"if"', "pattern")
    )
    assert bool(warnings) == loud
    one = OfferedTool("do", "server", "Do something with 3 things", offered.input_schema)
    grammar_for(
        json.dumps(
            choice_schema(
                {
                    "server.do": said_of(one, read("do something with 3 things")),
                    "b": simpler(arguments_of(one)),
                }
            )
        )
    )


TEMPLATES: list[dict[str, str]] = [
    {
        "thought": "Do I need the list? Yes",
        "action": "the tool",
        "input": "what to do",
        "output": "what it said",
    },
    {"思考": "需要清单吗？是", "操作": "工具", "输入": "参数", "输出": "结果"},
    {"format": "思考: 需要清单吗？是\n操作: 工具名\n输入: 参数\n输出: 结果"},
]


@pytest.mark.parametrize(("template", "words"), [
    (TEMPLATES[0], ["thought: Do I need the list? Yes", "action: todo", "input: item milk"]),
    (TEMPLATES[1], ["思考: 需要清单吗？是", "操作: todo", "输入: item milk"]),
    (TEMPLATES[2], ["思考: 需要清单吗？是", "操作: todo", "输入: item milk"]),
])  # fmt: skip
def test_a_call_is_told_in_the_words_of_the_plugins_template(
    template: dict[str, str], words: list[str]
) -> None:
    one = OfferedTool("todo", "list", "A list", {}, template)
    assert step_before(one, {"item": "milk"}) == " · ".join(words)
    after = step_after(one, json.dumps({"from": "List", "answer": "milk"}))
    assert after.endswith(": milk")
    assert after.split(":")[0] in ("output", "输出")
    plain = OfferedTool("todo", "list", "A list", {})
    assert step_before(plain, {"item": "milk"}) == "list · todo · item milk"
    assert step_after(plain, "{}") == ""


async def test_the_template_is_used_in_a_turn() -> None:
    told = {
        "server_id": "list", "name": "todo", "url": "x", "description": "A to-do list", "prompt": TEMPLATES[1],
        "input_schema": {"type": "object", "properties": {"item": {"type": "string"}}, "required": ["item"]},
    }  # fmt: skip
    body: dict[str, Any] = {
        "messages": [{"role": "human", "content": "Add milk to my to-do list"}],
        "tools": [told],
    }

    async def events() -> list[Event]:
        return [
            event
            async for event in answer(parse_request(body), Model({}), today=dt.date(2024, 6, 1))
        ]

    [step, call] = await events()
    assert isinstance(step, StatusUpdate)
    assert step.message == "思考: 需要清单吗？是 · 操作: todo · 输入: item milk"
    assert isinstance(call, FunctionCall)
    result = json.dumps({"from": "List", "answer": "done"})
    body["messages"].append(
        {"role": "tool", "function": call.function, "input_arguments": call.arguments, "data": [{"items": [{"content": result}]}]}
    )  # fmt: skip
    [step, words] = await events()
    assert isinstance(step, StatusUpdate)
    assert step.message == "输出: done"
    assert isinstance(words, MessageChunk)
