"""Describe the meaning of a query in a given language, with the names of the user's columns."""

from __future__ import annotations

import calendar
import datetime as dt
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import yaml

from backends.data.compiler import has_aggregate
from backends.data.presentation import show
from backends.data.query import (
    ENTRY,
    HEADER,
    PLACE,
    Aggregate,
    Call,
    Column,
    Query,
    Subquery,
    Value,
    Window,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from backends.data.query import Expression, Item, Order

SIGNS = {"=": "=", "!=": "≠", "<": "<", "<=": "≤", ">": ">", ">=": "≥"}
ARITHMETIC = {"+": "+", "-": "−", "*": "×", "/": "÷", "modulo": "mod"}
PARTS = {  # the names of columns that contain one part of a date
    "year": ("year", "yr", "fy", "年", "年份", "年度"),
    "quarter": ("quarter", "qtr", "q", "季度", "季", "四半期"),
    "month": ("month", "mth", "mon", "月", "月份"),
}
NEGATED = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


@cache
def messages(language: str) -> dict[str, Any]:
    """Return the messages in a language, or in English if that language has none."""
    text = files("resources").joinpath("language/messages.yaml").read_text("utf-8")
    told: dict[str, dict[Any, Any]] = yaml.safe_load(text)
    # YAML reads `true` and `false` as Booleans
    return {
        str(key).lower() if isinstance(key, bool) else key: words
        for key, words in told.get(language, told["en"]).items()
    }


def describe(query: Query, language: str) -> list[str]:
    """Return the meaning of a query in parts: what is computed, from which rows, in which order."""
    teller = _Teller(language)
    return [part for part in teller.query(query) if part]


def measure_words(query: Query, language: str) -> str:
    """Return a description of what a query computes, without its conditions."""
    return _Teller(language).measures(query)


def end_words(query: Query, language: str) -> str:
    """Describe which end of its order a query asks for, such as highest total fee."""
    return _Teller(language, query.stack, computed_of(query.source)).end(query.order[0])


def condition_words(query: Query, language: str) -> list[str]:
    """Return the conditions of a query and those of its inner query."""
    teller = _Teller(language, query.stack)
    found = list(teller.conditions(query.where))
    if isinstance(query.source, Query):
        found = [*condition_words(query.source, language), *found]
    return found


class _Teller:
    def __init__(
        self,
        language: str,
        stack: tuple[str, ...] = (),
        computed: dict[str, Expression] | None = None,
    ) -> None:
        self._words = messages(language)
        self._stack = stack  # columns that `_header` and `_entry` stand for
        self._computed = computed or {}  # the columns that the inner query computes

    def say(self, key: str, *parts: str) -> str:
        return str(self._words[key]).format(*parts)

    def joined(self, parts: list[str]) -> str:
        return str(self._words["comma"]).join(parts)

    def query(self, query: Query) -> Iterator[str]:
        self._stack = query.stack or self._stack
        inner = query.source if isinstance(query.source, Query) else None
        self._computed = computed_of(inner)
        yield self.measures(query)
        for item in query.group:
            if not (query.limit == 1 and query.order):
                yield self.say("by", self.item(item))
        yield from self.conditions(query.where)
        yield from self.conditions(query.having)
        if query.order and query.limit is not None and not (query.limit == 1 and query.group):
            key = query.order[0]
            listed = isinstance(key.by, Column) and key.by.name == PLACE
            name = "top" if key.descending else "bottom"
            if not listed:
                yield self.say(name, str(query.limit), self.expression(key.by))
            elif not any(is_beside(part) for part in self.flat(query.where)):
                yield self.say("last rows" if key.descending else "first rows", str(query.limit))
        elif query.limit is not None and not query.order:
            yield self.say("first rows", str(query.limit))
        elif query.order and query.limit is None and query.show == "table":
            key = query.order[0]
            yield self.say(
                "from highest" if key.descending else "from lowest", self.expression(key.by)
            )
        if query.forecast is not None:
            yield self.say("forecast", str(query.forecast.periods))
        while inner is not None and computed_of(query.source):  # described where it is used
            query, inner = inner, inner.source if isinstance(inner.source, Query) else None
        if inner is not None:
            yield f"({' · '.join(self.query(inner))})"

    def measures(self, query: Query) -> str:
        """Return the measures that are computed or shown, in words."""
        self._stack = query.stack or self._stack
        self._computed = computed_of(query.source)
        if query.group and query.limit == 1 and query.order:
            by = self.joined([self.item(item) for item in query.group])
            return f"{by} · {self.end(query.order[0])}"
        if not query.items:
            if query.distinct and query.group:
                return self.say("distinct values", self.item(query.group[0]))
            return self.say("all columns")
        told = self.joined([self.item(item) for item in query.items])
        return self.say("distinct values", told) if query.distinct else told

    def end(self, key: Order) -> str:
        """Describe which end of an order is asked for, such as the highest total. The highest of
        the highest prices is called the highest price.
        """
        by = key.by
        same = "max" if key.descending else "min"
        if isinstance(by, Aggregate) and by.name == same and by.where is None:
            by = by.args[0]
        return self.say("highest" if key.descending else "lowest", self.expression(by))

    def item(self, item: Item) -> str:
        return self.expression(item.expression)

    def expression(self, expression: Expression) -> str:
        if isinstance(expression, Column):
            return self.column(expression.name)
        if isinstance(expression, Value):
            return self.value(expression)
        if isinstance(expression, Subquery):
            return f"({' · '.join(self.query(expression.query))})"
        if isinstance(expression, Aggregate):
            return self.aggregate(expression)
        if isinstance(expression, Window):
            return self.window(expression)
        return self.call(expression)

    def column(self, name: str) -> str:
        if name == PLACE:
            return self.say("place")
        if name in (HEADER, ENTRY) and self._stack:
            first, *_, last = (*self._stack, self._stack[-1])
            many = f"{first} … {last}" if len(self._stack) > 3 else self.joined([*self._stack])
            return self.say("header" if name == HEADER else "entry", many)
        if name in self._computed:
            outer, own = self._computed, self._computed[name]
            # inside the computation, the same name means a column of the table
            self._computed = {key: one for key, one in outer.items() if key != name}
            told = self.expression(own)
            self._computed = outer
            return told
        return name

    def value(self, value: Value) -> str:
        if value.type == "date":
            return self.day(dt.date.fromisoformat(str(value.value)[:10]))
        if isinstance(value.value, int) and 1000 <= value.value <= 2200:
            return str(value.value)
        return show(value.value)

    def aggregate(self, aggregate: Aggregate) -> str:
        args = [self.expression(arg) for arg in aggregate.args]
        key = str(aggregate.name)
        if key == "count" and args:
            key = "count of"
        if key == "mean" and len(args) == 2:
            key = "mean weighted"
        told = self.say(key, *args)
        if aggregate.where is None:
            return told
        return self.say("where", told, self.joined(list(self.conditions(aggregate.where))))

    def window(self, window: Window) -> str:
        args = [self.expression(arg) for arg in window.args]
        if window.name in ("previous", "next") and (window.rows or 1) > 1:
            return self.say(f"{window.name} of", *args, str(window.rows))
        if window.name in ("previous", "next", "share"):
            return self.say(window.name, *args)
        if window.name == "first":
            return self.say("first value", *args)
        if window.name == "rank":
            return self.say("rank", *(self.expression(order.by) for order in window.order[:1]))
        if window.name == "row number":
            return self.say("row number")
        told = self.say(window.name, *args)
        if window.rows is not None:
            return self.say("moving", told, str(window.rows))
        return self.say("running", told) if window.order else told

    def call(self, call: Call) -> str:
        name = call.name
        if name == "*" and (share := self.share(call)) is not None:
            return share
        if name in SIGNS or name in ("and", "or", "not", "in", "contains", "empty"):
            return self.joined(list(self.conditions(call)))
        args = [self.expression(arg) for arg in call.args]
        if name == "round":
            return args[0]
        if name == "if" and isinstance(call.args[2], Value) and call.args[2].value is None:
            return args[1]  # only where it can be computed
        if name == "-" and all(isinstance(arg, Aggregate | Subquery) for arg in call.args):
            return self.say("difference", *args)
        if name in ARITHMETIC:
            return f" {ARITHMETIC[name]} ".join(args)
        if name == "negative":
            return f"−{args[0]}"
        if name == "absolute":
            return f"|{args[0]}|"
        if name in ("coalesce", "lower", "null if"):
            return args[0]
        if name in self._words:
            return self.say(name, *args)
        return f"{name}({self.joined(args)})"

    def share(self, call: Call) -> str | None:
        """Return a percentage in words, or None for any other product."""
        rest = [a for a in call.args if not (isinstance(a, Value) and a.value == 100)]
        if len(rest) != 1 or len(rest) == len(call.args):
            return None
        (ratio,) = rest
        if isinstance(ratio, Window) and ratio.name == "share":
            return self.expression(ratio)
        if not isinstance(ratio, Call) or ratio.name != "/":
            return None
        part, whole = ratio.args
        if isinstance(part, Call) and part.name == "-" and part.args[1] == whole:
            if isinstance(whole, Window) and whole.name == "first":
                return self.say("return", self.expression(part.args[0]))
            if isinstance(whole, Window) and whole.name == "previous":
                key = "change on the one before" if whole.rows is None else "change on"
                return self.say(key, self.expression(part.args[0]), str(whole.rows))
            return self.say("change", self.expression(part.args[0]), self.expression(whole))
        if isinstance(part, Aggregate) and part.where is not None:
            return self.say("share", self.joined(list(self.conditions(part.where))))
        return self.say("share of", self.expression(part), self.expression(whole))

    def conditions(self, expression: Expression | None) -> Iterator[str]:
        """Yield descriptions of conditions that must all be met. The two ends of a period are
        described together.
        """
        if expression is None:
            return
        parts = list(self.flat(expression))
        while parts:
            part = parts.pop(0)
            partner = next((p for p in parts if self.span(part, p) is not None), None)
            if partner is not None:
                parts.remove(partner)
                yield self.span(part, partner) or ""
            else:
                yield self.condition(part)

    def flat(self, expression: Expression | None) -> Iterator[Expression]:
        if isinstance(expression, Call) and expression.name == "and":
            for arg in expression.args:
                yield from self.flat(arg)
        elif expression is not None:
            yield expression

    def span(self, first: Expression, second: Expression) -> str | None:
        """Describe two comparisons with the ends of a period as one period. Return None for any
        other comparisons.
        """
        if (quarter := self.quarter(first, second)) is not None:
            return quarter
        ends: list[tuple[Column, str, dt.date]] = []
        for one in (first, second):
            if not (isinstance(one, Call) and len(one.args) == 2):
                return None
            tested, value = one.args
            if not (isinstance(tested, Column) and isinstance(value, Value)):
                return None
            if value.type != "date":
                return None
            ends.append((tested, one.name, dt.date.fromisoformat(str(value.value)[:10])))
        ends.sort(key=lambda end: end[2])
        (column, low, start), (other, high, end) = ends
        if column.name != other.name or low not in (">", ">=") or high not in ("<", "<="):
            return None
        start += dt.timedelta(days=low == ">")
        end -= dt.timedelta(days=high == "<")
        return f"{column.name} {self.period(start, end)}"

    def quarter(self, first: Expression, second: Expression) -> str | None:
        """Describe a year and a quarter or month, which are in separate columns, as one period."""
        said: dict[str, int] = {}
        for one in (first, second):
            if not (isinstance(one, Call) and one.name == "=" and isinstance(one.args[0], Column)):
                return None
            tested, value = one.args
            assert isinstance(tested, Column)
            part = next((p for p, names in PARTS.items() if tested.name.lower() in names), None)
            if part is None or not isinstance(value, Value) or not isinstance(value.value, int):
                return None
            said[part] = value.value
        if "year" not in said or len(said) != 2:
            return None
        if "quarter" in said:
            return self.say("period quarter", str(said["year"]), str(said["quarter"]))
        if not 1 <= said["month"] <= 12:
            return None
        month = self._words["months"][said["month"] - 1]
        return self.say("period month", str(said["year"]), "", month)

    def condition(self, expression: Expression, *, holds: bool = True) -> str:
        if isinstance(expression, Column):
            return self.say("true" if holds else "false", expression.name)
        if not isinstance(expression, Call):
            return self.expression(expression)
        name, args = expression.name, expression.args
        if name == "not":
            return self.condition(args[0], holds=not holds)
        if name == "empty":
            return self.say("empty" if holds else "not empty", self.expression(args[0]))
        if is_beside(expression):
            there = args[1]
            assert isinstance(there, Subquery)
            told = self.joined(list(self.conditions(there.query.where)))
            return self.say("listed after" if name == ">" else "listed before", told)
        if name == "=" and holds and isinstance(args[1], Value) and args[1].type == "date":
            return f"{self.expression(args[0])} {self.value(args[1])}"
        if name in SIGNS:
            sign = name if holds else NEGATED[name]
            left, right = (self.expression(arg) for arg in args)
            return f"{left} {SIGNS[sign]} {right}"
        if name == "in" and not isinstance(args[-1], Subquery):
            told = str(self._words["or"]).join(self.expression(arg) for arg in args[1:])
            return f"{self.expression(args[0])} {'=' if holds else '≠'} {told}"
        if name == "in":
            sign = "∈" if holds else "∉"
            return f"{self.expression(args[0])} {sign} {self.expression(args[1])}"
        if name == "or":
            told = str(self._words["or"]).join(self.condition(arg) for arg in args)
        elif name in ("contains", "starts with", "ends with"):
            told = self.say(name, *(self.expression(arg) for arg in args))
        else:
            told = self.joined(list(self.conditions(expression)))
        return told if holds else self.say("not", told)

    def day(self, day: dt.date) -> str:
        return self.say(
            "period day", str(day.year), "", self._words["months"][day.month - 1], str(day.day)
        )

    def period(self, start: dt.date, end: dt.date) -> str:
        """Describe two dates as the period that they span, such as a month, or as a range."""
        months = self._words["months"]
        if start == end:
            return self.day(start)
        if start.day == 1 and end.day == calendar.monthrange(end.year, end.month)[1]:
            if (start.year, start.month) == (end.year, end.month):
                return self.say("period month", str(start.year), "", months[start.month - 1])
            if start.year == end.year and (start.month, end.month) == (1, 12):
                return self.say("period year", str(start.year))
            if start.year == end.year and start.month % 3 == 1 and end.month == start.month + 2:
                return self.say("period quarter", str(start.year), str(end.month // 3))
        return self.say("period range", self.day(start), self.day(end))


def is_beside(expression: Expression) -> bool:
    """Return whether a condition requires a row to be listed directly before or after another
    one.
    """
    if not isinstance(expression, Call) or expression.name not in ("<", ">"):
        return False
    tested, there = expression.args
    return isinstance(tested, Column) and tested.name == PLACE and isinstance(there, Subquery)


def computed_of(source: str | Query | None) -> dict[str, Expression]:
    """Return, by name, the expressions for the columns of a query that only computes values for
    each row.
    """
    if not isinstance(source, Query) or source.group or source.limit is not None:
        return {}
    found = {item.name: item.expression for item in source.items if item.name is not None}
    named = {name: one for name, one in found.items() if not isinstance(one, Column)}
    return {name: one for name, one in named.items() if not has_aggregate(one)}
