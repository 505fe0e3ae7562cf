"""Put the answer into words: the value, its unit, what it measures, and when. Every number comes
from the result.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING

from backends.data.compiler import has_aggregate
from backends.data.presentation import label, show, table
from backends.data.query import Aggregate, Call, Column, Query, Value, Window
from backends.query.describe import (
    computed_of,
    condition_words,
    end_words,
    measure_words,
    messages,
)

if TYPE_CHECKING:
    from backends.data.query import Expression, Item
    from backends.data.values import Result, Scalar

LISTED = 50  # maximum number of values of one column that are listed in a sentence
DAY = re.compile(r"\d{4}-\d\d-\d\d")
ENGLISH = messages("en")
PARTS_OF_TIME = (
    *("year", "quarter", "month", "week", "day", "weekday", "month of year"),
    *("weekday name", "month name", "quarter of year"),
)
COUNTED = ("count", "distinct", "sum", "mean", "median")  # aggregates whose results cannot be years


def answer_words(query: Query, result: Result, language: str) -> str:
    """Return the answer as Markdown. In it, `[1]` marks the first cell that is cited."""
    words = messages(language)
    mark = " [1]" if result.cells else ""
    conditions = condition_words(query, language)
    of = words["of"].format(words["comma"].join(conditions)) if conditions else ""
    measure = measure_words(query, language)
    rows = result.rows
    if query.forecast is not None:
        ahead = words["forecast"].format(query.forecast.periods)
        measure = measure_words(query.model_copy(update={"items": query.items[-1:]}), language)
        head = words["answer rows"].format(sentence(measure, language), of, mark, ahead)
        told_rows = f"{head}\n\n{table(result, [1, 2, 3, 4])}"
        return f"{told_rows}\n\n{words['save']}" if query.show == "file" else told_rows
    if len(rows) == 1 and len(rows[0]) == 1:
        value = told(rows[0][0], result.unit, asked(query), language)
        return words["answer"].format(sentence(measure, language), of, value, mark)
    if query.group and query.items and query.order and query.limit == 1:
        return winners(query, result, language, of, mark)
    if len(rows) == 1 and not has_measure(query):
        return one_row(query, result, language, of, mark)
    if query.show == "line" and (told_lines := runs(query, result, language, of, mark)):
        return told_lines
    if len(result.columns) == 1:
        listed = [told(row[0], None, asked(query), language) for row in rows[:LISTED]]
        more = [words["more"].format(show(len(rows) - LISTED))] if len(rows) > LISTED else []
        every = words["comma"].join([*listed, *more])
        return words["answer list"].format(sentence(measure, language), of, mark, every)
    counted = words["row matched" if result.matched == 1 else "rows matched"].format(
        show(result.matched)
    )
    head = words["answer rows"].format(sentence(measure, language), of, mark, counted)
    computed = [at for at, item in enumerate([*query.group, *query.items]) if is_counted(item)]
    told_rows = f"{head}\n\n{table(localised(query, result, language), computed)}"
    return f"{told_rows}\n\n{words['save']}" if query.show == "file" else told_rows


def runs(query: Query, result: Result, language: str, of: str, mark: str) -> str:
    """Return how a number developed over time, from its first value to its last, for each name. For
    any other result, return an empty string.
    """
    words = messages(language)
    if len(result.columns) not in (2, 3):
        return ""
    lines: dict[Scalar, list[tuple[Scalar, Scalar]]] = {}
    for time, *name, value in result.rows:
        if isinstance(value, int | float):
            lines.setdefault(name[0] if name else None, []).append((time, value))
    if not lines or any(len(points) < 2 for points in lines.values()):
        return ""
    measure = measure_words(query.model_copy(update={"items": query.items[-1:]}), language)
    axis = (*query.group, *query.items)[0].expression
    made: list[str] = []
    for name, points in lines.items():
        (start, first), (end, last) = points[0], points[-1]
        ends = [
            told(first, result.unit, asked(query), language),
            told(start, None, axis, language),
            told(last, result.unit, asked(query), language),
            told(end, None, axis, language),
        ]
        what = sentence(measure, language) if name is None else f"{name}{words['colon']}{measure}"
        made.append(words["answer range"].format(what, of, *ends, mark if not made else ""))
    return "\n\n".join(made)


def winners(query: Query, result: Result, language: str, of: str, mark: str) -> str:
    """Return the group or groups that come first."""
    words = messages(language)
    measure = end_words(query, language)
    named = query.group[0].expression
    labels = [told(row[0], None, named, language) for row in result.rows]
    value = told(result.rows[0][-1], result.unit, query.items[-1].expression, language)
    if len(labels) == 1:
        return words["answer winner"].format(labels[0], measure, of, value, mark)
    return words["answer winners"].format(words["comma"].join(labels), measure, of, value, mark)


def one_row(query: Query, result: Result, language: str, of: str, mark: str) -> str:
    """Return the cells of one row. The first is in bold, and the others follow it."""
    words = messages(language)
    first, *rest = result.rows[0]
    expressions = [item.expression for item in query.items] or [None] * len(result.columns)
    head = told(first, None, expressions[0], language)
    beside = [
        f"{column} {told(value, None, expression, language)}"
        for column, value, expression in zip(
            result.columns[1:], rest, expressions[1:], strict=False
        )
        if value is not None
    ]
    tail = words["comma"].join(beside)
    aside = f"{words['comma']}{tail}" if tail else ""
    return words["answer label"].format(head, aside, f"{of}{mark}")


def localised(query: Query, result: Result, language: str) -> Result:
    """Return a result in which weekdays and months are written in the given language."""
    items = [] if query.forecast is not None else [*query.group, *query.items]
    rows = [
        [
            told(value, None, item.expression, language) if is_named(item.expression) else value
            for value, item in zip(row, items, strict=False)
        ]
        for row in result.rows
    ]
    return result.model_copy(update={"rows": rows}) if items else result


def with_heads(query: Query, result: Result, language: str) -> Result:
    """Return a result in which computed columns have headings in the user's language, such as
    Average salary.
    """
    if query.forecast is not None:
        heads = [result.columns[0], *messages(language)["forecast heads"]]
        return result.model_copy(update={"columns": heads})
    items = [*query.group, *query.items]
    computed = computed_of(query.source)
    if len(items) != len(result.columns):
        return result
    alone = query.model_copy(update={"group": (), "order": (), "limit": None, "distinct": False})
    heads = [
        sentence(measure_words(alone.model_copy(update={"items": (item,)}), language), language)
        if has_aggregate(item.expression)
        or isinstance(item.expression, Window)
        or is_part_of_time(item.expression)
        or (item.name is not None and not isinstance(item.expression, Column) and not query.group)
        or (isinstance(item.expression, Column) and item.expression.name in computed)
        else column
        for item, column in zip(items, result.columns, strict=True)
    ]
    return result.model_copy(update={"columns": heads}) if len({*heads}) == len(heads) else result


def is_part_of_time(expression: Expression) -> bool:
    """Return whether an expression is a part of a date column, such as the year or month."""
    return (
        isinstance(expression, Call)
        and expression.name in PARTS_OF_TIME
        and all(isinstance(one, Column | Value) for one in expression.args)
    )


def asked(query: Query) -> Expression | None:
    """Return the expression of the last column of the result."""
    return query.items[-1].expression if query.items else None


def is_counted(item: Item) -> bool:
    """Return whether a column consists of counts, sums or similar numbers, so that these cannot be
    years.
    """
    made = item.expression
    return isinstance(made, Aggregate) and made.name in COUNTED


def has_measure(query: Query) -> bool:
    """Return whether a query aggregates over rows."""
    return any(has_aggregate(item.expression) for item in query.items)


def is_named(expression: Expression | None) -> bool:
    """Return whether an expression returns weekdays or months, either as names or as numbers."""
    return isinstance(expression, Call) and expression.name in (
        *("weekday", "weekday name", "month name", "month of year", "month"),
    )


def told(value: Scalar, unit: str | None, expression: Expression | None, language: str) -> str:
    """Return a value as people would read it: days and months are given by name, thousands are
    grouped, and the unit is added.
    """
    words = messages(language)
    if isinstance(expression, Call):
        if expression.name in ("weekday", "weekday name") and value is not None:
            place = ENGLISH["weekdays"].index(value) if isinstance(value, str) else int(value) - 1
            return str(words["weekdays"][place])
        if expression.name in ("month name", "month of year") and value is not None:
            place = ENGLISH["months"].index(value) if isinstance(value, str) else int(value) - 1
            return str(words["months"][place])
        if expression.name == "month" and isinstance(value, str) and DAY.match(value):
            day = dt.date.fromisoformat(value[:10])
            month = words["months"][day.month - 1]
            return str(words["period month"]).format(day.year, "", month)
        if expression.name == "calendar year":
            return str(value)
    if isinstance(expression, Column | Aggregate) and isinstance(value, int):
        return label(value) if isinstance(expression, Column) else show(value, unit)
    return show(value, unit)


def sentence(text: str, language: str) -> str:
    """Return a text with its first letter capitalised, if the language uses capital letters."""
    return text[:1].upper() + text[1:] if language == "en" else text
