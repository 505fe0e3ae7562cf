"""Interfaces that make one number of many rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backends.kernel.conditions import where
from backends.kernel.errors import NothingSelected, WrongArguments
from backends.kernel.profile import unit_of
from backends.kernel.table import ORDINAL, Table, quote
from backends.kernel.values import Cell, Result, Scalar

if TYPE_CHECKING:
    from backends.kernel.arguments import Count, OfColumn
    from backends.kernel.values import Condition

CELLS = 50
MANY = 100_000


def count(table: Table, arguments: Count) -> Result:
    """Count rows; none is an answer here, not an error."""
    clause, bound = where(table, arguments.where)
    (number,) = table.one(f"SELECT count(*) FROM {table.relation} WHERE {clause}", bound)
    column = arguments.where[0].column if arguments.where else table.columns[0].name
    return Result(
        interface="count",
        source=table.source,
        source_hash=table.hash,
        value=number,
        cells=cells_of(table, column, arguments.where),
        matched=number,
    )


def distinct(table: Table, arguments: OfColumn) -> Result:
    """Count the different values of a column and list the first 50 by how often they occur."""
    table.column(arguments.column)
    name = quote(arguments.column)
    clause, bound = where(table, arguments.where)
    number, matched = table.one(
        f"SELECT count(DISTINCT {name}), count(*) FROM {table.relation} WHERE {clause}", bound
    )
    nothing_if_empty(matched)
    rows = table.query(
        f"SELECT {name}, count(*) FROM {table.relation} WHERE {clause} AND {name} IS NOT NULL"
        f" GROUP BY {name} ORDER BY count(*) DESC, min({ORDINAL}) LIMIT {CELLS}",
        bound,
    )
    return Result(
        interface="distinct",
        source=table.source,
        source_hash=table.hash,
        value=number,
        columns=[arguments.column, "rows"],
        rows=[list(row) for row in rows],
        cells=cells_of(table, arguments.column, arguments.where),
        matched=matched,
        left_out=f"{number - CELLS} more values" if number > CELLS else None,
    )


def total(table: Table, arguments: OfColumn) -> Result:
    """Add a column up."""
    return aggregated(table, arguments, "sum", "sum({})")


def mean(table: Table, arguments: OfColumn) -> Result:
    """Average a column."""
    return aggregated(table, arguments, "mean", "avg({})")


def median(table: Table, arguments: OfColumn) -> Result:
    """Take the median of a column."""
    return aggregated(table, arguments, "median", "")


def middle(table: Table, quoted: str, clause: str, bound: list[Scalar], count: int) -> Scalar:
    """Return the median of `count` cells; of many, numpy finds it in a quarter of DuckDB's time."""
    chosen = f"FROM {table.relation} WHERE {clause}"
    if count < MANY:
        return table.one(f"SELECT median({quoted}) {chosen}", bound)[0]
    import numpy as np  # only here: small tables do without

    cells = table.array(f"SELECT {quoted} AS cells {chosen} AND {quoted} IS NOT NULL", bound)
    half = count // 2
    parted = np.partition(cells, half)  # by one place: by two it takes ten times as long
    high = parted[half].item()
    return high if count % 2 else (parted[:half].max().item() + high) / 2


def aggregated(table: Table, arguments: OfColumn, name: str, sql: str) -> Result:
    """Compute one aggregate of a column of numbers; empty cells do not count. sql: empty for the median.

    Raises: NothingSelected, WrongArguments.
    """
    column = table.column(arguments.column)
    if column.kind not in ("number", "boolean"):
        raise WrongArguments(f"{column.name} holds no numbers.", "Choose a column of numbers.")
    clause, bound = where(table, arguments.where)
    quoted = quote(column.name)
    value, matched = table.one(
        f"SELECT {sql.format(quoted) if sql else 'NULL'}, count({quoted}) FROM {table.relation} WHERE {clause}",
        bound,
    )
    nothing_if_empty(matched)
    if not sql:
        count = int(matched) if column.kind == "number" else 0
        value = middle(table, quoted, clause, bound, count)
    return Result(
        interface=name,
        source=table.source,
        source_hash=table.hash,
        value=tidy(value),
        unit=unit_of(column),
        cells=cells_of(table, column.name, arguments.where),
        matched=matched,
    )


def cells_of(table: Table, column: str, conditions: list[Condition]) -> list[Cell]:
    """Return the first 50 cells of a column that a computation used."""
    clause, bound = where(table, conditions)
    rows = table.first([column], f"{clause} AND {quote(column)} IS NOT NULL", bound, CELLS)
    return [Cell(row=row, column=column, value=value) for row, value in rows]


def nothing_if_empty(matched: Any) -> None:
    """Raise NothingSelected for no rows."""
    if not matched:
        raise NothingSelected("No row meets these conditions.", "Ask with fewer or other conditions.")


def tidy(value: Scalar) -> Scalar:
    """Return a computed number without the noise of binary fractions: 15 significant digits."""
    if isinstance(value, float) and value not in (float("inf"), float("-inf")):
        short = float(f"{value:.15g}")
        return int(short) if short.is_integer() and abs(short) < 1e15 else short
    return value
