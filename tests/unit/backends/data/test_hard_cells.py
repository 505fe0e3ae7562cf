"""Cells that are no numbers, whole numbers beyond a float, values no column can hold, columns
without a name.
"""

from __future__ import annotations

import math
from typing import Any

import pytest

from backends.data.errors import WrongArguments
from backends.data.interfaces import INTERFACES
from backends.data.profile import profile
from backends.data.table import Table, table_from_rows

NAN = math.nan
CELLS = [("A", 1.0), ("A", NAN), ("B", 3.0), ("B", 5.0)]
LARGE = 2**53  # from here on a float has not every whole number


def table(rows: list[dict[str, Any]]) -> Table:
    return table_from_rows(rows, source="t", hash_="t")


def value(made: Table, interface: str, **arguments: Any) -> Any:
    return INTERFACES[interface].run(made, {"source": "t", **arguments}).value


@pytest.fixture
def holed() -> Table:
    return table([{"shop": shop, "sold": sold} for shop, sold in CELLS])


@pytest.mark.parametrize(("interface", "wanted"), [("sum", 9), ("mean", 3), ("median", 3)])
def test_a_cell_that_is_no_number_is_empty(holed: Table, interface: str, wanted: float) -> None:
    assert value(holed, interface, column="sold") == wanted


def test_a_cell_that_is_no_number_is_not_the_highest(holed: Table) -> None:
    assert value(holed, "extreme", column="sold", direction="highest") == 5
    assert profile(holed, "t").columns[1].missing == 1


def test_a_cell_that_is_no_number_is_left_out_of_a_difference(holed: Table) -> None:
    first, second = ([{"column": "shop", "op": "=", "value": shop}] for shop in "AB")
    assert (
        value(holed, "difference", column="sold", aggregate="mean", first=first, second=second) == 3
    )


@pytest.mark.parametrize(
    ("op", "asked", "rows"),
    [
        ("=", LARGE + 1, 1),
        ("=", str(LARGE + 1), 1),
        ("!=", LARGE + 1, 2),
        ("in", [LARGE + 1], 1),
        ("in", [str(LARGE + 1), LARGE], 2),
        (">", LARGE, 2),
        ("between", [LARGE + 1, LARGE + 2], 2),
        ("<", 10**400, 3),
        ("<", "9" * 39, 3),
        (">", -(10**400), 3),
        ("=", 10**400, 0),
        (">", 2.5, 3),
    ],
)
def test_whole_numbers_are_compared_to_the_last_digit(op: str, asked: Any, rows: int) -> None:
    made = table([{"id": LARGE + n} for n in range(3)])
    assert value(made, "count", where=[{"column": "id", "op": op, "value": asked}]) == rows


@pytest.mark.parametrize("asked", ["\ud800", 10**400])
def test_a_value_that_cannot_be_is_refused_in_words(holed: Table, asked: Any) -> None:
    with pytest.raises(WrongArguments, match="cannot answer"):
        value(holed, "count", where=[{"column": "shop", "op": "=", "value": asked}])


def test_a_column_without_a_name_is_called_by_its_place() -> None:
    made = table([{"": 1, "a": 2, " ": 3, "column 1": 4}])
    assert [column.name for column in made.columns] == ["column 1 2", "a", "column 3", "column 1"]
    assert made.rows(0, 1) == [(1, 2, 3, 4)]


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["2026/1/3", "2026年1月7日", "2026.1.23", "2026-01-17", None], "date"),
        (["1,955元", "¥1,955", "￥20.50", "30"], "number"),
        (["2026.1.23", "2026.1.24", "v2.1"], "text"),
        (["元旦", "¥5"], "text"),
        (["10.1.2", "2026-01-17"], "text"),
    ],
)
def test_days_and_amounts_are_read_that_several_people_wrote_in_their_own_way(
    cells: list[str | None], kind: str
) -> None:
    """A cash book was text throughout: each question about its money counted rows instead."""
    made = table([{"cell": cell} for cell in cells])
    assert made.columns[0].kind == kind
    if kind == "number":
        assert value(made, "sum", column="cell") == 1955 + 1955 + 20.5 + 30
    if kind == "date":
        assert value(made, "extreme", column="cell", direction="highest") == "2026-01-23"
