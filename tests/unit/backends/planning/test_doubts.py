"""What a request demands and a plan, or one operation, does not do is told; what is served is not
doubted.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from backends.data.profile import profile
from backends.data.rows import table_from_rows
from backends.data.values import Profile
from backends.data.workflow.step import Step
from backends.planning import Plan, checked, plan
from backends.planning.checking import doubts_of_reading, doubts_of_steps
from backends.planning.tables import View
from backends.understanding import Reading, Understanding

NOW = dt.datetime(2026, 6, 15, 12)
DAYS = [dt.date(2026, 1, 1) + dt.timedelta(days=n) for n in range(160)]
ROWS: list[dict[str, Any]] = [
    {"day": day.isoformat(), "plant": plant, "output": 100.0 + 7 * n % 31, "cost": 10.0 + n % 13}
    for n, day in enumerate(DAYS)
    for plant in ("Arden", "Brook", "Cliff")
]
CHINESE: list[dict[str, Any]] = [
    {"日期": day.isoformat(), "门店": shop, "销售额": 100.0 + 7 * n % 31, "成本": 10.0 + n % 13}
    for n, day in enumerate(DAYS)
    for shop in ("东湖店", "西山店", "南站店")
]


@pytest.fixture(scope="module")
def plants() -> Profile:
    return profile(table_from_rows(ROWS, source="plants", hash_="h"), "plants")


@pytest.fixture(scope="module")
def shops() -> Profile:
    return profile(table_from_rows(CHINESE, source="shops", hash_="h"), "门店日报")


def read(interface: str, **arguments: Any) -> Reading:
    return Reading(
        interface=interface, arguments={"source": "plants", **arguments}, words=[interface]
    )


@pytest.mark.parametrize(
    ("question", "interface", "arguments", "told"),
    [
        ("the output of each plant in May 2026", "sum", {"column": "output"}, "plant"),
        ("What share of the output came from Arden?", "sum", {"column": "output"}, "what share of"),
        ("by how much did output grow from January to May?", "sum", {"column": "output"}, "grow"),
        ("five-day moving average of the output", "series", {"column": "output"}, "moving average"),
        ("median cost in May 2026", "mean", {"column": "cost"}, "median"),
        ("output on weekends in May 2026", "sum", {"column": "output"}, "weekends"),
        ("pie chart of output by plant", "sum", {"column": "output"}, "pie"),
        ("correlation of output and cost", "sum", {"column": "output"}, "correlation"),
        ("days with output above 120", "count", {}, "above 120"),
        (
            "the two plants with the lowest cost",
            "group",
            {"by": "plant", "column": "cost"},
            "lowest",
        ),
    ],
)
def test_a_demand_one_operation_does_not_serve_is_told(
    plants: Profile, question: str, interface: str, arguments: dict[str, Any], told: str
) -> None:
    assert told in doubts_of_reading(question, [plants], read(interface, **arguments))


@pytest.mark.parametrize(
    ("question", "interface", "arguments", "told"),
    [
        ("4月，三家门店各有多少天销售额高于120？", "count", {}, "各"),
        ("东湖店的销售额占全部的百分之几", "sum", {"column": "销售额"}, "占全部的百分之"),
        ("东湖店5月的销售额", "sum", {"column": "销售额"}, "东湖店"),
        ("销售额与成本之比", "sum", {"column": "销售额"}, "之比"),
        ("5月各门店销售额从高到低排", "list_rows", {}, "从高到"),
        ("东湖店的销售额比去年同月变动百分之几", "share", {"column": "销售额"}, "变动"),
        ("销售额最高的那个月", "extreme", {"column": "销售额", "direction": "highest"}, "最高的"),
        ("亏损最严重的门店", "list_rows", {}, "最严重"),
    ],
)
def test_a_chinese_demand_is_told(
    shops: Profile, question: str, interface: str, arguments: dict[str, Any], told: str
) -> None:
    assert told in doubts_of_reading(question, [shops], read(interface, **arguments))


IN_MAY = [{"column": "day", "op": "between", "value": ["2026-05-01", "2026-05-31"]}]


@pytest.mark.parametrize(
    ("question", "interface", "arguments", "told"),
    [
        ("total output in April 2026", "sum", {"column": "output", "where": IN_MAY}, "april 2026"),
        ("mean age of the plants", "mean", {"column": "cost"}, "age"),
        ("total output of Arden by week", "sum", {"column": "output"}, "by week"),
        ("output by plant, biggest first", "group", {"by": "plant", "column": "output", "order": "highest", "n": 1}, "biggest first"),
        ("How many days was output above cost?", "sum", {"column": "output"}, "how many days"),
        ("cost per output in May 2026", "sum", {"column": "output", "where": IN_MAY}, "per output"),
        ("By how much, in percent, did output grow?", "difference", {"column": "output", "how": "absolute"}, "percent"),
        ("the closing cost from 1 May to 31 May 2026", "mean", {"column": "cost", "where": IN_MAY}, "mean"),
    ],
)  # fmt: skip
def test_what_one_operation_leaves_out_is_told(
    plants: Profile, question: str, interface: str, arguments: dict[str, Any], told: str
) -> None:
    assert told in doubts_of_reading(question, [plants], read(interface, **arguments))


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


@pytest.mark.parametrize(
    ("question", "interface", "arguments"),
    [
        ("total output in May 2026", "sum", {"column": "output", "where": [{"column": "day", "op": "between", "value": ["2026-05-01", "2026-05-31"]}]}),
        ("How many rows are there?", "count", {}),
        ("average cost of Arden", "mean", {"column": "cost", "where": [{"column": "plant", "op": "=", "value": "Arden"}]}),
        ("Which plant has the highest cost?", "extreme", {"column": "cost", "direction": "highest"}),
        ("output by plant", "group", {"by": "plant", "column": "output", "aggregate": "sum"}),
    ],
)  # fmt: skip
def test_what_is_served_is_not_doubted(
    plants: Profile, question: str, interface: str, arguments: dict[str, Any]
) -> None:
    assert not doubts_of_reading(question, [plants], read(interface, **arguments))


def test_doubts_are_told_beside_an_answer(plants: Profile) -> None:
    understood = Understanding(readings=[read("sum", column="output")], decision="answer")
    told = checked("the output of each plant in May 2026", [plants], understood)
    assert told.decision == "confirm"
    assert "plant" in told.ignored
    assert checked("total output", [plants], understood) == understood


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
