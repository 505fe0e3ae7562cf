"""How a request is read: what stands in quotes, what asks, what opens an entry, where it goes, what
is unclear.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from backends.copilot.actions.action import ask_back
from backends.copilot.actions.choice import choose
from backends.copilot.actions.request import read
from backends.copilot.actions.slots import fill
from backends.protocol.request import OfferedTool

HERE = Path(__file__).parent
ROWS = [json.loads(line) for line in (HERE / "todo_rules.jsonl").read_text("utf-8").splitlines()]


def of(*rules: str) -> pytest.MarkDecorator:
    """Return the rows of rules, as cases."""
    rows = [row for row in ROWS if row["rule"] in rules]
    return pytest.mark.parametrize("row", rows, ids=lambda row: row["say"][:24])


@pytest.fixture(scope="module")
def tool() -> OfferedTool:
    sample = HERE.parents[4] / "resources" / "samples" / "todo" / "openapi.yaml"
    told = yaml.safe_load(sample.read_text("utf-8"))
    about = told["paths"]["/run"]["post"]["description"]
    return OfferedTool("todo", "todolist", about, told["components"]["schemas"]["todoRequest"])


async def values(tool: OfferedTool, question: str) -> dict[str, Any] | None:
    """Return what a call carries; None if it is asked back."""
    chosen = await choose(question, [tool], None)
    assert chosen is not None
    return None if chosen.filled.missing else chosen.filled.values


@of("quoted")
async def test_what_stands_in_quotes_is_the_item_and_its_numbers_are_no_place(
    tool: OfferedTool, row: dict[str, Any]
) -> None:
    assert await values(tool, row["say"]) == row["values"]


@of("question")
async def test_a_question_looks_and_changes_nothing(tool: OfferedTool, row: dict[str, Any]) -> None:
    assert await values(tool, row["say"]) == row["values"]


@of("entry")
async def test_what_follows_the_opening_of_an_entry_is_the_entry_whatever_it_says(
    tool: OfferedTool, row: dict[str, Any]
) -> None:
    assert await values(tool, row["say"]) == row["values"]


@of("place")
async def test_an_entry_goes_where_it_is_said_to_go(tool: OfferedTool, row: dict[str, Any]) -> None:
    assert await values(tool, row["say"]) == row["values"]


@of("asked")
async def test_what_is_not_named_not_ordered_or_unsure_is_asked_back(
    tool: OfferedTool, row: dict[str, Any]
) -> None:
    assert await values(tool, row["say"]) is None


@of("talk")
async def test_an_opinion_of_lists_reaches_no_tool(tool: OfferedTool, row: dict[str, Any]) -> None:
    assert await choose(row["say"], [tool], None) is None


@pytest.mark.parametrize("question", ["Did I put milk on my list?", "Don't add milk to my list"])
async def test_a_tool_that_only_writes_is_not_called_by_a_question_or_a_ban(question: str) -> None:
    schema = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}
    assert await choose(question, [OfferedTool("addTodo", "a", "Add a todo", schema)], None) is None


def others(name: str, about: str, **properties: dict[str, Any]) -> OfferedTool:
    """Return a tool of a plugin, all of whose parameters are required."""
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return OfferedTool(name, "todos", about, schema)


USER = {"type": "string", "description": "The name of the user."}
ADD = others(
    "addTodo",
    "Add a todo to the list",
    username=USER,
    todo={"type": "string", "description": "The todo to add."},
)
DELETE = others(
    "deleteTodo",
    "Delete a todo from the list",
    username=USER,
    todo_idx={"type": "integer", "description": "The index of the todo to delete."},
)
SHOW = others("getTodos", "Get the list of todos", username=USER)


@pytest.mark.parametrize(
    ("tool", "question", "values"),
    [
        (ADD, "Add buy milk to the todo list of user ann", {"username": "ann", "todo": "buy milk"}),
        (ADD, 'Add a todo "call the user" for user ann', {"username": "ann", "todo": "call the user"}),
        (DELETE, "Delete the todo of user ann with index 1", {"username": "ann", "todo_idx": 1}),
        (DELETE, "Delete the todo with index 0 for user bob@x.org", {"username": "bob@x.org", "todo_idx": 0}),
        (SHOW, "Show the todos of user ann", {"username": "ann"}),
        (SHOW, "Show the todos, username: ann", {"username": "ann"}),
    ],
)  # fmt: skip
def test_a_slot_is_filled_by_the_words_that_name_it(
    tool: OfferedTool, question: str, values: dict[str, Any]
) -> None:
    filled = fill(tool, read(question))
    assert (filled.values, filled.missing) == (values, ())


@pytest.mark.parametrize(
    ("tool", "question", "missing"),
    [
        (SHOW, "Show my todos", ("username",)),
        (ADD, "Add a todo: call the user support", ("username",)),
        (DELETE, "Delete the todo of user ann", ("todo_idx",)),
        (DELETE, "Delete the todo of user ann with index one", ("todo_idx",)),
    ],
)
def test_what_nothing_names_is_missing_and_asked_for_in_words(
    tool: OfferedTool, question: str, missing: tuple[str, ...]
) -> None:
    filled = fill(tool, read(question))
    assert filled.missing == missing
    assert "_" not in ask_back(tool, filled.missing[-1], question)
