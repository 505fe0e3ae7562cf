"""Questions that say only another value, period or picture go on from the one before; two periods
are set against each other.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from backends.copilot.present import as_artifact
from backends.data.interfaces import INTERFACES
from backends.data.profile import profile
from backends.data.rows import table_from_rows
from backends.data.table import Table
from backends.data.values import Profile
from backends.planning import checked
from backends.understanding import Reading, Understanding, understand

pytestmark = pytest.mark.slow

MACRO: list[dict[str, Any]] = [
    {"year": y, "quarter": q, "infl": (y * 7 + q * 3) % 11 - 1.5, "unemp": 4 + (y * 3 + q) % 5 / 2}
    for y in range(1980, 2010)
    for q in (1, 2, 3, 4)
]
SALES: list[dict[str, Any]] = [
    {"region": region, "month": f"2024-{m:02}-01", "sales": 10 * m + i}
    for m in range(1, 13)
    for i, region in enumerate(("Nord", "Süd", "West"))
]


async def read(rows: list[dict[str, Any]], *questions: str) -> tuple[Understanding, Table]:
    """Ask questions one after the other; return how the last was understood."""
    table = table_from_rows(rows, source="t", hash_="h")
    about: Profile = profile(table, "figures")
    previous: Reading | None = None
    made = Understanding(decision="talk")
    for question in questions:
        found = await understand(
            question, [about], embed=None, today=dt.date(2026, 6, 15), previous=previous, found={}
        )
        assert isinstance(found, Understanding)
        made = checked(question, [about], found)
        previous = made.readings[0] if made.readings else None
    return made, table


def mean(year: int) -> float:
    return sum(r["infl"] for r in MACRO if r["year"] == year) / 4


@pytest.mark.parametrize(
    "asked", ["and in 1990?", "in 1990?", "1990?", "what about 1990", "那1990年呢？"]
)
@pytest.mark.parametrize(
    "before", ["In which year was the mean infl highest?", "mean infl in 1985"]
)
async def test_another_year_is_read_as_the_question_before(before: str, asked: str) -> None:
    made, table = await read(MACRO, before, asked)
    assert made.decision == "answer"
    reading = made.readings[0]
    assert INTERFACES[reading.interface].run(table, reading.arguments).value == pytest.approx(
        mean(1990)
    )
    assert not any("1985" in word for word in reading.words)


@pytest.mark.parametrize("asked", ["only Nord", "Nord?", "and for Nord?", "只看Nord"])
async def test_one_value_after_a_sum_of_each_gives_its_sum(asked: str) -> None:
    made, table = await read(SALES, "total sales by region", asked)
    assert (made.decision, made.readings[0].interface) == ("answer", "sum")
    assert INTERFACES["sum"].run(table, made.readings[0].arguments).value == 780


async def test_a_month_after_a_sum_of_each_keeps_each() -> None:
    made, table = await read(SALES, "total sales by region", "in March 2024?")
    assert INTERFACES["group"].run(table, made.readings[0].arguments).rows == [
        ["Nord", 30],
        ["Süd", 31],
        ["West", 32],
    ]


@pytest.mark.parametrize("asked", ["and the gloop in 1990?", "and flurb of Nord?"])
async def test_what_is_not_understood_of_a_follow_up_is_no_talk(asked: str) -> None:
    made, _ = await read(SALES, "total sales by region", asked)
    assert made.decision != "talk"


@pytest.mark.parametrize(
    "asked", ["as a bar chart", "draw it as bars", "bar chart please", "画成柱状图"]
)
@pytest.mark.parametrize("before", ["total sales by region", "sales by month over time"])
async def test_the_result_before_is_drawn_as_bars(before: str, asked: str) -> None:
    first, table = await read(SALES, before)
    made, _ = await read(SALES, before, asked)
    assert (made.decision, made.ignored) == ("answer", [])
    reading = made.readings[0]
    assert reading.arguments == first.readings[0].arguments
    artifact = as_artifact(reading, INTERFACES[reading.interface].run(table, reading.arguments))
    assert artifact is not None
    assert artifact.chart_params is not None
    assert artifact.chart_params["chartType"] == "bar"


@pytest.mark.parametrize(
    ("rows", "asked", "told"),
    [
        (MACRO, "mean infl in 1990 and compare it with 1991", mean(1991) - mean(1990)),
        (SALES, "total sales in March 2024 and compare it with April 2024", 30),
    ],
)
async def test_two_periods_to_compare_are_no_two_conditions(
    rows: list[dict[str, Any]], asked: str, told: float
) -> None:
    made, table = await read(rows, asked)
    reading = made.readings[0]
    assert reading.interface == "difference"
    assert INTERFACES["difference"].run(table, reading.arguments).value == pytest.approx(told)


@pytest.mark.parametrize("asked", ["mean infl in 1990 and in 1995", "infl in 1990 and in 1995"])
async def test_years_no_row_is_both_of_are_asked_back(asked: str) -> None:
    made, _ = await read(MACRO, asked)
    assert made.decision == "ask"


async def test_a_sum_of_a_column_that_was_not_found_is_no_count() -> None:
    rows = [{"日期": r["month"], "名称": r["region"], "xq": r["sales"]} for r in SALES]
    made, _ = await read(rows, "2024年上半年每个公司的成交量总和")
    assert made.decision != "answer"
    assert made.decision != "confirm"


async def test_a_share_of_each_that_cannot_be_told_is_asked_back() -> None:
    made, _ = await read(SALES, "total sales by region", "then the share of each")
    assert made.decision == "ask"
