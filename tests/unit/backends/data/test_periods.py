"""Months and quarters written as text, codes that look like numbers, columns compared with each
other.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from backends.data.errors import WrongArguments
from backends.data.interfaces import INTERFACES
from backends.data.periods import days_of, until_of
from backends.data.profile import profile
from backends.data.table import table_from_rows


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


@pytest.mark.parametrize(
    ("cells", "days"),
    [
        (["26-03-22", "26-03-29", "26-04-05"], ["2026-03-22", "2026-03-29", "2026-04-05"]),
        (["22-03-26", "29-03-26", "05-04-26"], ["2026-03-22", "2026-03-29", "2026-04-05"]),
    ],
)
def test_which_end_of_a_day_is_its_year_is_told_by_its_neighbours(
    cells: list[str], days: list[str]
) -> None:
    table = table_from_rows([{"day": cell} for cell in cells], source="s")
    assert [row[0] for row in table.rows(0, 3)] == days


@pytest.mark.parametrize(
    ("name", "cells", "days"),
    [
        ("送来", ["12月30日", "1月2日", "5月1日"], ["2024-12-30", "2025-01-02", "2025-05-01"]),
        ("到着", ["5月1日", "5月12号"], ["2025-05-01", "2025-05-12"]),
        ("日期", ["06/01", "06/14"], ["2025-06-01", "2025-06-14"]),
        ("Date", ["6-1", "6-14"], ["2025-06-01", "2025-06-14"]),
        ("came", ["1 May", "3 June"], ["2025-05-01", "2025-06-03"]),
        ("came", ["May 1", "Oct. 3"], ["2024-05-01", "2024-10-03"]),
        ("came", ["Mar 21", "Mar 24", "Apr 11"], ["2025-03-21", "2025-03-24", "2025-04-11"]),
        ("came", ["29 Feb"], ["2024-02-29"]),
    ],
)
def test_days_without_a_year_are_of_the_last_one_that_has_them(
    name: str, cells: list[str], days: list[str]
) -> None:
    rows = [{name: cell} for cell in cells]
    table = table_from_rows(rows, source="s", until=dt.date(2025, 7, 1))
    assert [column.kind for column in table.columns] == ["date"]
    assert [row[0] for row in table.rows(0, len(days))] == days


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("score", ["3-2", "1-1"]),
        ("part", ["1/2", "3/4"]),
        ("Date", ["13/13"]),
        ("month", ["Mar 21", "Apr 21"]),
        ("month", ["Nov 23", "Dec 23", "Jan 24", "Feb 24", "Mar 24", "Apr 24"]),
        ("house", ["2 Mill", "3 Lane"]),
    ],
)
def test_what_only_looks_like_a_day_without_a_year_is_none(name: str, cells: list[str]) -> None:
    table = table_from_rows([{name: cell} for cell in cells], source="s")
    assert [column.kind for column in table.columns] == ["text"]


def test_the_year_of_such_days_stands_in_what_the_table_is_called() -> None:
    written = dt.date(2026, 6, 20)
    assert until_of("harvest 2025", written) == dt.date(2025, 12, 31)
    assert until_of("石板沟果园采收记录(2025年秋)", written) == dt.date(2025, 12, 31)
    assert until_of("season 2024-2025", written) == dt.date(2026, 7, 21)
    assert until_of("list 120250", written) == dt.date(2026, 7, 21)


@pytest.mark.parametrize(
    ("cells", "days"),
    [
        (["01 Apr. 2026", "12 May 2026"], ["2026-04-01", "2026-05-12"]),
        (["Jul-23-21", "Apr-18-24"], ["2021-07-23", "2024-04-18"]),
        (["06-12-26", "06-13-26"], ["2026-06-12", "2026-06-13"]),
    ],
)
def test_days_with_points_and_hyphens_are_read(cells: list[str], days: list[str]) -> None:
    table = table_from_rows([{"day": cell} for cell in cells], source="s")
    assert [row[0] for row in table.rows(0, 2)] == days


def test_a_sign_of_money_behind_numbers_is_their_unit() -> None:
    table = table_from_rows([{"sum": "500.36 €"}, {"sum": "1,860.44 €"}], source="s")
    (column,) = table.columns
    assert (column.kind, column.currency) == ("number", "€")
    assert [row[0] for row in table.rows(0, 2)] == [500.36, 1860.44]


@pytest.mark.parametrize(
    ("cells", "days"),
    [
        (
            ["2026/1/3", "2026年1月7日", "2026.1.23", "2026-02-04"],
            ["2026-01-03", "2026-01-07", "2026-01-23", "2026-02-04"],
        ),
        (["13/4/2026", "14.04.2026", "2-5-2026"], ["2026-04-13", "2026-04-14", "2026-05-02"]),
        (["1/2/2026", "01.03.2026", "1-4-2026"], ["2026-02-01", "2026-03-01", "2026-04-01"]),
    ],
)
def test_days_written_now_in_one_way_and_now_in_another_are_days(
    cells: list[str], days: list[str]
) -> None:
    table = table_from_rows([{"day": cell} for cell in cells], source="s")
    assert [column.kind for column in table.columns] == ["date"]
    assert [row[0] for row in table.rows(0, 9)] == days


@pytest.mark.parametrize(
    ("cells", "numbers", "unit"),
    [
        (["1,955元", "¥120", "395.93元", "¥1,545"], [1955, 120, 395.93, 1545], "元"),
        (["365元", "80", "￥5"], [365, 80, 5], "元"),
        (["¥1,200", "300円"], [1200, 300], "円"),
    ],
)
def test_amounts_with_their_sign_before_or_behind_are_numbers(
    cells: list[str], numbers: list[float], unit: str
) -> None:
    table = table_from_rows([{"sum": cell} for cell in cells], source="s")
    (column,) = table.columns
    assert (column.kind, column.currency) == ("number", unit)
    assert [row[0] for row in table.rows(0, 9)] == numbers


def test_a_number_of_a_phone_is_no_amount() -> None:
    table = table_from_rows([{"手机号": str(13800000000 + 7 * n)} for n in range(30)], source="s")
    assert profile(table, "t").columns[0].role == "identifier"


def test_the_day_stands_first_before_points_however_close_the_other_reading_is() -> None:
    cells = ["01.02.2024", "01.03.2024", "01.04.2024"]
    table = table_from_rows([{"day": cell} for cell in cells], source="s")
    assert [row[0] for row in table.rows(0, 3)] == ["2024-02-01", "2024-03-01", "2024-04-01"]
