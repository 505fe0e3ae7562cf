"""Show how a question was interpreted, the result, and its sources."""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, Any

from backends.data.compiler import QueryArguments, has_aggregate
from backends.data.number_check import traced
from backends.data.query import Aggregate, Call, Column
from backends.protocol.events import (
    ArtifactEvent,
    CitationEvent,
    CitationsEvent,
    Event,
    MessageChunk,
    StatusUpdate,
)
from backends.query.answer import answer_words, with_heads
from backends.query.describe import messages
from backends.sentences import joined, say

if TYPE_CHECKING:
    from backends.copilot.turn import Interpretation, Understanding
    from backends.data.query import Expression, Query
    from backends.data.values import Result, Scalar
    from backends.protocol.request import FunctionResult, RequestWidget

DIVIDED = ("mean", "median", "standard deviation", "variance")  # they return fractions
MONEY = re.compile(r"[€$£¥元円]|\b(EUR|USD|GBP|CHF|JPY|CNY|RMB)\b")
MOST = 1e12  # from this size on, the decimals of a number are unreliable


def people_in(question: str, language: str) -> str:
    """Return the word for a count, worded for people if the question is about people, otherwise for
    rows.
    """
    words = messages(language)
    asked = re.search(str(words["people asked"]), question, re.IGNORECASE)
    if asked is None:
        return str(words["count"])
    return str(words["count of people"]).format(asked[asked.lastindex or 0].lower())


def confirmed(said: str, query: Query, result: Result, question: str, language: str) -> str:
    """Return an answer that starts with yes or no, if the question asked whether there are such
    rows.
    """
    words = messages(language)
    counted = [item.expression for item in query.items] == [Aggregate(name="count")]
    listed = bool(query.items) and all(isinstance(i.expression, Column) for i in query.items)
    asked = re.search(str(words["yes or no asked"]), question.strip(), re.IGNORECASE)
    if asked is None or query.where is None or query.group or not (counted or listed):
        return said
    there = result.rows[0][0] != 0 if counted else bool(result.rows)
    return str(words["found" if there else "none found"]).format(said)


def told_of(text: str, question: str, language: str) -> str:
    """Return a text in which counts of rows are worded as counts of people, if the question is
    about people.
    """
    rows, people = str(messages(language)["count"]), people_in(question, language)
    return text.replace(rows, people).replace(rows.capitalize(), people.capitalize())


def interpretation(understood: Understanding, question: str = "") -> StatusUpdate:
    """Return the line that shows the interpretation. The details of the line contain the
    alternatives.
    """
    language = understood.language
    readings = [
        one.model_copy(update={"words": [told_of(w, question, language) for w in one.words]})
        for one in understood.readings
    ]
    understood = understood.model_copy(update={"readings": readings})
    first, *others = distinct(understood.readings)
    if understood.decision == "ask":
        others = [first, *others]  # none has been chosen yet
    details: list[dict[str, Any]] = [
        {
            "interpretation": shown(first)
            | {"ignored": understood.ignored, "decision": understood.decision},
            "alternatives": [shown(other) for other in others[:3]],
        }
    ]
    return StatusUpdate("INFO", " · ".join(first.words), details)


def distinct(readings: list[Interpretation]) -> list[Interpretation]:
    """Return interpretations, leaving out those that are worded like an earlier one, because users
    could not distinguish them.
    """
    made: dict[str, Interpretation] = {}
    for reading in readings:
        made.setdefault(" · ".join(reading.words), reading)
    return list(made.values())


def shown(reading: Interpretation) -> dict[str, Any]:
    """Return the data of an interpretation: the terminal shows it, and sends it back if the user
    chooses it.
    """
    return reading.model_dump(exclude={"score"})


def ask_back(understood: Understanding) -> list[Event]:
    """Return the question to the user, with choices."""
    choices = [" · ".join(r.words) for r in distinct(understood.readings)[:3]]
    return [
        MessageChunk("\n".join([understood.back or "", *(f"- {choice}" for choice in choices)]))
    ]


def present(
    reading: Interpretation,
    result: Result,
    widget: RequestWidget | None,
    ignored: list[str],
    language: str,
    question: str = "",
) -> list[Event]:
    """Return the answer as text, its table or chart, and its citations."""
    words = [told_of(word, question, language) for word in reading.words]
    reading = reading.model_copy(update={"words": words})
    known = f"{' '.join(reading.words)} {reading.arguments}"
    asked = QueryArguments.model_validate(reading.arguments).query
    result = legible(asked, with_heads(asked, result, language))
    heads = [told_of(name, question, language) for name in result.columns]
    result = result.model_copy(update={"columns": heads})
    told = told_of(answer_words(asked, result, language), question, language)
    said = traced(told, [result], known, language)
    if not ignored:
        said = confirmed(said, asked, result, question, language)
    events: list[Event] = [MessageChunk(said)]
    if ignored:
        events.append(MessageChunk(not_understood(ignored, language)))
    artifact = as_artifact(reading, result)
    if artifact is not None:
        events.append(artifact)
    cells = result.cells[:1]  # the first of all the cells from which it was computed
    if cells:
        source = {"uuid": result.source, "metadata": {}}
        if widget is not None:
            source |= {"origin": widget.origin, "widget_id": widget.widget_id, "name": widget.name}
        events.append(
            CitationsEvent(
                [
                    CitationEvent(
                        id=str(
                            uuid.uuid5(
                                uuid.NAMESPACE_OID,
                                f"{result.source}:{result.source_hash}:{cell.row}:{cell.column}",
                            )
                        ),
                        widget=source,
                        details=[
                            cell.model_dump() | {"source_hash": result.source_hash} | reach(result)
                        ],
                    )
                    for cell in cells
                ]
            )
        )
    return events


def legible(query: Query, result: Result) -> Result:
    """Return a result in which numbers have fewer decimals.

    Averages, ratios and shares get at most two decimals; below 10, they get three, unless they are
    amounts of money. Values below 1, and numbers taken directly from the data, are not changed.
    """
    items = [*query.group, *query.items]
    if query.forecast is not None or len(items) != len(result.columns):
        return result
    places = {
        at: 2 if MONEY.search(f"{result.columns[at]} {result.unit or ''}") else 3
        for at, item in enumerate(items)
        if is_fraction(item.expression)
    }
    rows = [
        [rounded(value, places[at]) if at in places else value for at, value in enumerate(row)]
        for row in result.rows
    ]
    return result.model_copy(update={"rows": rows})


def is_fraction(expression: Expression) -> bool:
    """Return whether an expression is a fraction computed from several rows."""
    if isinstance(expression, Aggregate):
        return expression.name in DIVIDED
    return isinstance(expression, Call) and has_aggregate(expression)


def rounded(value: Scalar, places: int) -> Scalar:
    """Return a number rounded to at most this many decimals, or to two from 10 on. Halves are
    rounded up; numbers below 1 are unchanged.
    """
    if not isinstance(value, float) or not 1 <= abs(value) < MOST:
        return value
    last = Decimal(1).scaleb(-2 if abs(value) >= 10 else -places)
    return float(Decimal(repr(value)).quantize(last, ROUND_HALF_UP))


def not_understood(words: list[str], language: str) -> str:
    """Return the note that names the words that were ignored."""
    said = ", ".join(words) if language == "en" else "、".join(words)
    notes = {"zh": f"（没有理解：{said}）", "ja": f"（理解できなかった言葉：{said}）"}
    return f"\n\n{notes.get(language, f'*Not taken into account: {said}.*')}"


def reach(result: Result) -> dict[str, Any]:
    """Return the extent of a citation that covers many cells: the last row, the number of cells,
    and the conditions that their rows meet.
    """
    found = result.reach
    if found is None or found.cells < 2:
        return {}
    where = [[one.model_dump(exclude_defaults=True) for one in each] for each in found.where]
    return {"last_row": found.last, "cells": found.cells, "where": where}


def as_artifact(reading: Interpretation, result: Result) -> ArtifactEvent | None:
    """Return the chart that is requested, or a table if there are several rows. Return None for a
    single value.
    """
    if len(result.rows) < 2 or len(result.columns) < 2:
        return None
    name = " · ".join(reading.words)
    made = hashlib.sha256(
        f"{result.source_hash}{result.interface}{reading.arguments}".encode()
    ).hexdigest()[:32]
    show = QueryArguments.model_validate(reading.arguments).query.show
    if show in ("line", "bar"):
        result = side_by_side(result)
    rows = [dict(zip(result.columns, row, strict=True)) for row in result.rows]
    numeric = [
        column
        for at, column in enumerate(result.columns[1:], 1)
        if any(isinstance(row[at], int | float) for row in result.rows)
    ]
    if show in ("line", "bar", "pie", "scatter", "histogram") and numeric:
        form = "bar" if show == "histogram" else show
        chart: dict[str, Any] = {"chartType": form, "xKey": result.columns[0], "yKey": numeric}
        if form == "pie":
            chart = {
                "chartType": form,
                "angleKey": numeric[0],
                "calloutLabelKey": result.columns[0],
            }
        return ArtifactEvent("chart", name, "", made, rows, chart)
    return ArtifactEvent("table", name, "", made, rows, None)


def side_by_side(result: Result) -> Result:
    """Return a result with columns for a time, a name and a number in a form with one column for
    each name, in their order. Any other result is returned unchanged.
    """
    if len(result.columns) != 3 or not all(isinstance(row[1], str) for row in result.rows):
        return result
    names = list(dict.fromkeys(str(row[1]) for row in result.rows))
    times: dict[Scalar, dict[str, Scalar]] = {}
    for time, name, value in result.rows:
        times.setdefault(time, {})[str(name)] = value
    order = sorted(times, key=str)
    rows = [[time, *(times[time].get(name) for name in names)] for time in order]
    return result.model_copy(update={"columns": [result.columns[0], *names], "rows": rows})


def failed(text: str, remedy: str, language: str) -> str:
    """Return a sentence with the failure and the fix, in a given language."""
    return joined(say(text, language), say(remedy, language))


def error_of(returned: FunctionResult, language: str) -> str:
    """Return the sentence for a call that failed."""
    text = returned.texts[0] if returned.texts else "The terminal returned nothing."
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return say(text, language)
    if isinstance(value, dict) and "error" in value:
        return failed(str(value["error"]), str(value.get("remedy", "")), language)
    return say("The terminal returned something that is not the result of a computation.", language)
