"""Interfaces that return cells and rows unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backends.data.conditions import where
from backends.data.errors import NothingSelected
from backends.data.interfaces.aggregates import nothing_if_empty
from backends.data.profile import unit_of
from backends.data.table import ORDINAL, Table, quote
from backends.data.values import Cell, Result, Scalar

if TYPE_CHECKING:
    from backends.data.arguments import Extreme, FindValues, Latest, ListRows, LookUp

ROWS = 50


def look_up(table: Table, arguments: LookUp) -> Result:
    """Read cells. `value` is the first cell if exactly one row matches."""
    names = [table.column(name).name for name in arguments.columns]
    clause, bound = where(table, arguments.where)
    rows, matched = first_of(table, names, clause, bound, ROWS)
    values = [row[1] for row in rows]
    same = len({str(v) for v in values}) == 1 and len(rows) == matched
    result = as_result("look_up", table, names, rows, matched)
    unit = unit_of(table.column(names[0]))
    return result.model_copy(update={"value": values[0] if same else None, "unit": unit})


def list_rows(table: Table, arguments: ListRows) -> Result:
    """List rows in the order of the source, or sorted by a column."""
    names = [table.column(name).name for name in arguments.columns] or [
        c.name for c in table.columns
    ]
    clause, bound = where(table, arguments.where)
    if arguments.distinct:
        listed = ", ".join(quote(n) for n in names)
        clause = (
            f"{ORDINAL} IN (SELECT min({ORDINAL}) FROM {table.relation} WHERE {clause} GROUP BY"
            f" {listed}) AND {quote(names[0])} IS NOT NULL"
        )
    if not arguments.order_by:
        rows, matched = first_of(table, names, clause, bound, arguments.n)
        return as_result("list_rows", table, names, rows, matched)
    matched = count_rows(table, clause, bound)
    order = f"{table.order_key(arguments.order_by)} {'DESC' if arguments.descending else 'ASC'}"
    rows = read(
        table, names, clause, bound, f"ORDER BY {order} NULLS LAST, {ORDINAL} LIMIT {arguments.n}"
    )
    return as_result("list_rows", table, names, rows, matched)


def extreme(table: Table, arguments: Extreme) -> Result:
    """Return the first n rows when sorted by a column. For n = 1, return all rows with the extreme
    value, up to 50.
    """
    column = table.column(arguments.column)
    names = [*dict.fromkeys([*(table.column(n).name for n in arguments.show), column.name])]
    clause, bound = where(table, arguments.where)
    quoted = table.order_key(column.name)
    clause = f"{clause} AND {quoted} IS NOT NULL"
    matched = count_rows(table, clause, bound)
    pick, order = ("max", "DESC") if arguments.direction == "highest" else ("min", "ASC")
    if arguments.n == 1:
        top = f"(SELECT {pick}({quoted}) FROM {table.relation} WHERE {clause})"
        rows = table.first(names, f"{clause} AND {quoted} = {top}", bound + bound, ROWS)
    else:
        rows = read(
            table, names, clause, bound, f"ORDER BY {quoted} {order}, {ORDINAL} LIMIT {arguments.n}"
        )
    at = 1 + names.index(column.name)
    cells = [Cell(row=int(row[0] or 0), column=column.name, value=row[at]) for row in rows]
    return Result(
        interface="extreme",
        source=table.source,
        source_hash=table.hash,
        value=rows[0][at],
        label=rows[0][1] if len(names) > 1 else None,
        unit=unit_of(column),
        columns=names,
        rows=[list(row[1:]) for row in rows],
        cells=cells,
        matched=matched,
    )


def latest(table: Table, arguments: Latest) -> Result:
    """Return a column's value in the newest row that has one."""
    column = table.column(arguments.column)
    by = [table.column(name).name for name in arguments.by]
    names = [*dict.fromkeys([*by, column.name])]
    clause, bound = where(table, arguments.where)
    clause = f"{clause} AND {quote(column.name)} IS NOT NULL"
    matched = count_rows(table, clause, bound)
    order = ", ".join(f"{table.order_key(n)} DESC NULLS LAST" for n in by)
    rows = read(table, names, clause, bound, f"ORDER BY {order}, {ORDINAL} LIMIT 1")
    result = as_result("latest", table, names, rows, matched)
    value = rows[0][1 + names.index(column.name)]
    cell = [c for c in result.cells if c.column == column.name]
    return result.model_copy(
        update={
            "value": value,
            "label": rows[0][1],
            "unit": unit_of(column),
            "cells": cell,
            "left_out": None,
        }
    )


def find_values(table: Table, arguments: FindValues) -> Result:
    """Find phrases among the values of text columns. Exact matches come first, then values that
    contain a phrase.
    """
    found: list[list[Scalar]] = []
    for column in table.columns:
        if column.kind != "text":
            continue
        name = quote(column.name)
        each, bound = (
            f"SELECT DISTINCT {name} AS v FROM {table.relation} WHERE {name} IS NOT NULL",
            list[str](),
        )
        if (
            not column.dictionary
        ):  # few of many values contain a phrase, so duplicates are removed afterwards
            bound = list(arguments.phrases)
            met = (
                " OR ".join("contains(folded, lower(CAST(? AS VARCHAR)))" for _ in bound) or "false"
            )
            folded = (
                f"SELECT {name}, lower({name}) AS folded FROM {table.relation} WHERE {name} IS NOT"
                " NULL"
            )
            each = f"SELECT DISTINCT {name} AS v FROM ({folded}) WHERE {met}"
        rows = table.query(
            f"WITH held AS MATERIALIZED ({each}) SELECT p, v, lower(v) = lower(p) AS whole FROM"
            " held, (SELECT unnest(?) AS p) WHERE contains(lower(v), lower(p)) ORDER BY whole"
            f" DESC, length(CAST(v AS VARCHAR)), v LIMIT {ROWS}",
            [*bound, arguments.phrases],
        )
        found += [[phrase, column.name, value, whole] for phrase, value, whole in rows]
    found.sort(key=lambda row: not row[3])
    return Result(
        interface="find_values",
        source=table.source,
        source_hash=table.hash,
        columns=["phrase", "column", "value", "whole"],
        rows=found[:ROWS],
        matched=len(found),
    )


def read(
    table: Table, names: list[str], clause: str, bound: list[Scalar], tail: str
) -> list[tuple[Scalar, ...]]:
    """Return rows, each preceded by its ordinal.

    Raises: NothingSelected.
    """
    listed = ", ".join([ORDINAL, *(quote(name) for name in names)])
    rows = table.query(f"SELECT {listed} FROM {table.relation} WHERE {clause} {tail}", bound)
    if not rows:
        raise NothingSelected(
            "No row meets these conditions.", "Use fewer or different conditions."
        )
    return rows


def first_of(
    table: Table, names: list[str], clause: str, bound: list[Scalar], limit: int
) -> tuple[list[tuple[Scalar, ...]], int]:
    """Return the first rows and the number of all rows, which are counted only if there are more
    than `limit`.

    Raises: NothingSelected.
    """
    rows = table.first(names, clause, bound, limit + 1)
    nothing_if_empty(rows)
    matched = len(rows) if len(rows) <= limit else count_rows(table, clause, bound)
    return rows[:limit], matched


def count_rows(table: Table, clause: str, bound: list[Scalar]) -> int:
    """Return the number of rows that match.

    Raises: NothingSelected.
    """
    (matched,) = table.one(f"SELECT count(*) FROM {table.relation} WHERE {clause}", bound)
    nothing_if_empty(matched)
    return int(matched)


def as_result(
    interface: str, table: Table, names: list[str], rows: list[tuple[Scalar, ...]], matched: int
) -> Result:
    """Return rows, each starting with its ordinal, as a result that cites up to 50 cells."""
    cells = [
        Cell(row=int(row[0] or 0), column=name, value=value)
        for row in rows
        for name, value in zip(names, row[1:], strict=True)
    ]
    return Result(
        interface=interface,
        source=table.source,
        source_hash=table.hash,
        columns=names,
        rows=[list(row[1:]) for row in rows],
        cells=cells[:ROWS],
        matched=matched,
        left_out=f"{matched - len(rows)} more rows" if matched > len(rows) else None,
    )
