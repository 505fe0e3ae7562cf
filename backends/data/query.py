"""`Query`: the meaning of a question about tables, as one typed value.

The parser, a language model, a follow-up and a person's correction all produce this value; the
compiler, the description and the answer read it. Nothing else reads the text of a question. It is
independent of language: two questions with the same meaning have the same normal form.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
)

from backends.data.values import Scalar

Comparison = Literal["=", "!=", "<", "<=", ">", ">="]
Logic = Literal["and", "or", "not"]
Test = Literal["in", "contains", "starts with", "ends with", "empty"]
Arithmetic = Literal[
    "+", "-", "*", "/", "negative", "modulo", "absolute", "round", "least", "greatest"
]
Text = Literal["lower", "length", "join"]
Time = Literal[
    "year",
    "quarter",
    "month",
    "week",
    "day",
    "hour",
    "minute",
    "calendar year",  # such as 2026
    "hour of day",  # 0 … 23
    "weekday",  # 1 (Monday) … 7 (Sunday)
    "weekday name",  # in English
    "month name",
    "month of year",  # 1 … 12
    "day of month",
    "quarter of year",
    "date",  # of a timestamp
    "days between",  # (later, earlier), returns a number
    "hours between",
    "minutes between",
    "months between",
    "years between",
    "add days",
    "add months",
    "add years",
    "first day",  # of a month: (year, month)
]
Choice = Literal["if", "coalesce", "null if"]
FunctionName = Comparison | Logic | Test | Arithmetic | Text | Time | Choice
"""`year`, `quarter`, `month`, `week`, `day` and `hour` cut a date down to the start of its period;
the other date functions return numbers, or text for names. `in` takes the tested expression, then
the members. `if` takes condition, then, otherwise. Text is compared without regard to case.
"""

AggregateName = Literal[
    "count",  # rows; with an argument, its values that are not empty
    "distinct",  # the number of distinct values
    "sum",
    "mean",  # weighted by a second argument, if there is one
    "median",
    "min",
    "max",
    "mode",
    "standard deviation",
    "variance",
    "percentile",  # second argument: 0 … 1
    "correlation",  # of two arguments
    "first",  # in the order of a second argument
    "last",
    "list",  # the distinct values, joined
]
WindowName = Literal[
    "rank",
    "row number",
    "previous",
    "next",
    "first",
    "sum",
    "mean",
    "min",
    "max",
    "count",
    "share",
]
Show = Literal[
    "value", "row", "list", "table", "file", "line", "bar", "pie", "scatter", "histogram"
]
"""`file` is a table to be saved."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_serializer(mode="wrap")
    def _with_kind(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Write `kind` even if defaults are omitted, since it identifies the part."""
        written: dict[str, Any] = handler(self)
        kind = getattr(self, "kind", None)
        return {"kind": kind, **written} if kind is not None else written


PLACE = "_row"
"""A column that every table has in addition to its own: the position of a row, from 0.

It is used for "the next one after X" and "the last on the list".
"""

HEADER, ENTRY = "_header", "_entry"
"""The columns of a stacked table: the heading, and the entry."""


class Column(_Part):
    """A column by its name. source: its table, if several are read."""

    kind: Literal["column"] = "column"
    name: str
    source: str | None = None


class Value(_Part):
    """A constant; dates and timestamps are ISO text with their type."""

    kind: Literal["value"] = "value"
    value: Scalar
    type: Literal["plain", "date", "time"] = "plain"


class Call(_Part):
    """A function of a row's values; conditions are calls that return true or false."""

    kind: Literal["call"] = "call"
    name: FunctionName
    args: tuple[Expression, ...]


class Aggregate(_Part):
    """One value computed from many rows. where: the rows that count, among those of the query or
    group.
    """

    kind: Literal["aggregate"] = "aggregate"
    name: AggregateName
    args: tuple[Expression, ...] = ()
    where: Expression | None = None


class Window(_Part):
    """A value of a row that depends on neighbouring rows.

    by: the columns that define its group of rows; without them, all rows. order: their order. rows:
    the number of rows up to this one that count. Without it, all rows up to this one count if there
    is an order (a running total), else all. For `previous` and `next`, it is the distance to the
    row. `first` is the value of the first row. `share` is this row's part of the whole, from 0 to
    1.
    """

    kind: Literal["window"] = "window"
    name: WindowName
    args: tuple[Expression, ...] = ()
    by: tuple[Expression, ...] = ()
    order: tuple[Order, ...] = ()
    rows: int | None = Field(default=None, ge=1)


class Subquery(_Part):
    """The single value, or for `in` the single column of values, that a query returns."""

    kind: Literal["query"] = "query"
    query: Query


Expression = Annotated[
    Column | Value | Call | Aggregate | Window | Subquery, Field(discriminator="kind")
]


class Order(_Part):
    """A sort key; empty values come last in either direction."""

    by: Expression
    descending: bool = False


class Item(_Part):
    """A column of the result. name: its heading; if empty, it is made from the expression."""

    expression: Expression
    name: str | None = None


class Join(_Part):
    """Another table. outer: keep rows of the previous tables that have no partner."""

    source: str | Query
    on: Expression
    outer: bool = False


class Forecast(_Part):
    """A forecast of the last column of the result, over the time in its first column.

    The rows of the result are replaced by future days with forecast, low, high and naive. periods:
    how many, at the interval of the result.
    """

    periods: int = Field(ge=1, le=400)


class Query(_Part):
    """A question about tables.

    source: uuid of a table widget, or a query whose result is read like a table, with its columns
    named after the items. stack: columns of the source to stack below each other, one row for each
    entry that is not empty. They are replaced by the columns `_header` and `_entry`; the others
    stay. This answers "in which year" if years are columns. where: which rows. group: one row of
    the result for each of these; they are not repeated in `items` but come before them. items: what
    each row shows. If empty, all columns are shown; with any aggregate and no group, the result is
    one row. having: which groups. limit with ties: rows equal to the last one are included. show:
    the form of the answer.
    """

    source: str | Query
    stack: tuple[str, ...] = ()
    joins: tuple[Join, ...] = ()
    where: Expression | None = None
    group: tuple[Item, ...] = ()
    items: tuple[Item, ...] = ()
    having: Expression | None = None
    distinct: bool = False
    order: tuple[Order, ...] = ()
    limit: int | None = Field(default=None, ge=1)
    offset: int = Field(default=0, ge=0)
    ties: bool = False
    forecast: Forecast | None = None
    show: Show | None = None


for _model in (Call, Aggregate, Window, Subquery, Order, Item, Join, Query):
    _model.model_rebuild()
