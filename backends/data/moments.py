"""Convert points in time in any notation to days, and find periods that are incomplete."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict

from backends.data.errors import WrongArguments
from backends.data.periods import days_of, literal
from backends.data.table import Table, quote

if TYPE_CHECKING:
    from collections.abc import Sequence


Every = Literal["day", "week", "month", "quarter", "year"]
Aggregate = Literal["sum", "mean", "median", "min", "max", "first", "last", "count"]
MONTHLY = re.compile(r"mon|mth|moi|mes|m$|.*月")  # how the names of columns with months start


def day_sql(table: Table, names: Sequence[str]) -> str:
    """Return SQL for the day of a row.

    The day is a date, or the last day of a written period, of a year, or of the quarter or month in
    a second column. Raises: UnknownColumn; WrongArguments if the columns do not contain times.
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
        f"{', '.join(names)} does not describe a point in time.",
        "Specify a column with dates, months, quarters or years.",
    )


def is_quarter(name: str, high: float) -> bool:
    """Return whether a column of small numbers contains quarters."""
    return high <= 4 and not MONTHLY.match(name.lower())


def moment_sql(table: Table, names: Sequence[str]) -> str:
    """Return SQL that sorts rows by time. Unlike `day_sql`, it includes the time of day.

    Raises: UnknownColumn; WrongArguments if the columns do not contain times.
    """
    first = table.column(names[0])
    return quote(first.name) if len(names) == 1 and first.kind == "time" else day_sql(table, names)


def period_sql(day: str, every: Every) -> str:
    """Return SQL for the last day of the period that contains a day. Weeks end on Sunday."""
    if every == "day":
        return f"CAST({day} AS DATE)"
    if every == "week":
        return f"CAST(date_trunc('week', {day}) + INTERVAL 6 DAY AS DATE)"
    months = {"month": 1, "quarter": 3, "year": 12}[every]
    return f"last_day(CAST(date_trunc('{every}', {day}) + INTERVAL {months - 1} MONTH AS DATE))"


def aggregate_sql(how: str, column: str, order: str) -> str:
    """Return SQL that combines many cells into one value. `first` and `last` depend on the order.
    Empty cells are ignored.
    """
    if how in ("first", "last"):
        side = "arg_min" if how == "first" else "arg_max"
        return f"{side}({column}, {order}) FILTER (WHERE {column} IS NOT NULL)"
    return f"{'avg' if how == 'mean' else how}({column})"


# up to this many points, a period is incomplete if even one is missing: the quarters or months of a
# year, the months of a quarter
EXACT = 12
# the smallest inner period must have this share of the largest count; otherwise it is unknown how
# many points a complete period has
ALIKE = 0.7
# share of the smallest count that a period needs: a few days, such as days without trading, may be
# missing
ENOUGH = {"year": 0.92, "quarter": 0.92}
ENDS = {"first", "last"}  # these use a single day, however many days a period has
FEW = 0.75  # the same for months and weeks, whose counts differ more


class PartialPeriod(BaseModel):
    """A period that is incomplete. day: its last day. held: how many points in time it has. of: how
    many points in time a complete period has.
    """

    model_config = ConfigDict(frozen=True)

    day: str
    every: str
    held: int
    of: int

    @property
    def label(self) -> str:
        """Return the name of the period: 2009, 2009Q3, 2009-09, or its last day."""
        year, month = self.day[:4], int(self.day[5:7])
        return {"year": year, "quarter": f"{year}Q{(month + 2) // 3}", "month": self.day[:7]}.get(
            self.every, self.day
        )

    @property
    def unit(self) -> str:
        """Return what its points are: quarters, months, days, or simply points."""
        known = {("year", 4): "quarter", ("year", 12): "month", ("quarter", 3): "month"}
        return known.get((self.every, self.of), "day" if self.of > EXACT else "point")


def partial(
    table: Table, day: str, every: Every, aggregates: Sequence[Aggregate]
) -> list[PartialPeriod]:
    """Return the incomplete periods at the start and end of a table, if they affect the aggregates.

    day: SQL for the day of a row.
    """
    if every == "day" or ENDS.issuperset(aggregates):
        return []
    found: list[tuple[Any, int]] = [
        (row[0], int(row[1]))
        for row in table.query(
            f"SELECT {period_sql(day, every)}, count(DISTINCT {day}) FROM {table.relation}"
            f" WHERE {day} IS NOT NULL GROUP BY 1 ORDER BY 1"
        )
    ]
    if len(found) < 2:
        return []
    between = [n for _, n in found[1:-1]] or [max(n for _, n in found)]
    fewest, most = min(between), max(between)
    if fewest < ALIKE * most:
        return []
    limit = fewest if most <= EXACT else fewest * ENOUGH.get(every, FEW)
    return [
        PartialPeriod(day=str(last)[:10], every=every, held=n, of=fewest)
        for last, n in (found[0], found[-1])
        if n < limit
    ]
