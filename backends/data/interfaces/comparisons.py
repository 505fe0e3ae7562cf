"""Interfaces that compare two numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backends.data.conditions import where
from backends.data.errors import NothingSelected, WrongArguments
from backends.data.interfaces.aggregates import (
    apart,
    cells_of,
    held_in,
    nothing_if_empty,
    reach_of,
    tidy,
)
from backends.data.profile import unit_of
from backends.data.table import ORDINAL, Table, quote
from backends.data.values import Cell, Reach, Result

if TYPE_CHECKING:
    from backends.data.arguments import Between, Difference, Share
    from backends.data.values import Condition


def difference(table: Table, arguments: Difference) -> Result:
    """Compare a column, or the number of rows, between two selections: second minus first, or this
    difference as a percentage of the first.

    Raises: NothingSelected, WrongArguments (several rows without an aggregate; a percentage of
    zero).
    """
    column = table.column(arguments.column) if arguments.column is not None else None
    counted = arguments.aggregate == "count"
    if not counted and (column is None or column.kind != "number"):
        named = column.name if column else "No column"
        raise WrongArguments(f"{named} contains no numbers.", "Choose a numeric column.")
    first, first_cells, one = point(table, arguments, arguments.first)
    second, second_cells, other = point(table, arguments, arguments.second)
    value = apart(second, first)
    value = abs(value) if arguments.how == "gap" else value
    if arguments.how == "percent":
        if first == 0:
            raise WrongArguments(
                "A change from zero has no percentage.", "Ask for the difference instead."
            )
        value = value / abs(first) * 100
    return Result(
        interface="difference",
        source=table.source,
        source_hash=table.hash,
        value=tidy(value),
        unit="%"
        if arguments.how == "percent"
        else unit_of(column)
        if column and not counted
        else None,
        columns=["first", "second"],
        rows=[[tidy(first), tidy(second)]],
        cells=[*first_cells[:25], *second_cells[:25]],
        matched=len(first_cells) + len(second_cells),
        reach=Reach(
            cells=one.cells + other.cells,
            last=max(one.last, other.last),
            where=[*one.where, *other.where],
        ),
    )


def point(
    table: Table, arguments: Difference, chosen: list[Condition]
) -> tuple[float, list[Cell], Reach]:
    """Return the number for one selection, the cells that it comes from, and their extent."""
    conditions = [*arguments.where, *chosen]
    clause, bound = where(table, conditions)
    if arguments.aggregate == "count" or arguments.column is None:
        rows, last = table.one(
            f"SELECT count(*), max({ORDINAL}) FROM {table.relation} WHERE {clause}", bound
        )
        cited = arguments.column or (chosen[0].column if chosen else table.columns[0].name)
        return (
            float(rows),
            cells_of(table, cited, conditions),
            Reach(cells=rows, last=last or 0, where=[conditions]),
        )
    name = quote(arguments.column)
    reached = f"max({ORDINAL}) FROM {table.relation} WHERE {clause}"
    if arguments.aggregate == "median":
        found: tuple[Any, ...] = (
            *table.median(arguments.column, clause, bound),
            *table.one(f"SELECT {reached}", bound),
        )
    else:
        made = {"sum": "sum", "mean": "avg", None: "any_value"}[arguments.aggregate]
        found = table.one(f"SELECT {made}({name}), count({name}), {reached}", bound)
    value, matched, last = found
    nothing_if_empty(matched)
    if arguments.aggregate is None and matched > 1:
        raise WrongArguments(
            f"One side matches {matched} rows.", "Specify which one, or ask for the sum or mean."
        )
    reach = Reach(cells=matched, last=last, where=[[*conditions, held_in(arguments.column)]])
    return float(value), cells_of(table, arguments.column, conditions), reach


def between(table: Table, arguments: Between) -> Result:
    """Subtract one column from another, in the rows where both have a value.

    Raises: NothingSelected, WrongArguments (several rows without an aggregate or in percent; a
    percentage of zero).
    """
    columns = [table.column(name) for name in (arguments.column, arguments.less)]
    for column in columns:
        if column.kind != "number":
            raise WrongArguments(f"{column.name} contains no numbers.", "Choose a numeric column.")
    upper, lower = (quote(column.name) for column in columns)
    clause, bound = where(table, arguments.where)
    clause = f"{clause} AND {upper} IS NOT NULL AND {lower} IS NOT NULL"
    made = {"sum": "sum", "mean": "avg", None: "any_value"}[arguments.aggregate]
    sides = f"CAST({upper} AS DOUBLE), CAST({lower} AS DOUBLE)"
    first, second, matched = table.one(
        f"SELECT {made}(a), {made}(b), count(*)"
        f" FROM (SELECT {sides} FROM {table.relation} WHERE {clause}) AS sides(a, b)",
        bound,
    )
    nothing_if_empty(matched)
    if matched > 1 and (arguments.aggregate is None or arguments.how == "percent"):
        raise WrongArguments(
            f"{matched} rows meet the conditions.", "Specify which one, or ask for the sum or mean."
        )
    value = apart(first, second)
    if arguments.how == "percent":
        if second == 0:
            raise WrongArguments(
                "A percentage of zero cannot be computed.", "Ask for the difference instead."
            )
        value = value / abs(second) * 100
    rows = table.first([column.name for column in columns], clause, bound, 25)
    return Result(
        interface="between",
        source=table.source,
        source_hash=table.hash,
        value=tidy(abs(value) if arguments.how == "gap" else value),
        unit="%" if arguments.how == "percent" else unit_of(columns[0]),
        columns=[column.name for column in columns],
        rows=[[tidy(first), tidy(second)]],
        cells=[
            Cell(row=int(row[0]), column=column.name, value=row[at])
            for row in rows
            for at, column in enumerate(columns, 1)
        ],
        matched=matched,
    )


def share(table: Table, arguments: Share) -> Result:
    """Return the percentage of the rows, or of a column's sum, that also meets the conditions in
    `part`.

    Raises: NothingSelected, WrongArguments.
    """
    clause, bound = where(table, arguments.where)
    part, part_bound = where(table, [*arguments.where, *arguments.part])
    measured = "count(*)"
    if arguments.column is not None:
        column = table.column(arguments.column)
        if column.kind != "number":
            raise WrongArguments(f"{column.name} contains no numbers.", "Choose a numeric column.")
        measured = f"sum({quote(column.name)})"
    (whole,) = table.one(f"SELECT {measured} FROM {table.relation} WHERE {clause}", bound)
    some, matched, last = table.one(
        f"SELECT {measured}, count(*), max({ORDINAL}) FROM {table.relation} WHERE {part}",
        part_bound,
    )
    if not whole:
        raise NothingSelected(
            "There is nothing to compute a share of.", "Use fewer or different conditions."
        )
    cited = arguments.column or arguments.part[0].column
    return Result(
        interface="share",
        source=table.source,
        source_hash=table.hash,
        value=tidy((some or 0) / whole * 100),
        unit="%",
        columns=["part", "whole"],
        rows=[[tidy(some or 0), tidy(whole)]],
        cells=cells_of(table, cited, [*arguments.where, *arguments.part]),
        matched=matched,
        reach=reach_of(
            table,
            matched,
            last,
            [[*arguments.where, *arguments.part, *([held_in(cited)] if arguments.column else [])]],
        ),
    )
