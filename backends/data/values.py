"""Values that are passed around: conditions, profiles, cells, results."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any, Literal
from zoneinfo import ZoneInfo, available_timezones

from pydantic import BaseModel

Scalar = str | int | float | bool | None  # dates travel as ISO text
Kind = Literal["number", "text", "date", "time", "boolean"]
Role = Literal["measure", "category", "year", "quarter", "month", "period", "identifier"]
Operator = Literal[
    "=", "!=", ">", ">=", "<", "<=", "between", "in", "contains", "empty", "not empty"
]


class Condition(BaseModel, frozen=True):
    """One restriction of the rows.

    value: a list for `in` and `between` ([low, high], both inclusive; on timestamps a high that is
    a date covers its whole day); none for `empty`. Text is compared without regard to case. other:
    a column to compare with, cell by cell, instead of a value.
    """

    column: str
    op: Operator
    value: Scalar | list[Scalar] = None
    other: str | None = None


class ColumnProfile(BaseModel):
    """What is known of a column.

    low, high: the range, of numbers and dates. values: its distinct values, most frequent first, at
    most 100, none for measures; `complete` says whether these are all. additive: whether a sum of
    it means something. meaning: what it holds, in the words of whoever knows.
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
    """What is known of a table: enough to understand a question about it, whatever its size.

    source: the widget's uuid. hash: of the source's content. symbols: words that name what the
    whole table is about, such as AAPL. closes: when its day is over, HH:MM, with a zone where it is
    another than that of this machine (15:00 Asia/Shanghai); before, its "today" is yesterday.
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
        """Return the day that counts as today: yesterday until the day of this table is over."""
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
    """How far the cells reach that a number was made of: how many they are, in which row the last
    of them stands.

    where: what their rows meet, as lists of conditions that all hold, of which one list is enough.
    """

    cells: int
    last: int
    where: list[list[Condition]] = []


class Result(BaseModel):
    """What an interface computed.

    value: the headline, label: which row or group it belongs to. rows: at most 50, under `columns`.
    cells: the cells it comes from, at most 50. matched: how many rows met the conditions. reach:
    where all of the cells are, if they may be more than those.
    left_out: what does not stand in rows, in words.
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


def to_scalar(value: Any) -> Scalar:
    """Return a value of DuckDB as one that travels: dates as ISO text, decimals as floats."""
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, float) and value != value:
        return None
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value)
