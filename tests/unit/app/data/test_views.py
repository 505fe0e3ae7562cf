"""A table's rows in an order and through filters; where each stands in its source."""

from __future__ import annotations

import pytest

from app.data.views import RowOrder, RowView
from app.domain.errors import SourceError
from backends.data.table import Table, table_from_rows

ROWS = [
    {"name": "b", "n": 2, "day": "2024-01-02"},
    {"name": "A", "n": None, "day": "2024-01-01"},
    {"name": "c", "n": 10, "day": "2024-01-03"},
    {"name": "ab", "n": 2, "day": "2024-01-05"},
]


@pytest.fixture
def table() -> Table:
    return table_from_rows(ROWS, source="s")


def names(table: Table, order: RowOrder) -> str:
    return " ".join(str(row[0]) for row in RowView(table, order).rows(0, 10))


def test_rows_are_sorted_and_what_is_missing_comes_last(table: Table) -> None:
    assert names(table, RowOrder("n")) == "b ab c A"
    assert names(table, RowOrder("n", descending=True)) == "c b ab A"
    assert names(table, RowOrder("day", descending=True)) == "ab c b A"


@pytest.mark.parametrize(
    ("column", "text", "left"),
    [
        ("name", "a", "A ab"),
        ("name", "= c", "c"),
        ("n", "2", "b ab"),
        ("n", "> 2", "c"),
        ("n", "2..9", "b ab"),
        ("day", ">= 2024-01-03", "c ab"),
    ],
)
def test_filters_are_written_as_one_thinks(table: Table, column: str, text: str, left: str) -> None:
    assert names(table, RowOrder(filters={column: text})) == left


def test_a_row_is_found_again_in_any_order(table: Table) -> None:
    arranged = RowView(table, RowOrder("n", descending=True, filters={"n": "> 1"}))
    assert arranged.count == 3
    assert [arranged.source_row(n) for n in range(3)] == [2, 0, 3]
    assert (arranged.row_of(3), arranged.row_of(1)) == (2, None)
    assert arranged.rows(5, 10) == []


@pytest.mark.parametrize("text", ["many", "> x", "1..b"])
def test_a_filter_that_does_not_fit_is_told(table: Table, text: str) -> None:
    with pytest.raises(SourceError, match="not a number"):
        RowView(table, RowOrder(filters={"n": text}))
