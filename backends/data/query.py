"""`Query`: the meaning of a question about tables, as a single typed value.

The parser, a language model, a follow-up question and a user's correction all produce this value.
The compiler, the description and the answer read it; nothing else reads the text of a question. The
value is independent of language: two questions with the same meaning have the same normal form.
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
    "date",  # the date of a timestamp
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
    "count",  # the number of rows; with an argument, the number of its values that are not empty
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
    "correlation",  # the correlation of two arguments
    "first",  # in the order of a second argument
    "last",
    "list",  # the distinct values, joined into one text
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
        """Write `kind` even if defaults are left out, because it identifies the part."""
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
    """A column, given by its name. source: its table, if several tables are read."""

    kind: Literal["column"] = "column"
    name: str
    source: str | None = None


class Value(_Part):
    """A constant. Dates and timestamps are ISO text, together with their type."""

    kind: Literal["value"] = "value"
    value: Scalar
    type: Literal["plain", "date", "time"] = "plain"


class Call(_Part):
    """A function of values in a row. Conditions are calls that return true or false."""

    kind: Literal["call"] = "call"
    name: FunctionName
    args: tuple[Expression, ...]


class Aggregate(_Part):
    """A value computed from many rows. where: which rows of the query or group count."""

    kind: Literal["aggregate"] = "aggregate"
    name: AggregateName
    args: tuple[Expression, ...] = ()
    where: Expression | None = None


class Window(_Part):
    """A value of a row that depends on other rows.

    by: the columns that determine the group a row belongs to; without them, all rows form one
    group. order: the order of the group's rows. rows: how many rows count, up to and including this
    one. Without it, all rows up to this one count if there is an order (a running total); otherwise
    all rows of the group count. For `previous` and `next`, it is the distance to the other row.
    `first` is the value of the first row. `share` is this row's share of the whole, from 0 to 1.
    """

    kind: Literal["window"] = "window"
    name: WindowName
    args: tuple[Expression, ...] = ()
    by: tuple[Expression, ...] = ()
    order: tuple[Order, ...] = ()
    rows: int | None = Field(default=None, ge=1)


class Subquery(_Part):
    """The value that a query returns: a single one or, for `in`, a single column of values."""

    kind: Literal["query"] = "query"
    query: Query


Expression = Annotated[
    Column | Value | Call | Aggregate | Window | Subquery, Field(discriminator="kind")
]


class Order(_Part):
    """A sort key. Empty values come last in either direction."""

    by: Expression
    descending: bool = False


class Item(_Part):
    """A column of the result. name: its heading; if it is empty, the heading is made from the
    expression.
    """

    expression: Expression
    name: str | None = None


class Join(_Part):
    """Another table to join. outer: whether to keep rows of the previous tables that have no
    match.
    """

    source: str | Query
    on: Expression
    outer: bool = False


class Forecast(_Part):
    """A forecast of the last column of the result, over the time in the first column.

    The rows of the result are replaced by future days, each with forecast, low, high and naive.
    periods: the number of future days, at the same intervals as in the result.
    """

    periods: int = Field(ge=1, le=400)


class Query(_Part):
    """A question about tables.

    source: the uuid of a table widget, or a query whose result is read like a table, with columns
    named after its items. stack: columns of the source to stack into a single one, with a row for
    each entry that is not empty. They are replaced by the columns `_header` and `_entry`; the other
    columns stay. This answers questions such as "in which year" if each year has a column. where:
    which rows to use. group: the result has a row for each combination of these values, which come
    before `items` and are not repeated in them. items: what each row shows. If there are none, all
    columns are shown. If there is an aggregate but no group, the result has one row. having: which
    groups to keep. limit with ties: rows that equal the last one are included. show: the form of
    the answer.
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
