"""A query written as a sequence of symbols, for a network that writes queries.

A symbol is either a word, such as `group` or `sum 1`, or a pointer to something: to a column or a
value of the table, or to a span of the question that contains a number, a period or a text.
Operations come before their arguments, so brackets are not needed.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeGuard, cast

from backends.data.query import (
    PLACE,
    Aggregate,
    AggregateName,
    Call,
    Column,
    Expression,
    FunctionName,
    Item,
    Order,
    Query,
    Subquery,
    Value,
    Window,
    WindowName,
)
from backends.query.reading import both, parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from backends.data.values import Profile, Scalar
    from backends.query.annotate import Span

Kind = Literal["column", "value", "number", "start", "after", "last", "period", "text"]
"""What a symbol points at. Of a span with a period: its first day, the day after its last one, its
last day, or all of it."""

# Constants that may occur in queries although the question does not state them.
NUMBERS = frozenset({*range(13), 20, 30, 50, 60, 100, 1000})
VALUES = 12  # if a column has more values, only those that the question may mean can be pointed at
LINKED = 4  # maximum number of values that a span may mean
DAY = dt.timedelta(days=1)


class Pointer(NamedTuple):
    """A symbol that points at something. at: the number of the column, value or span."""

    kind: Kind
    at: int


Symbol = str | Pointer


class NotWritable(Exception):
    """The query contains something for which there is no symbol, or the symbols do not form a
    query.
    """


@dataclass
class Things:
    """The things at which symbols can point. values: each value, with the number of its column.
    linked: how likely it is that a span means a value, from 0 to 1, by the numbers of the span and
    the value.
    """

    profile: Profile
    spans: Sequence[Span]
    today: dt.date
    columns: list[str] = field(init=False)
    values: list[tuple[int, Scalar]] = field(init=False)
    linked: dict[tuple[int, int], float] = field(init=False)

    def __post_init__(self) -> None:
        self.columns = [column.name for column in self.profile.columns]
        self.values, self.linked = [], {}
        self._known: dict[tuple[int, str], int] = {}
        for i, span in enumerate(self.spans):
            for link in span.values:
                column = self.columns.index(link.column.name)
                held = link.values[:LINKED]
                for value in held:
                    known = self._add(column, value)
                    sure = link.score / len(held) ** 0.5
                    self.linked[i, known] = max(sure, self.linked.get((i, known), 0.0))
        for number, column in enumerate(self.profile.columns):
            values = [value for value in column.values if value is not None]
            if column.kind in ("text", "boolean") and len(values) <= VALUES:
                for value in values:
                    self._add(number, value)

    def _add(self, column: int, value: Scalar) -> int:
        key = (column, _folded(value))
        if key not in self._known:
            self._known[key] = len(self.values)
            self.values.append((column, value))
        return self._known[key]

    def value(self, column: str, value: Scalar) -> int | None:
        """Return the number of a value in a column, or None if it is not among the values."""
        if column not in self.columns:
            return None
        return self._known.get((self.columns.index(column), _folded(value)))


def _folded(value: Scalar) -> str:
    return str(value).strip().casefold()


def write(query: Query, things: Things) -> list[Symbol]:
    """Return a query in normal form as a sequence of symbols.

    Raises: NotWritable.
    """
    made: list[Symbol] = []
    inner: list[str | None] | None = None
    if isinstance(query.source, Query):
        made += ["source", *write(query.source, things)]
        inner = [item.name for item in (*query.source.group, *query.source.items)]
    if query.joins or query.stack or query.forecast or query.offset:
        raise NotWritable
    out = _Out(things, inner)
    for item in query.group:
        made += ["group", *out.expression(item.expression)]
    for item in query.items:
        made += ["item", *out.expression(item.expression)]
    made += out.conditions("where", query.where)
    made += out.conditions("having", query.having)
    for order in query.order:
        made += ["desc" if order.descending else "asc", *out.expression(order.by)]
    if query.distinct:
        made.append("distinct")
    if query.limit == 1:
        made.append("limit 1")
    elif query.limit is not None:
        made += ["limit", out.number(query.limit)]
    return [*made, "end"]


@dataclass
class _Out:
    """Writes expressions. inner: the columns of the inner query, if the query does not read a
    table.
    """

    things: Things
    inner: list[str | None] | None

    def conditions(self, word: str, where: Expression | None) -> list[Symbol]:
        """Return the conditions, each after the same word. Two conditions that form a period are
        written as one.
        """
        parts, made, told = parts_of(where), list[Symbol](), set[int]()
        for number, part in enumerate(parts):
            if number in told:
                continue
            period = self.period(parts, number)
            if period is not None:
                told.add(period[1])
            made += [word, *(period[0] if period is not None else self.expression(part))]
        return made

    def period(self, parts: list[Expression], number: int) -> tuple[list[Symbol], int] | None:
        """Return a condition and its counterpart as the period of a span, and the counterpart's
        number. Return None if they are not such a period. The lower limit may come second.
        """
        for other in range(number + 1, len(parts)):
            limits = {
                part.name: part.args for part in (parts[number], parts[other]) if is_limit(part)
            }
            if limits.keys() != {">=", "<"} or limits[">="][0] != limits["<"][0]:
                continue
            tested = limits["<"][0]
            first, after = (_day(limits[name][1]) for name in (">=", "<"))
            for i, span in enumerate(self.things.spans):
                if (_day_of(span, "start"), _day_of(span, "after")) == (first, after):
                    return ["within", *self.expression(tested), Pointer("period", i)], other
        return None

    def number(self, value: float) -> Symbol:
        """Return the symbol for a number: a number in the question or, failing that, a constant."""
        for i, span in enumerate(self.things.spans):
            if span.number is not None and abs(span.number - value) < 1e-9:
                return Pointer("number", i)
        if value in NUMBERS:
            return f"#{int(value)}"
        raise NotWritable

    def expression(self, one: Expression) -> list[Symbol]:
        """Return the symbols for an expression."""
        match one:
            case Column():
                return [self.column(one)]
            case Value():
                return [self.value(one)]
            case Call():
                told = self.value_test(one)
                if told is not None:
                    return told
                arguments = [s for part in one.args for s in self.expression(part)]
                return [f"{one.name} {len(one.args)}", *arguments]
            case Aggregate():
                arguments = [s for part in one.args for s in self.expression(part)]
                if one.where is None:
                    return [f"aggregate {one.name} {len(one.args)}", *arguments]
                where = self.conditions("and", one.where)
                return [f"aggregate {one.name} {len(one.args)} where", *arguments, *where, "done"]
            case Subquery():
                return ["query", *write(one.query, self.things)]
            case Window():
                return self.window(one)

    def column(self, one: Column) -> Symbol:
        """Return the symbol for a column of the table or of the inner query."""
        if self.inner is not None:
            if one.name in self.inner:
                return f"inner {self.inner.index(one.name)}"
            raise NotWritable
        if one.name in self.things.columns:
            return Pointer("column", self.things.columns.index(one.name))
        if one.name == PLACE:
            return PLACE
        raise NotWritable

    def value_test(self, one: Call) -> list[Symbol] | None:
        """Return the symbols for the test whether a column has a certain value or not: one for the
        test, and one for the value. Return None for any other test.
        """
        if one.name not in ("=", "!=") or self.inner is not None:
            return None
        tested, value = one.args
        if not (isinstance(tested, Column) and isinstance(value, Value) and value.type == "plain"):
            return None
        known = self.things.value(tested.name, value.value)
        if known is None or not isinstance(value.value, str | bool):
            return None
        return ["is" if one.name == "=" else "is not", Pointer("value", known)]

    def window(self, one: Window) -> list[Symbol]:
        """Return the symbols for a value that depends on neighbouring rows."""
        if one.by or one.rows or len(one.order) > 1:
            raise NotWritable
        made: list[Symbol] = [s for part in one.args for s in self.expression(part)]
        for order in one.order:
            made += ["desc" if order.descending else "asc", *self.expression(order.by)]
        ordered = " ordered" if one.order else ""
        return [f"window {one.name} {len(one.args)}{ordered}", *made]

    def value(self, one: Value) -> Symbol:
        """Return the symbol for a constant."""
        if is_day(one):
            return self.day(_day(one))
        if one.type != "plain":  # there is no symbol for a time of day
            raise NotWritable
        if isinstance(one.value, bool):
            return f"#{one.value}"
        if isinstance(one.value, int | float):
            return self.number(one.value)
        for number, (_, value) in enumerate(self.things.values):
            if _folded(value) == _folded(one.value):
                return Pointer("value", number)
        for i, span in enumerate(self.things.spans):
            if _folded(span.text) == _folded(one.value):
                return Pointer("text", i)
        raise NotWritable

    def day(self, day: dt.date) -> Symbol:
        """Return the symbol for a day: a day of the period in a span, or today."""
        for i, span in enumerate(self.things.spans):
            for kind in ("start", "after", "last"):
                if span.period is not None and _day_of(span, kind) == day:
                    return Pointer(kind, i)
        if day == self.things.today:
            return "today"
        raise NotWritable


def is_day(one: Expression) -> bool:
    """Return whether an expression is a constant date, or a timestamp at midnight."""
    if not isinstance(one, Value) or one.type == "plain":
        return False
    return dt.datetime.fromisoformat(str(one.value)).time() == dt.time()


def is_limit(one: Expression) -> TypeGuard[Call]:
    """Return whether an expression compares something with a constant day."""
    return isinstance(one, Call) and len(one.args) == 2 and is_day(one.args[1])


def _day(one: Expression) -> dt.date:
    return dt.date.fromisoformat(str(cast("Value", one).value)[:10])


def _day_of(span: Span, kind: Kind) -> dt.date | None:
    """Return the day of a span's period that a pointer of a certain kind means."""
    if span.period is None:
        return None
    first, last = span.period.start, span.period.end
    if kind == "start":
        return first
    return last + DAY if last is not None and kind == "after" else last


def read(symbols: Sequence[Symbol], things: Things) -> Query:
    """Return the query that the symbols represent.

    Raises: NotWritable.
    """
    reader = _In(things, iter(symbols))
    try:
        return reader.query(things.profile.source)
    except (ValueError, StopIteration, TypeError):  # pydantic's errors are subclasses of ValueError
        raise NotWritable from None


@dataclass
class _In:
    """Reads symbols and builds expressions from them."""

    things: Things
    symbols: Iterator[Symbol]

    def next(self) -> Symbol:
        """Return the next symbol."""
        return next(self.symbols)

    def query(self, source: str | Query) -> Query:
        """Read symbols up to the end of a query, and return the query."""
        group, items, order = list[Item](), list[Item](), list[Order]()
        where, having = list[Expression](), list[Expression]()
        distinct, limit = False, None
        while (symbol := self.next()) != "end":
            match symbol:
                case "source":
                    source = _named(self.query(self.things.profile.source))
                case "group":
                    group.append(Item(expression=self.expression()))
                case "item":
                    items.append(Item(expression=self.expression()))
                case "where":
                    where += parts_of(self.expression())
                case "having":
                    having += parts_of(self.expression())
                case "desc" | "asc":
                    order.append(Order(by=self.expression(), descending=symbol == "desc"))
                case "distinct":
                    distinct = True
                case "limit 1":
                    limit = 1
                case "limit":
                    count = self.expression()
                    if not isinstance(count, Value) or not isinstance(count.value, int | float):
                        raise NotWritable
                    limit = int(count.value)
                case _:
                    raise NotWritable
        return Query(
            source=source,
            group=tuple(group),
            items=tuple(items),
            where=both(where),
            having=both(having),
            order=tuple(order),
            distinct=distinct,
            limit=limit,
        )

    def expression(self) -> Expression:
        """Read and return the next expression."""
        symbol = self.next()
        if isinstance(symbol, Pointer):
            return self.thing(symbol)
        if symbol.startswith("#"):
            said = symbol[1:]
            return Value(value=said == "True" if said in ("True", "False") else int(said))
        match symbol:
            case "today":
                return Value(value=self.things.today.isoformat(), type="date")
            case "_row":
                return Column(name=PLACE)
            case "is" | "is not":
                column, value = self.things.values[self.pointed("value")]
                tested = Column(name=self.things.columns[column])
                return Call(name="=" if symbol == "is" else "!=", args=(tested, Value(value=value)))
            case "within":
                return self.within()
            case "query":
                return Subquery(query=self.query(self.things.profile.source))
            case _:
                return self.operation(symbol)

    def pointed(self, kind: Kind) -> int:
        """Return the number of the thing at which the next symbol points. The thing must be of this
        kind.
        """
        symbol = self.next()
        if not isinstance(symbol, Pointer) or symbol.kind != kind:
            raise NotWritable
        return symbol.at

    def within(self) -> Expression:
        """Return the condition that a date lies within a period."""
        tested = self.expression()
        span = self.things.spans[self.pointed("period")]
        first, after = (self.day(span, kind) for kind in ("start", "after"))
        return Call(
            name="and",
            args=(
                Call(name=">=", args=(tested, first)),
                Call(name="<", args=(tested, after)),
            ),
        )

    def day(self, span: Span, kind: Kind) -> Value:
        """Return the day of a span's period that a pointer of a certain kind means."""
        day = _day_of(span, kind)
        if day is None:
            raise NotWritable
        return Value(value=day.isoformat(), type="date")

    def thing(self, pointer: Pointer) -> Expression:
        """Return the thing at which a symbol points."""
        kind, at = pointer
        if kind == "column":
            return Column(name=self.things.columns[at])
        if kind == "value":
            return Value(value=self.things.values[at][1])
        span = self.things.spans[at]
        if kind == "text":
            return Value(value=span.text)
        if kind != "number":
            return self.day(span, kind)
        if span.number is None:
            raise NotWritable
        return Value(value=int(span.number) if span.number == int(span.number) else span.number)

    def operation(self, symbol: str) -> Expression:
        """Return a function, an aggregate or a window, together with its arguments."""
        if symbol.startswith("inner "):
            return Column(name=f"c{symbol[6:]}")
        kind, _, rest = symbol.partition(" ")
        if kind not in ("aggregate", "window"):
            name, _, count = symbol.rpartition(" ")
            return Call(name=cast("FunctionName", name), args=self.arguments(count))
        where, ordered = rest.endswith(" where"), rest.endswith(" ordered")
        name, _, count = rest.removesuffix(" where").removesuffix(" ordered").rpartition(" ")
        arguments = self.arguments(count)
        if kind == "window":
            order: tuple[Order, ...] = ()
            if ordered:
                descending = self.next() == "desc"
                order = (Order(by=self.expression(), descending=descending),)
            return Window(name=cast("WindowName", name), args=arguments, order=order)
        conditions: list[Expression] = []
        while where and self.next() == "and":
            conditions += parts_of(self.expression())
        return Aggregate(name=cast("AggregateName", name), args=arguments, where=both(conditions))

    def arguments(self, count: str) -> tuple[Expression, ...]:
        """Read and return this many expressions."""
        return tuple(self.expression() for _ in range(int(count)))


def _named(query: Query) -> Query:
    """Return an inner query whose columns are named so that the outer query can refer to them."""
    size = len(query.group)
    group = tuple(item.model_copy(update={"name": f"c{n}"}) for n, item in enumerate(query.group))
    items = tuple(
        item.model_copy(update={"name": f"c{n + size}"}) for n, item in enumerate(query.items)
    )
    return query.model_copy(update={"group": group, "items": items})
