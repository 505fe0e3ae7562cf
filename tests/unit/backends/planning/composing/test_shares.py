"""Parts of a whole, things counted beside what else is told of them, and the one that is sought,
against pandas.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import Any

import pandas as pd
import pytest

from backends.data.profile import profile
from backends.data.rows import table_from_rows
from backends.data.table import Table
from backends.data.values import Profile
from backends.data.workflow.output import Chart, OutputSheet, OutputValue
from backends.data.workflow.run import run_workflow
from backends.planning import plan

TODAY = dt.datetime(2025, 7, 10, 20, 0)
SHOPS = [
    {"shop": name, "city": city, "floor_area": 100 + 35 * k}
    for k, (name, city) in enumerate(
        [("Ash", "Leeds"), ("Birch", "Leeds"), ("Cedar", "York"), ("Elm", "York"), ("Fir", "Hull")]
    )
]
SALES = [
    {
        "day": f"2025-{month:02}-{day:02}",
        "shop": shop["shop"],
        "revenue": 50.0 + 9 * k + (month * day) % 23,
    }
    for month in range(1, 7)
    for day in range(1, 28, 3)
    for k, shop in enumerate(SHOPS)
]
FRAME = pd.DataFrame(SALES).merge(pd.DataFrame(SHOPS), on="shop")
FRAME["day"] = pd.to_datetime(FRAME.day)
TABLES: dict[str, tuple[Table, Profile]] = {}
for name, title, rows in (("sales", "Daily sales", SALES), ("shops", "Shops", SHOPS)):
    opened = table_from_rows(rows, source=name, hash_=name)
    TABLES[name] = (opened, profile(opened, title))


def last(question: str, *names: str) -> Any:
    """Return what a request ends with; nothing of it may be doubtful."""
    made = asyncio.run(plan(question, [TABLES[n][1] for n in names or TABLES], now=TODAY))
    assert made is not None, question
    assert not made.asks, (made.unread, made.doubts)
    finished = run_workflow(made.workflow, lambda uid: TABLES[uid][0])
    assert not finished.failed, finished.failed
    return finished.done[-1].output


def rows_of(shown: Any) -> list[list[Any]]:
    if isinstance(shown, Chart):
        trace = shown.figure["data"][0]
        return [list(pair) for pair in zip(trace["x"], trace["y"], strict=True)]
    assert isinstance(shown, OutputSheet)
    return [list(row) for row in shown.table.rows(0, 100)]


def test_the_share_of_one_city_in_all_sales() -> None:
    shown = last("What percentage of the total revenue in May 2025 came from Leeds?")
    may = FRAME[FRAME.day.dt.month == 5]
    assert isinstance(shown, OutputValue)
    assert shown.value == pytest.approx(
        100 * may[may.city == "Leeds"].revenue.sum() / may.revenue.sum()
    )


def test_the_share_of_each_city_is_ranked() -> None:
    whole = FRAME.revenue.sum()
    true = (100 * FRAME.groupby("city").revenue.sum() / whole).sort_values(ascending=False)
    made = rows_of(last("Share of each city in the total revenue, highest first, as bars"))
    assert [row[0] for row in made] == list(true.index)
    assert [row[1] for row in made] == pytest.approx(list(true))


def test_which_city_names_one() -> None:
    shown = last("Which single city had the highest total revenue in 2025?")
    assert rows_of(shown)[0][0] == FRAME.groupby("city").revenue.sum().idxmax()
    assert len(rows_of(shown)) == 1


def test_all_of_a_kind_are_told_as_one() -> None:
    made = rows_of(last("Revenue of all shops together by month, line chart", "sales"))
    true = FRAME.groupby(FRAME.day.dt.month).revenue.sum()
    assert [row[1] for row in made] == pytest.approx(list(true))


def test_a_year_ends_a_sentence() -> None:
    made = rows_of(last("Bar chart of the total revenue by city in 2025."))
    assert {row[0]: row[1] for row in made} == pytest.approx(
        dict(FRAME.groupby("city").revenue.sum())
    )


def test_things_are_counted_beside_what_else_is_told_of_them() -> None:
    made = rows_of(last("Number of shops and mean floor area per city", "shops"))
    true = pd.DataFrame(SHOPS).groupby("city").floor_area.agg(["mean", "count"])
    assert {row[0]: row[1:] for row in made} == {
        city: [pytest.approx(row["mean"]), row["count"]] for city, row in true.iterrows()
    }
