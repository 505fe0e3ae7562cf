"""Points in time, however a table writes them, as days: a written period is named by its last day."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.kernel.errors import WrongArguments
from backends.kernel.periods import days_of, literal
from backends.kernel.table import Table, quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from backends.kernel.workflow.registry import Every

MONTHLY = re.compile(r"mon|mth|moi|mes|m$|.*月")  # how columns of months are called


def day_sql(table: Table, names: Sequence[str]) -> str:
    """Return SQL that gives the day of a row: a date, the last day of a written period, of a year, or of the quarter
    or month in a second column.

    Raises: UnknownColumn, WrongArguments for columns that tell no time.
    """
    first = table.column(names[0])
    name = quote(first.name)
    if len(names) == 1 and first.kind == "date":
        return name
    if len(names) == 1 and first.kind == "time":
        return f"CAST({name} AS DATE)"
    if len(names) == 1 and first.periods:
        cases = " ".join(
            f"WHEN {literal(text)} THEN DATE '{days[1]}'"
            for text in first.periods
            if (days := days_of(text))
        )
        return f"CASE CAST({name} AS VARCHAR) {cases} END"
    if first.kind == "number" and len(names) <= 2:
        year = f"CAST({name} AS INTEGER)"
        if len(names) == 1:
            return f"make_date({year}, 12, 31)"
        part = table.column(names[1])
        if part.kind == "number":
            low, high = table.one(
                f"SELECT min({quote(part.name)}), max({quote(part.name)}) FROM {table.relation}"
            )
            if float(low or 0) >= 1 and float(high or 13) <= 12:
                month = f"CAST({quote(part.name)} AS INTEGER)"
                month = f"3 * {month}" if is_quarter(part.name, float(high)) else month
                return f"last_day(make_date({year}, {month}, 1))"
    raise WrongArguments(
        f"{', '.join(names)} tells no point in time.",
        "Name a column of dates, months, quarters or years.",
    )


def is_quarter(name: str, high: float) -> bool:
    """Tell whether a column of small numbers counts quarters."""
    return high <= 4 and not MONTHLY.match(name.lower())


def moment_sql(table: Table, names: Sequence[str]) -> str:
    """Return SQL by which rows stand in time's order, where `day_sql` tells their days: by the time of day, too.

    Raises: UnknownColumn, WrongArguments for columns that tell no time.
    """
    first = table.column(names[0])
    return quote(first.name) if len(names) == 1 and first.kind == "time" else day_sql(table, names)


def period_sql(day: str, every: Every) -> str:
    """Return SQL that gives the last day of the period a day lies in; a week ends on Sunday."""
    if every == "day":
        return f"CAST({day} AS DATE)"
    if every == "week":
        return f"CAST(date_trunc('week', {day}) + INTERVAL 6 DAY AS DATE)"
    months = {"month": 1, "quarter": 3, "year": 12}[every]
    return f"last_day(CAST(date_trunc('{every}', {day}) + INTERVAL {months - 1} MONTH AS DATE))"


def aggregate_sql(how: str, column: str, order: str) -> str:
    """Return SQL that makes one cell of many: `first` and `last` go by an order, empty cells do not count."""
    if how in ("first", "last"):
        side = "arg_min" if how == "first" else "arg_max"
        return f"{side}({column}, {order}) FILTER (WHERE {column} IS NOT NULL)"
    return f"{'avg' if how == 'mean' else how}({column})"
