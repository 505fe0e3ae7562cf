"""Questions right behind an answer that say only what is different: other names, other days, a
forecast, another form.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from backends.copilot.turn import read_turn
from backends.data.compiler import run_query
from backends.data.query import Query
from backends.data.workflow.report import TOOL
from backends.protocol.events import ArtifactEvent, FunctionCall
from backends.protocol.parser import parse_request
from tests.unit.backends.copilot.test_workflows import (
    ask,
    body,
    exchange,
    prices,
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


async def talk(*questions: str) -> tuple[list[Event], Query]:
    """Ask one question behind another; return what came of the last, and its query."""
    table = prices()
    held: list[dict[str, Any]] = []
    events: list[Event] = []
    query: Query | None = None
    for i, question in enumerate(questions):
        human = [] if i == 0 else [{"role": "human", "content": question}]
        more: list[dict[str, Any]] = []
        for _ in range(4):
            events = await ask(questions[0], table, *held, *human, *more)
            call = next((e for e in events if isinstance(e, FunctionCall)), None)
            if call is None:
                break
            query = Query.model_validate(call.arguments["parameters"]["query"])
            more += exchange(call, run_query(query, {"prices": table}))
        held += [*human, *more, {"role": "ai", "content": words(events)}]
    assert query is not None
    return events, query


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
    events, query = await talk(FIRST[language], question)
    (chart,) = [e for e in events if isinstance(e, ArtifactEvent)]
    assert isinstance(chart.content, list)
    assert sorted(chart.content[0])[:-1] == sorted(names)
    assert chart.content[0]["day"] == start
    assert all(chart.content[0][name] == 0 for name in names)
    assert "Window" in repr(query)


async def test_one_follow_up_may_follow_another() -> None:
    events, query = await talk(FIRST["en"], "now for Brimble instead", "and in February 2024?")
    assert "Ostara" not in query.model_dump_json()
    assert "(2024-02-01)" in words(events)


@pytest.mark.parametrize(
    ("language", "question"), [("en", "then forecast the next 5 days"), ("zh", "然后预测未来5天")]
)
async def test_what_was_read_is_forecast(language: str, question: str) -> None:
    events, query = await talk(
        FIRST[language].replace(" and Brimble", "").replace("和Brimble", ""), question
    )
    assert query.forecast is not None
    assert query.forecast.periods == 5
    assert "Ostara" in query.model_dump_json()
    (table,) = [e for e in events if isinstance(e, ArtifactEvent)]
    assert isinstance(table.content, list)
    assert len(table.content) == 5


@pytest.mark.parametrize(
    ("question", "show"),
    [
        ("and as a bar chart", "bar"),
        ("as a table", "table"),
        ("改成表格", "table"),
        ("save that as csv", "file"),
        ("保存成csv", "file"),
    ],
)
async def test_the_same_numbers_are_shown_in_another_way(question: str, show: str) -> None:
    (_, before), (events, query) = await talk(FIRST["en"]), await talk(FIRST["en"], question)
    assert query.model_copy(update={"show": "line"}) == before
    assert query.show == show
    told = words(events)
    assert ("Press CSV" in told or "按 CSV" in told) is (show == "file")


async def test_a_forecast_that_was_a_table_is_drawn() -> None:
    events, query = await talk(
        "Forecast the close of Ostara for the next 5 days", "and as a bar chart"
    )
    assert query.show == "bar"
    (chart,) = [e for e in events if isinstance(e, ArtifactEvent)]
    assert (chart.chart_params or {})["yKey"][0] == "forecast"


async def test_a_question_of_its_own_is_left_as_it_is() -> None:
    _, query = await talk(FIRST["en"], "What was the highest close of Ostara?")
    assert query.source == "prices"


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
