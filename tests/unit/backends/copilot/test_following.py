"""Questions right behind a workflow that say only what is different: other names, other days, a
forecast, another form.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from app.data.sources import Runs
from backends.copilot.turn import read_turn
from backends.data.interfaces.number_check import untraced
from backends.data.workflow.report import TOOL
from backends.protocol.events import ArtifactEvent, FunctionCall
from backends.protocol.parse import parse_request
from tests.unit.backends.copilot.test_workflows import (
    ask,
    body,
    conversation,
    exchange,
    prices,
    run,
    words,
)

if TYPE_CHECKING:
    from backends.protocol.events import Event

pytestmark = pytest.mark.slow

FIRST = {
    "en": (
        "Show the cumulative returns of Ostara and Brimble from 2024-01-01 to 2024-03-31 in one"
        " chart"
    ),
    "zh": "在一张图里比较Ostara和Brimble从2024-01-01到2024-03-31的累计收益率",
}


async def talk(*questions: str) -> tuple[list[Event], list[dict[str, Any]]]:
    """Ask one question behind another; return what came of the last, and the steps of its
    workflow.
    """
    table = prices()
    runs, held = Runs({"prices": table}.__getitem__), list[dict[str, Any]]()
    events: list[Event] = []
    steps: list[dict[str, Any]] = []
    for i, question in enumerate(questions):
        more: list[dict[str, Any]] = []
        for _ in range(4):
            events = (
                await ask(questions[0], table, *held, *more)
                if i == 0
                else await later(questions[0], held, question, more)
            )
            call = next((e for e in events if isinstance(e, FunctionCall)), None)
            if call is None:
                break
            steps = call.arguments["parameters"]["workflow"]["steps"]
            more += exchange(call, run(runs, call))
        human = [] if i == 0 else [{"role": "human", "content": question}]
        held += [*human, *more, {"role": "ai", "content": words(events)}]
    return events, steps


async def later(
    first: str, held: list[dict[str, Any]], question: str, more: list[dict[str, Any]]
) -> list[Event]:
    return await ask(first, prices(), *held, {"role": "human", "content": question}, *more)


@pytest.mark.parametrize(
    ("language", "question", "names", "start"),
    [
        ("en", "now for Brimble instead", ["Brimble"], "2024-01-01"),
        ("en", "and in February 2024?", ["Ostara", "Brimble"], "2024-02-01"),
        ("zh", "换成Brimble呢？", ["Brimble"], "2024-01-01"),
        ("zh", "那2024年2月呢", ["Ostara", "Brimble"], "2024-02-01"),
    ],
)
async def test_other_names_and_days_take_the_place_of_those_before(
    language: str, question: str, names: list[str], start: str
) -> None:
    _, steps = await talk(FIRST[language], question)
    assert [s["interface"] for s in steps] == ["read_series", "returns", "line"]
    assert [name for name in ("Ostara", "Brimble") if name in json.dumps(steps[0])] == names
    assert steps[0]["arguments"]["start"] == start


async def test_one_follow_up_may_follow_another() -> None:
    _, steps = await talk(FIRST["en"], "now for Brimble instead", "and in February 2024?")
    assert "Ostara" not in json.dumps(steps)
    assert steps[0]["arguments"]["start"] == "2024-02-01"


@pytest.mark.parametrize(
    ("language", "question"), [("en", "then forecast the next 5 days"), ("zh", "然后预测未来5天")]
)
async def test_what_was_read_is_forecast(language: str, question: str) -> None:
    events, steps = await talk(
        FIRST[language].replace(" and Brimble", "").replace("和Brimble", ""), question
    )
    assert [s["interface"] for s in steps][-2:] == ["forecast", "show_table"]
    assert "Ostara" in json.dumps(steps[0])
    assert steps[-2]["arguments"] | {"data": ""} == {"data": "", "value": "close", "steps": 5}
    (table,) = [e for e in events if isinstance(e, ArtifactEvent)]
    assert isinstance(table.content, list)
    assert len(table.content) == 5


@pytest.mark.parametrize(
    ("question", "interface", "save"),
    [
        ("and as a bar chart", "bar", None),
        ("as a table", "show_table", False),
        ("改成表格", "show_table", False),
        ("save that as csv", "show_table", True),
        ("保存成csv", "show_table", True),
    ],
)
async def test_the_same_steps_are_shown_in_another_way(
    question: str, interface: str, save: bool | None
) -> None:
    events, steps = await talk(FIRST["en"], question)
    assert [s["interface"] for s in steps] == ["read_series", "returns", interface]
    assert steps[-1]["arguments"].get("save") is save
    assert f"`{interface}`" in words(events)
    assert ("Press CSV" in words(events)) is bool(save)


async def test_a_forecast_that_was_a_table_is_drawn() -> None:
    _, steps = await talk("Forecast the close of Ostara for the next 5 days", "and as a bar chart")
    assert steps[-1]["interface"] == "bar"
    assert steps[-1]["arguments"]["y"] == ["forecast"]


async def test_a_question_of_its_own_is_left_as_it_is() -> None:
    events = await later(FIRST["en"], [], "What was the highest close of Ostara?", [])
    call = next(e for e in events if isinstance(e, FunctionCall))
    assert call.arguments["tool_name"] != TOOL


async def test_a_reading_from_before_a_workflow_is_not_gone_back_to() -> None:
    reading = {
        "interface": "mean",
        "arguments": {"source": "prices", "column": "close"},
        "words": ["mean"],
    }
    said = [{"function": "execute_agent_tool", "input_arguments": {"tool_name": name}, "extra_state": state}
            for name, state in (("mean", {"reading": reading}), (TOOL, {}))]  # fmt: skip
    messages = [
        m
        for one in said
        for m in ({"role": "ai", "content": json.dumps(one)}, {"role": "human", "content": "x"})
    ]
    for upto, found in ((2, True), (4, False)):
        turn = read_turn(parse_request(body("x", prices(), *messages[:upto])))
        assert turn is not None
        assert (turn.previous is not None) is found


async def test_rows_left_out_of_the_words_are_no_number_that_was_made_up() -> None:
    question = (
        "Draw the cumulative returns of Ostara and Brimble from 2024-01-01 to 2024-04-20, print the"
        " table"
    )
    events, results = await conversation(question, prices())
    said = words(events)
    assert "more rows" in said
    assert untraced(said, results[-1].as_results(), question) == []
