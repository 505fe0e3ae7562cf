"""`Query`: what a question about tables means, as one typed value.

The parser, a language model, a follow-up and a person's correction all write this value; the
compiler, the description and the answer read it. Nothing else reads the text of a question.
It holds no language: two questions that mean the same, in any language, have the same normal form.
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
    "weekday",  # 1 Monday … 7 Sunday
    "weekday name",  # in English
    "month name",
    "month of year",  # 1 … 12
    "day of month",
    "quarter of year",
    "date",  # of a timestamp
    "days between",  # (later, earlier), as a number
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
The others of a date give numbers or, those of names, text.
`in` takes the tested expression, then the members. `if` takes condition, then, otherwise.
Text is compared without regard to case."""

AggregateName = Literal[
    "count",  # of rows; with an argument, of its values that are not empty
    "distinct",  # how many different values
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
    "list",  # the different values, joined
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
Show = Literal["value", "row", "list", "table", "line", "bar", "pie", "scatter", "histogram"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_serializer(mode="wrap")
    def _with_kind(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Write `kind` even where defaults are left out, since it identifies the part."""
        written: dict[str, Any] = handler(self)
        kind = getattr(self, "kind", None)
        return {"kind": kind, **written} if kind is not None else written


PLACE = "_row"
"""The column that every table has besides its own: the place of a row in it, from 0. With it "the
next one after X" and "the last on the list" are said."""

HEADER, ENTRY = "_header", "_entry"
"""The columns of a table whose columns were stacked: what stood in the header, and the entry."""


class Column(_Part):
    """A column by its name. source: whose, where several tables are read; none if one is."""

    kind: Literal["column"] = "column"
    name: str
    source: str | None = None


class Value(_Part):
    """A constant; a date or a timestamp is ISO text with its type."""

    kind: Literal["value"] = "value"
    value: Scalar
    type: Literal["plain", "date", "time"] = "plain"


class Call(_Part):
    """A function of a row's values; conditions are calls that give true or false."""

    kind: Literal["call"] = "call"
    name: FunctionName
    args: tuple[Expression, ...]


class Aggregate(_Part):
    """One value of many rows. where: the rows that count, among those of the query or group."""

    kind: Literal["aggregate"] = "aggregate"
    name: AggregateName
    args: tuple[Expression, ...] = ()
    where: Expression | None = None


class Window(_Part):
    """A value of a row that depends on its neighbours.

    by: the rows it is computed among; all, without. order: their order. rows: how many rows up to
    this one count; without it all up to this one if there is an order (a running total), else all;
    of `previous` and `next`, how far away the row is. `first` is the value of the first row.
    `share` is this row's part of the whole, from 0 to 1.
    """

    kind: Literal["window"] = "window"
    name: WindowName
    args: tuple[Expression, ...] = ()
    by: tuple[Expression, ...] = ()
    order: tuple[Order, ...] = ()
    rows: int | None = Field(default=None, ge=1)


class Subquery(_Part):
    """The one value, or for `in` the one column of values, that a query gives."""

    kind: Literal["query"] = "query"
    query: Query


Expression = Annotated[
    Column | Value | Call | Aggregate | Window | Subquery, Field(discriminator="kind")
]


class Order(_Part):
    """One key of an order; empty values come last either way."""

    by: Expression
    descending: bool = False


class Item(_Part):
    """One column of the result. name: how it is called; without one it is described."""

    expression: Expression
    name: str | None = None


class Join(_Part):
    """A further table. outer: rows of the tables before it stay without a partner, too."""

    source: str | Query
    on: Expression
    outer: bool = False


class Forecast(_Part):
    """The last column of the result carried on in time, which stands in the first: its place take
    the days to come, with forecast, low, high and naive. periods: of the result's own grain.
    """

    periods: int = Field(ge=1, le=400)


class Query(_Part):
    """What is asked of tables.

    source: uuid of a table widget, or a query whose result is read like a table, its columns by
    the names of its items. stack: columns of the source to set below each other, a row for each
    entry that is not empty: the columns `_header` and `_entry` stand in their place, the others
    stay; with it "in which year" is asked where years are columns. where: which rows. group: one row of the result for each of these;
    they are not repeated in `items` but come before them. items: what each row shows; none means
    all columns, and with any aggregate and no group the result is one row. having: which groups.
    limit with ties: rows equal to the last one come, too. show: the form of the answer.
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
