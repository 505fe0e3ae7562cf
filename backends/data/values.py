"""Values that are passed between parts of the program: conditions, profiles, cells and results."""

from __future__ import annotations

import datetime as dt
from typing import Literal
from zoneinfo import ZoneInfo, available_timezones

from pydantic import BaseModel

Scalar = str | int | float | bool | None  # dates are written as ISO text
Kind = Literal["number", "text", "date", "time", "boolean"]
Role = Literal["measure", "category", "year", "quarter", "month", "period", "identifier"]
Operator = Literal[
    "=", "!=", ">", ">=", "<", "<=", "between", "in", "contains", "empty", "not empty"
]


class Condition(BaseModel, frozen=True):
    """A condition that restricts the rows.

    value: for `in` and `between`, a list ([low, high], both inclusive; for timestamps, a `high`
    that is a date includes the whole day); not used for `empty`. Case is ignored when text is
    compared. other: a column to compare with, cell by cell, instead of a value.
    """

    column: str
    op: Operator
    value: Scalar | list[Scalar] = None
    other: str | None = None


class ColumnProfile(BaseModel):
    """What is known about a column.

    low, high: the range of numbers or dates. values: its distinct values, the most frequent first,
    at most 100 and none for measures; `complete` says whether these are all. additive: whether the
    sum of its values makes sense. meaning: a description of its content, if one was provided.
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
    """What is known about a table: enough to understand a question about it, however large it is.

    source: the uuid of the widget. hash: a hash of the source's content. symbols: words that name
    the subject of the whole table, such as AAPL. closes: the time at which its day ends, as HH:MM,
    with a time zone if this differs from the machine's (15:00 Asia/Shanghai); until then, "today"
    means yesterday for this table.
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
        """Return the column with a given name."""
        return next((c for c in self.columns if c.name == name), None)

    def today(self, now: dt.datetime) -> dt.date:
        """Return the day that counts as today: this is yesterday until the table's day has
        ended.
        """
        clock, _, zone = self.closes.partition(" ")
        if zone and zone in available_timezones():
            now = now.astimezone(ZoneInfo(zone))
        return now.date() - dt.timedelta(days=now.strftime("%H:%M") < clock)


class Cell(BaseModel):
    """A cell of a source: its row (0-based, in the order of the source), its column and its
    value.
    """

    row: int
    column: str
    value: Scalar


class Reach(BaseModel):
    """The extent of the cells from which a number was computed: how many there are, and the row of
    the last one.

    where: lists of conditions. Each of the cells' rows meets all conditions in at least one list.
    """

    cells: int
    last: int
    where: list[list[Condition]] = []


class Result(BaseModel):
    """The result of an interface.

    value: the main value. label: the row or group to which the value belongs. rows: at most 50,
    under `columns`. cells: at most 50 of the cells that the result comes from. matched: how many
    rows met the conditions. reach: the extent of all those cells, if there may be more of them than
    in `cells`. left_out: a description of what is missing from the rows.
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
