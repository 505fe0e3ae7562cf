"""Interfaces that return a number for each group or point in time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backends.data.conditions import where
from backends.data.errors import WrongArguments
from backends.data.interfaces.aggregates import cells_of, held_in, nothing_if_empty, reach_of, tidy
from backends.data.moments import aggregate_sql
from backends.data.periods import part_sql
from backends.data.profile import unit_of
from backends.data.table import ORDINAL, Table, quote
from backends.data.values import Cell, Condition, Result, Scalar

if TYPE_CHECKING:
    from backends.data.arguments import GroupValue, SeriesSelection

# SQL for the name of a date part, and for the numbers by which its rows are grouped. Grouping by
# the name would compute it for each row.
PARTS = {
    "year": "CAST(year({0}) AS VARCHAR)",
    "quarter": "year({0}) || '-Q' || quarter({0})",
    "month": "strftime({0}, '%Y-%m')",
    "day": "strftime({0}, '%Y-%m-%d')",
}
KEYS = {
    "year": "year({0})",
    "quarter": "year({0}), quarter({0})",
    "month": "year({0}), month({0})",
    "day": "CAST({0} AS DATE)",
}
ROWS, POINTS = 50, 2000


def group(table: Table, arguments: GroupValue) -> Result:
    """Return one number for each value of a column, sorted. `label` and `value` are those of the
    first group.

    Raises: NothingSelected, WrongArguments.
    """
    by, key = key_of(table, arguments.by, arguments.date_part)
    measured = measure(table, arguments.column, arguments.aggregate)
    clause, bound = where(table, arguments.where)
    first = table.order_key(arguments.by) if arguments.date_part is None else key
    order = {"highest": "2 DESC", "lowest": "2 ASC", None: first}[arguments.order]
    rows = table.query(
        f"SELECT {by}, {measured}, count(*), max({ORDINAL}) FROM {table.relation} WHERE {clause}"
        f" GROUP BY {key} HAVING {by} IS NOT NULL AND {measured} IS NOT NULL ORDER BY {order},"
        f" min({ORDINAL})",
        bound,
    )
    nothing_if_empty(rows)
    wanted = arguments.n if arguments.n is not None else (1 if arguments.order else len(rows))
    kept = rows[: min(max(wanted, 1), ROWS)]
    label, value = rows[0][:2]
    cited, used, met = arguments.column or arguments.by, rows, arguments.where
    if arguments.order and arguments.date_part is None:
        used, met = (
            kept,
            [*met, Condition(column=arguments.by, op="in", value=[row[0] for row in kept])],
        )
    cells = cells_of(table, cited, met)
    left = min(wanted, len(rows)) - len(kept)
    return Result(
        interface="group",
        source=table.source,
        source_hash=table.hash,
        value=tidy(value),
        label=label,
        unit=unit_of(table.column(arguments.column)) if arguments.column else None,
        columns=[arguments.by, name_of(arguments.column, arguments.aggregate)],
        rows=[[key, tidy(number)] for key, number, *_ in kept],
        cells=cells,
        matched=sum(int(row[2]) for row in rows),
        reach=reach_of(
            table,
            sum(int(row[2]) for row in used),
            max(int(row[3]) for row in used),
            [[*met, held_in(arguments.by), held_in(cited)]],
        ),
        left_out=f"{left} more groups" if left > 0 else None,
    )


def series(table: Table, arguments: SeriesSelection) -> Result:
    """Return a column over time: each row, or each period if the column is aggregated. There are at
    most 2,000 points.

    Raises: NothingSelected, WrongArguments.
    """
    named = [key_of(table, name, arguments.date_part) for name in arguments.by]
    clause, bound = where(table, arguments.where)
    listed, keys = ", ".join(label for label, _ in named), ", ".join(key for _, key in named)
    order = keys if arguments.date_part else ", ".join(table.order_key(n) for n in arguments.by)
    clause = " AND ".join(
        [clause, *(f"{quote(n)} IS NOT NULL" for n in arguments.by)]
    )  # only rows whose time is known
    cells: list[Cell] = []
    if arguments.aggregate is None and arguments.date_part is None and arguments.column is not None:
        name = quote(table.column(arguments.column).name)
        rows = table.query(
            f"SELECT {listed}, {name}, {ORDINAL} FROM {table.relation} WHERE {clause} AND {name} IS"
            f" NOT NULL ORDER BY {order}, {ORDINAL} LIMIT {POINTS + 1}",
            bound,
        )
        cells = [Cell(row=row[-1], column=arguments.column, value=row[-2]) for row in rows[:ROWS]]
        used, last = len(rows[:POINTS]), max((row[-1] for row in rows[:POINTS]), default=0)
        rows = [row[:-1] for row in rows]
    else:
        aggregate = arguments.aggregate or ("count" if arguments.column is None else "sum")
        measured = measure(table, arguments.column, aggregate)
        rows = table.query(
            f"SELECT {listed}, {measured}, count(*), max({ORDINAL}) FROM {table.relation} WHERE"
            f" {clause} GROUP BY {keys} HAVING {measured} IS NOT NULL ORDER BY {order} LIMIT"
            f" {POINTS + 1}",
            bound,
        )
        cells = cells_of(table, arguments.column or arguments.by[0], arguments.where)
        used, last = sum(row[-2] for row in rows), max((row[-1] for row in rows), default=0)
        rows = [row[:-2] for row in rows]
    nothing_if_empty(rows)
    held = [
        held_in(name)
        for name in dict.fromkeys([*arguments.by, arguments.column or arguments.by[0]])
    ]
    points = [[label(row[:-1]), tidy(row[-1])] for row in rows[:POINTS]]
    return Result(
        interface="series",
        source=table.source,
        source_hash=table.hash,
        unit=unit_of(table.column(arguments.column)) if arguments.column else None,
        columns=[" ".join(arguments.by), name_of(arguments.column, arguments.aggregate)],
        rows=points,
        cells=cells,
        matched=len(rows),
        reach=reach_of(table, used, last, [[*arguments.where, *held]]),
        left_out=f"points after the first {POINTS}" if len(rows) > POINTS else None,
    )


def key_of(table: Table, name: str, part: str | None) -> tuple[str, str]:
    """Return SQL for the name of a group, and SQL for its key.

    Raises: UnknownColumn; WrongArguments for a date part of a column that has no dates.
    """
    column = table.column(name)
    if part is None:
        return quote(name), quote(name)
    if column.periods and part in ("year", "quarter"):
        made = part_sql(quote(name), column.periods, part)
        return made, made
    if column.kind not in ("date", "time"):
        raise WrongArguments(f"{name} contains no dates.", "Group by another column.")
    return PARTS[part].format(f"min({quote(name)})"), KEYS[part].format(quote(name))


def measure(table: Table, name: str | None, aggregate: str) -> str:
    """Return SQL for the number that is computed for each group.

    Raises: UnknownColumn, WrongArguments.
    """
    if aggregate == "count":
        return "count(*)" if name is None else f"count({quote(table.column(name).name)})"
    if name is None or table.column(name).kind not in ("number", "boolean"):
        raise WrongArguments(f"{aggregate} needs a numeric column.", "Choose a numeric column.")
    return aggregate_sql(aggregate, quote(name), ORDINAL)


def name_of(column: str | None, aggregate: str | None) -> str:
    """Return the heading of the computed column."""
    if column is None:
        return "rows"
    return f"{aggregate} of {column}" if aggregate else column


def label(keys: tuple[Any, ...]) -> Scalar:
    """Return a row's point in time. A single key is returned as it is; year and quarter are
    joined.
    """
    return keys[0] if len(keys) == 1 else "-".join(str(key) for key in keys)
