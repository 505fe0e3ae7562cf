"""Processing: returns, running totals, changes, windows, periods, statistics and new columns."""

from __future__ import annotations

import math
from typing import Any, Literal

from pydantic import Field

from backends.data.errors import NothingSelected, WrongArguments
from backends.data.moments import (
    Aggregate,
    Every,
    aggregate_sql,
    day_sql,
    moment_sql,
    partial,
    period_sql,
)
from backends.data.steps.acquisition import restricted
from backends.data.table import ORDINAL, Table, quote
from backends.data.values import Scalar
from backends.data.workflow.context import RunContext, listed, number, time_of
from backends.data.workflow.interface import OfData, OfSource, StepInterface
from backends.data.workflow.step import OutputFrame, OutputValue

OPERATORS = {"+": "+", "-": "-", "*": "*", "/": "/"}


class OfValue(OfData):
    """A column of numbers, for each entity separately."""

    value: str = Field(description="column of numbers")
    by: str | None = Field(default=None, description="column that names the entity")


class Returns(OfValue):
    """The change of a price, in percent."""

    cumulative: bool = Field(
        default=True, description="since the first row; else since the row before"
    )


class TotalReturn(OfSource):
    """The return between two days, in percent."""

    value: str
    time: list[str] = Field(min_length=1, max_length=2)
    by: str | None = None
    entity: Scalar = None
    start: str | None = None
    end: str | None = None


class Growth(OfValue):
    """The first and last value of each entity, and the change from one to the other."""

    how: Literal["absolute", "percent"] = "percent"


class ChangeArguments(OfValue):
    """The change of a value from an earlier row. With `lag` 4 for quarters or 12 for months, it is
    year on year.
    """

    lag: int = Field(default=1, ge=1, le=400)
    how: Literal["absolute", "percent"] = "percent"


class RollingArguments(OfValue):
    """A moving window of rows."""

    window: int = Field(ge=2, le=1000)
    how: Literal["mean", "sum", "min", "max", "median"] = "mean"


class Resample(OfData):
    """One row for each period."""

    every: Every
    columns: list[str] = Field(min_length=1)
    aggregate: Aggregate = "sum"
    time: str | None = None
    by: str | None = None


class Combine(OfData):
    """One number for each value of some columns, or for all rows together."""

    column: str | None = Field(default=None, description="none: count rows")
    aggregate: Aggregate = "sum"
    by: list[str] = Field(default=[], max_length=3)


class Statistics(OfData):
    """The mean and median of a column."""

    column: str
    by: str | None = None


class Correlation(OfData):
    """The correlation of two columns, -1 to 1."""

    x: str
    y: str


class Compute(OfData):
    """A new column, computed from two others, or from another column and a number."""

    name: str = Field(min_length=1, max_length=60)
    first: str
    operator: Literal["+", "-", "*", "/"]
    second: str | float


def over(table: Table, by: str | None, frame: str = "") -> str:
    """Return SQL for a window over the rows of an entity, in their order.

    Raises: UnknownColumn.
    """
    part = f"PARTITION BY {quote(table.column(by).name)} " if by else ""
    return f"OVER ({part}ORDER BY {ORDINAL}{frame})"


def with_column(desk: RunContext, table: Table, name: str, sql: str) -> OutputFrame:
    """Return the rows with a column added or replaced."""
    kept = ", ".join(quote(c.name) for c in table.columns if c.name.lower() != name.lower())
    return desk.make(
        f"SELECT {kept}, {sql} AS {quote(name)} FROM {table.relation} ORDER BY {ORDINAL}",
        (),
        [table],
    )


def returns(desk: RunContext, arguments: Returns) -> OutputFrame:
    """Add `cumulative return %` or `return %`: by how much the value exceeds the first or the
    previous one.

    Empty cells stay empty. The base of the cumulative return is the first value that is neither
    empty nor 0.
    """
    table = desk.frame(arguments.data)
    value = number(table, arguments.value)
    if arguments.cumulative:
        base = (
            f"first_value(nullif({value}, 0) IGNORE NULLS)"
            f" {over(table, arguments.by, ' ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING')}"
        )
        return with_column(desk, table, "cumulative return %", f"100.0 * ({value} / {base} - 1)")
    before = f"nullif(lag({value}) {over(table, arguments.by)}, 0)"
    return with_column(desk, table, "return %", f"100.0 * ({value} / {before} - 1)")


def total_return(desk: RunContext, arguments: TotalReturn) -> OutputValue:
    """Return the return from the first to the last value in a range, in percent.

    Raises: NothingSelected if there are fewer than two values.
    """
    table = desk.source(arguments.source)
    entities = [arguments.entity] if arguments.entity is not None else []
    clause, bound = restricted(table, arguments.where, arguments.by, entities)
    day, value = day_sql(table, arguments.time), number(table, arguments.value)
    for limit, sign in ((arguments.start, ">="), (arguments.end, "<=")):
        if limit is not None:
            clause, bound = f"{clause} AND {day} {sign} CAST(? AS DATE)", [*bound, limit]
    order = f"struct_pack(d := {moment_sql(table, arguments.time)}, r := {ORDINAL})"
    first, last, count = table.one(
        f"SELECT {aggregate_sql('first', value, order)}, {aggregate_sql('last', value, order)},"
        f" count({value}) FROM {table.relation} WHERE {clause} AND {day} IS NOT NULL",
        bound,
    )
    if count < 2 or not first or not math.isfinite(last / first):
        name = (
            arguments.value
            if arguments.entity is None
            else f"{arguments.value} of {arguments.entity}"
        )
        raise NothingSelected(
            f"{name} has fewer than two values in that range.", "Choose a longer range."
        )
    return OutputValue("return %", 100.0 * (last / first - 1), "%")


def growth(desk: RunContext, arguments: Growth) -> OutputFrame:
    """Return the first value, the last value and the growth of each entity, in order of
    appearance.
    """
    table = desk.frame(arguments.data)
    value = number(table, arguments.value)
    first, last = (aggregate_sql(how, value, ORDINAL) for how in ("first", "last"))
    made = (
        f"100.0 * ({last} / nullif({first}, 0) - 1)"
        if arguments.how == "percent"
        else f"{last} - {first}"
    )
    key = f"{quote(table.column(arguments.by).name)}, " if arguments.by else ""
    tail = f" GROUP BY {key[:-2]} ORDER BY min({ORDINAL})" if arguments.by else ""
    name = "growth %" if arguments.how == "percent" else "growth"
    return desk.make(
        f"SELECT {key}{first} AS {quote('first')}, {last} AS {quote('last')}, {made} AS"
        f" {quote(name)} FROM {table.relation}{tail}",
        (),
        [table],
    )


def change(desk: RunContext, arguments: ChangeArguments) -> OutputFrame:
    """Add `change %` or `change` relative to an earlier row. It is empty in the first rows."""
    table = desk.frame(arguments.data)
    value = number(table, arguments.value)
    before = f"lag({value}, {arguments.lag}) {over(table, arguments.by)}"
    if arguments.how == "percent":
        return with_column(desk, table, "change %", f"100.0 * ({value} / nullif({before}, 0) - 1)")
    return with_column(desk, table, "change", f"{value} - {before}")


def cumulate(desk: RunContext, arguments: OfValue) -> OutputFrame:
    """Add `cumulative <value>`, the running total. Empty cells add nothing to it."""
    table = desk.frame(arguments.data)
    running = over(table, arguments.by, " ROWS UNBOUNDED PRECEDING")
    value = number(table, arguments.value)
    return with_column(desk, table, f"cumulative {arguments.value}", f"sum({value}) {running}")


def rolling(desk: RunContext, arguments: RollingArguments) -> OutputFrame:
    """Add `<how> of <window>`. It is empty until the first window is full."""
    table = desk.frame(arguments.data)
    value = number(table, arguments.value)
    frame = f" ROWS BETWEEN {arguments.window - 1} PRECEDING AND CURRENT ROW"
    how = "avg" if arguments.how == "mean" else arguments.how
    window = over(table, arguments.by, frame)
    made = (
        f"CASE WHEN count({value}) {window} = {arguments.window} THEN {how}({value}) {window} END"
    )
    return with_column(desk, table, f"{arguments.how} of {arguments.window}", made)


def resample(desk: RunContext, arguments: Resample) -> OutputFrame:
    """Combine the rows of each period into a single row, labelled with the period's last day.
    Periods without rows are left out.
    """
    table = desk.frame(arguments.data)
    time = time_of(table, arguments.time)
    day = day_sql(table, [time])
    desk.note(partial(table, day, arguments.every, [arguments.aggregate]))
    order = f"struct_pack(d := {moment_sql(table, [time])}, r := {ORDINAL})"
    keys = [f"{period_sql(day, arguments.every)} AS {quote(time)}"]
    keys += [quote(table.column(arguments.by).name)] if arguments.by else []
    how = arguments.aggregate
    cells = [
        f"{aggregate_sql(how, number(table, n), order)} AS {quote(n)}" for n in arguments.columns
    ]
    numbered = ", ".join(str(i + 1) for i in range(len(keys)))
    select = f"SELECT {', '.join([*keys, *cells])} FROM {table.relation} WHERE {day} IS NOT NULL"
    return desk.make(f"{select} GROUP BY {numbered} ORDER BY {numbered}", (), [table])


def combine(desk: RunContext, arguments: Combine) -> OutputFrame:
    """Return `<aggregate> of <column>` for each combination of values of the columns, in order of
    appearance.
    """
    table = desk.frame(arguments.data)
    if arguments.column is None:
        made, name = "count(*)", "rows"
    else:
        counted = arguments.aggregate == "count"
        value = (
            quote(table.column(arguments.column).name)
            if counted
            else number(table, arguments.column)
        )
        made = aggregate_sql(arguments.aggregate, value, ORDINAL)
        name = f"{arguments.aggregate} of {arguments.column}"
    keys = listed(table, arguments.by) if arguments.by else ""
    select = f"SELECT {keys + ', ' if keys else ''}{made} AS {quote(name)} FROM {table.relation}"
    return desk.make(
        f"{select} GROUP BY {keys} ORDER BY min({ORDINAL})" if keys else select, (), [table]
    )


def mean_median(desk: RunContext, arguments: Statistics) -> OutputFrame:
    """Return the mean and median of a column, ignoring empty cells, for each entity or for all
    rows.
    """
    table = desk.frame(arguments.data)
    value = number(table, arguments.column)
    key = f"{quote(table.column(arguments.by).name)}, " if arguments.by else ""
    tail = f" GROUP BY {key[:-2]} ORDER BY min({ORDINAL})" if arguments.by else ""
    made = f"avg({value}) AS {quote('mean')}, median({value}) AS {quote('median')}"
    return desk.make(f"SELECT {key}{made} FROM {table.relation}{tail}", (), [table])


def correlation(desk: RunContext, arguments: Correlation) -> OutputValue:
    """Return Pearson's correlation over the rows in which both columns have numbers.

    Raises: NothingSelected if there are fewer than three such rows, or if a column is constant.
    """
    table = desk.frame(arguments.data)
    x, y = number(table, arguments.x), number(table, arguments.y)
    made, count = table.one(
        f"SELECT CASE WHEN stddev_samp({x}) > 0 AND stddev_samp({y}) > 0 THEN corr({x}, {y}) END,"
        f" count(*) FROM {table.relation} WHERE {x} IS NOT NULL AND {y} IS NOT NULL"
    )
    if made is None or count < 3:
        raise NothingSelected(
            "There are too few rows in which both change.", "Choose a longer range."
        )
    return OutputValue(f"correlation of {arguments.x} and {arguments.y}", float(made))


def compute(desk: RunContext, arguments: Compute) -> OutputFrame:
    """Add a column. The result of a division by 0 is an empty cell.

    Raises: WrongArguments, UnknownColumn.
    """
    table = desk.frame(arguments.data)
    first = number(table, arguments.first)
    named = isinstance(arguments.second, str)
    second: Any = number(table, str(arguments.second)) if named else repr(arguments.second)
    if any(c.name.lower() == arguments.name.lower() for c in table.columns):
        raise WrongArguments(
            f"A column named {arguments.name!r} already exists.", "Choose another name."
        )
    if arguments.operator == "/":
        second = f"nullif({second}, 0)"
    made = f"CAST({first} AS DOUBLE) {OPERATORS[arguments.operator]} {second}"
    return with_column(desk, table, arguments.name, made)


ALL = (
    StepInterface(
        "returns",
        "processing",
        "Returns of a price since the start, or from row to row, in percent.",
        Returns,
        returns,
    ),
    StepInterface(
        "total_return",
        "processing",
        "What one earned between two days, in percent.",
        TotalReturn,
        total_return,
        "value",
    ),
    StepInterface(
        "growth",
        "processing",
        "First and last value of each entity and how it changed.",
        Growth,
        growth,
    ),
    StepInterface(
        "change",
        "processing",
        "Change since so many rows before, such as year on year.",
        ChangeArguments,
        change,
    ),
    StepInterface("cumulate", "processing", "The running sum of a column.", OfValue, cumulate),
    StepInterface(
        "rolling",
        "processing",
        "Mean, sum or the like of a moving window.",
        RollingArguments,
        rolling,
    ),
    StepInterface(
        "resample",
        "processing",
        "One row for each day, week, month, quarter or year.",
        Resample,
        resample,
    ),
    StepInterface(
        "combine", "processing", "One number for each value of some columns.", Combine, combine
    ),
    StepInterface(
        "mean_median", "processing", "Mean and median of a column.", Statistics, mean_median
    ),
    StepInterface(
        "correlation",
        "processing",
        "How two columns go together.",
        Correlation,
        correlation,
        "value",
    ),
    StepInterface(
        "compute",
        "processing",
        "A new column of two others, or of one and a number.",
        Compute,
        compute,
    ),
)
