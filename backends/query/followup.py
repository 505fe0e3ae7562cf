"""Interpret a short follow-up question as a change to the previous question: another value, period,
column or end of the order.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from typing import cast

from backends.data.compiler import walk
from backends.data.query import (
    Aggregate,
    Call,
    Column,
    Expression,
    FunctionName,
    Item,
    Query,
    Show,
    Subquery,
    Value,
)
from backends.query.annotate import Annotation, Embed, Span, TableWords, letters
from backends.query.dates import add_months
from backends.query.frames import FrameBuilder
from backends.query.reading import ReadCondition, SpanReading, agg, both, col, parts_of
from backends.query.transforms import TransformFrames

SURE = 2.0  # score of a change that the words state explicitly
LIKELY = 0.0  # score of a short question that may ask for a change
SHORT = 4  # maximum number of meaningful words in a question without a word that refers back
WHOLE = 8  # maximum number of meaningful words in a question that may be about the previous rows
# how much more likely it is that a question is about the previous rows than about all rows: for a
# question that refers back, for a brief one, and for a full sentence
AND, BRIEF, SENTENCE = 1.5, 0.3, -1.5
NAMELESS = 5.0  # score of a forecast of what was shown if the question names no number
PENALTY = 1.5  # penalty for each word that a change leaves unused
ASKS = ("list", "share", "counts rows")
FEW = 2  # number of values of a yes/no column
COMPUTED = ("mean", "sum", "median", "max", "min")
FORMS: dict[str, Show] = {
    "chart line": "line",
    "chart bar": "bar",
    "chart pie": "pie",
    "chart": "bar",
}
OTHER_END = {"max": "min", "min": "max"}
TABLES: dict[str, Show] = {"table form": "table", "save": "file"}  # the last match counts

Assign = Callable[[Annotation], list[SpanReading]]
Patch = tuple[float, Query, tuple[str, ...]]


def patched(
    question: str,
    tables: list[TableWords],
    previous: Query,
    *,
    today: dt.date,
    embed: Embed | None,
    readings: Assign,
) -> list[Patch]:
    """Return the changes to a query that a question may ask for, with scores and unread words.

    Nothing is returned for a question that is complete.
    """
    made: list[Patch] = []
    for table in tables:
        if table.profile.source != innermost(previous).source:
            continue
        annotation = Annotation(question, table, today, embed)
        base = base_score(annotation.spans)
        if base is None:
            continue
        for reading in readings(annotation):
            made += [
                (base + score, query, left) for score, query, left in patches(reading, previous)
            ]
    return made


def base_score(spans: list[Span]) -> float | None:
    """Return how certainly spans refer back to the previous question, or None if they do not."""
    said = [s for s in spans if s.senses != ("stop",) and any(c.isalnum() for c in s.text)]
    if any(s.has("those", "winner") for s in spans):
        return SURE
    asks = [s for s in said if any(sense.startswith("ask ") for sense in s.senses)]
    if said and said[0].has("what about"):
        return SURE if len(asks) == 0 else LIKELY
    if any(s.has("what about") and not s.has("and") for s in said):
        return SURE
    return LIKELY if not asks and len(said) <= SHORT and not is_sentence(said) else None


def refers(spans: list[Span]) -> bool:
    """Return whether words refer to the previous result: of those, that day, him or her."""
    return any(s.has("those", "winner") for s in spans)


def goes_on(spans: list[Span]) -> float | None:
    """Return how certainly a question is about the rows of the previous one, or None if it is not:
    `and what do they owe`, or a few words that do not form a question by themselves.
    """
    said = [s for s in spans if s.senses != ("stop",) and any(c.isalnum() for c in s.text)]
    if not said or len(said) > WHOLE:
        return None
    if said[0].has("and", "what about") or any(s.has("those", "winner") for s in said):
        return AND
    if len(said) > SHORT:
        return None
    return SENTENCE if is_sentence(said) else BRIEF


def is_sentence(said: list[Span]) -> bool:
    """Return whether spans form a complete question that names its subject: what is the average
    waiting time, which medicine is the most expensive, how many orders in total.
    """
    asks = any(
        span.has(*ASKS) or any(sense.startswith("ask ") for sense in span.senses) for span in said
    )
    computed = any(span.has(*COMPUTED) for span in said)
    return asks and any(_is_subject(span, computed=computed) for span in said)


def _is_subject(span: Span, *, computed: bool) -> bool:
    """Return whether a span names the rows, the thing that each row is about, or a number that is
    computed.
    """
    if any(sense.startswith("ask ") for sense in span.senses):
        return False
    column = span.columns[0].column if span.columns else None
    if column is None or column.kind == "number":
        return (computed and column is not None) or (column is None and span.has("rows"))
    return span.has("rows") or (column.kind == "text" and column.distinct > FEW)


def within(query: Query, previous: Query) -> Query | None:
    """Return a query restricted to the rows of the previous one, or None if this changes nothing.
    Its own conditions replace the previous query's conditions on the same columns.
    """
    if not isinstance(query.source, str) or query.source != previous.source:
        return None
    own = parts_of(query.where)
    named = {name for part in own for name in columns_of(part)}
    kept = [part for part in parts_of(previous.where) if not columns_of(part) & named]
    return query.model_copy(update={"where": both([*kept, *own])}) if kept else None


def of_found(query: Query, previous: Query) -> Query | None:
    """Return a query about the result of the previous question: its rows, or the first of them.

    Return None if neither question has conditions, or if the query reads anything but the table of
    the previous one.
    """
    if not isinstance(query.source, str) or query.source != previous.source:
        return None
    parts = [*parts_of(previous.where)]
    won = winner(previous)
    if won is not None:
        parts.append(won)
    parts += [part for part in parts_of(query.where) if part not in parts]
    return query.model_copy(update={"where": both(parts)}) if parts else None


def winner(previous: Query) -> Expression | None:
    """Return the condition that a row belongs to the first group or row of the result, or None if
    the previous query does not ask for the first one.
    """
    if previous.limit != 1 or not previous.order:
        return None
    named = previous.group[0] if previous.group else previous.items[0] if previous.items else None
    if named is None:
        return None
    if previous.group:
        first = previous.model_copy(update={"group": (named,), "items": (), "ties": False})
    else:
        first = previous.model_copy(update={"items": (named,), "ties": False})
    return Call(name="=", args=(named.expression, Subquery(query=first)))


def patches(reading: SpanReading, previous: Query) -> Iterator[Patch]:
    """Yield the changes to a query that one interpretation of a follow-up question may ask for."""
    spans = reading.spans
    conditions = reading.conditions
    narrows = any(s.has("those") for s in spans)
    counted = reading.sense("ask count", "count")
    measures = [(i, link.column) for i, link in reading.mentions if link.column.kind == "number"]
    left = unread(reading, {i for c in conditions for i in c.spans})
    fine = -PENALTY * len(left)
    if forms := [*other_forms(reading, previous)]:
        yield from forms
        return
    yield from forecasts(reading, previous)
    if isinstance(previous.source, Query):
        if conditions:
            yield fine + 0.5, with_conditions(previous, conditions), left
        return
    if reading.sense("winner") and previous.limit == 1 and not previous.group:
        for _, link in reading.mentions:
            if all(link.column.name != name for name in names(previous.items)):
                items = (Item(expression=col(link.column)),)
                yield (
                    0.5 + link.score,
                    previous.model_copy(update={"items": items, "show": "row"}),
                    (),
                )
        dates = [c for c in reading.dated() if reading.sense("ask when")]
        if dates:
            items = (Item(expression=col(dates[0])),)
            yield 0.5, previous.model_copy(update={"items": items, "show": "row"}), ()
    beside = reading.sense("before", "after", "previous", "next")
    for i in beside if not conditions else []:
        near = [
            j for j in (i - 1, i - 2, i + 1, i + 2) if 0 <= j < len(spans) and has_unit(spans[j])
        ]
        sign = -1 if spans[i].has("before", "previous") else 1
        moved = shifted(previous, sign) if near else None
        if moved is not None:
            yield 1.0, moved, ()
    if conditions and narrows:
        where = both([*parts_of(previous.where), *(c.expression for c in conditions)])
        narrowed = previous.model_copy(update={"where": where})
        if counted and not counts(previous):
            narrowed = Query(
                source=previous.source,
                where=where,
                items=(Item(expression=agg("count")),),
                show="value",
            )
        yield fine, narrowed, left
        return
    for end in reading.sense("max", "min"):
        descending = spans[end].has("max")
        flipped = other_end(previous, descending=descending)
        if flipped is not None and not conditions:
            yield fine, flipped, left
    if conditions:
        changed = replaced(previous, conditions)
        yield fine, changed, left
        if measures:
            yield fine - 0.3, with_measure(changed, measures[0][1].name), left
    elif measures:
        _, column = measures[0]
        if column.name not in numbers_of(previous, reading):
            aside = tuple(text for text in left if text != spans[measures[0][0]].text)
            yield (
                -PENALTY * len(aside),
                with_measure(previous, column.name, numbers_of(previous, reading)),
                aside,
            )
    targets = [t for t in FrameBuilder(reading).targets() if t.repeated and t.column]
    if not conditions and not measures and targets and previous.group:
        group = (Item(expression=targets[0].expression),)
        yield fine - 0.2, previous.model_copy(update={"group": group}), left


def innermost(query: Query) -> Query:
    """Return the innermost query, which reads the table."""
    while isinstance(query.source, Query):
        query = query.source
    return query


def with_conditions(previous: Query, conditions: list[ReadCondition]) -> Query:
    """Return a query with other conditions. In a nested query, conditions on dates are put where
    there already are conditions, and the others where the table is read.
    """
    if not isinstance(previous.source, Query):
        return replaced(previous, conditions)
    here = [c for c in conditions if c.kind == "period" and previous.where is not None]
    rest = [c for c in conditions if c not in here]
    made = replaced(previous, here) if here else previous
    source = with_conditions(previous.source, rest) if rest else previous.source
    return made.model_copy(update={"source": source})


def other_forms(reading: SpanReading, previous: Query) -> Iterator[Patch]:
    """Yield the previous query as a table or a saved file, and, if it returns several numbers, as a
    chart.
    """
    forms = FORMS | TABLES if charts(previous) else TABLES
    said = [(form, spans) for sense, form in forms.items() if (spans := reading.sense(sense))]
    asked = [form for form, _ in said]
    if not asked or reading.conditions or reading.sense("forecast"):
        return
    used = {i for _, spans in said for i in spans}
    used |= set(reading.sense("chart", "list", "those", "winner", "what about", "and"))
    left = unread(reading, used)
    left += tuple(link.column.name for i, link in reading.mentions if i not in used)
    yield 1.0 - PENALTY * len(left), previous.model_copy(update={"show": asked[-1]}), left


def forecasts(reading: SpanReading, previous: Query) -> Iterator[Patch]:
    """Yield the forecast of the series that the previous query shows."""
    named = any(link.column.kind == "number" for _, link in reading.mentions)
    if named or not reading.sense("forecast"):
        return
    found = TransformFrames(FrameBuilder(reading)).forecast_of(innermost(previous))
    if found is not None:
        query, used = found
        left = unread(reading, set(used))
        yield NAMELESS - PENALTY * len(left), query, left


def charts(query: Query) -> bool:
    """Return whether a query gives several numbers along an axis, so that a chart can show them."""
    along = [*query.group, *query.items]
    return len(along) > 1 and bool(query.group or query.limit != 1)


def has_unit(span: Span) -> bool:
    """Return whether a span is a calendar unit: a day, week, month, quarter or year."""
    return any(span.has(f"unit {unit}") for unit in ("day", "week", "month", "quarter", "year"))


def shifted(previous: Query, sign: int) -> Query | None:
    """Return a query whose period is moved by its own length, or None if it has no complete period.

    sign: -1 for the period before, 1 for the period after.
    """
    ends: dict[str, tuple[Expression, dt.date]] = {}
    kept: list[Expression] = []
    for part in parts_of(previous.where):
        held = part.args[1] if isinstance(part, Call) and len(part.args) == 2 else None
        if (
            isinstance(part, Call)
            and part.name in (">=", "<=", "=")
            and isinstance(held, Value)
            and held.type == "date"
        ):
            ends[part.name] = (part.args[0], dt.date.fromisoformat(str(held.value)))
        else:
            kept.append(part)
    if "=" in ends:
        ends = {">=": ends["="], "<=": ends["="]}
    if len(ends) != 2 or ends[">="][0] != ends["<="][0]:
        return None
    column, start = ends[">="]
    day = dt.timedelta(1)
    after = ends["<="][1] + day
    if start.day == after.day == 1:  # whole months are moved to whole months
        months = sign * ((after.year - start.year) * 12 + after.month - start.month)
        start, after = add_months(start, months), add_months(after, months)
    else:
        length = sign * (after - start)
        start, after = start + length, after + length
    bounds = ((">=", start), ("<=", after - day))
    moved = [
        Call(
            name=cast("FunctionName", sense),
            args=(column, Value(value=bound.isoformat(), type="date")),
        )
        for sense, bound in bounds
    ]
    return previous.model_copy(update={"where": both([*kept, *moved])})


def counts(query: Query) -> bool:
    """Return whether a query counts rows or distinct values."""
    asked = query.items[0].expression if len(query.items) == 1 and not query.group else None
    return isinstance(asked, Aggregate) and asked.name in ("count", "distinct")


def unread(reading: SpanReading, used: set[int]) -> tuple[str, ...]:
    """Return the words of a follow-up question that no condition uses and that may be important."""
    found: list[str] = []
    named = reading.words_of_values(used)
    for i, span in enumerate(reading.spans):
        if i in used or not any(c.isalnum() for c in span.text) or letters(span.text) in named:
            continue
        role = reading.choices[i].role
        if role in ("unknown", "value", "date", "number", "clock") or (
            role == "sense" and span.has("not", "except")
        ):
            found.append(span.text)
    return tuple(found)


def replaced(previous: Query, conditions: list[ReadCondition]) -> Query:
    """Return a query with new conditions in place of those on the same columns."""
    named = {name for c in conditions for name in columns_of(c.expression)}
    compared = aggregates_with(previous, named)
    if compared:  # if one side of a comparison changes, the others stay
        return previous.model_copy(
            update={"where": both([*parts_of(previous.where), *(c.expression for c in conditions)])}
        )
    kept = [part for part in parts_of(previous.where) if not columns_of(part) & named]
    where = both([*kept, *(c.expression for c in conditions)])
    return previous.model_copy(update={"where": where})


def aggregates_with(query: Query, named: set[str]) -> bool:
    """Return whether an aggregate counts only rows that meet a condition on some of these
    columns.
    """
    for item in query.items:
        for part in walk(item.expression):
            if (
                isinstance(part, Aggregate)
                and part.where is not None
                and columns_of(part.where) & named
            ):
                return True
    return False


def other_end(query: Query, *, descending: bool) -> Query | None:
    """Return a query for the highest as one for the lowest, or the reverse. Return None if the
    query asks for neither.
    """
    if query.order and query.limit is not None and query.order[0].descending != descending:
        first = query.order[0].model_copy(update={"descending": descending})
        return query.model_copy(update={"order": (first, *query.order[1:])})
    wanted = "max" if descending else "min"
    if len(query.items) == 1 and isinstance(query.items[0].expression, Aggregate):
        held = query.items[0].expression
        if held.name in OTHER_END and held.name != wanted:
            item = query.items[0].model_copy(
                update={"expression": held.model_copy(update={"name": wanted})}
            )
            return query.model_copy(update={"items": (item,)})
    return None


def with_measure(query: Query, name: str, numbers: set[str] | None = None) -> Query:
    """Return a query in which its own number column is replaced by a different one."""
    old = (
        numbers
        if numbers is not None
        else {n for item in query.items for n in columns_of(item.expression)}
    )
    return cast("Query", exchanged(query, old, name))


def exchanged(part: object, old: set[str], new: str) -> object:
    """Return a part of a query in which some columns are replaced by a single other one."""
    if isinstance(part, Column):
        return Column(name=new, source=part.source) if part.name in old else part
    if isinstance(part, Query | Aggregate | Call | Item) or hasattr(part, "model_copy"):
        fields = type(part).model_fields  # type: ignore[union-attr]
        changed = {name: exchanged(getattr(part, name), old, new) for name in fields}
        return part.model_copy(update=changed)  # type: ignore[union-attr]
    if isinstance(part, tuple):
        return tuple(exchanged(one, old, new) for one in cast("tuple[object, ...]", part))
    return part


def numbers_of(query: Query, reading: SpanReading) -> set[str]:
    """Return the number columns that a query uses."""
    numeric = {c.name for c in reading.table.profile.columns if c.kind == "number"}
    found = {n for item in (*query.items, *query.group) for n in columns_of(item.expression)}
    found |= {n for key in query.order for n in columns_of(key.by)}
    found |= columns_of(query.where) if query.where is not None else set()
    return found & numeric


def names(items: tuple[Item, ...]) -> list[str]:
    """Return the columns that items show unchanged."""
    return [item.expression.name for item in items if isinstance(item.expression, Column)]


def columns_of(expression: Expression) -> set[str]:
    """Return the columns used in an expression."""
    return {part.name for part in walk(expression) if isinstance(part, Column)}
