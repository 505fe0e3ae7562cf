"""Conditions on when things of a list began, by year or by day."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from backends.data.profile import profile
from backends.data.rows import table_from_rows
from backends.planning.composing.mentions import Said
from backends.planning.composing.time import find_beginnings
from backends.planning.tables import View

pytestmark = pytest.mark.slow

TODAY = dt.date(2026, 6, 15)
SHIPS: list[dict[str, Any]] = [
    {
        "vessel": f"Vessel {n}",
        "seats": 100 + n,
        "built": 1996 + n,
        "joined": f"20{10 + n % 10}-05-01",
    }
    for n in range(20)
]
SHARES: list[dict[str, Any]] = [
    {"股票": f"股票{n}号", "行业": "银行" if n % 2 else "酒店", "上市年份": 1999 + n}
    for n in range(20)
]


def view(rows: list[dict[str, Any]], name: str) -> View:
    return View(profile(table_from_rows(rows, source=name, hash_="h"), name))


@pytest.mark.parametrize(
    ("asked", "column", "op", "value"),
    [
        ("vessels built in 2015 or later: how many trips?", "built", ">=", 2015),
        ("trips of ships built before 2010", "built", "<", 2010),
        ("ships built after 2010", "built", ">", 2010),
        ("the seats of vessels built in 2012", "built", "=", 2012),
        ("vessels that joined before 2015", "joined", "<", "2015-01-01"),
    ],
)
def test_a_beginning_is_a_condition(asked: str, column: str, op: str, value: object) -> None:
    said = Said(asked)
    found = [bound.condition for bound in find_beginnings(said, [view(SHIPS, "ships")], TODAY)]
    assert found == [{"column": column, "op": op, "value": value}]
    assert "20" not in said.left()  # the year is no range of days any more


@pytest.mark.parametrize(
    ("asked", "op", "value"),
    [
        ("只看2010年及以后上市的股票", ">=", 2010),
        ("2005年之前上市的有几家", "<", 2005),
        ("2005年以后上市的公司", ">", 2005),
        ("2010年上市的公司", "=", 2010),
        ("上市时间早于2005年的公司", "<", 2005),
    ],
)
def test_a_chinese_beginning_is_a_condition(asked: str, op: str, value: int) -> None:
    found = find_beginnings(Said(asked), [view(SHARES, "shares")], TODAY)
    assert [bound.condition for bound in found] == [
        {"column": "上市年份", "op": op, "value": value}
    ]


@pytest.mark.parametrize(
    "asked", ["seats in 2015", "从2020年1月1日到2023年5月3日期间的收益率", "day by day in 2015"]
)
def test_other_days_stay(asked: str) -> None:
    tables = [view(SHIPS, "ships"), view(SHARES, "shares")]
    assert not find_beginnings(Said(asked), tables, TODAY)
