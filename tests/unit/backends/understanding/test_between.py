"""Two columns set against each other in the same rows; each truth computed in plain Python."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from backends.copilot.phrase import phrase
from backends.data.interfaces import INTERFACES
from backends.data.profile import profile
from backends.data.rows import table_from_rows
from backends.data.table import Table
from backends.data.values import Result
from backends.understanding import Understanding, understand

pytestmark = pytest.mark.slow

TODAY = dt.date(2026, 6, 15)
PRICES = [
    {"date": "2024-10-14", "open": 228.70, "high": 231.73, "low": 228.60, "close": 231.30, "volume": 39882100},
    {"date": "2024-10-15", "open": 233.61, "high": 237.49, "low": 232.37, "close": 233.85, "volume": 64751400},
    {"date": "2024-10-16", "open": 231.60, "high": 232.12, "low": 229.84, "close": 231.78, "volume": 34082200},
    {"date": "2024-10-17", "open": 233.43, "high": 233.85, "low": 230.52, "close": 232.15, "volume": 32993800},
]  # fmt: skip
ZH = [
    {
        "日期": p["date"],
        "开盘价": p["open"],
        "最高价": p["high"],
        "最低价": p["low"],
        "收盘价": p["close"],
    }
    for p in PRICES
]
BUDGET: list[dict[str, Any]] = [
    {"month": f"2024-{i + 1:02}", "Team": ("Sales", "Support")[i % 2], "planned_usd": 100 + i, "actual_usd": 90 + 3 * i}
    for i in range(12)
]  # fmt: skip
DAYS = {str(p["date"]): p for p in PRICES}


async def read(rows: list[dict[str, Any]], name: str, question: str) -> tuple[Understanding, Table]:
    table = table_from_rows(rows, source="s")
    made = await understand(question, [profile(table, name)], embed=None, today=TODAY)
    assert isinstance(made, Understanding)
    return made, table


async def answered(rows: list[dict[str, Any]], name: str, question: str) -> tuple[Result, str]:
    made, table = await read(rows, name, question)
    assert made.decision in ("answer", "confirm"), made
    first = made.readings[0]
    result = INTERFACES[first.interface].run(table, first.arguments)
    return result, phrase(first, result, made.language)


@pytest.mark.parametrize(
    ("question", "day", "one", "two"),
    [
        ("How much higher was high than low on 15 October?", "2024-10-15", "high", "low"),
        ("How much higher was the high than the low on 2024-10-14?", "2024-10-14", "high", "low"),
        (
            "How much higher than the low was the high on 16 October 2024?",
            "2024-10-16",
            "high",
            "low",
        ),
        ("By how much did close exceed open on 15 October 2024?", "2024-10-15", "close", "open"),
        ("How much lower was close than open on 17 October?", "2024-10-17", "open", "close"),
        ("How far above open was close on 14 October?", "2024-10-14", "close", "open"),
        ("What was high minus low on 17 October 2024?", "2024-10-17", "high", "low"),
        (
            "What is the difference between high and low on 15 October 2024?",
            "2024-10-15",
            "high",
            "low",
        ),
        ("What was the gap between open and close on 17 October?", "2024-10-17", "open", "close"),
    ],
)
async def test_a_difference_of_two_columns_is_computed(
    question: str, day: str, one: str, two: str
) -> None:
    result, words = await answered(PRICES, "AAPL prices", question)
    assert result.value == round(float(DAYS[day][one]) - float(DAYS[day][two]), 6)
    at = [p["date"] for p in PRICES].index(day)
    assert {(c.row, c.column) for c in result.cells} == {(at, one), (at, two)}
    assert f"**{result.value}**" in words
    assert "[1] [2]" in words


@pytest.mark.parametrize(
    ("question", "day", "one", "two"),
    [
        ("10月15日最高价比最低价高多少？", "2024-10-15", "最高价", "最低价"),
        ("2024年10月14日收盘价比开盘价高了多少？", "2024-10-14", "收盘价", "开盘价"),
        ("10月17日收盘价比开盘价低多少？", "2024-10-17", "开盘价", "收盘价"),
        ("2024年10月16日最高价和最低价相差多少？", "2024-10-16", "最高价", "最低价"),
        ("10月14日最高价与最低价之差是多少？", "2024-10-14", "最高价", "最低价"),
        ("10月15日最高价超过最低价多少？", "2024-10-15", "最高价", "最低价"),
    ],
)
async def test_in_chinese_too(question: str, day: str, one: str, two: str) -> None:
    result, words = await answered(ZH, "苹果股价", question)
    row = next(p for p in ZH if p["日期"] == day)
    assert result.value == round(float(row[one]) - float(row[two]), 6)
    assert f"**{result.value}**" in words


async def test_of_several_rows_amounts_are_added_up_and_prices_averaged() -> None:
    mean, words = await answered(
        PRICES, "AAPL prices", "On average, how much higher was the high than the low?"
    )
    apart = [float(p["high"]) - float(p["low"]) for p in PRICES]
    assert mean.value == pytest.approx(sum(apart) / 4)
    assert "the average of 4 rows" in words
    total, words = await answered(
        BUDGET, "Budget", "By how much did actual usd exceed planned usd in the Support team?"
    )
    assert total.value == sum(
        r["actual_usd"] - r["planned_usd"] for r in BUDGET if r["Team"] == "Support"
    )
    assert "the total of 6 rows" in words


async def test_which_of_two_is_higher_is_said() -> None:
    _, above = await answered(PRICES, "AAPL prices", "How far below open was close on 16 October?")
    assert above == "open is **0.18** below close (Oct 16 2024) [1] [2]: 231.6 and 231.78."
    _, gap = await answered(
        PRICES, "AAPL prices", "What is the gap between open and close on 16 October?"
    )
    assert gap == "open and close (Oct 16 2024) differ by **0.18** [1] [2]: 231.6 and 231.78."


@pytest.mark.parametrize(
    "question",
    [
        "How much higher was close on 15 October than on 14 October?",
        "How many days was close higher than open?",
        "What is the difference between the close on 14 October and on 15 October?",
        "What were high and low on 15 October?",
    ],
)
async def test_other_questions_that_name_two_columns_are_none_of_it(question: str) -> None:
    made, _ = await read(PRICES, "AAPL prices", question)
    assert "between" not in [r.interface for r in made.readings]
