"""Acquisition: read the rows of a source, by entity and range, as a series, as a cross-section, or
as the members of a group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

from backends.data.conditions import where
from backends.data.errors import NothingSelected, WrongArguments
from backends.data.moments import Aggregate, Every, aggregate_sql, day_sql, moment_sql, period_sql
from backends.data.table import ORDINAL, Table, quote
from backends.data.values import Condition, Scalar
from backends.data.workflow.context import RunContext, listed, number
from backends.data.workflow.interface import OfSource, StepInterface
from backends.data.workflow.step import OutputFrame

if TYPE_CHECKING:
    from collections.abc import Sequence


class ReadRows(OfSource):
    """The rows of a table, unchanged."""

    columns: list[str] = Field(default=[], description="none: all")
    order_by: str | None = None
    descending: bool = False
    n: int | None = Field(default=None, ge=1)
    distinct: bool = Field(default=False, description="each combination once")


class ReadSeries(OfSource):
    """Columns over time, in chronological order."""

    time: list[str] = Field(
        min_length=1, max_length=2, description="column of dates, or year and quarter or month"
    )
    columns: list[str] = Field(default=[], description="none: rows are counted, with `every`")
    by: str | None = Field(
        default=None, description="column that names the entity; kept beside the day"
    )
    entities: list[Scalar] = Field(default=[], description="values of `by`; none: all")
    start: str | None = Field(default=None, description="first day, YYYY-MM-DD")
    end: str | None = Field(default=None, description="last day, YYYY-MM-DD")
    every: Every | None = Field(
        default=None, description="one row for each period, named by its last day"
    )
    aggregate: Aggregate = Field(default="sum", description="what makes one cell of a period's")


class ReadCrossSection(OfSource):
    """One row for each entity at one point in time."""

    columns: list[str] = Field(min_length=1)
    by: str = Field(description="column that names the entity")
    entities: list[Scalar] = Field(default=[])
    time: list[str] = Field(default=[], max_length=2)
    at: str | None = Field(default=None, description="day; none: the newest")
    since: str | None = Field(default=None, description="nothing before this day")
    exact: bool = Field(
        default=False,
        description="only rows of that day, such as a report's; else the newest until then",
    )


class ReadConstituents(OfSource):
    """The members of a group, from a table that lists memberships."""

    group: str = Field(description="column that names the group")
    name: str = Field(description="the group")
    members: list[str] = Field(min_length=1, description="columns of the members to keep")
    time: list[str] = Field(default=[], max_length=2)
    at: str | None = Field(default=None, description="day; none: the newest")


def read_rows(desk: RunContext, arguments: ReadRows) -> OutputFrame:
    """Read rows in the order of the source, or sorted by a column.

    Raises: NothingSelected.
    """
    table = desk.source(arguments.source)
    clause, bound = where(table, arguments.where)
    names = listed(table, arguments.columns)
    select = f"SELECT {names} FROM {table.relation} WHERE {clause}"
    ordinal = ORDINAL
    if arguments.distinct:
        select, ordinal = f"{select} GROUP BY {names}", f"min({ORDINAL})"
    order = ordinal
    if arguments.order_by is not None:
        key, side = table.order_key(arguments.order_by), "DESC" if arguments.descending else "ASC"
        order = f"{f'any_value({key})' if arguments.distinct else key} {side} NULLS LAST, {ordinal}"
    limit = f" LIMIT {arguments.n}" if arguments.n is not None else ""
    return some(desk.take(table, f"{select} ORDER BY {order}{limit}", bound))


def read_series(desk: RunContext, arguments: ReadSeries) -> OutputFrame:
    """Read columns over time. The day comes first, then the entity, then the columns.

    A written period is represented by its last day. Raises: NothingSelected, WrongArguments.
    """
    table = desk.source(arguments.source)
    day, moment = day_sql(table, arguments.time), moment_sql(table, arguments.time)
    clause, bound = restricted(table, arguments.where, arguments.by, arguments.entities)
    if arguments.start is not None:
        clause, bound = f"{clause} AND {day} >= CAST(? AS DATE)", [*bound, arguments.start]
    if arguments.end is not None:
        clause, bound = f"{clause} AND {day} <= CAST(? AS DATE)", [*bound, arguments.end]
    clause = f"{clause} AND {day} IS NOT NULL"
    label = quote(arguments.time[0] if table.column(arguments.time[0]).kind == "date" else "date")
    keys = (
        [f"{day} AS {label}"]
        if arguments.every is None
        else [f"{period_sql(day, arguments.every)} AS {label}"]
    )
    keys += [quote(table.column(arguments.by).name)] if arguments.by else []
    if arguments.every is None:
        if not arguments.columns:
            raise WrongArguments(
                "Rows can only be counted for each period.", "Specify columns, or `every`."
            )
        cells = [quote(table.column(n).name) for n in arguments.columns]
        tail = f"ORDER BY {moment}, {ORDINAL}"
    else:
        cells = [
            f"{aggregate_sql(arguments.aggregate, number(table, n), f'struct_pack(d := {moment}, r := {ORDINAL})')}"
            f" AS {quote(n)}"
            for n in arguments.columns
        ] or [f"count(*) AS {quote('rows')}"]
        numbered = ", ".join(str(i + 1) for i in range(len(keys)))
        tail = f"GROUP BY {numbered} ORDER BY {numbered}"
    return some(
        desk.take(
            table,
            f"SELECT {', '.join([*keys, *cells])} FROM {table.relation} WHERE {clause} {tail}",
            bound,
        )
    )


def read_cross_section(desk: RunContext, arguments: ReadCrossSection) -> OutputFrame:
    """Read one row for each entity, in the order of the source.

    Raises: NothingSelected, WrongArguments.
    """
    table = desk.source(arguments.source)
    clause, bound = restricted(table, arguments.where, arguments.by, arguments.entities)
    by = quote(table.column(arguments.by).name)
    cells = [quote(table.column(n).name) for n in arguments.columns if n != arguments.by]
    keys, order = [by], ORDINAL
    if arguments.time:
        day = day_sql(table, arguments.time)
        keys = [f"{day} AS {quote('date')}", by]
        order = f"{moment_sql(table, arguments.time)} DESC, {ORDINAL}"
        clause = f"{clause} AND {day} IS NOT NULL"
        if arguments.at is not None:
            clause += f" AND {day} {'=' if arguments.exact else '<='} CAST(? AS DATE)"
            bound = [*bound, arguments.at]
        if arguments.since is not None:
            clause, bound = f"{clause} AND {day} >= CAST(? AS DATE)", [*bound, arguments.since]
    return some(
        desk.take(
            table,
            f"SELECT {', '.join([*keys, *cells])} FROM {table.relation} WHERE {clause} QUALIFY"
            f" row_number() OVER (PARTITION BY {by} ORDER BY {order}) = 1 ORDER BY {ORDINAL}",
            bound,
        )
    )


def read_constituents(desk: RunContext, arguments: ReadConstituents) -> OutputFrame:
    """Read the members that a group has on a given day: those in the latest list up to that day.

    Raises: NothingSelected.
    """
    table = desk.source(arguments.source)
    clause, bound = where(
        table, [*arguments.where, Condition(column=arguments.group, op="=", value=arguments.name)]
    )
    if arguments.time:
        day = day_sql(table, arguments.time)
        if arguments.at is not None:
            clause, bound = f"{clause} AND {day} <= CAST(? AS DATE)", [*bound, arguments.at]
        newest = f"(SELECT max({day}) FROM {table.relation} WHERE {clause})"
        clause, bound = f"{clause} AND {day} = {newest}", [*bound, *bound]
    names = listed(table, arguments.members)
    select = (
        f"SELECT {names} FROM {table.relation} WHERE {clause} GROUP BY {names} ORDER BY"
        f" min({ORDINAL})"
    )
    return some(desk.take(table, select, bound))


def restricted(
    table: Table, conditions: list[Condition], by: str | None, entities: Sequence[Scalar]
) -> tuple[str, list[Any]]:
    """Return the WHERE clause for the given conditions and entities.

    Raises: UnknownColumn, WrongArguments.
    """
    chosen = [Condition(column=by, op="in", value=list(entities))] if by and entities else []
    return where(table, [*conditions, *chosen])


def some(frame: OutputFrame) -> OutputFrame:
    """Return a frame after checking that it has rows.

    Raises: NothingSelected.
    """
    if not frame.table.count():
        raise NothingSelected(
            "No row meets these conditions.", "Choose a different range, entity or condition."
        )
    return frame


ALL = (
    StepInterface(
        "read_rows",
        "acquisition",
        "Rows of a table that meet conditions, as they stand.",
        ReadRows,
        read_rows,
    ),
    StepInterface(
        "read_series",
        "acquisition",
        "Columns over time, of one entity or several, in a range of days.",
        ReadSeries,
        read_series,
    ),
    StepInterface(
        "read_cross_section",
        "acquisition",
        "One row for each entity at one point in time.",
        ReadCrossSection,
        read_cross_section,
    ),
    StepInterface(
        "read_constituents",
        "acquisition",
        "The members of a group, from a table that lists them.",
        ReadConstituents,
        read_constituents,
    ),
)
