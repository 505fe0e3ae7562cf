"""Queries that compute with the rows of another result.

They show how a number develops over time (its change, running total, moving average, return or
forecast, and lines for several names), and how groups contribute to the total, grow, and correlate.

For results over time, the source of the query is a series: the number for each day, month or year.
The dates that are asked for restrict only the outermost query, so that earlier months are available
where they are needed.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

from backends.data.compiler import walk
from backends.data.periods import days_of
from backends.data.query import (
    AggregateName,
    Column,
    Expression,
    Forecast,
    FunctionName,
    Item,
    Order,
    Query,
    Show,
    Value,
    Window,
    WindowName,
)
from backends.data.values import ColumnProfile
from backends.query.dates import month_end
from backends.query.frames import GRAINS, Frame, FrameBuilder, Measure, Target
from backends.query.reading import (
    ReadCondition,
    agg,
    both,
    call,
    col,
    joined,
    parts_of,
    val,
)

# for each grain, the number of its steps in each larger unit
STEPS: dict[str, dict[str, int]] = {
    "day": {"day": 1, "week": 7},
    "week": {"week": 1, "year": 52},
    "month": {"month": 1, "quarter": 3, "year": 12},
    "quarter": {"quarter": 1, "year": 4},
    "year": {"year": 1},
}
MONTHS = {"month": 1, "quarter": 3, "year": 12}
DAYS = {"day": 1, "week": 7}
LONGEST_WINDOW, LONGEST_FORECAST = 1000, 400
CUES = ("moving", "running sum", "return", "forecast", "year on year", "period on period")
TIME = "time"  # the name of a time column that is computed from two columns
STATISTICS: tuple[AggregateName, ...] = ("sum", "mean", "median", "min", "max")
LINES = 30  # maximum number of names in one chart


@dataclass(frozen=True)
class Axis:
    """The time axis of a series. name: the name of its column in the series. grain: the interval
    between its points; empty if unknown. spans: the words that ask for it.
    """

    expression: Expression
    name: str
    grain: str
    raw: bool
    spans: frozenset[int]


@dataclass(frozen=True)
class Series:
    """A number over time. by: the column that distinguishes the series, if there are several."""

    query: Query
    axis: Axis
    value: Column
    by: Column | None
    uses: frozenset[int]


class TransformFrames:
    """Builds those queries of an interpretation that concern time or groups."""

    def __init__(self, builder: FrameBuilder) -> None:
        self.builder = builder
        self.reading = builder.reading
        self.cues = {name: frozenset(builder.cue(name)) for name in CUES}
        self.changed = frozenset(builder.cue("change", "moved", "rose", "fell"))
        self.gap = frozenset(builder.cue("minus", "difference"))
        drawn, self.form = builder.form()
        self.drawn = frozenset(drawn)
        self.line: Show = self.form if drawn and self.form else "line"
        self.bars: Show = self.form if drawn and self.form else "bar"
        self.rows: Show = "bar" if drawn else "table"

    def frames(self) -> Iterator[Frame]:
        """Yield the queries. Nothing is yielded if no word asks for one."""
        yield from self._of_groups()
        asked = any(self.cues.values()) or bool(self.changed) or bool(self.drawn)
        if not (asked or self.gap) or not self._dated():
            return
        measures = [m for m in self.builder.measures() if not m.derived][:2]
        for measure in measures or self._only():
            yield from self._moving(measure)
            yield from self._running(measure)
            yield from self._changes(measure)
            yield from self._returns(measure)
            yield from self._returns_by_name(measure)
            yield from self._forecasts(measure)
            yield from self._lines(measure)
            yield from self._gaps(measure)
        yield from self._ratios(measures)

    def _only(self) -> list[Measure]:
        """Return the only number column of a table, which need not be named. If there are several,
        return the closing price, if the table has one.
        """
        held = [
            c
            for c in self.reading.table.profile.columns
            if c.kind == "number" and c.role == "measure"
        ]
        if not held:
            return []
        closing = self.reading.by_concept("closing price", 0.9)
        chosen = held if len(held) == 1 else [c for c in closing if c in held][:1]
        return [Measure(col(c), frozenset(), 0.6, c.additive is not False) for c in chosen]

    # the series

    def _dated(self) -> bool:
        parts = {c.role for c in self.reading.table.profile.columns}
        return bool(self.reading.dated()) or "year" in parts

    def _axis(self, taken: frozenset[int] = frozenset()) -> Axis:
        """Return the time axis that is asked for: the days, or, for example, the months for
        `monthly`.

        taken: words that belong to something else, such as `3-month moving average`.
        """
        units = {
            i: name for name in GRAINS for i in self.builder.cue(f"unit {name}") if i not in taken
        }
        asked = max(units.values(), key=GRAINS.index, default="")
        dates = self.reading.dated()
        named = [k.column for _, k in self.reading.mentions if k.column in dates]
        spans = frozenset([*units, *(i for i, k in self.reading.mentions if k.column in named)])
        spans |= frozenset(self.builder.cue("group")) if units else frozenset()
        if not dates:
            return self._axis_of_parts(asked, spans)
        column = (named or dates)[0]
        own = self._rhythm(column)
        if asked and (not own or GRAINS.index(asked) > GRAINS.index(own)):
            grain = cast("FunctionName", asked)
            return Axis(call(grain, col(column)), column.name, asked, raw=False, spans=spans)
        written = column.kind == "text"
        expression = call("day", col(column)) if written else col(column)
        return Axis(expression, column.name, own, raw=True, spans=spans)

    def _axis_of_parts(self, asked: str, spans: frozenset[int]) -> Axis:
        """Return the time axis of a table that has a column with years and one with quarters or
        months.
        """
        parts = {c.role: c for c in self.reading.table.profile.columns}
        year, month = col(parts["year"]), parts.get("month")
        quarter = parts.get("quarter")
        grain = "month" if month else "quarter" if quarter else "year"
        if month is not None:
            place: Expression = col(month)
        elif quarter is not None:
            place = call("-", call("*", col(quarter), val(3)), val(2))
        else:
            place = val(1)
        first = call("first day", year, place)
        if asked and GRAINS.index(asked) > GRAINS.index(grain):
            made = call(cast("FunctionName", asked), first)
            return Axis(made, TIME, asked, raw=False, spans=spans)
        return Axis(first, TIME, grain, raw=True, spans=spans)

    def _rhythm(self, column: ColumnProfile) -> str:
        """Return the interval between the dates in a column; empty if it is unknown."""
        try:
            low, high = (dt.date.fromisoformat(str(e)[:10]) for e in (column.low, column.high))
        except ValueError:
            return self._written_rhythm(column)
        gap = (high - low).days / max(1, column.distinct - 1)
        for name, least, most in (
            ("day", 0.9, 2.0),
            ("week", 6.5, 7.5),
            ("month", 28, 31.5),
            ("quarter", 88, 93),
            ("year", 360, 370),
        ):
            if least <= gap <= most:
                return name
        return ""

    def _written_rhythm(self, column: ColumnProfile) -> str:
        held = [days for value in column.values[:3] if (days := days_of(str(value)))]
        lengths = {(last - first).days for first, last in held}
        for name, least, most in (("month", 27, 30), ("quarter", 88, 92), ("year", 364, 365)):
            if lengths and all(least <= length <= most for length in lengths):
                return name
        return ""

    def _conditions(self) -> tuple[list[ReadCondition], list[ReadCondition]]:
        """Return the conditions on the rows other than those on dates, and the conditions on
        dates.
        """
        period = [c for c in self.reading.conditions if c.kind == "period" and c.period]
        return [c for c in self.reading.conditions if c not in period], period

    def _name(self) -> ColumnProfile | None:
        """Return the column whose values are distinguished: one of which several values are named,
        or else a text column that is mentioned.
        """
        profile = self.reading.table.profile
        named = [c.column for c in self.reading.conditions if c.kind == "value" and c.column]
        several = [name for name in dict.fromkeys(named) if named.count(name) > 1]
        if several:
            return profile.column(several[0])
        mentioned = [
            k.column
            for _, k in self.reading.mentions
            if k.column.kind == "text" and k.column.distinct <= LINES and k.column.role != "period"
        ]
        return mentioned[0] if mentioned else None

    def _label(self) -> ColumnProfile | None:
        """Return the column that names the subject of each row, if a subject can have several
        rows.
        """
        column = self._name() or self.builder.label()
        rows = self.reading.table.profile.rows
        return column if column is not None and column.distinct < 0.9 * rows else None

    def _series(
        self, measure: Measure, axis: Axis, *, where: Expression | None, last: bool = False
    ) -> Series:
        """Return a number over time. last: whether a period is represented by its last value, as
        for prices, if the values are not summed.
        """
        by = self._name()
        held = measure.expression
        name = held.name if isinstance(held, Column) else "value"
        keys = [Item(expression=axis.expression, name=axis.name)]
        if by is not None:
            keys.append(Item(expression=col(by), name=by.name))
        uses = frozenset(axis.spans | measure.uses)
        if by is not None:
            uses |= frozenset(
                i for i, k in self.reading.mentions if k.column.name == by.name
            ) | frozenset(self.builder.cue("group"))
        if axis.raw and self._is_single(axis, by):
            items = (*keys, Item(expression=held, name=name))
            made = Query(source=self.builder.source, where=where, items=items)
        else:
            how, spans = self._how(measure, last=last)
            uses |= spans
            value = agg(how, held, *([self._day(axis)] if how == "last" else []))
            made = Query(
                source=self.builder.source,
                where=where,
                group=tuple(keys),
                items=(Item(expression=value, name=name),),
            )
        return Series(
            made, axis, Column(name=name), Column(name=by.name) if by is not None else None, uses
        )

    def _day(self, axis: Axis) -> Expression:
        """Return the dates themselves for an axis with months or years."""
        inner = axis.expression
        return inner if axis.raw else cast("Expression", getattr(inner, "args", (inner,))[0])

    def _how(self, measure: Measure, *, last: bool) -> tuple[AggregateName, frozenset[int]]:
        for name in ("sum", "mean", "median", "min", "max"):
            cue = frozenset(self.builder.cue(name)) - frozenset().union(*self.cues.values())
            if cue:
                return name, cue
        if measure.additive:
            return "sum", frozenset()
        return ("last" if last else "mean"), frozenset()

    def _is_single(self, axis: Axis, by: ColumnProfile | None) -> bool:
        """Return whether there is one row for each point in time, judged by the profile."""
        profile = self.reading.table.profile
        if axis.name == TIME:
            return True
        date = profile.column(axis.name)
        points = date.distinct if date is not None else 1
        named = {c.column for c in self.reading.conditions if c.kind == "value" and c.column}
        if by is not None:
            named.add(by.name)
        for name in named:
            column = profile.column(name)
            points *= max(1, column.distinct) if column is not None else 1
        return points >= profile.rows

    # what is computed from the series

    def _over(
        self,
        name: WindowName,
        series: Series,
        rows: int | None = None,
        of: Expression | None = None,
    ) -> Window:
        return Window(
            name=name,
            args=(of or series.value,),
            by=(series.by,) if series.by is not None else (),
            order=(Order(by=Column(name=series.axis.name)),),
            rows=rows,
        )

    def _of_series(
        self,
        series: Series,
        made: Expression,
        period: list[ReadCondition],
        name: str,
    ) -> Query:
        """Return a series of computed values, restricted to the dates that are asked for."""
        keys = [Column(name=series.axis.name), *([series.by] if series.by is not None else [])]
        items = tuple(Item(expression=key) for key in keys)
        query = Query(
            source=series.query,
            items=(*items, Item(expression=made, name=name)),
            order=tuple(Order(by=key) for key in reversed(keys)),
            show=self.line,
        )
        if not period:
            return query
        inner = query.model_copy(update={"order": (), "show": None})
        return Query(
            source=inner,
            where=self._within(series.axis, period),
            items=(*items, Item(expression=Column(name=name))),
            order=query.order,
            show=query.show,
        )

    def _within(self, axis: Axis, period: list[ReadCondition]) -> Expression | None:
        """Return the condition that the points of a series are within the dates that are asked
        for.
        """
        starts = [c.period.start for c in period if c.period and c.period.start]
        ends = [c.period.end for c in period if c.period and c.period.end]
        time = Column(name=axis.name)
        made: list[Expression] = []
        if starts:
            day = Value(value=min(starts).isoformat(), type="date")
            made.append(call(">=", time, day))
        if ends:
            day = Value(value=max(ends).isoformat(), type="date")
            made.append(call("<=", time, day))
        return both(made)

    def _frame(
        self, query: Query, op: str, measure: Measure, uses: frozenset[int], **more: float
    ) -> Frame:
        spoken = {*self.drawn, *self.builder.asks["which"], *self.builder.cue("list")}
        used = uses | frozenset(spoken) | self.builder.condition_spans
        return Frame(query, used, {f"op {op}": 1.0, "measure": measure.score, **more})

    def _number_before(self, i: int) -> tuple[int, frozenset[int], str] | None:
        """Return the number before a word, its spans, and the unit between the two: 3 and month in
        `3-month moving average`.
        """
        spans = self.reading.spans
        used: set[int] = set()
        unit = ""
        for j in range(i - 1, max(-1, i - 6), -1):
            span = spans[j]
            found = next((g for g in GRAINS if span.has(f"unit {g}")), "")
            if span.number is not None and span.number == int(span.number):
                return int(span.number), frozenset([*used, j]), unit
            if found and not unit:
                unit = found
            elif not span.has("stop", "minus", "of", "rows") and span.text.strip() != "-":
                return None
            used.add(j)
        return None

    def _moving(self, measure: Measure) -> Iterator[Frame]:
        """Read `3-month moving average`."""
        for i in self.cues["moving"]:
            found = self._number_before(i)
            if found is None or not 2 <= found[0] <= LONGEST_WINDOW:
                continue
            n, spans, unit = found
            axis = self._axis(spans)
            if unit and (not axis.grain or GRAINS.index(unit) > GRAINS.index(axis.grain)):
                axis = self._of_unit(axis, unit)
            rest, period = self._conditions()
            series = self._series(measure, axis, where=joined(rest))
            mean, count = (self._over(name, series, n) for name in ("mean", "count"))
            whole = call("if", call("=", count, val(n)), mean, val(None))
            query = self._of_series(series, whole, period, "moving average")
            yield self._frame(query, "moving", measure, series.uses | spans | {i})

    def _of_unit(self, axis: Axis, unit: str) -> Axis:
        day = self._day(axis)
        grain = cast("FunctionName", unit)
        return Axis(call(grain, day), axis.name, unit, raw=False, spans=axis.spans)

    def _running(self, measure: Measure) -> Iterator[Frame]:
        """Read `running total`."""
        cue = self.cues["running sum"]
        if not cue or self.cues["return"] or not measure.additive:
            return
        axis = self._axis()
        series = self._series(measure, axis, where=self.builder.where)
        query = self._of_series(series, self._over("sum", series), [], "running total")
        yield self._frame(query, "running", measure, series.uses | cue)

    def _changes(self, measure: Measure) -> Iterator[Frame]:
        """Read `year-on-year change` or `month by month growth`."""
        yearly, stepwise = self.cues["year on year"], self.cues["period on period"]
        if self.cues["return"] and not self.builder.cue(*(f"unit {g}" for g in GRAINS)):
            return
        returns = self.cues["return"]
        if not (yearly or stepwise or returns or (self.changed and self.drawn)):
            return
        axis = self._axis(yearly | stepwise)
        if not axis.grain:  # and then by the months that are asked for
            if not any(self._says_months(c) for c in self.reading.conditions):
                return
            axis = self._of_unit(axis, "month")
        back = STEPS[axis.grain].get("year", 1) if yearly else 1
        rest, period = self._conditions()
        series = self._series(measure, axis, where=joined(rest), last=True)
        before = self._over("previous", series, back if back > 1 else None)
        change = percent_change(series.value, before)
        then = self._over("previous", series, back if back > 1 else None, Column(name=axis.name))
        change = self._if_adjacent(change, axis, then, back)
        query = self._of_series(series, change, period, "change %")
        uses = series.uses | yearly | stepwise | self.changed | returns
        yield self._frame(query, "period change", measure, uses)

    def _says_months(self, condition: ReadCondition) -> bool:
        """Return whether the question states the dates as months."""
        words = self.reading.annotation.words
        spans = [self.reading.spans[i] for i in condition.spans]
        tokens = [t for s in spans for t in self.reading.annotation.tokens[s.first : s.last]]
        return condition.kind == "period" and any(
            sense == "unit month" or sense.startswith("month ")
            for token in tokens
            for sense in words.senses_of([token])
        )

    def _if_adjacent(self, made: Expression, axis: Axis, then: Window, back: int) -> Expression:
        """Return a change only if the previous point is in the previous period. If a month is
        missing, the change is empty.
        """
        if axis.grain not in MONTHS:
            return made
        months = val(-back * MONTHS[axis.grain])
        ago = call("month", call("add months", Column(name=axis.name), months))
        return call("if", call("=", call("month", then), ago), made, val(None))

    def _returns(self, measure: Measure) -> Iterator[Frame]:
        """Read `cumulative return of A and B`: how much each of them has grown since the first
        day.
        """
        cue = self.cues["return"]
        ranked = self.builder.cue("rank", "max", "min")
        if not cue or ranked or self.builder.cue(*(f"unit {g}" for g in GRAINS)):
            return
        axis = self._axis()
        series = self._series(measure, axis, where=self.builder.where)
        change = percent_change(series.value, self._over("first", series))
        query = self._of_series(series, change, [], "return %")
        uses = series.uses | cue | self.cues["running sum"]
        named = any(c.kind == "value" for c in self.reading.conditions)
        pinned = named or series.by is not None or self._is_single(axis, None)
        if pinned:
            yield self._frame(query, "return", measure, uses)

    def _returns_by_name(self, measure: Measure) -> Iterator[Frame]:
        """Read `rank the companies by return` or `the 3 with the highest return`."""
        cue, by = self.cues["return"], self._label()
        units = self.builder.cue(*(f"unit {g}" for g in GRAINS))
        if not cue or by is None or not self.reading.dated() or self.cues["running sum"] or units:
            return
        axis = self._axis()
        ends = [agg(name, measure.expression, self._day(axis)) for name in ("last", "first")]
        change = percent_change(*ends)
        ranked = frozenset(self.builder.cue("rank", "max", "min", "descending", "ascending"))
        n, n_uses, least = None, set[int](), bool(self.builder.cue("min", "ascending"))
        for i in self.builder.cue("max", "min"):
            n, n_uses = self.builder.top(i)
        grouped = frozenset(self.builder.cue("group"))
        if not ranked and not grouped:
            return
        query = self.builder.query(
            change,
            where=self.builder.where,
            group=(col(by),),
            order=(Order(by=change, descending=not least),),
            limit=n,
            show=self.bars,
        )
        mentioned = frozenset(i for i, k in self.reading.mentions if k.column.name == by.name)
        uses = cue | ranked | grouped | mentioned | measure.uses | self.cues["running sum"] | n_uses
        yield self._frame(query, "return by name", measure, uses)

    def _forecasts(self, measure: Measure) -> Iterator[Frame]:
        """Read `forecast the output for the next 3 months`."""
        cue = self.cues["forecast"]
        if not cue or self.form == "pie":
            return
        rest, period = self._conditions()
        high = self.reading.annotation.clock.high or self.reading.annotation.clock.today
        ahead = [c for c in period if c.period and c.period.start and c.period.start > high]
        past = [c for c in period if c not in ahead]
        spans = frozenset(i for c in ahead for i in c.spans)
        length = self._horizon(ahead)
        axis = self._axis(spans | (length[2] if length else frozenset()))
        if length is None:
            return
        n, unit, said = length
        steps = n * STEPS.get(axis.grain, {}).get(unit, 0) if unit else n
        if (unit and not steps) or not axis.grain:  # values with irregular dates are summed
            axis = self._of_unit(axis, unit or "month")
            steps = n
        if not 1 <= steps <= LONGEST_FORECAST or (self._name() is not None):
            return
        series = self._series(measure, axis, where=joined([*rest, *past]))
        show = self.line if self.drawn else "table"
        ahead_of = {"forecast": Forecast(periods=steps), "show": show}
        query = series.query.model_copy(update=ahead_of)
        yield self._frame(query, "forecast", measure, series.uses | cue | spans | said)

    def forecast_of(self, series: Query) -> tuple[Query, frozenset[int]] | None:
        """Return the forecast of the number over time that a query shows, using all dates in its
        table, and the words that ask for the forecast. Return None for any other query.
        """
        _, period = self._conditions()
        length, cue = self._horizon(period), self.cues["forecast"]
        if length is None or len(series.group) + len(series.items) != 2:
            return None
        n, unit, said = length
        axis = self._axis(said)
        steps = n * STEPS.get(axis.grain, {}).get(unit, 0) if unit else n
        if not 1 <= steps <= LONGEST_FORECAST:
            return None
        times = {part.name for part in walk(axis.expression) if isinstance(part, Column)}
        kept = [
            part
            for part in parts_of(series.where)
            if not times & {one.name for one in walk(part) if isinstance(one, Column)}
        ]
        ahead: dict[str, object] = {"forecast": Forecast(periods=steps), "where": both(kept)}
        query = series.model_copy(update={**ahead, "order": (), "limit": None, "show": "table"})
        return query, cue | said

    def _horizon(self, ahead: list[ReadCondition]) -> tuple[int, str, frozenset[int]] | None:
        """Return how far into the future the forecast should go: a number, its unit, and the words
        that say this.
        """
        spans, words = self.reading.spans, self.reading.annotation.words
        for c in ahead:
            text = self.reading.annotation.tokens[spans[c.at].first : spans[c.at].last]
            for k, token in enumerate(text):
                number = _number_of(token.text, words.senses_of([token]))
                if number is None:
                    continue
                for end in range(len(text), k + 1, -1):
                    senses = words.senses_of(list(text[k + 1 : end]))
                    unit = next((g for g in GRAINS if f"unit {g}" in senses), "")
                    if unit:
                        return number, unit, frozenset(c.spans)
        for i in self.builder.cue("future", "next"):
            for j in range(i + 1, min(i + 3, len(spans))):
                number = spans[j].number
                if number is None:
                    continue
                used = {i, j}
                unit = ""
                for k in range(j + 1, min(j + 4, len(spans))):
                    unit = next((g for g in GRAINS if spans[k].has(f"unit {g}")), "")
                    if unit or not spans[k].has("stop", "rows", "compound"):
                        used |= {k} if unit else set()
                        break
                    used.add(k)
                return int(number), unit, frozenset(used)
        return None

    def _lines(self, measure: Measure) -> Iterator[Frame]:
        """Read `draw the close of A and B` as one line for each name."""
        if not self.drawn or self.form not in (None, "line"):
            return
        if any(self.cues.values()) or self._name() is None:
            return
        axis = self._axis()
        series = self._series(measure, axis, where=self.builder.where)
        if series.by is None:
            return
        keys = [item.name for item in (*series.query.group, *series.query.items[:2])][:2]
        order = tuple(Order(by=self._key(series.query, str(key))) for key in reversed(keys))
        query = series.query.model_copy(update={"order": order, "show": "line"})
        yield self._frame(query, "lines", measure, series.uses)

    def _gaps(self, measure: Measure) -> Iterator[Frame]:
        """Read `A minus B, day by day`: by how much one name exceeds another at each point in
        time.
        """
        units = self.builder.cue(*(f"unit {g}" for g in GRAINS))
        sides = self._sides()
        if not self.gap or not (units or self.drawn) or sides is None:
            return
        first, second, rest = sides
        axis = self._axis()
        how, spans = self._how(measure, last=False)
        parts = [agg(how, measure.expression, where=c.expression) for c in (first, second)]
        query = Query(
            source=self.builder.source,
            where=joined(rest),
            group=(Item(expression=axis.expression, name=axis.name),),
            items=(Item(expression=call("-", *parts)),),
            show="line",
        )
        yield self._frame(query, "gaps", measure, axis.spans | measure.uses | self.gap | spans)

    def _ratios(self, measures: list[Measure]) -> Iterator[Frame]:
        """Read `GDP divided by CPI over time`."""
        cue = frozenset(self.builder.cue("ratio"))
        units = self.builder.cue(*(f"unit {g}" for g in GRAINS))
        if not cue or len(measures) < 2 or not (self.drawn or units):
            return
        first, second = sorted(measures[:2], key=lambda m: min(m.uses, default=0))
        if first.uses & second.uses or first.expression == second.expression:
            return
        axis = self._axis()
        parts = [agg("sum", m.expression) for m in (first, second)]
        query = Query(
            source=self.builder.source,
            where=self.builder.where,
            group=(Item(expression=axis.expression, name=axis.name),),
            items=(Item(expression=call("/", *parts)),),
            show=self.line,
        )
        uses = axis.spans | cue | first.uses | second.uses | self._spoken("share")
        measure = Measure(first.expression, uses, (first.score + second.score) / 2, additive=False)
        yield self._frame(query, "ratios", measure, uses)

    def _sides(self) -> tuple[ReadCondition, ReadCondition, list[ReadCondition]] | None:
        """Return the two values of one column that are compared, and the other conditions."""
        named = [c for c in self.reading.conditions if c.kind == "value" and c.column]
        if len(named) != 2 or named[0].column != named[1].column:
            return None
        first, second = sorted(named, key=lambda c: c.at)
        return first, second, [c for c in self.reading.conditions if c not in named]

    # groups

    def _of_groups(self) -> Iterator[Frame]:
        """Yield how groups contribute to the total, grow between two times, and correlate."""
        share = frozenset(self.builder.cue("share", "percent"))
        together = frozenset(self.builder.cue("correlation"))
        grown = frozenset(self.builder.cue("change", "moved", "rose"))
        several = self._statistics()
        if not (share or together or grown or several):
            return
        targets = [t for t in self.builder.targets() if t.repeated][:2]
        measures = [m for m in self.builder.measures() if not m.derived]
        for measure in measures[:2] if several else ():
            for target in [*(targets if self.builder.cue("group") else ()), None]:
                yield from self._beside_each_other(measure, target, several)
        grouped = frozenset(self.builder.cue("group")) | self.drawn
        if grouped and share and not grown:
            for target in targets:
                yield from self._shares(target, measures, share | grouped)
        for measure in measures[:2] if grown else ():
            for target in [*(targets if grouped else ()), None]:
                yield from self._growth(measure, target, grown | share)
        if together and grouped:
            for target in targets:
                yield from self._going_together(target, measures, together | grouped)

    def _statistics(self) -> dict[AggregateName, int]:
        """Return the statistics that are asked for together, each with the span of the word for
        it.
        """
        found: dict[AggregateName, int] = {}
        for name in STATISTICS:
            for i in self.builder.cue(name)[:1]:
                if i not in found.values():
                    found[name] = i
        places = sorted(found.values())
        joins = [
            j
            for first, last in pairwise(places)
            for j in range(first + 1, last)
            if self.reading.spans[j].has("and")
        ]
        near = all(last - first <= 3 for first, last in pairwise(places))
        return found if len(found) > 1 and near and len(joins) == len(places) - 1 else {}

    def _beside_each_other(
        self, measure: Measure, target: Target | None, several: dict[AggregateName, int]
    ) -> Iterator[Frame]:
        """Read `mean and median of the output of each plant`."""
        if target is not None and measure.uses & target.uses:
            return
        places = sorted(several.values())
        names = sorted(several, key=lambda name: several[name])
        query = self.builder.query(
            *(agg(name, measure.expression) for name in names),
            where=self.builder.where,
            group=(target.expression,) if target is not None else (),
            show=self.rows if target is not None else "row",
        )
        uses = measure.uses | frozenset(range(places[0], places[-1] + 1))
        if target is not None:
            uses |= target.uses | self._spoken("group")
        more = {"target": target.score} if target is not None else {}
        yield self._frame(query, "several", measure, uses, **more)

    def _shares(
        self, target: Target, measures: list[Measure], cue: frozenset[int]
    ) -> Iterator[Frame]:
        """Read `share of each city in the total revenue`."""
        for measure in [m for m in measures if m.additive][:2]:
            if measure.uses & target.uses:
                continue
            whole = agg("sum", measure.expression)
            made = call("*", Window(name="share", args=(whole,)), val(100))
            order = Order(by=made, descending=not self.builder.cue("ascending"))
            form: Show = self.bars if self.drawn else "table"
            query = self.builder.query(
                made,
                where=self.builder.where,
                group=(target.expression,),
                order=(order,),
                show=form,
            )
            uses = cue | target.uses | measure.uses | self._spoken("sum", "descending", "ascending")
            yield self._frame(query, "shares", measure, uses, target=target.score)

    def _spoken(self, *senses: str) -> frozenset[int]:
        return frozenset(self.builder.cue(*senses))

    def _growth(
        self, measure: Measure, target: Target | None, cue: frozenset[int]
    ) -> Iterator[Frame]:
        """Read `by how many percent did each depot grow from 2023 to 2024`."""
        rest, period = self._conditions()
        ends = self._ends(period)
        if ends is None or (target is not None and measure.uses & target.uses):
            return
        how, spans = self._how(measure, last=False)
        last, first = (agg(how, measure.expression, where=end) for end in reversed(ends))
        part = self._spoken("percent", "share", "change")
        made = percent_change(last, first) if part else call("-", last, first)
        query = self.builder.query(
            made,
            where=joined(rest),
            group=(target.expression,) if target is not None else (),
            order=(Order(by=made, descending=True),) if target is not None else (),
            show=self.rows if target is not None else "value",
        )
        grouped = self._spoken("group") if target is not None else frozenset[int]()
        uses = cue | spans | measure.uses | grouped | (target.uses if target else frozenset())
        uses |= frozenset(self.builder.asks["count"]) | frozenset(self.builder.asks["amount"])
        uses |= self._spoken("difference")
        more = {"target": target.score} if target is not None else {}
        yield self._frame(query, "growth", measure, uses, **more)

    def _ends(self, period: list[ReadCondition]) -> tuple[Expression, Expression] | None:
        """Return the first and last year, month or day of the dates asked for."""
        if len(period) != 1 or period[0].period is None or not self.reading.dated():
            return None
        start, end = period[0].period.start, period[0].period.end
        column = self.reading.table.profile.column(period[0].column)
        if start is None or end is None or column is None:
            return None
        after = end + dt.timedelta(1)
        pairs = [((start, start), (end, end))]
        if start.day == 1 and after.day == 1:
            pairs.insert(
                0, ((start, month_end(start.year, start.month)), ((end.replace(day=1)), end))
            )
        if (start.month, start.day) == (1, 1) == (after.month, after.day):
            first = (start, dt.date(start.year, 12, 31))
            pairs.insert(0, (first, (dt.date(end.year, 1, 1), end)))
        first, last = pairs[0]
        if first[1] >= last[0]:
            return None
        return _between(column, *first), _between(column, *last)

    def _going_together(
        self, target: Target, measures: list[Measure], cue: frozenset[int]
    ) -> Iterator[Frame]:
        """Read `correlation between docks and total parcels across the depots` as a correlation of
        the two numbers of each depot.
        """
        for k, a in enumerate(measures[:3]):
            for b in measures[k + 1 : 3]:
                if a.uses & b.uses or a.expression == b.expression:
                    continue
                names = [getattr(m.expression, "name", "") for m in (a, b)]
                values = [agg(self._each(m), m.expression) for m in (a, b)]
                inner = Query(
                    source=self.builder.source,
                    where=self.builder.where,
                    group=(Item(expression=target.expression),),
                    items=tuple(
                        Item(expression=value, name=name)
                        for value, name in zip(values, names, strict=True)
                    ),
                )
                columns = [Column(name=name) for name in names]
                query = Query(
                    source=inner,
                    items=(Item(expression=agg("correlation", *columns)),),
                    show="value",
                )
                uses = cue | target.uses | a.uses | b.uses | self._spoken("sum", "mean")
                score = (a.score + b.score) / 2
                measure = Measure(a.expression, uses, score, additive=False)
                yield self._frame(query, "correlation", measure, uses, target=target.score)

    def _each(self, measure: Measure) -> AggregateName:
        """Return how a number is aggregated within a group: it is summed if a word before it asks
        for this, and otherwise averaged.
        """
        said = self.builder.cue("sum")
        return "sum" if any(0 < i - j <= 2 for i in measure.uses for j in said) else "mean"

    def _key(self, query: Query, name: str) -> Expression:
        return next(i.expression for i in (*query.group, *query.items) if i.name == name)


def percent_change(value: Expression, before: Expression) -> Expression:
    """Return the percentage by which one value exceeds another."""
    return call("*", call("/", call("-", value, before), before), val(100))


def _between(column: ColumnProfile, start: dt.date, end: dt.date) -> Expression:
    """Return the condition that the value of a column is between two dates, both included."""
    first, last = (Value(value=day.isoformat(), type="date") for day in (start, end))
    return call("and", call(">=", col(column), first), call("<=", col(column), last))


def _number_of(text: str, senses: tuple[str, ...]) -> int | None:
    if text.isdigit():
        return int(text)
    said = next((s for s in senses if s.startswith("number ")), None)
    return int(said.split()[1]) if said else None
