"""Convert a SELECT to a `Query`.

Language models know SQL best. A capable model may therefore write the meaning of a question as one
read-only SELECT in DuckDB's dialect. It is parsed by SQLGlot and never run directly. Parts that a
`Query` cannot represent are rejected with a reason.
"""

from __future__ import annotations

import datetime as dt
import functools
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import sqlglot
from sqlglot import expressions as exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import SqlglotError

from backends.data.compiler import has_aggregate, walk
from backends.data.query import (
    ENTRY,
    HEADER,
    Aggregate,
    AggregateName,
    Call,
    Column,
    Expression,
    FunctionName,
    Item,
    Join,
    Order,
    Query,
    Subquery,
    Value,
    Window,
    WindowName,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from backends.data.values import Profile

COMPARED: dict[type[exp.Expr], FunctionName] = {
    exp.EQ: "=",
    exp.NEQ: "!=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.NullSafeEQ: "=",
}
MIRRORED: dict[str, FunctionName] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
OPERATORS: dict[type[exp.Expr], FunctionName] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "modulo",
    exp.And: "and",
    exp.Or: "or",
}
PLAIN: dict[type[exp.Expr], FunctionName] = {
    exp.Not: "not",
    exp.Neg: "negative",
    exp.Abs: "absolute",
    exp.Lower: "lower",
    exp.Upper: "lower",
    exp.Length: "length",
    exp.Year: "calendar year",
    exp.Quarter: "quarter of year",
    exp.Month: "month of year",
    exp.Day: "day of month",
    exp.DayOfMonth: "day of month",
    exp.DayOfWeekIso: "weekday",
    exp.Dayname: "weekday name",
    exp.Monthname: "month name",
    exp.Hour: "hour of day",
    exp.Minute: "minute",
    exp.Contains: "contains",
    exp.StartsWith: "starts with",
    exp.EndsWith: "ends with",
    exp.Nullif: "null if",
}
PARTS: dict[str, FunctionName] = {
    "year": "calendar year",
    "quarter": "quarter of year",
    "month": "month of year",
    "day": "day of month",
    "isodow": "weekday",
    "hour": "hour of day",
    "minute": "minute",
    "dayname": "weekday name",
    "monthname": "month name",
}
FORMATS: dict[str, FunctionName] = {
    "%Y": "calendar year",
    "%m": "month of year",
    "%d": "day of month",
    "%H": "hour of day",
    "%A": "weekday name",
    "%B": "month name",
    "%u": "weekday",
    "%Y-%m": "month",
    "%Y-%m-%d": "date",
}
AGGREGATES: dict[type[exp.Expr], AggregateName] = {
    exp.Sum: "sum",
    exp.Avg: "mean",
    exp.Min: "min",
    exp.Max: "max",
    exp.Median: "median",
    exp.Stddev: "standard deviation",
    exp.StddevSamp: "standard deviation",
    exp.Variance: "variance",
    exp.Corr: "correlation",
    exp.ArgMax: "last",
    exp.ArgMin: "first",
    exp.Mode: "mode",
    exp.First: "first",
}
WINDOWS: dict[type[exp.Expr], WindowName] = {
    exp.RowNumber: "row number",
    exp.Rank: "rank",
    exp.Lag: "previous",
    exp.Lead: "next",
    exp.Sum: "sum",
    exp.Avg: "mean",
    exp.Min: "min",
    exp.Max: "max",
    exp.Count: "count",
}
UNITS = {"DAY": "add days", "MONTH": "add months", "YEAR": "add years"}
DIFFERENCES: dict[str, FunctionName] = {
    "DAY": "days between",
    "HOUR": "hours between",
    "MINUTE": "minutes between",
    "MONTH": "months between",
    "YEAR": "years between",
}
TRUTHS = frozenset(
    (*COMPARED.values(), "and", "or", "not", "in", "empty", "contains", "starts with", "ends with")
)
NUMBERS = ("DOUBLE", "FLOAT", "DECIMAL", "REAL", "NUMERIC", "HUGEINT")
WHOLE = ("INT", "BIGINT", "SMALLINT", "TINYINT", "INTEGER")


class Written(DuckDB):
    """The SQL of DuckDB, in which list indexes are kept as written, starting at 1."""

    INDEX_OFFSET = 0


class NoQuery(Exception):
    """A SELECT that cannot be represented as a `Query`. `text` names the part that is
    responsible.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


def query_of(sql: str, profiles: Mapping[str, Profile], *, today: dt.date) -> Query:
    """Return the query that a SELECT represents.

    profiles: the tables by the names that they have in the SELECT, ignoring case. today: the value
    of `current_date`. Raises: NoQuery.
    """
    try:
        parsed = sqlglot.parse(sql.strip().rstrip(";"), read=Written)
    except SqlglotError as error:
        raise NoQuery(f"not SQL: {str(error).splitlines()[0]}") from error
    if len(parsed) != 1 or not isinstance(parsed[0], exp.Select | exp.Union):
        raise NoQuery("not one SELECT")
    known = {name.lower(): profile for name, profile in profiles.items()}
    try:
        return _Reader(known, today).select(_selected(parsed[0]), {})
    except RecursionError as error:
        raise NoQuery("nested too deep") from error


def identifiers(names: list[str]) -> dict[str, str]:
    """Return, for each column, a name that SQL accepts without quotes, because models write such
    names most easily: `paid_on` for "Paid on", `rain_mm` for "Rain (mm)".
    """
    made: dict[str, str] = {}
    for name in dict.fromkeys(names):
        plain = re.sub(r"\W+", "_", name.replace("%", " pct ")).strip("_").lower() or "column"
        if plain[0].isdigit() or is_reserved(plain):
            plain = f"c_{plain}"
        number = 2
        wanted = plain
        while plain in made.values():
            plain, number = f"{wanted}_{number}", number + 1
        made[name] = plain
    return made


@functools.cache
def is_reserved(word: str) -> bool:
    """Return whether a word is reserved in SQL and therefore needs quotes as the name of a
    column.
    """
    try:
        parsed = sqlglot.parse_one(f"SELECT {word} FROM t WHERE {word} = 1", read=Written)
    except SqlglotError:
        return True
    return not isinstance(parsed, exp.Select) or not all(
        isinstance(one, exp.Column) for one in parsed.expressions
    )


def squeezed(name: str) -> str:
    """Return only the letters and digits of a name, so that spellings can be compared."""
    return re.sub(r"[\W_]+", "", name).lower()


def _selected(node: exp.Expr) -> exp.Select:
    """Return a SELECT unchanged. A UNION of the same measure over several columns, each with its
    name, becomes one SELECT over these columns, which are stacked.

    Raises: NoQuery.
    """
    if isinstance(node, exp.Select):
        return node
    parts = _parts(node)
    columns: list[exp.Column] = []
    shapes: set[str] = set()
    for part in parts:
        items = part.expressions
        used = list(items[1].find_all(exp.Column)) if len(items) == 2 else []
        if len(used) != 1 or not isinstance(items[0].unalias(), exp.Literal):
            raise NoQuery("a UNION")
        columns.append(used[0].copy())
        shape = exp.select(items[1].copy())
        next(shape.find_all(exp.Column)).replace(exp.column(ENTRY, quoted=True))
        shape.set("expressions", [shape.expressions[0].unalias()])
        shape.set("from_", part.args.get("from_"))
        shape.set("where", part.args.get("where"))
        shapes.add(shape.sql())
    source = parts[0].args.get("from_")
    if len(shapes) != 1 or source is None:
        raise NoQuery("a UNION")
    label, measure = (item.alias for item in parts[0].expressions)
    made = cast("exp.Select", sqlglot.parse_one(shapes.pop()))
    (measured,) = made.expressions
    named = exp.column(HEADER, quoted=True)
    made.set(
        "expressions",
        [
            exp.alias_(named, label, quoted=True) if label else named,
            exp.alias_(measured, measure, quoted=True) if measure else measured,
        ],
    )
    into = exp.UnpivotColumns(this=named, expressions=[exp.column(ENTRY, quoted=True)])
    stacked = exp.Pivot(this=source.this.copy(), expressions=columns, unpivot=True, into=into)
    made.set("from_", exp.From(this=exp.Subquery(this=stacked)))
    if measured.find(exp.AggFunc) is not None:
        made = made.group_by(named)
    for key in ("order", "limit", "offset"):
        if node.args.get(key) is not None:
            made.set(key, node.args[key].copy())
    return made


def _grouped(node: exp.Select) -> exp.Select:
    """Return the meaning of a SELECT that has both columns and an aggregate, but no GROUP BY. This
    is not valid SQL, but models write it. It means the row with the highest or lowest value, or an
    aggregate for each group.
    """
    inner = [one.unalias() for one in node.expressions]
    aggregates = [one for one in inner if one.find(exp.AggFunc) and not one.find(exp.Window)]
    plain = [one for one in inner if one.find(exp.Column) and not one.find(exp.AggFunc)]
    if not aggregates or not plain or node.args.get("group") or node.find(exp.Window):
        return node
    made = node.copy()
    only = aggregates[0]
    if len(aggregates) > 1 or not isinstance(only, exp.Max | exp.Min):
        return made.group_by(*(one.copy() for one in plain))
    for one in made.expressions:
        if isinstance(one.unalias(), exp.Max | exp.Min):
            one.unalias().replace(only.this.copy())
    ordered = exp.Ordered(this=only.this.copy(), desc=isinstance(only, exp.Max))
    return made.order_by(ordered, append=False).limit(1)


def _parts(node: exp.Expr) -> list[exp.Select]:
    """Return the SELECTs of a UNION, in order."""
    if isinstance(node, exp.Select):
        return [node]
    if not isinstance(node, exp.Union):
        raise NoQuery("a UNION")
    return [*_parts(node.this), *_parts(node.expression)]


@dataclass
class _Scope:
    """The meaning of the names in one SELECT.

    columns: the columns as the table spells them, by their names in lower case. kinds: the types of
    the columns. sources: the tables by their aliases. aliases: the items of the SELECT by the names
    that it gives them.
    """

    columns: dict[str, str] = field(default_factory=dict[str, str])
    kinds: dict[str, str] = field(default_factory=dict[str, str])
    sources: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    aliases: dict[str, exp.Expr] = field(default_factory=dict[str, exp.Expr])
    joined: bool = False

    def column(self, written: str) -> str | None:
        """Return the column that a name in the SELECT means, or None if there is none.

        The name may be written as in the table or as an identifier: models write `paid_on` for
        "Paid on".
        """
        exact = self.columns.get(written.lower())
        if exact is not None:
            return exact
        known = identifiers(list(self.columns.values()))
        alike = {name for name, one in known.items() if squeezed(one) == squeezed(written)}
        return alike.pop() if len(alike) == 1 else None


class _Reader:
    def __init__(self, profiles: dict[str, Profile], today: dt.date) -> None:
        self._profiles, self._today = profiles, today

    def select(self, node: exp.Select, outer: dict[str, exp.Select]) -> Query:
        """Return the query that one SELECT represents. outer: the common table expressions that it
        can use.
        """
        node = _grouped(node)
        common = dict(outer)
        for one in node.ctes:
            common[one.alias.lower()] = _selected(one.this)
        if node.args.get("qualify") is not None:
            return self._qualified(node, common)
        distinct = node.args.get("distinct")
        if distinct is not None and distinct.args.get("on") is not None:
            raise NoQuery("DISTINCT ON")
        scope = _Scope()
        came_from = node.args.get("from_") or node.args.get("from")
        if came_from is None:
            return self._beside(node, common)
        source, stack = self._source_and_stack(came_from.this, scope, common)
        joins = tuple(self._join(one, scope, common) for one in node.args.get("joins") or [])
        listed = node.expressions
        scope.aliases = {
            one.alias.lower(): one.this for one in listed if isinstance(one, exp.Alias)
        }
        items = [] if self._is_star(listed) else [self._item(one, scope, common) for one in listed]
        group, items = self._grouping(node, items, scope, common)
        where, having = node.args.get("where"), node.args.get("having")
        limit, offset = node.args.get("limit"), node.args.get("offset")
        return Query(
            source=source,
            stack=stack,
            joins=joins,
            where=self.expression(where.this, scope, common) if where else None,
            group=tuple(group),
            items=tuple(items),
            having=self.expression(having.this, scope, common) if having else None,
            distinct=distinct is not None,
            order=self._order(node.args.get("order"), listed, scope, common),
            limit=_whole(limit.expression) if limit else None,
            offset=_whole(offset.expression) if offset else 0,
        )

    def _beside(self, node: exp.Select, common: dict[str, exp.Select]) -> Query:
        """Return a SELECT that consists only of subqueries as a single row over the table that they
        read.

        A subquery that computes one measure over some rows becomes this measure, restricted to
        these rows.
        """
        items = [self._item(one, _Scope(), common) for one in node.expressions]
        parts = [part for item in items for part in walk(item.expression)]
        sources = [part.query.source for part in parts if isinstance(part, Subquery)]
        source = sources[0] if sources else None
        if not isinstance(source, str) or any(one != source for one in sources):
            raise NoQuery("a SELECT without a table")
        made = tuple(
            item.model_copy(update={"expression": _measured(item.expression)}) for item in items
        )
        one_row = not any(has_aggregate(item.expression) for item in made)
        return Query(source=source, items=made, limit=1 if one_row else None)

    def _qualified(self, node: exp.Select, common: dict[str, exp.Select]) -> Query:
        """Return a SELECT that filters rows by a window function as a query over another query."""
        inner = node.copy()
        condition = inner.args["qualify"].this
        inner.set("qualify", None)
        order, limit = inner.args.get("order"), inner.args.get("limit")
        inner.set("order", None)
        inner.set("limit", None)
        if self._is_star(inner.expressions):
            raise NoQuery("QUALIFY over all columns")
        names = [one.alias_or_name for one in inner.expressions]
        for number, window in enumerate(list(condition.find_all(exp.Window))):
            name = f"kept {number}"
            inner = inner.select(exp.alias_(window.copy(), name, quoted=True))
            window.replace(exp.column(name, quoted=True))
        whole = exp.select(*[exp.column(name, quoted=True) for name in names])
        whole = whole.from_(inner.subquery("kept")).where(condition)
        whole.set("order", order)
        whole.set("limit", limit)
        return self.select(whole, common)

    def _is_star(self, listed: list[exp.Expr]) -> bool:
        return len(listed) == 1 and isinstance(listed[0], exp.Star)

    def _source_and_stack(
        self, node: exp.Expr, scope: _Scope, common: dict[str, exp.Select]
    ) -> tuple[str | Query, tuple[str, ...]]:
        """Return the source of a SELECT and the columns that it stacks with UNPIVOT."""
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Pivot):
            pivot, read = node.this, node.this.this
            into = pivot.args.get("into")
            header, entry = (into.this, into.expressions[0]) if into is not None else (None, None)
            listed = pivot.expressions
        elif isinstance(node, exp.Table) and len(pivots := node.args.get("pivots") or []) == 1:
            pivot, read = pivots[0], node.copy()
            read.set("pivots", None)
            fields = pivot.args.get("fields") or []
            if len(fields) != 1 or len(pivot.expressions) != 1:
                raise NoQuery("a PIVOT of this form")
            header, entry, listed = fields[0].this, pivot.expressions[0], fields[0].expressions
        else:
            return self._source(node, scope, common), ()
        if not pivot.args.get("unpivot"):
            raise NoQuery("a PIVOT")
        source = self._source(read, scope, common)
        stack = self._stacked(listed, scope)
        for name in stack:
            scope.columns.pop(name.lower(), None)
        kinds = {scope.kinds.get(name, "number") for name in stack}
        for written, name in ((header, HEADER), (entry, ENTRY)):
            scope.columns[(written.name if written is not None else name[1:]).lower()] = name
            scope.columns[name] = name
        scope.kinds |= {HEADER: "text", ENTRY: kinds.pop() if len(kinds) == 1 else "text"}
        return source, stack

    def _stacked(self, listed: list[exp.Expr], scope: _Scope) -> tuple[str, ...]:
        """Return the columns that an UNPIVOT lists, or, if it excludes columns, all the others."""
        if len(listed) == 1 and isinstance(listed[0], exp.Columns | exp.Star):
            star = listed[0].this if isinstance(listed[0], exp.Columns) else listed[0]
            if not isinstance(star, exp.Star):
                raise NoQuery("COLUMNS of a pattern")
            left_out = {one.name.lower() for one in star.args.get("except_") or []}
            return tuple(name for low, name in scope.columns.items() if low not in left_out)
        found = {one.name: scope.column(one.name) for one in listed}
        for written, name in found.items():
            if name is None:
                raise NoQuery(f"no column {written}")
        return tuple(name for name in found.values() if name is not None)

    def _source(self, node: exp.Expr, scope: _Scope, common: dict[str, exp.Select]) -> str | Query:
        alias = node.alias_or_name.lower()
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Select | exp.Union):
            return self._nested(_selected(node.this), alias, scope, common)
        if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
            raise NoQuery(f"a table that is {type(node).__name__}")
        name = node.name.lower()
        if name in common:
            without = {k: v for k, v in common.items() if k != name}
            return self._nested(common[name], alias, scope, without)
        profile = self._profiles.get(name)
        # the table's title, or whatever name the model uses if there is only one table
        if profile is None and len(self._profiles) == 1:
            profile = next(iter(self._profiles.values()))
        if profile is None:
            raise NoQuery(f"no table {node.name}")
        for column in profile.columns:
            scope.columns.setdefault(column.name.lower(), column.name)
            scope.kinds.setdefault(column.name, column.kind)
        scope.sources[alias] = scope.sources[name] = profile.source
        return profile.source

    def _nested(
        self, node: exp.Select, alias: str, scope: _Scope, common: dict[str, exp.Select]
    ) -> Query:
        from backends.data.compiler import item_name

        inner = self.select(node, common)
        items = [*inner.group, *inner.items]
        if not items:  # then these are all columns of its source
            below = _Scope()
            came_from = node.args.get("from_") or node.args.get("from")
            assert came_from is not None  # its source has been read before
            self._source_and_stack(came_from.this, below, common)
            scope.columns |= below.columns
            scope.kinds |= below.kinds
        for item in items:
            name = item_name(item)
            scope.columns.setdefault(name.lower(), name)
            scope.kinds.setdefault(name, self._kind(item.expression, scope))
        scope.sources[alias] = None
        return inner

    def _join(self, node: exp.Join, scope: _Scope, common: dict[str, exp.Select]) -> Join:
        if node.side not in ("", "LEFT") or node.kind not in ("", "INNER", "OUTER", "CROSS"):
            raise NoQuery(f"a {node.side} {node.kind} join")
        scope.joined = True
        before = dict(scope.sources)
        source = self._source(node.this, scope, common)
        if source in before.values():
            raise NoQuery("a table joined with itself")
        on = node.args.get("on")
        if on is None and (using := node.args.get("using")):
            first = next(iter(before.values()))
            if not isinstance(source, str) or first is None:
                raise NoQuery("USING with a subquery")
            pairs = [
                Call(
                    name="=",
                    args=(Column(name=c.name, source=first), Column(name=c.name, source=source)),
                )
                for c in using
            ]
            made: Expression = pairs[0] if len(pairs) == 1 else Call(name="and", args=tuple(pairs))
            return Join(source=source, on=made, outer=node.side == "LEFT")
        condition = self.expression(on, scope, common) if on else Value(value=True)
        return Join(source=source, on=condition, outer=node.side == "LEFT")

    def _item(self, node: exp.Expr, scope: _Scope, common: dict[str, exp.Select]) -> Item:
        if isinstance(node, exp.Alias):
            own = {k: v for k, v in scope.aliases.items() if k != node.alias.lower()}
            inner = _Scope(scope.columns, scope.kinds, scope.sources, own, scope.joined)
            return Item(expression=self.expression(node.this, inner, common), name=node.alias)
        made = self.expression(node, scope, common)
        stacked = isinstance(made, Column) and made.name in (HEADER, ENTRY)
        return Item(expression=made, name=node.name if stacked else None)

    def _grouping(
        self,
        node: exp.Select,
        items: list[Item],
        scope: _Scope,
        common: dict[str, exp.Select],
    ) -> tuple[list[Item], list[Item]]:
        """Return the items by which rows are grouped, and the other items."""
        grouped = node.args.get("group")
        if grouped is None:
            return [], items
        if grouped.args.get("rollup") or grouped.args.get("cube"):
            raise NoQuery("ROLLUP or CUBE")
        if grouped.args.get("all"):
            keys = [item.expression for item in items if not has_aggregate(item.expression)]
        else:
            keys = [self._at(one, items, scope, common) for one in grouped.expressions]
        chosen = [item for item in items if item.expression in keys]
        missing = [key for key in keys if key not in [item.expression for item in chosen]]
        return (
            [*chosen, *(Item(expression=key) for key in missing)],
            [item for item in items if item not in chosen],
        )

    def _at(
        self,
        node: exp.Expr,
        items: list[Item],
        scope: _Scope,
        common: dict[str, exp.Select],
    ) -> Expression:
        if isinstance(node, exp.Literal) and not node.is_string:
            return items[int(node.name) - 1].expression
        return self.expression(node, scope, common)

    def _order(
        self,
        node: exp.Order | None,
        listed: list[exp.Expr],
        scope: _Scope,
        common: dict[str, exp.Select],
    ) -> tuple[Order, ...]:
        keys: list[Order] = []
        for one in node.expressions if node is not None else ():
            by = one.this
            if isinstance(by, exp.Literal) and not by.is_string:
                by = listed[int(by.name) - 1].unalias()
            keys.append(
                Order(by=self.expression(by, scope, common), descending=bool(one.args.get("desc")))
            )
        return tuple(keys)

    def expression(
        self, node: exp.Expr, scope: _Scope, common: dict[str, exp.Select]
    ) -> Expression:
        """Return an SQL expression as an expression of a query.

        Raises: NoQuery.
        """
        kind = type(node)
        if isinstance(node, exp.Column):
            return self._column(node, scope, common)
        if isinstance(node, exp.Paren | exp.Trim):
            return self.expression(node.this, scope, common)
        if isinstance(node, exp.Literal):
            return Value(value=node.name if node.is_string else _number(node.name))
        if isinstance(node, exp.Boolean):
            return Value(value=bool(node.this))
        if isinstance(node, exp.Null):
            return Value(value=None)
        if isinstance(node, exp.CurrentDate):
            return Value(value=self._today.isoformat(), type="date")
        if isinstance(node, exp.CurrentTimestamp):
            return Value(value=f"{self._today.isoformat()} 00:00:00", type="time")
        if isinstance(node, exp.Cast | exp.TryCast):
            return self._cast(node, scope, common)
        if kind in COMPARED:
            return self._compared(COMPARED[kind], node.this, node.expression, scope, common)
        if isinstance(node, exp.Between):
            low = self._compared(">=", node.this, node.args["low"], scope, common)
            high = self._compared("<=", node.this, node.args["high"], scope, common)
            return Call(name="and", args=(low, high))
        if isinstance(node, exp.Is):
            return self._is(node, scope, common)
        if isinstance(node, exp.In):
            return self._in(node, scope, common)
        if isinstance(node, exp.Like | exp.ILike):
            return self._like(node, scope, common)
        if isinstance(node, exp.Add | exp.Sub) and isinstance(node.expression, exp.Interval):
            return self._moved(node, scope, common)
        if isinstance(node, exp.Sub) and self._are_dates(node, scope, common):
            return Call(
                name="days between", args=self._all([node.this, node.expression], scope, common)
            )
        if isinstance(node, exp.Add | exp.Sub) and (moved := self._days_on(node, scope, common)):
            return moved
        if isinstance(node, exp.IntDiv):
            whole, by = self._all([node.this, node.expression], scope, common)
            rest = Call(name="modulo", args=(whole, by))
            return Call(name="/", args=(Call(name="-", args=(whole, rest)), by))
        if isinstance(node, exp.Bracket):
            return self._listed(node, scope, common)
        if kind in OPERATORS:
            return Call(
                name=OPERATORS[kind], args=self._all([node.this, node.expression], scope, common)
            )
        if kind in PLAIN:
            nodes = [node.this]
            if isinstance(node, exp.Nullif | exp.Contains | exp.StartsWith | exp.EndsWith):
                nodes.append(node.expression)
            return Call(name=PLAIN[kind], args=self._all(nodes, scope, common))
        if isinstance(node, exp.Filter):
            return self._filtered(node, scope, common)
        if isinstance(node, exp.Window):
            return self._window(node, scope, common)
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Select):
            return Subquery(query=self.select(node.this, common))
        if isinstance(node, exp.Count):
            return self._count(node, scope, common)
        if kind in AGGREGATES:
            return self._aggregate(node, scope, common)
        return self._function(node, scope, common)

    def _all(
        self, nodes: list[exp.Expr], scope: _Scope, common: dict[str, exp.Select]
    ) -> tuple[Expression, ...]:
        return tuple(self.expression(one, scope, common) for one in nodes)

    def _column(self, node: exp.Column, scope: _Scope, common: dict[str, exp.Select]) -> Expression:
        found = scope.column(node.name)
        known = not node.table or node.table.lower() in scope.sources
        if found is not None and known:
            source = scope.sources.get(node.table.lower()) if node.table and scope.joined else None
            return Column(name=found, source=source)
        if not node.table and node.name.lower() in scope.aliases:
            return self.expression(scope.aliases[node.name.lower()], scope, common)
        raise NoQuery(f"no column {node.name}")

    def _kind(self, expression: Expression, scope: _Scope) -> str:
        """Return the type of an expression, as far as it matters here: date, time or something
        else.
        """
        if isinstance(expression, Column):
            return scope.kinds.get(expression.name, "text")
        if isinstance(expression, Value):
            return expression.type if expression.type != "plain" else "number"
        if isinstance(expression, Call):
            if expression.name in ("date", "day", "week", "month", "quarter", "year"):
                return "date"
            if expression.name.startswith("add "):
                return self._kind(expression.args[0], scope)
            if expression.name == "coalesce":
                return self._kind(expression.args[0], scope)
            if expression.name in TRUTHS:
                return "boolean"
        if isinstance(expression, Aggregate) and expression.name in ("min", "max", "first", "last"):
            return self._kind(expression.args[0], scope)
        return "number"

    def _are_dates(self, node: exp.Binary, scope: _Scope, common: dict[str, exp.Select]) -> bool:
        both = self._all([node.this, node.expression], scope, common)
        kinds = {self._kind(one, scope) for one in both}
        if "time" in kinds and kinds <= {"date", "time"}:
            raise NoQuery("a difference of timestamps")
        return kinds == {"date"}

    def _days_on(
        self, node: exp.Add | exp.Sub, scope: _Scope, common: dict[str, exp.Select]
    ) -> Expression | None:
        """Return a date plus a number of days as a later date. Return None if it is not a date."""
        day, count = self._all([node.this, node.expression], scope, common)
        if self._kind(day, scope) != "date" or self._kind(count, scope) in ("date", "time"):
            return None
        if isinstance(node, exp.Sub):
            count = Call(name="negative", args=(count,))
        return Call(name="add days", args=(day, count))

    def _listed(
        self, node: exp.Bracket, scope: _Scope, common: dict[str, exp.Select]
    ) -> Expression:
        """Return an element of a list of constants, selected by its index, as a choice."""
        array = node.this.this if isinstance(node.this, exp.Paren) else node.this
        if not isinstance(array, exp.Array) or len(node.expressions) != 1:
            raise NoQuery("a list of this form")
        place = self.expression(node.expressions[0], scope, common)
        made: Expression = Value(value=None)
        for at, one in reversed(list(enumerate(array.expressions, 1))):
            tested = Call(name="=", args=(place, Value(value=at)))
            made = Call(name="if", args=(tested, self.expression(one, scope, common), made))
        return made

    def _cast(self, node: exp.Cast, scope: _Scope, common: dict[str, exp.Select]) -> Expression:
        made = self.expression(node.this, scope, common)
        kind = str(node.to.this.name if hasattr(node.to.this, "name") else node.to.this).upper()
        if kind in ("DATE", "TIMESTAMP", "DATETIME"):
            type_ = "date" if kind == "DATE" else "time"
            if isinstance(made, Value) and isinstance(made.value, str):
                try:
                    dt.datetime.fromisoformat(made.value)
                except ValueError as error:
                    raise NoQuery(f"no date: {made.value}") from error
                return Value(value=made.value, type=type_)
            return Call(name="date", args=(made,)) if kind == "DATE" else made
        if kind == "TIME":
            # here, a time of day is text; it is converted where computations use it
            return made
        if self._kind(made, scope) == "boolean" and kind in (*WHOLE, *NUMBERS):
            return Call(name="if", args=(made, Value(value=1), Value(value=0)))
        if kind in WHOLE:
            return (
                made
                if isinstance(made, Aggregate | Value | Column)
                else Call(name="round", args=(made,))
            )
        if kind in (*NUMBERS, *WHOLE, "VARCHAR", "TEXT", "BOOLEAN"):
            return made
        raise NoQuery(f"a cast to {kind}")

    def _compared(
        self,
        sign: FunctionName,
        left: exp.Expr,
        right: exp.Expr,
        scope: _Scope,
        common: dict[str, exp.Select],
    ) -> Expression:
        a, b = self._all([left, right], scope, common)
        if isinstance(a, Value) and not isinstance(b, Value):
            a, b, sign = b, a, MIRRORED.get(sign, sign)
        if isinstance(b, Value) and isinstance(b.value, str) and b.type == "plain":
            b = self._fitting(a, b, scope)
        if isinstance(a, Call) and a.name == "lower" and isinstance(b, Value):
            a = a.args[0]  # comparisons of text ignore case anyway
        return Call(name=sign, args=(a, b))

    def _fitting(self, tested: Expression, value: Value, scope: _Scope) -> Value:
        """Return a text as a date or number if it is compared with one."""
        text = str(value.value)
        if (
            isinstance(tested, Call)
            and tested.name == "month"
            and re.fullmatch(r"\d{4}-\d\d", text)
        ):
            return Value(value=f"{text}-01", type="date")
        kind = self._kind(tested, scope)
        if kind in ("date", "time") and re.match(r"\d{4}-\d\d-\d\d", text):
            return Value(value=text, type="date" if len(text) == 10 else "time")
        numeric = isinstance(tested, Call) and tested.name in FORMATS.values()
        if numeric and re.fullmatch(r"\d+", text):
            return Value(value=int(text))
        return value

    def _is(self, node: exp.Is, scope: _Scope, common: dict[str, exp.Select]) -> Expression:
        tested, against = self._all([node.this, node.expression], scope, common)
        if isinstance(against, Value) and against.value is None:
            return Call(name="empty", args=(tested,))
        return Call(name="=", args=(tested, against))

    def _in(self, node: exp.In, scope: _Scope, common: dict[str, exp.Select]) -> Expression:
        if (query := node.args.get("query")) is not None:
            inner = query.this if isinstance(query, exp.Subquery) else query
            if not isinstance(inner, exp.Select):
                raise NoQuery("IN of no SELECT")
            tested = self.expression(node.this, scope, common)
            return Call(name="in", args=(tested, Subquery(query=self.select(inner, common))))
        same = [self._compared("=", node.this, one, scope, common) for one in node.expressions]
        calls = [cast("Call", one) for one in same]
        return Call(name="in", args=(calls[0].args[0], *(one.args[1] for one in calls)))

    def _like(self, node: exp.Binary, scope: _Scope, common: dict[str, exp.Select]) -> Expression:
        tested, pattern = self._all([node.this, node.expression], scope, common)
        if not isinstance(pattern, Value) or not isinstance(pattern.value, str):
            raise NoQuery("LIKE of a computed pattern")
        text = pattern.value
        inner = text.strip("%")
        if "%" in inner or "_" in inner:
            raise NoQuery(f"the pattern {text}")
        starts, ends = text.startswith("%"), text.endswith("%")
        name: FunctionName = (
            "contains"
            if starts and ends
            else "starts with"
            if ends
            else "ends with"
            if starts
            else "="
        )
        return Call(name=name, args=(tested, Value(value=inner)))

    def _moved(self, node: exp.Binary, scope: _Scope, common: dict[str, exp.Select]) -> Expression:
        interval = cast("exp.Interval", node.expression)
        moment = self.expression(node.this, scope, common)
        amount, unit = interval.this, str(interval.args.get("unit") or "DAY").upper().rstrip("S")
        count = self.expression(amount, scope, common)
        if isinstance(count, Value) and isinstance(count.value, str):
            parts = count.value.split()
            count = Value(value=_number(parts[0]))
            unit = parts[1].upper().rstrip("S") if len(parts) > 1 else unit
        factor = {"WEEK": 7, "QUARTER": 3, "DECADE": 10}.get(unit, 1)
        unit = {"WEEK": "DAY", "QUARTER": "MONTH", "DECADE": "YEAR"}.get(unit, unit)
        if unit not in UNITS:
            raise NoQuery(f"an interval of {unit}")
        sign = -factor if isinstance(node, exp.Sub) else factor
        if isinstance(count, Value) and isinstance(count.value, int | float):
            count = Value(value=int(count.value * sign))
            if isinstance(moment, Value) and moment.type == "date":
                return Value(
                    value=_add(str(moment.value), int(cast("int", count.value)), unit), type="date"
                )
        elif sign != 1:
            count = Call(name="*", args=(count, Value(value=sign)))
        return Call(name=cast("FunctionName", UNITS[unit]), args=(moment, count))

    def _filtered(
        self, node: exp.Filter, scope: _Scope, common: dict[str, exp.Select]
    ) -> Expression:
        made = self.expression(node.this, scope, common)
        if not isinstance(made, Aggregate):
            raise NoQuery("FILTER of no aggregate")
        condition = self.expression(node.expression.this, scope, common)
        return made.model_copy(update={"where": condition})

    def _count(self, node: exp.Count, scope: _Scope, common: dict[str, exp.Select]) -> Expression:
        inner = node.this
        if isinstance(inner, exp.Distinct):
            if len(inner.expressions) != 1:
                raise NoQuery("count of several distinct columns")
            return Aggregate(name="distinct", args=self._all(inner.expressions, scope, common))
        if inner is None or isinstance(inner, exp.Star | exp.Literal):
            return Aggregate(name="count")
        return Aggregate(name="count", args=(self.expression(inner, scope, common),))

    def _aggregate(
        self, node: exp.Expr, scope: _Scope, common: dict[str, exp.Select]
    ) -> Expression:
        name = AGGREGATES[type(node)]
        inner = node.this
        if isinstance(inner, exp.Distinct):
            raise NoQuery(f"{name} of distinct values")
        if isinstance(inner, exp.Order):
            inner = inner.this
        nodes = [inner, *([node.expression] if node.args.get("expression") is not None else [])]
        if isinstance(node, exp.First):
            raise NoQuery("first() without an order")
        return Aggregate(name=name, args=self._all(nodes, scope, common))

    def _window(self, node: exp.Window, scope: _Scope, common: dict[str, exp.Select]) -> Expression:
        function = node.this
        if isinstance(function, exp.IgnoreNulls):
            function = function.this
        name = WINDOWS.get(type(function))
        if name is None:
            raise NoQuery(f"a window of {type(function).__name__}")
        args: list[exp.Expr] = []
        if isinstance(function, exp.Lag | exp.Lead):
            offset = function.args.get("offset")
            if offset is not None and _whole(offset) != 1:
                raise NoQuery("a look further than one row")
            args = [function.this]
        elif function.this is not None and not isinstance(function.this, exp.Star):
            args = [function.this]
        if name in ("count", "row number", "rank"):
            args = []
        order = self._order(node.args.get("order"), [], scope, common)
        rows = None
        spec = node.args.get("spec")
        if spec is not None:
            rows = _frame(spec)
        return Window(
            name=name,
            args=self._all(args, scope, common),
            by=self._all(node.args.get("partition_by") or [], scope, common),
            order=order,
            rows=rows,
        )

    def _function(self, node: exp.Expr, scope: _Scope, common: dict[str, exp.Select]) -> Expression:
        """Return a function whose form differs from that of the simple ones."""
        if isinstance(node, exp.Case):
            return self._case(node, scope, common)
        if isinstance(node, exp.If):
            otherwise = node.args.get("false") or exp.Null()
            return Call(
                name="if", args=self._all([node.this, node.args["true"], otherwise], scope, common)
            )
        if isinstance(node, exp.Coalesce | exp.Greatest | exp.Least):
            name: FunctionName = (
                "coalesce"
                if isinstance(node, exp.Coalesce)
                else "greatest"
                if isinstance(node, exp.Greatest)
                else "least"
            )
            return Call(name=name, args=self._all([node.this, *node.expressions], scope, common))
        if isinstance(node, exp.Round):
            digits = node.args.get("decimals")
            nodes = [node.this, *([digits] if digits is not None else [])]
            return Call(name="round", args=self._all(nodes, scope, common))
        if isinstance(node, exp.Concat):
            return Call(name="join", args=self._all(node.expressions, scope, common))
        if isinstance(node, exp.DPipe):
            return Call(name="join", args=self._all([node.this, node.expression], scope, common))
        if isinstance(node, exp.Extract):
            return self._part(node.name or str(node.this), node.expression, scope, common)
        if isinstance(node, exp.TimestampTrunc | exp.DateTrunc):
            unit = str(node.args["unit"].name).lower()
            if unit not in ("year", "quarter", "month", "week", "day", "hour"):
                raise NoQuery(f"time cut to {unit}")
            return Call(name=cast("FunctionName", unit), args=self._all([node.this], scope, common))
        if isinstance(node, exp.TimeToStr):
            return self._formatted(node, scope, common)
        if isinstance(node, exp.DateDiff):
            return self._difference(node, scope, common)
        if isinstance(node, exp.DayOfWeek):
            day = Call(name="weekday", args=self._all([node.this], scope, common))
            return Call(name="modulo", args=(day, Value(value=7)))
        if isinstance(node, exp.CountIf):
            return Aggregate(name="count", where=self.expression(node.this, scope, common))
        if isinstance(node, exp.GroupConcat):
            inner = node.this
            inner = inner.expressions[0] if isinstance(inner, exp.Distinct) else inner
            inner = inner.this if isinstance(inner, exp.Order) else inner
            return Aggregate(name="list", args=self._all([inner], scope, common))
        if isinstance(node, exp.Quantile | exp.PercentileCont):
            return Aggregate(
                name="percentile",
                args=self._all(
                    [node.this, node.args.get("quantile") or node.expression], scope, common
                ),
            )
        if isinstance(node, exp.TsOrDsToDate):
            return Call(name="date", args=self._all([node.this], scope, common))
        if isinstance(node, exp.Anonymous):
            called = node.name.lower()
            args: list[Any] = list(node.expressions)
            if called in PARTS and len(args) == 1:
                return self._part(called, args[0], scope, common)
            if called == "date_part" and len(args) == 2:
                return self._part(args[0].name, args[1], scope, common)
            if called == "quantile_cont" and len(args) == 2:
                return Aggregate(name="percentile", args=self._all(args, scope, common))
        raise NoQuery(f"{type(node).__name__}: {node.sql(dialect='duckdb')[:60]}")

    def _case(self, node: exp.Case, scope: _Scope, common: dict[str, exp.Select]) -> Expression:
        default = node.args.get("default")
        made: Expression = (
            self.expression(default, scope, common) if default is not None else Value(value=None)
        )
        for branch in reversed(node.args["ifs"]):
            tested = (
                self._compared("=", node.this, branch.this, scope, common)
                if node.this is not None
                else self.expression(branch.this, scope, common)
            )
            then = self.expression(branch.args["true"], scope, common)
            made = Call(name="if", args=(tested, then, made))
        return made

    def _part(
        self, part: str, node: exp.Expr, scope: _Scope, common: dict[str, exp.Select]
    ) -> Expression:
        part = part.lower()
        moment = self.expression(node, scope, common)
        if part in ("dow", "dayofweek", "weekday"):
            return Call(name="modulo", args=(Call(name="weekday", args=(moment,)), Value(value=7)))
        if part not in PARTS:
            raise NoQuery(f"the {part} of a time")
        return Call(name=PARTS[part], args=(moment,))

    def _formatted(
        self, node: exp.TimeToStr, scope: _Scope, common: dict[str, exp.Select]
    ) -> Expression:
        form = node.args["format"].name
        if form not in FORMATS:
            raise NoQuery(f"a time written as {form}")
        return Call(name=FORMATS[form], args=self._all([node.this], scope, common))

    def _difference(
        self, node: exp.DateDiff, scope: _Scope, common: dict[str, exp.Select]
    ) -> Expression:
        unit = str(node.args.get("unit") or "DAY").upper().strip("'").rstrip("S")
        later, earlier = self._all([node.this, node.expression], scope, common)
        if unit == "WEEK":
            days = Call(name="days between", args=(later, earlier))
            return Call(name="/", args=(days, Value(value=7)))
        if unit not in DIFFERENCES:
            raise NoQuery(f"a difference in {unit}")
        if unit in ("MONTH", "YEAR"):  # SQL counts how many boundaries are crossed
            part: FunctionName = "calendar year"
            years = [Call(name=part, args=(one,)) for one in (later, earlier)]
            crossed = Call(name="-", args=tuple(years))
            if unit == "YEAR":
                return crossed
            months = [Call(name="month of year", args=(one,)) for one in (later, earlier)]
            whole = Call(name="*", args=(crossed, Value(value=12)))
            return Call(name="+", args=(whole, Call(name="-", args=tuple(months))))
        if unit == "DAY":
            later, earlier = (
                Call(name="date", args=(one,)) if self._kind(one, scope) == "time" else one
                for one in (later, earlier)
            )
        return Call(name=DIFFERENCES[unit], args=(later, earlier))


def _measured(expression: Expression) -> Expression:
    """Return an expression in which each subquery of one measure is replaced by this measure over
    the subquery's rows.
    """
    if isinstance(expression, Subquery):
        query = expression.query
        told = query.model_dump(exclude_defaults=True).keys() <= {"source", "where", "items"}
        if not told or len(query.items) != 1:
            return expression
        inner = query.items[0].expression
        if isinstance(inner, Column) and query.where is not None:
            inner = Aggregate(name="sum", args=(inner,))  # from the only row that was looked up
        return _over(inner, query.where) if has_aggregate(inner) else expression
    if isinstance(expression, Call):
        return Call(name=expression.name, args=tuple(map(_measured, expression.args)))
    return expression


def _over(expression: Expression, where: Expression | None) -> Expression:
    """Return an expression whose aggregates count only the rows that meet a condition."""
    if isinstance(expression, Aggregate):
        both = [one for one in (expression.where, where) if one is not None]
        met = Call(name="and", args=tuple(both)) if len(both) > 1 else (both or [None])[0]
        return expression.model_copy(update={"where": met})
    if isinstance(expression, Call):
        args = tuple(_over(one, where) for one in expression.args)
        return Call(name=expression.name, args=args)
    return expression


def _whole(node: exp.Expr) -> int:
    if isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit():
        return int(node.name)
    raise NoQuery("a limit that is no number")


def _number(text: str) -> int | float:
    return int(text) if re.fullmatch(r"[-+]?\d+", text) else float(text)


def _frame(spec: exp.WindowSpec) -> int | None:
    """Return the number of rows in a window frame that ends at the current row. Return None if the
    frame contains all rows up to the current one.
    """
    if spec.args.get("kind") != "ROWS" or spec.args.get("end") not in ("CURRENT ROW", None):
        raise NoQuery("a frame that does not end at this row")
    start = spec.args.get("start")
    if start == "UNBOUNDED":
        return None
    if isinstance(start, exp.Expr):
        return _whole(start) + 1
    raise NoQuery("a frame of another kind")


def _add(day: str, count: int, unit: str) -> str:
    """Return a date moved by a number of days, months or years. If the new month is too short, use
    the last day of that month.
    """
    import calendar

    start = dt.date.fromisoformat(day[:10])
    if unit == "DAY":
        return (start + dt.timedelta(days=count)).isoformat()
    months = start.year * 12 + start.month - 1 + count * (12 if unit == "YEAR" else 1)
    year, month = divmod(months, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return dt.date(year, month + 1, min(start.day, last)).isoformat()
