"""Requests in words to plugins: with a model that is able, as it was meant; by rules alone, or
with a model that would do anything, never a write that nobody meant.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from backends.copilot.acting.bound.deciding import decided
from backends.copilot.acting.choose import choose
from backends.copilot.acting.said import read
from backends.copilot.acting.slots import FilledSlots, fill
from backends.protocol.parse import parse_request
from backends.protocol.query import OfferedTool
from tests.bench.plugin_words import Script, called, tools_in, verdict
from tests.unembedded import Unembedded

FOLDER = Path(__file__).parents[4] / "data" / "plugin_words"
REQUESTS = [
    (plugin.name, json.loads(line))
    for plugin in sorted(FOLDER.iterdir())
    for line in (plugin / "requests.jsonl").read_text("utf-8").splitlines()
]
BY_RULE = 20  # of them, without a model


async def told(plugin: str, line: dict[str, Any], script: Script) -> str:
    tools = tools_in(FOLDER / plugin)
    writes = {one.name for one in tools if one.writes}
    tool, values, _ = await called([one.told() for one in tools], line, script)
    return verdict(line, writes, tool, values)


@pytest.mark.parametrize(("plugin", "line"), REQUESTS, ids=[line["say"] for _, line in REQUESTS])
async def test_an_able_model_is_followed(plugin: str, line: dict[str, Any]) -> None:
    assert await told(plugin, line, Script(line)) == "right"


async def test_rules_write_nothing_that_was_not_meant_and_are_mostly_right() -> None:
    made = [await told(plugin, line, Script(None)) for plugin, line in REQUESTS]
    assert "WROTE" not in made
    assert made.count("right") >= BY_RULE


class Careless(Unembedded):
    """A model that says a call of a tool, whatever it is asked; able: whether it passed a test."""

    def __init__(self, tool: str, arguments: dict[str, Any], *, able: bool) -> None:
        self.says = {"tool": f"s.{tool}", "arguments": arguments}
        self.able = able

    def reliability(self, model: str | None) -> float:
        return 0.9 if self.able else 0.0

    async def chat(
        self, messages: list[dict[str, str]], *, model: str | None, parameters: dict[str, Any]
    ) -> AsyncGenerator[str, None]:
        yield json.dumps(self.says)


SWITCH = OfferedTool(
    "switchLamp",
    "s",
    "Switch the lamp",
    {
        "type": "object",
        "properties": {"state": {"type": "string"}, "api_key": {"type": "string"}},
        "required": ["state"],
    },
)


@pytest.mark.parametrize("able", [True, False])
async def test_what_nobody_said_is_asked_for_and_never_sent(*, able: bool) -> None:
    made = await decided(
        "Please do something about the lamp",
        [SWITCH],
        await choose("Please do something about the lamp", [SWITCH], None),
        Careless("switchLamp", {"state": "off", "api_key": "lamp"}, able=able),
        None,
    )
    assert made.choice is None or made.choice.filled.missing == ("state",)
    assert made.choice is None or made.choice.filled.values == {}


def tool(name: str, *required: str, **properties: dict[str, Any]) -> OfferedTool:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return OfferedTool(name, "s", "", schema)


WORDS, WHOLE = {"type": "string"}, {"type": "integer"}


@pytest.mark.parametrize(
    ("say", "one", "values"),
    [
        ("Show order 12", tool("getOrder", "order_id", order_id=WHOLE), {"order_id": 12}),
        (
            "Update order 3 to espresso",
            tool("updateOrder", "order_id", "drink", order_id=WHOLE, drink=WORDS),
            {"order_id": 3, "drink": "espresso"},
        ),
        (
            "Change todo 2 to 'water the plants'",
            tool("updateTodo", "id", "title", id=WORDS, title=WORDS),
            {"id": "2", "title": "water the plants"},
        ),
        ("Create a sheet called Budget", tool("createSheet", title=WORDS), {"title": "Budget"}),
        (
            "Find polls with at least 100 points",
            tool("find", kind={"enum": ["story", "poll"]}, min_points=WHOLE, max_points=WHOLE),
            {"kind": "poll", "min_points": 100},
        ),
        (
            "Show me recipes by Anna Berg",
            tool("search_recipes", author=WORDS, title=WORDS),
            {"author": "Anna Berg"},
        ),
    ],
)
def test_what_is_said_goes_where_it_belongs(
    say: str, one: OfferedTool, values: dict[str, Any]
) -> None:
    assert fill(one, read(say)).values == values


def test_words_in_the_middle_of_something_are_no_thing() -> None:
    made = fill(tool("placeOrder", "drink", drink=WORDS), read("Place an order with two straws"))
    assert made.values == {}
    assert made.missing == ("drink",)


@pytest.mark.parametrize("say", ["Turn the RC car left", "Drive the car backward", "Honk please"])
async def test_a_model_that_is_not_able_fills_in_nothing_that_is_written(say: str) -> None:
    """As a starter model did: it copied some words of the sentence."""
    car = {
        "server_id": "s",
        "name": "moveCar",
        "description": "Move the RC car",
        "annotations": {"readOnlyHint": False},
        "input_schema": {
            "type": "object",
            "properties": {"action": {"type": "string"}},
            "required": ["action"],
        },
    }
    (one,) = parse_request({"messages": [{"role": "human", "content": say}], "tools": [car]}).tools
    assert one.writes
    careless = Careless("moveCar", {"action": say.split()[1]}, able=False)
    made = await decided(say, [one], await choose(say, [one], None), careless, None)
    assert made.choice is None or made.choice.filled == FilledSlots({}, ("action",))
