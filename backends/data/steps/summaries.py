"""Processing: aggregates by column and period, unpivoting and correlations."""

from __future__ import annotations

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
from backends.data.steps.acquisition import some
from backends.data.table import ORDINAL, quote
from backends.data.workflow.context import RunContext, number, time_of
from backends.data.workflow.interface import OfData, StepInterface
from backends.data.workflow.step import OutputFrame

WRITTEN = {"year": "%Y", "quarter": "", "month": "%Y-%m", "week": "%Y-%m-%d", "day": "%Y-%m-%d"}


class Summarise(OfData):
    """One row for each combination of values of some columns, and for each period."""

    by: list[str] = Field(default=[], max_length=3)
    columns: list[str] = Field(
        default=[], max_length=8, description="columns of numbers; none: rows are counted"
    )
    aggregates: list[Aggregate] = Field(default=["sum"], min_length=1, max_length=4)
    every: Every | None = Field(
        default=None, description="a row for each period, named by its last day"
    )
    time: str | None = Field(default=None, description="column of days; none: the first")
    written: bool = Field(
        default=False, description="periods as text, such as 2024Q1, instead of days"
    )


class Unpivot(OfData):
    """Columns turned into rows, each with a name and a value."""

    columns: list[str] = Field(min_length=1, max_length=12)
    label: str = "name"
    value: str = "value"


class Correlations(OfData):
    """The correlation of two columns, for each entity."""

    x: str
    y: str
    by: str


def summarise(desk: RunContext, arguments: Summarise) -> OutputFrame:
    """Return the period, the keys and the aggregated cells.

    A cell is named after its column, or after the aggregate if there are several aggregates.
    Raises: UnknownColumn, WrongArguments, NothingSelected.
    """
    table = desk.frame(arguments.data)
    keys, order = [quote(table.column(n).name) for n in arguments.by], ORDINAL
    clause = "true"
    if arguments.every is not None:
        time = time_of(table, arguments.time)
        day = day_sql(table, [time])
        period = period_sql(day, arguments.every)
        desk.note(partial(table, day, arguments.every, arguments.aggregates))
        order, clause = (
            f"struct_pack(d := {moment_sql(table, [time])}, r := {ORDINAL})",
            f"{day} IS NOT NULL",
        )
        keys = [
            f"{spelled(period, arguments.every) if arguments.written else period} AS {quote(time)}",
            *keys,
        ]
    cells = ["count(*) AS rows"] if not arguments.columns else []
    for name in arguments.columns:
        for how in arguments.aggregates:
            made = aggregate_sql(how, number(table, name), order)
            cells.append(f"{made} AS {quote(called(name, how, arguments))}")
    numbered = ", ".join(str(i + 1) for i in range(len(keys)))
    tail = (
        f" GROUP BY {numbered} ORDER BY {'1, ' if arguments.every else ''}min({ORDINAL})"
        if keys
        else ""
    )
    select = f"SELECT {', '.join([*keys, *cells])} FROM {table.relation} WHERE {clause}{tail}"
    return some(desk.make(select, (), [table]))


def called(name: str, how: str, arguments: Summarise) -> str:
    """Return the name of a cell."""
    if len(arguments.aggregates) == 1:
        return name
    return how if len(arguments.columns) == 1 else f"{how} of {name}"


def spelled(period: str, every: Every) -> str:
    """Return SQL that writes a period as text."""
    if every == "quarter":
        return f"concat(year({period}), 'Q', quarter({period}))"
    return f"strftime({period}, '{WRITTEN[every]}')"


def unpivot(desk: RunContext, arguments: Unpivot) -> OutputFrame:
    """Return the other columns together with a name and a value. The rows of each column are in
    order.

    Raises: UnknownColumn; WrongArguments if the columns do not contain numbers or a name is already
    used.
    """
    table = desk.frame(arguments.data)
    cells = [(table.column(n).name, number(table, n)) for n in arguments.columns]
    others = [c.name for c in table.columns if c.name not in {name for name, _ in cells}]
    if {arguments.label, arguments.value} & set(others) or arguments.label == arguments.value:
        raise WrongArguments(
            f"{arguments.label} or {arguments.value} is already a column.", "Choose other names."
        )
    kept = "".join(f"{quote(n)}, " for n in others)
    parts = [
        f"SELECT {kept}? AS {quote(arguments.label)}, CAST({sql} AS DOUBLE) AS"
        f" {quote(arguments.value)}, {i} AS _part, {ORDINAL} AS _at FROM {table.relation}"
        for i, (_, sql) in enumerate(cells)
    ]
    union = " UNION ALL ".join(parts)
    bound = [name for name, _ in cells]
    return desk.make(
        f"SELECT * EXCLUDE (_part, _at) FROM ({union}) ORDER BY _part, _at", bound, [table]
    )


def correlations(desk: RunContext, arguments: Correlations) -> OutputFrame:
    """Return Pearson's correlation for each entity; it is empty if the entity has fewer than three
    rows.

    Raises: UnknownColumn, WrongArguments; NothingSelected if there are no correlations at all.
    """
    table = desk.frame(arguments.data)
    x, y, by = (
        number(table, arguments.x),
        number(table, arguments.y),
        quote(table.column(arguments.by).name),
    )
    both = f"{x} IS NOT NULL AND {y} IS NOT NULL"
    moves = f"stddev_samp({x}) > 0 AND stddev_samp({y}) > 0 AND count(*) > 2"
    made = desk.make(
        f"SELECT {by}, CASE WHEN {moves} THEN corr({x}, {y}) END AS correlation FROM"
        f" {table.relation} WHERE {both} GROUP BY 1 ORDER BY min({ORDINAL})",
        (),
        [table],
    )
    if not made.table.count():
        raise NothingSelected(
            "There are no rows in which both have numbers.", "Choose a longer range."
        )
    return made


ALL = (
    StepInterface(
        "summarise",
        "processing",
        "Sums, means and the like of columns, for each value of some columns and each period.",
        Summarise,
        summarise,
    ),
    StepInterface(
        "unpivot", "manipulation", "Columns become rows, a name and a value each.", Unpivot, unpivot
    ),
    StepInterface(
        "correlations",
        "processing",
        "How two columns go together, for each entity.",
        Correlations,
        correlations,
    ),
)
