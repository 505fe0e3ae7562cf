"""One operation on one table goes before a plan that does no more: it cites its cells."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from backends.data.profile import profile
from backends.data.rows import table_from_rows
from backends.data.values import Profile
from backends.planning import Plan, plan
from backends.understanding import Understanding, understand

NOW = dt.datetime(2026, 6, 15, 12)
DAYS = [dt.date(2026, 4, 1) + dt.timedelta(days=n) for n in range(60)]
ROWS: list[dict[str, Any]] = [
    {
        "day": day.isoformat(),
        "team": team,
        "page_views": 100 + 7 * n % 31 + shift,
        "sales": 10.0 + n + shift,
    }
    for n, day in enumerate(DAYS)
    for team, shift in (("East", 0), ("West", 40))
]


@pytest.fixture(scope="module")
def about() -> Profile:
    return profile(table_from_rows(ROWS, source="traffic", hash_="h"), "traffic")


async def both(question: str, about: Profile) -> tuple[Plan, Understanding]:
    made = await plan(question, [about], now=NOW)
    understood = await understand(question, [about], embed=None, today=NOW.date(), found={})
    assert made is not None
    assert isinstance(understood, Understanding)
    return made, understood


@pytest.mark.parametrize(
    "question",
    [
        "Which day had the most page views?",
        "three days with the highest sales, biggest first",
        "What percentage of the total sales came from East?",
    ],
)
async def test_a_simple_plan_gives_way(about: Profile, question: str) -> None:
    made, understood = await both(question, about)
    assert understood.decision in ("answer", "confirm")
    assert not made.goes_first
    assert not made.serves(understood)


@pytest.mark.parametrize(
    "question",
    [
        "Pie chart of the sales of April 2026 by team",
        "7-day moving average of sales of East in May 2026",
        "Mean and median of sales by team",
    ],
)
async def test_a_plan_that_does_more_stays(about: Profile, question: str) -> None:
    made, understood = await both(question, about)
    assert made.goes_first or made.serves(understood)
