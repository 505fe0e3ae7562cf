"""Differences in words that say what was computed, and in which direction."""

from __future__ import annotations

from typing import Any

import pytest

from backends.copilot.phrase import phrase
from backends.data.interfaces import INTERFACES
from backends.data.interfaces.number_check import untraced
from backends.data.presentation import show
from backends.data.rows import table_from_rows
from backends.data.values import Result
from backends.understanding import Reading

ROWS: list[dict[str, Any]] = [
    {"team": t, "pay": p} for t, p in (("A", 10), ("A", 30), ("A", 90), ("B", 20), ("B", 40))
]


def said(language: str = "en", **arguments: Any) -> str:
    sides = {
        side: [{"column": "team", "op": "=", "value": value}]
        for side, value in (("first", "A"), ("second", "B"))
    }
    given = {"source": "s", **sides, **arguments}
    result = INTERFACES["difference"].run(table_from_rows(ROWS, source="s"), given)
    return phrase(Reading(interface="difference", arguments=given, words=[]), result, language)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            {"column": "pay", "aggregate": "sum"},
            "The total of pay changed by **-70** [1]: from 130 to 60.",
        ),
        (
            {"column": "pay", "aggregate": "median"},
            "The median of pay changed by **0** [1]: from 30 to 30.",
        ),
        (
            {"column": "pay", "aggregate": "sum", "how": "gap"},
            "The total of pay differs by **70** [1]: 130 and 60.",
        ),
        (
            {"column": None, "aggregate": "count"},
            "The number of rows changed by **-1** [1]: from 3 to 2.",
        ),
    ],
)
def test_a_difference_says_what_was_computed_and_its_direction(
    arguments: dict[str, Any], words: str
) -> None:
    assert said(**arguments) == words


def test_two_cells_are_no_totals() -> None:
    sides = {
        "first": [{"column": "pay", "op": "=", "value": 10}],
        "second": [{"column": "pay", "op": "=", "value": 40}],
    }
    assert (
        said(column="pay", aggregate="sum", **sides)
        == "pay changed by **30** [1] [2]: from 10 to 40."
    )


def test_chinese_says_so_too() -> None:
    assert (
        said("zh", column="pay", aggregate="sum", how="gap")
        == "pay的总和相差 **70** [1]：130 与 60。"
    )
    assert said("zh", column=None, aggregate="count") == "行数的变化是 **-1** [1]：从 3 到 2。"


def test_a_line_of_one_row_a_day_is_no_line_of_means() -> None:
    rows = [{"day": f"2024-01-0{n}", "close": 10.0 * n} for n in range(1, 5)]
    given = {"source": "s", "by": ["day"], "column": "close", "aggregate": "mean"}
    reading = Reading(interface="series", arguments=given, words=[])
    once = INTERFACES["series"].run(table_from_rows(rows, source="s"), given)
    assert phrase(reading, once, "en") == (
        "close goes from **10** on 2024-01-01 to **40** on 2024-01-04 [1], 4 points."
    )
    twice = INTERFACES["series"].run(table_from_rows([*rows, *rows], source="s"), given)
    assert phrase(reading, twice, "en").startswith("mean of close goes from")


def test_whole_numbers_have_no_fraction_where_they_are_large() -> None:
    assert [show(v) for v in (24_500_549.0, 0.0, 4.0, 10_000.5)] == [
        "24,500,549",
        "0",
        "4.0",
        "10,000.5",
    ]


def test_a_number_that_is_nearly_whole_is_written_as_rounded_and_stays_traceable() -> None:
    value = 36.99667694518458
    found = Result(interface="x", source="s", source_hash="h", columns=["y"], rows=[[value]])
    assert show(value, "%") == "37.0 %"
    assert untraced(show(value, "%"), [found], "") == []
