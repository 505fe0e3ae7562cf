"""Run a `Query` as one DuckDB SELECT, and return its rows with the cells that they come from."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

from backends.data.declared_select import copy
from backends.data.errors import NothingSelected, WrongArguments
from backends.data.forecast import forecast_of
from backends.data.interfaces.aggregates import tidy
from backends.data.periods import days_of, literal
from backends.data.profile import unit_of
from backends.data.query import (
    ENTRY,
    HEADER,
    PLACE,
    Aggregate,
    Call,
    Column,
    Expression,
    Item,
    Order,
    Query,
    Subquery,
    Value,
    Window,
)
from backends.data.table import ORDINAL, Table, connect, quote
from backends.data.values import Cell, Reach, Result, Scalar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from backends.data.column_types import TypedColumn as TableColumn

Type = Literal["number", "text", "date", "time", "boolean", "clock", "unknown"]
QUERY = "query"  # the interface's name
ROWS = 500  # maximum number of rows in a result
CELLS = 50  # maximum number of cells that are cited
STACKED = {HEADER: "column", ENTRY: "value"}  # names of the columns of a stack in results
LOGIC = {"and": " AND ", "or": " OR "}
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
TRUNCATED = ("year", "quarter", "month", "week", "day", "hour")
PARTS = {
    "calendar year": "year",
    "hour of day": "hour",
    "weekday": "isodow",
    "month of year": "month",
    "day of month": "day",
    "quarter of year": "quarter",
    "minute": "minute",
}
NAMES = {"weekday name": "dayname", "month name": "monthname"}
BETWEEN = {"minutes between": 60, "hours between": 3600, "days between": 86400}
TIMED = frozenset(
    (
        *(*TRUNCATED, *PARTS, *NAMES, *BETWEEN, "date", "months between", "years between"),
        *("add days", "add months", "add years", "first day"),
    )
)
AGGREGATES = {
    "sum": "sum({0})",
    "mean": "avg({0})",
    "median": "median({0})",
    "min": "min({0})",
    "max": "max({0})",
    "mode": "mode({0})",
    "standard deviation": "stddev_samp({0})",
    "variance": "var_samp({0})",
    "percentile": "quantile_cont({0}, {1})",
    "correlation": "corr({0}, {1})",
    "first": "arg_min({0}, {1})",
    "last": "arg_max({0}, {1})",
}
WINDOWS = {
    "rank": "rank()",
    "row number": "row_number()",
    "previous": "lag({0})",
    "next": "lead({0})",
    "first": "first_value({0})",
    "sum": "sum({0})",
    "mean": "avg({0})",
    "min": "min({0})",
    "max": "max({0})",
    "count": "count(*)",
}


class QueryArguments(BaseModel):
    """A typed query. source: uuid of the first table widget it reads."""

    model_config = ConfigDict(extra="forbid")

    source: str = Field(description="uuid of the table widget")
    query: Query


def answer_query(table: Table, arguments: QueryArguments) -> Result:
    """Compute a query over one table.

    Raises: as `run_query`.
    """
    return run_query(arguments.query, {table.source: table})


def query_sources(query: Query) -> list[str]:
    """Return the tables that a query reads, without duplicates, in the order in which they are
    named.
    """
    found: list[str] = []

    def look(value: object) -> None:
        if isinstance(value, Query):
            for source in (value.source, *(join.source for join in value.joins)):
                if isinstance(source, str):
                    found.append(source)
        if isinstance(value, BaseModel):
            for field in type(value).model_fields:
                look(getattr(value, field))
        elif isinstance(value, tuple):
            for one in value:
                look(one)

    look(query)
    return list(dict.fromkeys(found))


@dataclass(frozen=True)
class _Name:
    """A column in scope: its name in SQL, its type, and the table column it stands for, if any."""

    sql: str
    type: Type
    column: TableColumn | None = None
    source: str | None = None


@dataclass(frozen=True)
class Compiled:
    """A SELECT statement.

    names: the names of its columns. types: the types of its columns. sources: the tables that it
    reads. traced: whether its first column is the row's ordinal.
    """

    sql: str
    names: tuple[str, ...]
    types: tuple[Type, ...]
    sources: tuple[str, ...]
    traced: bool


def run_query(query: Query, tables: Mapping[str, Table]) -> Result:
    """Compute a query over tables. Each table is keyed by its source.

    Raises: NothingSelected if no row matches, WrongArguments if the query does not fit the tables,
    UnknownColumn, ComputationStopped.
    """
    compiled = compile_query(query, tables)
    reached, close = in_one_database(compiled.sources, tables)
    try:
        if reached is not tables:
            compiled = compile_query(query, reached)
        first = reached[compiled.sources[0]]
        if query.forecast is not None:
            return _forecast(query, compiled, reached, query.forecast.periods)
        rows = first.query(f"SELECT * FROM ({compiled.sql}) LIMIT {ROWS + 1}")
        (count,) = (
            first.one(f"SELECT count(*) FROM ({compiled.sql})")
            if len(rows) > ROWS
            else (len(rows),)
        )
        return _as_result(query, compiled, rows[:ROWS], int(count or 0), reached)
    finally:
        close()


def _forecast(
    query: Query, compiled: Compiled, tables: Mapping[str, Table], periods: int
) -> Result:
    """Return the forecast for a query whose first column is a day and whose last column is a
    number.

    Raises: as for `forecast_of`.
    """
    table = tables[compiled.sources[0]]
    rows = table.query(f"SELECT * FROM ({compiled.sql})")
    held = [(str(row[compiled.traced])[:10], row[-1]) for row in rows]
    known = sorted(
        (dt.date.fromisoformat(day), float(value))
        for day, value in held
        if isinstance(value, int | float | Decimal) and day != "None"
    )
    made = forecast_of([day for day, _ in known], [value for _, value in known], periods)
    if compiled.traced:
        name = compiled.names[-1]
        cells = [Cell(row=int(row[0] or 0), column=name, value=row[-1]) for row in rows[:CELLS]]
        reach = Reach(cells=len(rows), last=max(int(row[0] or 0) for row in rows))
    else:
        cells, reach = _counted_cells(query, tables, [])
    return Result(
        interface=QUERY,
        source=table.source,
        source_hash=table.hash,
        unit=expression_unit(query.items[-1].expression, tables),
        columns=[compiled.names[0], "forecast", "low", "high", "naive"],
        rows=[[point.day.isoformat(), *point[1:]] for point in made],
        cells=cells,
        matched=len(known),
        reach=reach,
    )


def in_one_database(
    sources: tuple[str, ...], tables: Mapping[str, Table]
) -> tuple[Mapping[str, Table], Callable[[], None]]:
    """Return the tables in one database, and a function that closes it. A single table is returned
    unchanged.
    """
    if len(set(sources)) < 2:
        return tables, lambda: None
    together = connect()
    made: dict[str, Table] = {}
    for number, source in enumerate(dict.fromkeys(sources)):
        table = tables[source]
        name = f"joined_{number}"
        copy(table, together, name)
        together.execute(
            f"CREATE TABLE {name}_rows AS SELECT (row_number() OVER ()) - 1 AS {ORDINAL}, *"
            f" FROM {name}"
        )
        made[source] = Table(together, f"{name}_rows", table.columns, table.source, table.hash)
    return made, together.close


def compile_query(query: Query, tables: Mapping[str, Table]) -> Compiled:
    """Return the SELECT for a query.

    Raises: WrongArguments, UnknownColumn.
    """
    return _Compiler(tables).select(query)


class _Compiler:
    """Writes SELECT statements. At each level of nesting, the tables have different names."""

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self.tables = tables
        self.sources: list[str] = []
        self._used = 0

    def scope(self, query: Query) -> tuple[str, list[dict[str, _Name]], str | None]:
        """Return the FROM clause, the columns in scope for each table in it, and the ordinal."""
        clause, names, ordinal = self._relation(query.source)
        if query.stack:
            clause, names, ordinal = self._stacked(query.stack, clause, names, ordinal)
        reach = [names]
        for join in query.joins:
            sql, more, _ = self._relation(join.source)
            reach.append(more)
            kind = "LEFT JOIN" if join.outer else "JOIN"
            clause += f" {kind} {sql} ON {self.expression(join.on, reach)[0]}"
        return clause, reach, ordinal  # joined rows are cited by the row of the first table

    def _relation(self, source: str | Query) -> tuple[str, dict[str, _Name], str | None]:
        self._used += 1
        alias = f"t{self._used}"
        if isinstance(source, Query):
            inner = self.select(source, traced=False)
            names = {
                name: _Name(f"{alias}.{quote(name)}", type_)
                for name, type_ in zip(inner.names, inner.types, strict=True)
            }
            return f"({inner.sql}) AS {alias}", names, None
        table = self.tables.get(source)
        if table is None:
            raise WrongArguments("The query names a table that does not exist.", "Attach it.")
        self.sources.append(source)
        names = {
            c.name: _Name(f"{alias}.{quote(c.name)}", _type_of_column(c), c, source)
            for c in table.columns
        }
        names.setdefault(PLACE, _Name(f"{alias}.{ORDINAL}", "number", None, source))
        return f"{table.relation} AS {alias}", names, f"{alias}.{ORDINAL}"

    def _stacked(
        self, stack: tuple[str, ...], clause: str, names: dict[str, _Name], ordinal: str | None
    ) -> tuple[str, dict[str, _Name], str | None]:
        """Return a relation in which some of the columns are stacked into a single one."""
        self._used += 1
        alias = f"t{self._used}"
        below = [self.find(Column(name=name), [names]) for name in stack]
        kind: Type = below[0].type if len({one.type for one in below}) == 1 else "text"
        held = "DOUBLE" if kind == "number" else "VARCHAR"
        entries = [one.sql if kind != "text" else f"CAST({one.sql} AS {held})" for one in below]
        entries = [f"CAST({sql} AS DOUBLE)" if kind == "number" else sql for sql in entries]
        rest = {name: one for name, one in names.items() if name not in stack}
        listed = [f"{one.sql} AS {quote(name)}" for name, one in rest.items() if name != PLACE]
        listed += [f"{ordinal} AS {ORDINAL}"] if ordinal is not None else []
        listed.append(f"unnest([{', '.join(literal(name) for name in stack)}]) AS {HEADER}")
        listed.append(f"unnest([{', '.join(entries)}]) AS {ENTRY}")
        inner = f"SELECT {', '.join(listed)} FROM {clause}"
        made = {
            name: _Name(f"{alias}.{quote(name)}", one.type, one.column, one.source)
            for name, one in rest.items()
            if name != PLACE
        }
        if ordinal is not None:
            made[PLACE] = _Name(f"{alias}.{ORDINAL}", "number", None, rest[PLACE].source)
        made[HEADER] = _Name(f"{alias}.{HEADER}", "text")
        made[ENTRY] = _Name(f"{alias}.{ENTRY}", kind)
        kept = f"(SELECT * FROM ({inner}) WHERE {ENTRY} IS NOT NULL) AS {alias}"
        return kept, made, f"{alias}.{ORDINAL}" if ordinal is not None else None

    def select(self, query: Query, *, traced: bool = True) -> Compiled:
        """Return a query as a SELECT."""
        clause, reach, ordinal = self.scope(query)
        grouped = bool(query.group) or any(has_aggregate(item.expression) for item in query.items)
        items = [*query.group, *query.items]
        if not items:
            items = [
                Item(expression=Column(name=name, source=found.source))
                for names in reach
                for name, found in names.items()
                if name != PLACE
            ]
        names = _unique([item_name(item) for item in items])
        written = [self.expression(item.expression, reach) for item in items]
        traced = (
            traced
            and not (grouped or query.distinct or query.stack)  # these are cited differently
            and ordinal is not None
        )
        listed = [f"{sql} AS {quote(name)}" for (sql, _), name in zip(written, names, strict=True)]
        if traced:
            listed.insert(0, f"{ordinal} AS {quote(ORDINAL)}")
        distinct = "DISTINCT " if query.distinct else ""
        sql = f"SELECT {distinct}{', '.join(listed)} FROM {clause}"
        if query.where is not None:
            sql += f" WHERE {self.condition(query.where, reach)}"
        if query.group:
            sql += f" GROUP BY {', '.join(sql_ for sql_, _ in written[: len(query.group)])}"
        if query.having is not None:
            sql += f" HAVING {self.condition(query.having, reach)}"
        order = self.order(query.order, reach)
        if query.ties and query.limit is not None and query.order:
            over = f"rank() OVER (ORDER BY {', '.join(order)})"
            sql += f" QUALIFY {over} > {query.offset} AND {over} <= {query.offset + query.limit}"
        if query.group and not query.distinct:
            order += [f"{sql_} NULLS LAST" for sql_, _ in written[: len(query.group)]]
        elif traced and ordinal is not None:
            order.append(ordinal)
        if order and not (query.distinct and not query.order):
            sql += f" ORDER BY {', '.join(order)}"
        if query.limit is not None and not (query.ties and query.order):
            sql += f" LIMIT {query.limit} OFFSET {query.offset}"
        elif query.limit is None and query.offset:
            sql += f" OFFSET {query.offset}"
        types: tuple[Type, ...] = tuple(type_ for _, type_ in written)
        return Compiled(sql, names, types, tuple(self.sources), traced)

    def order(self, keys: tuple[Order, ...], reach: list[dict[str, _Name]]) -> list[str]:
        """Return the SQL for sort keys."""
        made: list[str] = []
        for key in keys:
            sql, _ = self.ordered(key.by, reach)
            made.append(f"{sql} {'DESC' if key.descending else 'ASC'} NULLS LAST")
        return made

    def ordered(self, by: Expression, reach: list[dict[str, _Name]]) -> tuple[str, Type]:
        """Return an expression as a sort key. Written periods are sorted by time."""
        if isinstance(by, Column):
            found = self.find(by, reach)
            if found.column is not None and found.column.periods:
                return _as_date(found), "date"
        return self.expression(by, reach)

    def find(self, column: Column, reach: list[dict[str, _Name]]) -> _Name:
        """Return a column in scope.

        Raises: WrongArguments if it is not in scope, or if more than one table has it.
        """
        found = [
            names[column.name]
            for names in reach
            if column.name in names
            and (column.source is None or names[column.name].source in (None, column.source))
        ]
        if not found:
            known = ", ".join(name for names in reach for name in list(names)[:12] if name != PLACE)
            raise WrongArguments(f"There is no column {column.name!r}.", f"Available: {known}.")
        return found[0]

    def condition(self, expression: Expression, reach: list[dict[str, _Name]]) -> str:
        """Return a condition as SQL."""
        return self.expression(expression, reach)[0]

    def expression(self, expression: Expression, reach: list[dict[str, _Name]]) -> tuple[str, Type]:
        """Return an expression as SQL, and its type."""
        if isinstance(expression, Column):
            found = self.find(expression, reach)
            sql = found.sql
            if found.column is not None and found.column.dictionary:
                sql = f"CAST({sql} AS VARCHAR)"
            return sql, found.type
        if isinstance(expression, Value):
            return _constant(expression)
        if isinstance(expression, Aggregate):
            return self._aggregate(expression, reach)
        if isinstance(expression, Window):
            return self._window(expression, reach)
        if isinstance(expression, Subquery):
            inner = self.select(expression.query, traced=False)
            return f"({inner.sql})", inner.types[0]
        return self._call(expression, reach)

    def _aggregate(self, aggregate: Aggregate, reach: list[dict[str, _Name]]) -> tuple[str, Type]:
        written = [self.expression(arg, reach) for arg in aggregate.args]
        args = [sql for sql, _ in written]
        type_: Type = "number"
        keep = (
            f" FILTER (WHERE {self.condition(aggregate.where, reach)})" if aggregate.where else ""
        )
        if aggregate.name == "count":
            return f"count({args[0] if args else '*'}){keep}", type_
        if not args:
            raise WrongArguments(f"{aggregate.name} needs a column.", "Specify one.")
        if aggregate.name == "distinct":
            return f"count(DISTINCT {args[0]}){keep}", type_
        if aggregate.name == "list":
            return f"string_agg(DISTINCT CAST({args[0]} AS VARCHAR), ', '){keep}", "text"
        if aggregate.name == "mean" and len(args) == 2:
            both = f"{args[0]} * {args[1]}"
            weight = f"CASE WHEN {args[0]} IS NOT NULL THEN {args[1]} END"
            return f"(sum({both}){keep} / nullif(sum({weight}){keep}, 0))", type_
        if aggregate.name in ("sum", "mean", "median") and written[0][1] == "boolean":
            args[0] = f"CAST({args[0]} AS INTEGER)"
        if aggregate.name in ("min", "max", "mode", "first", "last"):
            type_ = written[0][1]
        form = AGGREGATES[aggregate.name]
        if len(args) < form.count("{"):
            raise WrongArguments(f"{aggregate.name} needs two arguments.", "Specify both.")
        return form.format(*args) + keep, type_

    def _window(self, window: Window, reach: list[dict[str, _Name]]) -> tuple[str, Type]:
        written = [self.expression(arg, reach) for arg in window.args]
        args = [sql for sql, _ in written]
        by = [self.expression(one, reach)[0] for one in window.by]
        order = self.order(window.order, reach)
        over = f"PARTITION BY {', '.join(by)} " if by else ""
        type_: Type = "number"
        if window.name == "share":
            return f"({args[0]} / nullif(sum({args[0]}) OVER ({over.strip()}), 0))", type_
        over += f"ORDER BY {', '.join(order)}" if order else ""
        if window.name in ("previous", "next"):
            args[0] = f"{args[0]}, {window.rows or 1}"
        elif window.rows is not None and order:
            over += f" ROWS BETWEEN {window.rows - 1} PRECEDING AND CURRENT ROW"
        elif order and window.name in ("sum", "mean", "min", "max", "count"):
            over += " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
        if window.name in ("previous", "next", "first", "min", "max"):
            type_ = written[0][1]
        return f"{WINDOWS[window.name].format(*args)} OVER ({over.strip()})", type_

    def _call(self, call: Call, reach: list[dict[str, _Name]]) -> tuple[str, Type]:
        name = call.name
        if name in COMPARISONS:
            return self._comparison(call, reach), "boolean"
        if name == "in":
            return self._membership(call, reach), "boolean"
        if name in TIMED:
            return self._time(call, reach)
        written = [self.expression(arg, reach) for arg in call.args]
        args = [sql for sql, _ in written]
        types: list[Type] = [type_ for _, type_ in written]
        if name in ("and", "or"):
            return f"({LOGIC[name].join(args)})", "boolean"
        if name == "not":
            return f"(NOT coalesce({args[0]}, false))", "boolean"
        if name == "empty":
            return f"({args[0]} IS NULL)", "boolean"
        if name in ("contains", "starts with", "ends with"):
            function = {"contains": "contains", "starts with": "starts_with"}.get(name, "suffix")
            text = [f"lower(CAST({sql} AS VARCHAR))" for sql in args]
            return f"{function}({', '.join(text)})", "boolean"
        if name in ("+", "-", "*"):
            return f"({f' {name} '.join(map(_number, args, types))})", "number"
        if name == "/":
            return (
                f"(CAST({_number(args[0], types[0])} AS DOUBLE) / nullif({args[1]}, 0))",
                "number",
            )
        if name == "modulo":
            return f"({args[0]} % nullif({args[1]}, 0))", "number"
        if name == "negative":
            return f"(-{args[0]})", "number"
        if name in ("absolute", "round"):
            return f"{'abs' if name == 'absolute' else 'round'}({', '.join(args)})", "number"
        if name == "if":
            return f"CASE WHEN {args[0]} THEN {args[1]} ELSE {args[2]} END", types[1]
        if name == "lower":
            return f"lower(CAST({args[0]} AS VARCHAR))", "text"
        if name == "length":
            return f"length(CAST({args[0]} AS VARCHAR))", "number"
        if name == "join":
            return f"concat({', '.join(args)})", "text"
        function = {"coalesce": "coalesce", "null if": "nullif"}.get(name, name)
        return f"{function}({', '.join(args)})", types[0]

    def _comparison(self, call: Call, reach: list[dict[str, _Name]]) -> str:
        left, right = call.args
        (a, type_a), (b, type_b) = self.expression(left, reach), self.expression(right, reach)
        if isinstance(left, Column) and type_b in ("date", "time"):
            a, type_a = self._dated(left, a, type_a, reach)
        if isinstance(right, Column) and type_a in ("date", "time"):
            b, type_b = self._dated(right, b, type_b, reach)
        sign = call.name
        if type_a == "text" and type_b == "text":
            return f"(lower({a}) {sign} lower({b}))"
        if {type_a, type_b} == {"text", "number"}:
            a = f"TRY_CAST({a} AS DOUBLE)" if type_a == "text" else a
            b = f"TRY_CAST({b} AS DOUBLE)" if type_b == "text" else b
            return f"({a} {sign} {b})"
        if type_a == "time" and type_b == "date":
            return _on_day(a, sign, b)
        if type_a == "boolean" and type_b == "text":
            b = f"TRY_CAST({b} AS BOOLEAN)"
        return f"({a} {sign} {b})"

    def _dated(
        self, column: Column, sql: str, type_: Type, reach: list[dict[str, _Name]]
    ) -> tuple[str, Type]:
        """Return a column that is compared with a date: written periods as dates, other text as
        timestamps.
        """
        found = self.find(column, reach)
        if found.column is not None and found.column.periods:
            return _as_date(found), "date"
        if type_ == "text":
            return f"TRY_CAST({sql} AS TIMESTAMP)", "time"
        return sql, type_

    def _membership(self, call: Call, reach: list[dict[str, _Name]]) -> str:
        tested, *members = call.args
        sql, type_ = self.expression(tested, reach)
        if len(members) == 1 and isinstance(members[0], Subquery):
            inner, inner_type = self.expression(members[0], reach)
            if type_ == inner_type == "text":
                name = quote(_single_name(members[0].query))
                inner = f"(SELECT lower({name}) FROM {inner})"
                sql = f"lower({sql})"
            return f"({sql} IN {inner})"
        same = [
            self._comparison(Call(name="=", args=(tested, member)), reach) for member in members
        ]
        return f"({' OR '.join(same) or 'false'})"

    def _time(self, call: Call, reach: list[dict[str, _Name]]) -> tuple[str, Type]:
        name = call.name
        written: list[tuple[str, Type]] = []
        for arg in call.args:
            sql, type_ = self.expression(arg, reach)
            if isinstance(arg, Column) and type_ == "text":
                sql, type_ = self._moment(arg, sql, reach)
            written.append((sql, type_))
        (sql, type_), rest = written[0], written[1:]
        if name == "first day":
            return f"make_date({sql}, {rest[0][0]}, 1)", "date"
        if name in TRUNCATED:
            if name == "hour":
                return f"date_trunc('hour', {sql})", "time"
            if type_ == "number":  # a column that contains years
                return sql, "number"
            return f"CAST(date_trunc('{name}', {sql}) AS DATE)", "date"
        if name == "date":
            return f"CAST({sql} AS DATE)", "date"
        if name in PARTS:
            return f"{PARTS[name]}({sql})", "number"
        if name in NAMES:
            return f"{NAMES[name]}({sql})", "text"
        if name in BETWEEN:
            other, other_type = rest[0]
            if type_ == other_type == "date" and name == "days between":
                return f"date_diff('day', {other}, {sql})", "number"
            length = f"(epoch({sql}) - epoch({other}))"
            if type_ == "clock":  # the second time may be after midnight
                length = f"(({length} + 86400) % 86400)"
            else:
                sql, other = (f"CAST({one} AS TIMESTAMP)" for one in (sql, other))
                length = f"(epoch({sql}) - epoch({other}))"
            return f"({length} / {BETWEEN[name]}.0)", "number"
        if name in ("months between", "years between"):
            part = name.partition("s ")[0]
            return f"datesub('{part}', {rest[0][0]}, {sql})", "number"
        unit = name.partition(" ")[2].rstrip("s").upper()
        moved = f"({sql} + ({rest[0][0]}) * INTERVAL 1 {unit})"
        return (f"CAST({moved} AS DATE)", "date") if type_ == "date" else (moved, "time")

    def _moment(self, column: Column, sql: str, reach: list[dict[str, _Name]]) -> tuple[str, Type]:
        """Return a text column as times: written periods as their first day, and clock times as
        times of day.
        """
        found = self.find(column, reach)
        if found.column is not None and found.column.periods:
            return _as_date(found), "date"
        return f"TRY_CAST({sql} AS TIME)", "clock"


def _type_of_column(column: TableColumn) -> Type:
    return column.kind


def _constant(value: Value) -> tuple[str, Type]:
    held = value.value
    if held is None:
        return "NULL", "unknown"
    if value.type == "date":
        return f"DATE {literal(str(dt.date.fromisoformat(str(held)[:10])))}", "date"
    if value.type == "time":
        return f"TIMESTAMP {literal(str(dt.datetime.fromisoformat(str(held))))}", "time"
    if isinstance(held, bool):
        return str(held).lower(), "boolean"
    if isinstance(held, int | float):
        return repr(held), "number"
    return literal(held), "text"


def _as_date(found: _Name) -> str:
    """Return a column of written periods as the first day of each period."""
    assert found.column is not None
    cases = " ".join(
        f"WHEN {literal(text)} THEN DATE '{days[0]}'"
        for text in found.column.periods
        if (days := days_of(text))
    )
    return f"(CASE CAST({found.sql} AS VARCHAR) {cases} END)"


def _on_day(moment: str, sign: str, day: str) -> str:
    """Return SQL that compares a timestamp with a whole day."""
    start, end = f"CAST({day} AS TIMESTAMP)", f"(CAST({day} AS TIMESTAMP) + INTERVAL 1 DAY)"
    forms = {
        "=": f"({moment} >= {start} AND {moment} < {end})",
        "!=": f"(NOT ({moment} >= {start} AND {moment} < {end}))",
        "<": f"({moment} < {start})",
        "<=": f"({moment} < {end})",
        ">": f"({moment} >= {end})",
        ">=": f"({moment} >= {start})",
    }
    return forms[sign]


def _number(sql: str, type_: Type) -> str:
    return f"CAST({sql} AS INTEGER)" if type_ == "boolean" else sql


def _single_name(query: Query) -> str:
    items = [*query.group, *query.items]
    if len(items) != 1:
        raise WrongArguments("A list of values needs one column.", "Select one.")
    return item_name(items[0])


def _unique(names: list[str]) -> tuple[str, ...]:
    made: list[str] = []
    for name in names:
        free, number = name, 2
        while free.lower() in (one.lower() for one in made):
            free, number = f"{name} {number}", number + 1
        made.append(free)
    return tuple(made)


def item_name(item: Item) -> str:
    """Return the name that a column has in the result."""
    return item.name or expression_name(item.expression)


def expression_name(expression: Expression) -> str:
    """Return a short, stable name for an expression."""
    if isinstance(expression, Column):
        return STACKED.get(expression.name, expression.name)
    if isinstance(expression, Value):
        return str(expression.value)
    if isinstance(expression, Subquery):
        return "value"
    args = ", ".join(expression_name(arg) for arg in expression.args)
    if isinstance(expression, Aggregate | Window):
        return f"{expression.name} {args}".strip()
    if len(expression.args) == 2 and not expression.name[0].isalpha():
        first, second = (expression_name(arg) for arg in expression.args)
        return f"{first} {expression.name} {second}"
    return f"{expression.name} {args}"


def has_aggregate(expression: Expression) -> bool:
    """Return whether an expression computes one value from many rows."""
    return any(isinstance(part, Aggregate) for part in walk(expression))


def walk(expression: Expression) -> Iterator[Expression]:
    """Yield an expression and its parts, without the contents of subqueries."""
    yield expression
    if isinstance(expression, Call | Aggregate | Window):
        for arg in expression.args:
            yield from walk(arg)
    if isinstance(expression, Aggregate) and expression.where is not None:
        yield from walk(expression.where)
    if isinstance(expression, Window):
        for one in (*expression.by, *(order.by for order in expression.order)):
            yield from walk(one)


def _as_result(
    query: Query,
    compiled: Compiled,
    rows: list[tuple[Scalar, ...]],
    count: int,
    tables: Mapping[str, Table],
) -> Result:
    """Return the rows of a query, with the cells that they come from.

    Raises: NothingSelected.
    """
    cited = compiled.sources[0]
    table = tables[cited]
    shown = [[tidy(value) for value in row[compiled.traced :]] for row in rows]
    grouped = bool(query.group) or any(has_aggregate(i.expression) for i in query.items)
    measured = [value for row in shown for value in row[len(query.group) :]]
    if not rows or (grouped and query.items and all(value is None for value in measured)):
        raise NothingSelected("No row meets these conditions.", "Use fewer or different ones.")
    if compiled.traced:
        cells = _row_cells(table, compiled, rows)
        reach = None
    else:
        cells, reach = _counted_cells(query, tables, shown)
    last = query.items[-1] if query.items else None
    labels = len(query.group)
    single = len(shown) == 1
    value = shown[0][labels] if single and len(shown[0]) > labels else None
    if single and not grouped and len(shown[0]) > 1:
        value = shown[0][-1]
        labels = 1
    return Result(
        interface=QUERY,
        source=table.source,
        source_hash=table.hash,
        value=value,
        label=shown[0][0] if single and labels else None,
        unit=expression_unit(last.expression, tables) if last else None,
        columns=list(compiled.names),
        rows=shown,
        cells=cells,
        matched=count,
        reach=reach,
        left_out=f"{count - ROWS} more rows" if count > ROWS else None,
    )


def _row_cells(table: Table, compiled: Compiled, rows: list[tuple[Scalar, ...]]) -> list[Cell]:
    """Return the cells that rows show, which are those of plain columns. If there is only one row,
    its numbers come first.
    """
    known = {column.name for column in table.columns}
    cells = [
        Cell(row=int(row[0] or 0), column=name, value=value)
        for row in rows
        for name, value in zip(compiled.names, row[1:], strict=True)
        if name in known and value is not None
    ]
    if len(rows) == 1:
        cells.sort(key=lambda cell: not isinstance(cell.value, int | float))
    return cells[:CELLS]


def _counted_cells(
    query: Query, tables: Mapping[str, Table], shown: list[list[Scalar]]
) -> tuple[list[Cell], Reach | None]:
    """Return the first cells from which a query was computed, and the extent of all of them, or
    None if there are none.
    """
    while isinstance(query.source, Query):
        query, shown = query.source, []
    table = tables[query.source]
    compiler = _Compiler(tables)
    clause, reach, ordinal = compiler.scope(query)
    if ordinal is None:
        return [], None
    if query.stack:
        return _stacked_cells(query, table, compiler, clause, reach, ordinal)
    parts = [compiler.condition(query.where, reach)] if query.where is not None else []
    aggregates = [
        part
        for item in query.items
        for part in walk(item.expression)
        if isinstance(part, Aggregate)
    ]
    filters = [one.where for one in aggregates]
    if filters and all(one is not None for one in filters):
        either = [compiler.condition(one, reach) for one in filters if one is not None]
        parts.append(f"({' OR '.join(either)})")
    if len(shown) == 1 and query.group:
        for item, value in zip(query.group, shown[0], strict=False):
            sql, type_ = compiler.expression(item.expression, reach)
            told = Value(value=value, type=type_ if type_ in ("date", "time") else "plain")
            parts.append(f"{sql} IS NOT DISTINCT FROM {_constant(told)[0]}")
    name = _cited_column(query, aggregates, table)
    column = reach[0][name].sql
    if aggregates and any(one.args for one in aggregates):
        parts.append(f"{column} IS NOT NULL")
    where = " AND ".join(parts) or "true"
    found = table.query(
        f"SELECT {ordinal}, {column} FROM {clause} WHERE {where} ORDER BY 1 LIMIT {CELLS}"
    )
    count, last = table.one(f"SELECT count(*), max({ordinal}) FROM {clause} WHERE {where}")
    cells = [Cell(row=int(row or 0), column=name, value=value) for row, value in found]
    return cells, Reach(cells=int(count or 0), last=int(last or 0)) if count else None


def _stacked_cells(
    query: Query,
    table: Table,
    compiler: _Compiler,
    clause: str,
    reach: list[dict[str, _Name]],
    ordinal: str,
) -> tuple[list[Cell], Reach | None]:
    """Return the cells of stacked columns in the order of the query, and the extent of all of them.

    If each row of the result is one of these cells, only the visible cells are returned, and the
    extent is None.
    """
    where = compiler.condition(query.where, reach) if query.where is not None else "true"
    read = f"FROM {clause} WHERE {where}"
    order = compiler.order(query.order, reach) if not query.group else []
    listed = not query.group and not any(has_aggregate(i.expression) for i in query.items)
    shown = min(CELLS, query.limit or CELLS) if listed else CELLS
    found = table.query(
        f"SELECT {ordinal}, {HEADER}, {ENTRY} {read} ORDER BY"
        f" {', '.join([*(order if listed else []), ordinal])} LIMIT {shown}"
    )
    cells = [Cell(row=int(row or 0), column=str(name), value=value) for row, name, value in found]
    if listed:
        return cells, None
    count, last = table.one(f"SELECT count(*), max({ordinal}) {read}")
    return cells, Reach(cells=int(count or 0), last=int(last or 0)) if count else None


def _cited_column(query: Query, aggregates: list[Aggregate], table: Table) -> str:
    """Return the column whose cells are cited: the one that is computed, or else one used in the
    conditions or for grouping, or else the first one.
    """
    known = {column.name for column in table.columns}
    places = [arg for one in aggregates for arg in one.args]
    places += [item.expression for item in query.items]
    places += [query.where] if query.where is not None else []
    places += [item.expression for item in query.group]
    for place in places:
        for part in walk(place):
            if isinstance(part, Column) and part.name in known:
                return part.name
    return table.columns[0].name


def expression_unit(expression: Expression, tables: Mapping[str, Table]) -> str | None:
    """Return the unit of an expression, or None if it has none, or more than one."""
    if isinstance(expression, Column):
        columns = [c for table in tables.values() for c in table.columns]
        found = next((c for c in columns if c.name == expression.name), None)
        return unit_of(found) if found is not None and found.kind == "number" else None
    if isinstance(expression, Aggregate):
        if expression.name in ("count", "distinct", "correlation", "list", "variance"):
            return None
        return expression_unit(expression.args[0], tables)
    if isinstance(expression, Window):
        if expression.name == "share":
            return None
        return expression_unit(expression.args[0], tables) if expression.args else None
    if isinstance(expression, Call):
        if expression.name == "*" and _is_hundred(expression):
            return "%"
        if expression.name in ("+", "-", "absolute", "round", "negative", "least", "greatest"):
            units = {expression_unit(arg, tables) for arg in expression.args[:2]}
            return units.pop() if len(units) == 1 else None
        if expression.name in ("days between", "hours between", "minutes between"):
            return {"d": "d", "h": "h", "m": "min"}[expression.name[0]]
    return None


def _is_hundred(call: Call) -> bool:
    """Return whether a product is a percentage: 100 times a quotient or a share."""
    hundred = any(isinstance(arg, Value) and arg.value == 100 for arg in call.args)
    ratio = any(isinstance(arg, Call) and arg.name == "/" for arg in call.args)
    share = any(isinstance(arg, Window) and arg.name == "share" for arg in call.args)
    return hundred and (ratio or share)
