"""Months and quarters written as text, codes that look like numbers, columns compared with each
other.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from backends.data.errors import WrongArguments
from backends.data.interfaces import INTERFACES
from backends.data.periods import days_of
from backends.data.profile import profile
from backends.data.rows import table_from_rows


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("Jan 2023", "2023-01-01", "2023-01-31"),
        ("February 2024", "2024-02-01", "2024-02-29"),
        ("Mar-21", "2021-03-01", "2021-03-31"),
        ("Q3 2009", "2009-07-01", "2009-09-30"),
        ("2009Q3", "2009-07-01", "2009-09-30"),
        ("2024-05", "2024-05-01", "2024-05-31"),
        ("H2 2020", "2020-07-01", "2020-12-31"),
        ("2022年1月", "2022-01-01", "2022-01-31"),
        ("2022年01月", "2022-01-01", "2022-01-31"),
        ("2021年第四季度", "2021-10-01", "2021-12-31"),
    ],
)
def test_written_periods_are_read(text: str, first: str, last: str) -> None:
    assert days_of(text) == (dt.date.fromisoformat(first), dt.date.fromisoformat(last))


@pytest.mark.parametrize(
    "text", ["", "Jan", "2023", "Q5 2020", "2024-13", "2022年13月", "Maybe 2020", "0000-00"]
)
def test_what_is_no_period_is_none(text: str) -> None:
    assert days_of(text) is None


MONTHS = ["Nov 2024", "Dec 2024", "Jan 2025", "Feb 2025"]
BILLS: list[dict[str, Any]] = [
    {"month": m, "paid": p, "owed": o}
    for m, p, o in zip(MONTHS, (4, 9, 2, 7), (5, 5, 5, 5), strict=True)
]


def run(rows: list[dict[str, Any]], interface: str, **arguments: Any) -> Any:
    return INTERFACES[interface].run(
        table_from_rows(rows, source="s"), {"source": "s", **arguments}
    )


def test_written_months_are_ordered_by_time_not_by_letters() -> None:
    shuffled = [BILLS[i] for i in (2, 0, 3, 1)]
    assert [r[0] for r in run(shuffled, "series", column="paid", by=["month"]).rows] == MONTHS
    assert run(shuffled, "latest", column="paid", by=["month"]).value == 7
    assert [
        r[0] for r in run(shuffled, "group", by="month", column="paid", aggregate="sum").rows
    ] == MONTHS
    about = profile(table_from_rows(shuffled, source="s"), "bills").column("month")
    assert about is not None
    assert (about.role, about.low, about.high) == ("period", "Nov 2024", "Feb 2025")


def test_columns_are_compared_with_each_other() -> None:
    fewer = [{"column": "paid", "op": "<", "other": "owed"}]
    assert run(BILLS, "count", where=fewer).value == sum(b["paid"] < b["owed"] for b in BILLS)
    with pytest.raises(WrongArguments):
        run(BILLS, "count", where=[{"column": "paid", "op": "<", "other": "month"}])


def test_numbers_of_rows_are_compared_too() -> None:
    sides = {
        "first": [{"column": "paid", "op": "<", "value": 5}],
        "second": [{"column": "paid", "op": ">", "value": 100}],
    }
    result = run(BILLS, "difference", column=None, aggregate="count", **sides)
    assert (result.value, result.rows, result.unit) == (-2, [[2, 0]], None)


@pytest.mark.parametrize("codes", [["E0017", "E0018"], ["12E5", "13E5"], ["e1", "e2"]])
def test_codes_with_an_e_stay_text(codes: list[str]) -> None:
    assert [c.kind for c in table_from_rows([{"code": c} for c in codes], source="s").columns] == [
        "text"
    ]


@pytest.mark.parametrize("cells", [["1.5e7", "2e-3"], ["-2.5E+3", "7"], [".5", "3."]])
def test_numbers_with_an_exponent_stay_numbers(cells: list[str]) -> None:
    table = table_from_rows([{"n": c} for c in cells], source="s")
    assert [row[0] for row in table.rows(0, 2)] == [float(c) for c in cells]


def test_a_year_of_two_digits_is_of_this_time() -> None:
    table = table_from_rows([{"day": d} for d in ("07/22/23", "12/01/25")], source="s")
    assert [row[0] for row in table.rows(0, 2)] == ["2023-07-22", "2025-12-01"]
