"""Reshaping: select, merge, stack, pivot and rank rows, and rank the results of a loop."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from backends.data.conditions import where
from backends.data.errors import NothingSelected, WrongArguments
from backends.data.moments import Aggregate, aggregate_sql
from backends.data.steps.acquisition import some
from backends.data.table import ORDINAL, Table, quote
from backends.data.values import Condition, Scalar
from backends.data.workflow.context import RunContext, check_joined, free, listed, number, numeric
from backends.data.workflow.interface import Arguments, OfData, StepInterface
from backends.data.workflow.step import OutputFrame, OutputValue, put_at

LOOPS, PIVOTED = 2000, 200  # maximum numbers of entities in a loop and of columns in a pivot


class Select(OfData):
    """Some columns and rows."""

    columns: list[str] = Field(default=[], description="none: all")
    where: list[Condition] = Field(default=[])
    distinct: bool = False
    n: int | None = Field(default=None, ge=1)


class ReadValue(OfData):
    """One cell."""

    column: str
    row: int = Field(default=-1, description="0 is the first, -1 the last")


class Merge(Arguments):
    """Two results side by side. Their rows are matched by equal values in columns."""

    left: str
    right: str
    on: list[str] = Field(min_length=1, max_length=4, description="columns that both have")
    how: Literal["inner", "left", "outer"] = "inner"


class Stack(Arguments):
    """Results one below the other."""

    data: list[str] = Field(min_length=2, max_length=20)
    label: str | None = Field(default=None, description="a column that tells where a row is from")
    names: list[str] = Field(default=[], description="what stands there, one for each result")


class Pivot(OfData):
    """The values of a column, turned into columns."""

    rows: str
    columns: str
    value: str
    aggregate: Aggregate = "sum"


class Rank(OfData):
    """The first n rows, sorted by a column."""

    by: str
    descending: bool = True
    n: int | None = Field(default=None, ge=1)


class LoopRank(OfData):
    """An interface applied to each value of a column. The results are ranked."""

    column: str = Field(description="column whose values are gone through")
    interface: str = Field(description="an interface that gives one value")
    arguments: dict[str, Any] = Field(default={})
    argument: str = Field(
        default="entity", description="which of its arguments the value is put into"
    )
    descending: bool = True
    n: int | None = Field(default=None, ge=1)


class Rename(OfData):
    """Columns that get new names."""

    names: dict[str, str] = Field(min_length=1)


def select(desk: RunContext, arguments: Select) -> OutputFrame:
    """Keep only certain columns and rows.

    Raises: NothingSelected, UnknownColumn, WrongArguments.
    """
    table = desk.frame(arguments.data)
    clause, bound = where(table, arguments.where)
    names = listed(table, arguments.columns)
    tail = (
        f" GROUP BY {names} ORDER BY min({ORDINAL})"
        if arguments.distinct
        else f" ORDER BY {ORDINAL}"
    )
    limit = f" LIMIT {arguments.n}" if arguments.n is not None else ""
    return some(
        desk.make(
            f"SELECT {names} FROM {table.relation} WHERE {clause}{tail}{limit}", bound, [table]
        )
    )


def read_value(desk: RunContext, arguments: ReadValue) -> OutputValue:
    """Return one cell.

    Raises: NothingSelected if the row does not exist.
    """
    table = desk.frame(arguments.data)
    column, count = table.column(arguments.column), table.count()
    place = arguments.row + count if arguments.row < 0 else arguments.row
    if not 0 <= place < count:
        raise NothingSelected(f"There is no row {arguments.row}.", f"There are {count} rows.")
    (value,) = table.one(
        f"SELECT {quote(column.name)} FROM {table.relation} WHERE {ORDINAL} = {place}"
    )
    return OutputValue(column.name, value, "%" if column.name.endswith("%") else None)


def merge(desk: RunContext, arguments: Merge) -> OutputFrame:
    """Join two results. If a column of the right one has a name that also occurs in the left one,
    it is renamed to `<name> 2`.

    The order of the left result is kept; rows that occur only in the right one come last. Raises:
    WrongArguments if the columns have different types; UnknownColumn.
    """
    left, right = desk.frame(arguments.left), desk.frame(arguments.right)
    for name in arguments.on:
        kinds = {left.column(name).kind, right.column(name).kind}
        if len(kinds) > 1 and kinds != {"date", "time"}:
            raise WrongArguments(
                f"{name} contains {' and '.join(sorted(kinds))}.",
                "Join on columns of the same type.",
            )
    check_joined(left, right, arguments.on)
    own = {c.name.lower() for c in left.columns}
    keys = " AND ".join(f"l.{quote(n)} = r.{quote(n)}" for n in arguments.on)
    shown = [
        (
            f"coalesce(l.{quote(c.name)}, r.{quote(c.name)}) AS {quote(c.name)}"
            if c.name in arguments.on
            else f"l.{quote(c.name)}"
        )
        for c in left.columns
    ]
    shown += [
        f"r.{quote(c.name)} AS {quote(free(c.name, own))}"
        for c in right.columns
        if c.name not in arguments.on
    ]
    side = {"inner": "JOIN", "left": "LEFT JOIN", "outer": "FULL JOIN"}[arguments.how]
    return some(
        desk.make(
            f"SELECT {', '.join(shown)} FROM {left.relation} l {side} {right.relation} r ON {keys}"
            f" ORDER BY l.{ORDINAL} NULLS LAST, r.{ORDINAL}",
            (),
            [left, right],
        )
    )


def stack(desk: RunContext, arguments: Stack) -> OutputFrame:
    """Append results to each other. Columns are matched by name, and missing ones are empty."""
    tables = [desk.frame(handle) for handle in arguments.data]
    names = arguments.names or arguments.data
    if len(names) != len(tables):
        raise WrongArguments(
            f"There are {len(names)} names for {len(tables)} results.", "Specify one for each."
        )
    label = f"? AS {quote(arguments.label)}, " if arguments.label else ""
    parts = [
        f"SELECT {label}*, {n} AS _part FROM {table.relation}" for n, table in enumerate(tables)
    ]
    bound = list(names) if arguments.label else []
    union = " UNION ALL BY NAME ".join(parts)
    return desk.make(
        f"SELECT * EXCLUDE ({ORDINAL}, _part) FROM ({union}) ORDER BY _part, {ORDINAL}",
        bound,
        tables,
    )


def pivot(desk: RunContext, arguments: Pivot) -> OutputFrame:
    """Turn each value of a column into a column, in order of appearance. At most 200 are allowed.

    Raises: WrongArguments if there are more.
    """
    table = desk.frame(arguments.data)
    row, key = quote(table.column(arguments.rows).name), quote(table.column(arguments.columns).name)
    value = number(table, arguments.value)
    found = table.query(
        f"SELECT {key} FROM {table.relation} WHERE {key} IS NOT NULL GROUP BY {key} ORDER BY"
        f" min({ORDINAL}) LIMIT {PIVOTED + 1}"
    )
    if len(found) > PIVOTED:
        raise WrongArguments(
            f"{arguments.columns} has more than {PIVOTED} values.", "Select fewer rows first."
        )
    taken, bound, cells = {arguments.rows.lower(), ORDINAL}, [], []
    for (held,) in found:
        made = aggregate_sql(arguments.aggregate, value, ORDINAL)
        made = (
            made.replace(" FILTER (WHERE ", f" FILTER (WHERE {key} = ? AND ")
            if "FILTER" in made
            else f"{made} FILTER (WHERE {key} = ?)"
        )
        cells.append(f"{made} AS {quote(free(str(held), taken))}")
        bound.append(held)
    listed_cells = ", ".join([row, *cells])
    return desk.make(
        f"SELECT {listed_cells} FROM {table.relation} GROUP BY {row} ORDER BY min({ORDINAL})",
        bound,
        [table],
    )


def rank(desk: RunContext, arguments: Rank) -> OutputFrame:
    """Sort rows by a column. Rows without a value come last, and equal rows keep their order."""
    return ranked(desk, desk.frame(arguments.data), arguments.by, arguments.descending, arguments.n)


def ranked(desk: RunContext, table: Table, by: str, descending: bool, n: int | None) -> OutputFrame:
    """Return rows sorted by a column."""
    order = f"{table.order_key(by)} {'DESC' if descending else 'ASC'} NULLS LAST, {ORDINAL}"
    limit = f" LIMIT {n}" if n is not None else ""
    return desk.make(
        f"SELECT {listed(table)} FROM {table.relation} ORDER BY {order}{limit}", (), [table]
    )


def loop_rank(desk: RunContext, arguments: LoopRank) -> OutputFrame:
    """Apply an interface to each distinct value of a column and rank the results.

    If the result for a value cannot be computed, for example because there are too few rows, it is
    empty and comes last. Raises: NothingSelected if none can be computed; WrongArguments for an
    interface that returns no value.
    """
    table = desk.frame(arguments.data)
    column = quote(table.column(arguments.column).name)
    found = table.query(
        f"SELECT {column} FROM {table.relation} WHERE {column} IS NOT NULL GROUP BY 1 ORDER BY"
        f" min({ORDINAL}) LIMIT {LOOPS + 1}"
    )
    if len(found) > LOOPS:
        raise WrongArguments(
            f"{arguments.column} has more than {LOOPS:,} values.", "Select fewer rows first."
        )
    made: list[tuple[Scalar, OutputValue | None]] = [
        (value, looped(desk, arguments, value)) for (value,) in found
    ]
    first = next((value for _, value in made if value is not None), None)
    if first is None:
        raise NothingSelected("Nothing can be computed for these.", "Choose another range.")
    name = free(first.name, {arguments.column.lower()})
    frame = desk.build(
        {
            arguments.column: ("VARCHAR", [str(key) for key, _ in made]),
            name: (
                "DOUBLE",
                [None if v is None or v.value is None else numeric(v) for _, v in made],
            ),
        }
    )
    return ranked(desk, frame.table, name, arguments.descending, arguments.n)


def looped(desk: RunContext, arguments: LoopRank, value: Scalar) -> OutputValue | None:
    """Return an interface's result for one value, or None if there is nothing to compute it from.

    Raises: WrongArguments, UnknownColumn.
    """
    assert desk.loop is not None
    try:
        made = desk.loop(
            arguments.interface, put_at(arguments.arguments, arguments.argument, value)
        )
    except NothingSelected:
        return None
    if not isinstance(made, OutputValue):
        raise WrongArguments(
            f"{arguments.interface} returns no value.", "Loop over an interface that returns one."
        )
    return made


def rename(desk: RunContext, arguments: Rename) -> OutputFrame:
    """Rename columns.

    Raises: UnknownColumn; WrongArguments if two names would be the same.
    """
    table = desk.frame(arguments.data)
    for name in arguments.names:
        table.column(name)
    made = [arguments.names.get(c.name, c.name) for c in table.columns]
    if len({name.lower() for name in made}) < len(made):
        raise WrongArguments("Two columns would have the same name.", "Choose other names.")
    shown = ", ".join(
        f"{quote(c.name)} AS {quote(n)}" for c, n in zip(table.columns, made, strict=True)
    )
    return desk.make(f"SELECT {shown} FROM {table.relation} ORDER BY {ORDINAL}", (), [table])


ALL = (
    StepInterface("select", "manipulation", "Some columns and rows of a result.", Select, select),
    StepInterface(
        "read_value", "manipulation", "One cell of a result.", ReadValue, read_value, "value"
    ),
    StepInterface("merge", "manipulation", "Two results side by side.", Merge, merge),
    StepInterface("stack", "manipulation", "Results one below the other.", Stack, stack),
    StepInterface("pivot", "manipulation", "Values of a column become columns.", Pivot, pivot),
    StepInterface(
        "rank", "manipulation", "Rows ordered by a column, the first n of them.", Rank, rank
    ),
    StepInterface(
        "loop_rank",
        "manipulation",
        "An interface used for each value of a column, ranked.",
        LoopRank,
        loop_rank,
    ),
    StepInterface("rename", "manipulation", "Columns under other names.", Rename, rename),
)
