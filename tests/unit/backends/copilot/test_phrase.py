"""Differences in words that say what was computed, and in which direction."""

from __future__ import annotations

from typing import Any

import pytest

from backends.copilot.phrase import phrase
from backends.kernel import INTERFACES, table_from_rows
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
        ({"column": "pay", "aggregate": "sum"}, "The total of pay changed by **-70** [1]: from 130 to 60."),
        ({"column": "pay", "aggregate": "median"}, "The median of pay changed by **0** [1]: from 30 to 30."),
        (
            {"column": "pay", "aggregate": "sum", "how": "gap"},
            "The total of pay differs by **70** [1]: 130 and 60.",
        ),
        ({"column": None, "aggregate": "count"}, "The number of rows changed by **-1** [1]: from 3 to 2."),
    ],
)
def test_a_difference_says_what_was_computed_and_its_direction(arguments: dict[str, Any], words: str) -> None:
    assert said(**arguments) == words


def test_two_cells_are_no_totals() -> None:
    sides = {
        "first": [{"column": "pay", "op": "=", "value": 10}],
        "second": [{"column": "pay", "op": "=", "value": 40}],
    }
    assert said(column="pay", aggregate="sum", **sides) == "pay changed by **30** [1] [2]: from 10 to 40."


def test_chinese_says_so_too() -> None:
    assert said("zh", column="pay", aggregate="sum", how="gap") == "pay的总和相差 **70** [1]：130 与 60。"
    assert said("zh", column=None, aggregate="count") == "行数的变化是 **-1** [1]：从 3 到 2。"
