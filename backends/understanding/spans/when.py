"""Lay periods on a table's time columns."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from backends.data.periods import days_of
from backends.data.values import ColumnProfile, Condition, Profile

if TYPE_CHECKING:
    from backends.understanding.spans.period_rules import Period


AXIS = re.compile(
    r"(?:^|[\s_(])(?:year|yr|fy)(?:$|[\s_)])|^(?:Fiscal|Calendar)?Year$|^(?:年|年份|年度)$",
    re.IGNORECASE,
)


class OutsideData(Exception):
    """The table holds nothing of the period; `words` names it, `held` says what it holds."""

    def __init__(self, words: str, held: str) -> None:
        super().__init__(words)
        self.words = words
        self.held = held


def time_columns(profile: Profile) -> list[ColumnProfile]:
    """Return the columns that together say when a row was: a date, or year and quarter, or a
    period.
    """
    for column in profile.columns:
        if column.kind in ("date", "time"):
            return [column]
    for column in profile.columns:
        if column.role == "period":
            return [column]
    years = [c for c in profile.columns if c.role == "year"]
    axis = [c for c in years if AXIS.search(c.name)]
    parts = [c for role in ("quarter", "month") for c in profile.columns if c.role == role]
    return [*axis[:1], *parts][:2]


def resolve(period: Period, profile: Profile) -> Period:
    """Give a month without a year the latest year the table has it for."""
    if not period.month_only:
        return period
    last = span_of(profile)
    if last is None:
        return period
    for year in range(last[1].year, last[0].year - 1, -1):
        try:
            low, high = period.low.replace(year=year), period.high.replace(year=year)
        except ValueError:
            continue
        if low <= last[1] and high >= last[0]:
            return replace(
                period, low=low, high=high, month_only=False, words=f"{period.words} {year}"
            )
    return period


def span_of(profile: Profile) -> tuple[dt.date, dt.date] | None:
    """Return the first and last day the table's time columns reach; None without such columns."""
    columns = time_columns(profile)
    if not columns or columns[0].low is None or columns[0].high is None:
        return None
    low, high = columns[0].low, columns[0].high
    if columns[0].kind in ("date", "time"):
        return dt.date.fromisoformat(str(low)[:10]), dt.date.fromisoformat(str(high)[:10])
    if columns[0].role == "period":
        one, two = days_of(str(low)), days_of(str(high))
        return (one[0], two[1]) if one and two else None
    if columns[0].role == "year":
        return dt.date(int(low), 1, 1), dt.date(int(high), 12, 31)
    return None


def conditions(
    period: Period, profile: Profile, column: ColumnProfile | None = None
) -> list[Condition] | None:
    """Return the conditions that select a period; None if the table's columns cannot say it.

    column: the date column the question names, if it has several.
    Raises: OutsideData.
    """
    columns = [column] if column else time_columns(profile)
    if not columns:
        columns = [c for c in profile.columns if c.role == "year"]
        if len(columns) != 1:
            return None
    reach = span_of(profile)
    if column is None and reach is not None and (period.high < reach[0] or period.low > reach[1]):
        raise OutsideData(period.words, f"{reach[0]} – {reach[1]}")
    first = columns[0]
    if first.kind in ("date", "time"):
        return on_dates(period, first.name)
    if first.role == "year":
        columns = columns if column is None else [first]
    if first.role == "period" and period.steps:
        ended = [v for v in first.values if (d := days_of(str(v))) and d[1] <= period.high]
        size = {"month": 1, "quarter": 3, "year": 12}.get(period.unit, 1)
        count = period.steps * size // months_of(first)
        return (
            [Condition(column=first.name, op="in", value=ended[-count:])]
            if ended and count
            else None
        )
    if first.role == "period":
        inside = [
            v
            for v in first.values
            if (d := days_of(str(v))) and d[0] >= period.low and d[1] <= period.high
        ]
        return (
            [Condition(column=first.name, op="in", value=inside)]
            if inside and first.complete
            else None
        )
    return on_parts(period, columns)


def months_of(column: ColumnProfile) -> int:
    """Return how many months a written period of a column is long."""
    days = days_of(str(column.values[0]))
    return (days[1].month - days[0].month + 1) if days else 1


def on_dates(period: Period, name: str) -> list[Condition]:
    """Select a period on a date column."""
    if period.open == "high":
        return [Condition(column=name, op=">=", value=period.low.isoformat())]
    if period.open == "low":
        return [Condition(column=name, op="<=", value=period.high.isoformat())]
    if period.low == period.high:
        return [Condition(column=name, op="=", value=period.low.isoformat())]
    return [
        Condition(
            column=name, op="between", value=[period.low.isoformat(), period.high.isoformat()]
        )
    ]


def on_parts(period: Period, columns: list[ColumnProfile]) -> list[Condition] | None:
    """Select a period on a year column, and a quarter or month column beside it."""
    by = {c.role: c.name for c in columns}
    if "year" not in by:
        if period.unit == "month" and "month" in by:
            return [Condition(column=by["month"], op="=", value=period.low.month)]
        return None
    year = by["year"]
    whole_years = (period.low.month, period.low.day) == (1, 1) and (
        period.high.month,
        period.high.day,
    ) == (
        12,
        31,
    )
    if whole_years:
        if period.open == "high":
            return [Condition(column=year, op=">=", value=period.low.year)]
        if period.open == "low":
            return [Condition(column=year, op="<=", value=period.high.year)]
        if period.low.year == period.high.year:
            return [Condition(column=year, op="=", value=period.low.year)]
        return [Condition(column=year, op="between", value=[period.low.year, period.high.year])]
    if period.open or period.low.year != period.high.year or period.unit == "day":
        return None
    same_year = Condition(column=year, op="=", value=period.low.year)
    part, low, high = "month", period.low.month, period.high.month
    if "quarter" in by and period.low.month % 3 == 1 and period.high.month % 3 == 0:
        part, low, high = "quarter", (period.low.month + 2) // 3, period.high.month // 3
    if part not in by:
        return None
    if low == high:
        return [same_year, Condition(column=by[part], op="=", value=low)]
    return [same_year, Condition(column=by[part], op="between", value=[low, high])]
