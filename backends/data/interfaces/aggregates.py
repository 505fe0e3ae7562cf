"""Interfaces that reduce rows to one number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

from backends.data.conditions import where
from backends.data.errors import NothingSelected, WrongArguments
from backends.data.moments import aggregate_sql
from backends.data.profile import unit_of
from backends.data.table import ORDINAL, Table, quote
from backends.data.values import Cell, Condition, Reach, Result, Scalar

if TYPE_CHECKING:
    from backends.data.arguments import Count, OfColumn

CELLS = 50


def count(table: Table, arguments: Count) -> Result:
    """Count rows. Here, zero is a valid answer and not an error."""
    clause, bound = where(table, arguments.where)
    number, last = table.one(
        f"SELECT count(*), {last_of(arguments.where)} FROM {table.relation} WHERE {clause}", bound
    )
    column = arguments.where[0].column if arguments.where else table.columns[0].name
    return Result(
        interface="count",
        source=table.source,
        source_hash=table.hash,
        value=number,
        cells=cells_of(table, column, arguments.where),
        matched=number,
        reach=reach_of(table, number, last, [arguments.where]),
    )


def distinct(table: Table, arguments: OfColumn) -> Result:
    """Count the distinct values of a column. List the first 50 of them, the most frequent first."""
    table.column(arguments.column)
    clause, bound = where(table, arguments.where)
    found = table.values(arguments.column, clause, bound)[:CELLS]
    nothing_if_empty(found)
    number, matched, held = int(found[0][2]), int(found[0][3]), int(found[0][4] or 0)
    rows = [row[:2] for row in found if row[0] is not None]
    last = None
    if arguments.where:
        (last,) = table.one(f"SELECT max({ORDINAL}) FROM {table.relation} WHERE {clause}", bound)
    return Result(
        interface="distinct",
        source=table.source,
        source_hash=table.hash,
        value=number,
        columns=[arguments.column, "rows"],
        rows=[list(row) for row in rows],
        cells=cells_of(table, arguments.column, arguments.where),
        matched=matched,
        reach=reach_of(table, held, last, [[*arguments.where, held_in(arguments.column)]]),
        left_out=f"{number - CELLS} more values" if number > CELLS else None,
    )


def total(table: Table, arguments: OfColumn) -> Result:
    """Return the sum of a column."""
    return aggregated(table, arguments, "sum")


def mean(table: Table, arguments: OfColumn) -> Result:
    """Return the mean of a column."""
    return aggregated(table, arguments, "mean")


def median(table: Table, arguments: OfColumn) -> Result:
    """Return the median of a column."""
    return aggregated(table, arguments, "median")


def aggregated(table: Table, arguments: OfColumn, name: Literal["sum", "mean", "median"]) -> Result:
    """Compute an aggregate of a numeric column, ignoring empty cells.

    Raises: NothingSelected, WrongArguments.
    """
    column = table.column(arguments.column)
    if column.kind not in ("number", "boolean"):
        raise WrongArguments(f"{column.name} contains no numbers.", "Choose a numeric column.")
    clause, bound = where(table, arguments.where)
    if name != "median":
        quoted = quote(column.name)
        chosen = f"FROM {table.relation} WHERE {clause}"
        made = (
            f"{aggregate_sql(name, quoted, ORDINAL)}, count({quoted}), {last_of(arguments.where)}"
        )
        value, matched, last = table.one(f"SELECT {made} {chosen}", bound)
    else:
        value, matched = table.median(column.name, clause, bound)
        last = None
        if arguments.where:
            (last,) = table.one(
                f"SELECT max({ORDINAL}) FROM {table.relation} WHERE {clause}", bound
            )
    nothing_if_empty(matched)
    return Result(
        interface=name,
        source=table.source,
        source_hash=table.hash,
        value=tidy(value),
        unit=unit_of(column),
        cells=cells_of(table, column.name, arguments.where),
        matched=matched,
        reach=reach_of(table, matched, last, [[*arguments.where, held_in(column.name)]]),
    )


def reach_of(table: Table, cells: int, last: Any, wheres: list[list[Condition]]) -> Reach | None:
    """Return the extent of the cells, or None if there are none. last: the last row; None if all
    rows were used.
    """
    if not cells:
        return None
    return Reach(cells=cells, last=table.count() - 1 if last is None else int(last), where=wheres)


def held_in(column: str) -> Condition:
    """Return the condition that a row has a value in a certain column."""
    return Condition(column=column, op="not empty")


def last_of(conditions: list[Condition]) -> str:
    """Return SQL for the last row that meets the conditions. If there are no conditions, nothing
    needs to be computed.
    """
    return f"max({ORDINAL})" if conditions else "any_value(NULL)"


def cells_of(table: Table, column: str, conditions: list[Condition]) -> list[Cell]:
    """Return the first 50 cells of a column that were used in a computation."""
    clause, bound = where(table, conditions)
    rows = table.first([column], f"{clause} AND {quote(column)} IS NOT NULL", bound, CELLS)
    return [Cell(row=row, column=column, value=value) for row, value in rows]


def nothing_if_empty(matched: Any) -> None:
    """Raise NothingSelected if there are no rows."""
    if not matched:
        raise NothingSelected(
            "No row meets these conditions.", "Use fewer or different conditions."
        )


def apart(first: float, second: float) -> float:
    """Return `first` minus `second` without the noise of binary rounding: 233.85 - 233.61 is
    0.24.
    """
    large = max(abs(first), abs(second))
    made = first - second
    return round(made, 14 - math.floor(math.log10(large))) if 0 < large < math.inf else made


def tidy(value: Scalar) -> Scalar:
    """Return a computed number without the noise of binary rounding: 15 significant digits."""
    if isinstance(value, float) and value not in (float("inf"), float("-inf")):
        short = float(f"{value:.15g}")
        return int(short) if short.is_integer() and abs(short) < 1e15 else short
    return value
