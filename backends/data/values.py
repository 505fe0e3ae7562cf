"""Values that are passed between parts: conditions, profiles, cells, results."""

from __future__ import annotations

import datetime as dt
from typing import Literal
from zoneinfo import ZoneInfo, available_timezones

from pydantic import BaseModel

Scalar = str | int | float | bool | None  # dates are ISO text
Kind = Literal["number", "text", "date", "time", "boolean"]
Role = Literal["measure", "category", "year", "quarter", "month", "period", "identifier"]
Operator = Literal[
    "=", "!=", ">", ">=", "<", "<=", "between", "in", "contains", "empty", "not empty"
]


class Condition(BaseModel, frozen=True):
    """One restriction of the rows.

    value: a list for `in` and `between` ([low, high], both inclusive; on timestamps a high that is
    a date covers its whole day); unused for `empty`. Text is compared without regard to case.
    other: a column to compare with, cell by cell, instead of a value.
    """

    column: str
    op: Operator
    value: Scalar | list[Scalar] = None
    other: str | None = None


class ColumnProfile(BaseModel):
    """What is known about a column.

    low, high: the range of numbers and dates. values: its distinct values, most frequent first, at
    most 100, none for measures; `complete` says whether these are all. additive: whether its sum
    makes sense. meaning: a description of its content, if somebody provided one.
    """

    name: str
    kind: Kind
    role: Role
    unit: str | None = None
    integer: bool = False
    distinct: int
    missing: int
    low: Scalar = None
    high: Scalar = None
    values: list[Scalar] = []
    complete: bool = False
    additive: bool | None = None
    meaning: str = ""


class Profile(BaseModel):
    """What is known about a table: enough to understand a question about it, whatever its size.

    source: the widget's uuid. hash: of the source's content. symbols: words that name the subject
    of the whole table, such as AAPL. closes: when its day is over, as HH:MM, with a time zone if it
    differs from this machine's (15:00 Asia/Shanghai); before that time, its "today" is yesterday.
    """

    source: str
    name: str
    description: str = ""
    rows: int
    hash: str
    columns: list[ColumnProfile]
    first_row: dict[str, Scalar] = {}
    last_row: dict[str, Scalar] = {}
    symbols: list[str] = []
    closes: str = ""

    def column(self, name: str) -> ColumnProfile | None:
        """Return a column by its name."""
        return next((c for c in self.columns if c.name == name), None)

    def today(self, now: dt.datetime) -> dt.date:
        """Return the day that counts as today: yesterday until this table's day is over."""
        clock, _, zone = self.closes.partition(" ")
        if zone and zone in available_timezones():
            now = now.astimezone(ZoneInfo(zone))
        return now.date() - dt.timedelta(days=now.strftime("%H:%M") < clock)


class Cell(BaseModel):
    """One cell of a source: its row (0-based, in the source's order), column and value."""

    row: int
    column: str
    value: Scalar


class Reach(BaseModel):
    """The extent of the cells that a number was computed from: how many there are, and the row of
    the last one.

    where: the conditions that their rows meet, as lists; all conditions in a list must hold, and
    one list is enough.
    """

    cells: int
    last: int
    where: list[list[Condition]] = []


class Result(BaseModel):
    """The result of an interface.

    value: the main value. label: the row or group it belongs to. rows: at most 50, under `columns`.
    cells: the cells it comes from, at most 50. matched: how many rows met the conditions. reach:
    the extent of all cells, if there may be more than those in `cells`. left_out: what is missing
    from the rows, in words.
    """

    interface: str
    source: str
    source_hash: str
    value: Scalar = None
    label: Scalar = None
    unit: str | None = None
    columns: list[str] = []
    rows: list[list[Scalar]] = []
    cells: list[Cell] = []
    matched: int = 0
    reach: Reach | None = None
    left_out: str | None = None
