"""What a request demands and a plan does not do is told; what is served is not doubted."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from backends.data.profile import profile
from backends.data.rows import table_from_rows
from backends.data.values import Profile
from backends.data.workflow.step import Step
from backends.planning import Plan, plan
from backends.planning.checking import doubts_of_steps
from backends.planning.tables import View

NOW = dt.datetime(2026, 6, 15, 12)
DAYS = [dt.date(2026, 1, 1) + dt.timedelta(days=n) for n in range(160)]
ROWS: list[dict[str, Any]] = [
    {"day": day.isoformat(), "plant": plant, "output": 100.0 + 7 * n % 31, "cost": 10.0 + n % 13}
    for n, day in enumerate(DAYS)
    for plant in ("Arden", "Brook", "Cliff")
]


@pytest.fixture(scope="module")
def plants() -> Profile:
    return profile(table_from_rows(ROWS, source="plants", hash_="h"), "plants")


READ = Step(
    id="result1",
    interface="read_series",
    arguments={"source": "plants", "time": ["day"], "columns": ["plant", "output"]},
)
SUM = Step(
    id="result2",
    interface="summarise",
    arguments={"data": "result1", "by": ["plant"], "columns": ["output"], "aggregates": ["sum"]},
)
BARS = Step(
    id="result3", interface="bar", arguments={"data": "result2", "x": "plant", "y": ["output"]}
)
LAST = Step(
    id="result2",
    interface="summarise",
    arguments={"data": "result1", "columns": ["output"], "aggregates": ["last"]},
)
VALUE = Step(
    id="result3", interface="read_value", arguments={"data": "result2", "column": "output"}
)
MERGE = Step(
    id="result4",
    interface="merge",
    arguments={"left": "result1", "right": "result1", "on": ["plant"]},
)
COMPUTE = Step(
    id="result4",
    interface="compute",
    arguments={
        "data": "result2",
        "name": "q",
        "first": "output",
        "operator": "/",
        "second": "output",
    },
)

CHANGE = Step(
    id="result2", interface="change", arguments={"data": "result1", "value": "output", "lag": 1}
)
ONE_DAY = Step(
    id="result1",
    interface="read_series",
    arguments={
        "source": "plants",
        "time": ["day"],
        "columns": ["output"],
        "start": "2026-05-04",
        "end": "2026-05-04",
    },
)
ROLLING = Step(
    id="result2", interface="rolling", arguments={"data": "result1", "value": "output", "window": 5}
)
SHARE = Step(
    id="result2", interface="select", arguments={"data": "result1", "columns": ["plant", "share %"]}
)


@pytest.mark.parametrize(
    ("question", "steps", "told"),
    [
        ("total output by blood group", [READ, SUM, BARS], "blood group"),
        ("output of Arden and Brook, two lines", [READ, SUM, BARS], "lines"),
        ("total output of each plant on 3 March 2026", [READ, SUM, BARS], "3 march 2026"),
        ("output of all plants in the north", [READ, MERGE, LAST, VALUE], "all of them"),
        (
            "what percentage of output went into output, by plant",
            [READ, SUM, COMPUTE, BARS],
            "percentage",
        ),
        (
            "total output of each plant that is above the average",
            [READ, SUM, BARS],
            "above the average",
        ),
        (
            "the change of the output in percent, all quarters",
            [READ, CHANGE, VALUE],
            "all quarters",
        ),
        ("the difference of the output to the day before", [READ, CHANGE, VALUE], "difference"),
        ("five-day moving average of the output", [ONE_DAY, ROLLING, VALUE], "moving"),
        ("the total output of all shares in each sector", [READ, SHARE, VALUE], "share"),
    ],
)
def test_what_steps_leave_out_is_told(
    plants: Profile, question: str, steps: list[Step], told: str
) -> None:
    assert told in doubts_of_steps(question, [View(plants)], steps)


async def planned(question: str, about: Profile) -> Plan:
    made = await plan(question, [about], now=NOW)
    assert made is not None
    return made


@pytest.mark.parametrize(
    "question",
    [
        "Total output of each plant in May 2026, highest first, as bars",
        "Correlation between output and cost in 2026",
        "Monthly output divided by cost, line chart",
    ],
)
async def test_a_plan_that_serves_has_no_doubts(plants: Profile, question: str) -> None:
    made = await planned(question, plants)
    assert not made.doubts
    assert not made.asks


@pytest.mark.parametrize(
    ("question", "steps", "told"),
    [
        (
            "median output of each plant in May 2026",
            [
                {"source": "plants", "columns": ["plant", "output"], "start": "2026-05-01", "end": "2026-05-31"},
                {"data": "a", "by": ["plant"], "columns": ["output"], "aggregates": ["sum"]},
            ],
            "median",
        ),
        (
            "output of all plants together by month",
            [
                {"source": "plants", "columns": ["plant", "output"]},
                {"data": "a", "by": ["plant"], "columns": ["output"], "aggregates": ["sum"], "every": "month", "time": "day"},
            ],
            "plants",
        ),
    ],
)  # fmt: skip
def test_steps_are_held_against_the_request(
    plants: Profile, question: str, steps: list[dict[str, Any]], told: str
) -> None:
    made = [
        Step(id="a", interface="read_series", arguments=steps[0] | {"time": ["day"]}),
        Step(id="b", interface="summarise", arguments=steps[1]),
        Step(id="c", interface="show_table", arguments={"data": "b", "title": ""}),
    ]
    assert told in doubts_of_steps(question, [View(plants)], made)
