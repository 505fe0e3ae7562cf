"""Messages for questions that no query answers: what the table contains and which dates
it covers.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from backends.data.query import Call, Column, Value
from backends.query.annotate import Annotation
from backends.query.describe import messages
from backends.query.lexicon import LONGEST
from backends.query.parser import spoken_words, words_of
from backends.query.reading import parts_of

if TYPE_CHECKING:
    from backends.data.query import Query
    from backends.data.values import ColumnProfile, Profile
    from backends.query.lexicon import Key, Lexicon

COLUMNS = 20  # maximum number of columns that are listed
VALUES = 3  # maximum number of values of a column that are listed
FEW = 1  # maximum number of unread words in a question that is still about the table
HELD = 0.7  # minimum score at which words count as naming a column or value of the table
# senses of the words with which people ask about the data in a table
OF_DATA = (
    *("ask count", "ask amount", "sum", "mean", "median", "share", "group", "list", "rows"),
    *("what about", "those", "correlation", "rank"),
)
BOUNDS = ("=", ">=", "<=", ">", "<")


def asks_about_table(question: str, profile: Profile) -> bool:
    """Return whether a question only asks what a table contains: every word is part of the phrase
    that asks, or names a table.
    """
    words = spoken_words(question, profile)
    tokens = [token.key for token in words.tokens(question) if token.key[0].isalnum()]
    found = set[str]()
    at = 0
    while at < len(tokens):
        size, part = _longest(tuple(tokens[at:]), words)
        if not size:
            return False
        found.add(part)
        at += size
    return found >= {"ask", "table"}


def _longest(keys: Key, words: Lexicon) -> tuple[int, str]:
    """Return how many of the first words ask about a table, and which part of the request they
    form.
    """
    for size in range(min(LONGEST, len(keys)), 0, -1):
        for part, known in words.about.items():
            if keys[:size] in known:
                return size, part
        if {"stop", "of"} & {*words.senses.get(keys[:size], ())}:
            return size, "stop"
    return 0, ""


def table_words(profile: Profile, language: str) -> str:
    """Return a text that states how many rows a table has, and describes the content of at most 20
    columns.
    """
    words = messages(language)
    lines = "\n".join(f"- {_column_words(one, language)}" for one in profile.columns[:COLUMNS])
    more = len(profile.columns) - COLUMNS
    rest = f"\n\n{words['more columns'].format(more)}" if more > 0 else ""
    head = words["about table"].format(profile.name, f"{profile.rows:,}", len(profile.columns))
    return f"{head}\n\n{lines}{rest}"


def _column_words(column: ColumnProfile, language: str) -> str:
    """Return a text with a column's name and its range or most common values."""
    words = messages(language)
    if column.low is not None and column.high is not None:
        return f"**{column.name}**{words['colon']}{column.low} – {column.high}"
    values = words["listed"].join(str(value) for value in column.values[:VALUES])
    more = " …" if values and column.distinct > VALUES else ""
    return f"**{column.name}**{words['colon'] if values else ''}{values}{more}"


def not_found(profile: Profile, unread: tuple[str, ...], language: str) -> str:
    """Return the message that the table does not contain what the words ask for. It lists the
    table's columns.
    """
    words = messages(language)
    names = words["listed"].join(column.name for column in profile.columns[:COLUMNS])
    said = words["listed"].join(unread)
    what = "not found" if unread else "which column"
    return words[what].format(profile.name, names, said)


def is_about(question: str, profile: Profile, unread: tuple[str, ...], today: dt.date) -> bool:
    """Return whether a question that no query answers is about the table, as opposed to
    conversation: it asks for a number, or nearly all its words were understood.
    """
    table = words_of(profile, spoken_words(question, profile))
    spans = Annotation(question, table, today).spans
    if not any(span.columns or span.values or span.period is not None for span in spans):
        return False
    counts = any(span.has("ask count", "ask amount", "sum", "mean", "median") for span in spans)
    return counts or len(unread) <= FEW


def missing_words(question: str, profile: Profile, today: dt.date) -> tuple[str, ...] | None:
    """Return the words of a question that its table does not contain, if the question is
    nevertheless about the table. Otherwise, return None.

    A question is about the table if it contains a word from the table's title, or a symbol such as
    AAPL. It is also about the table if all its words are known and it asks for rows in a certain
    state, such as unpaid.
    """
    table = words_of(profile, spoken_words(question, profile))
    annotation = Annotation(question, table, today)
    named: list[bool] = []
    left: list[str] = []
    for span in annotation.spans:
        tokens = annotation.tokens[span.first : span.last]
        if span.unknown:
            named.append(all(token.key in table.title for token in tokens))
        if (span.unknown and not named[-1]) or span.concepts:
            left.append(span.text)
    asks = any(sense.startswith("ask ") for span in annotation.spans for sense in span.senses)
    states = table.words.relations.get("contraries", {})
    lacks = [s.text for s in annotation.spans if set(s.concepts) & {*states} and not s.columns]
    if not named and asks and lacks:
        return tuple(lacks)
    return tuple(left) if any(named) else None


def holds(text: str, profile: Profile, today: dt.date) -> bool:
    """Return whether a table has a column or a value that the text names."""
    spans = Annotation(text, words_of(profile, spoken_words(text, profile)), today).spans
    links = [link.score for span in spans for link in (*span.columns[:1], *span.values[:1])]
    return max(links, default=0.0) >= HELD


def words_of_data(question: str, profile: Profile, today: dt.date) -> tuple[str, ...] | None:
    """Return the unknown words of a question that has no interpretation but is about data. For any
    other question, return None.

    A question is about data if it names a column, a value, a date or a number, if it asks for a
    number, a list or a chart, or if it follows up on an answer.
    """
    spans = Annotation(question, words_of(profile, spoken_words(question, profile)), today).spans
    about = any(
        any(link.score >= HELD for link in (*span.columns, *span.values))
        or span.period is not None
        or span.number is not None
        or any(sense in OF_DATA or sense.startswith("chart") for sense in span.senses)
        for span in spans
    )
    return tuple(span.text for span in spans if span.unknown) if about else None


def out_of_reach(query: Query, profile: Profile, language: str) -> str | None:
    """Return the message that a query's dates are outside the date range of its table, or None if
    they are not.
    """
    bounds: dict[str, list[tuple[str, dt.date]]] = {}
    for part in parts_of(query.where):
        if not isinstance(part, Call) or part.name not in BOUNDS or len(part.args) != 2:
            continue
        column, value = part.args
        if isinstance(column, Column) and isinstance(value, Value):
            day = _day(value.value)
            if day is not None:
                bounds.setdefault(column.name, []).append((part.name, day))
    for name, held in bounds.items():
        column = profile.column(name)
        low, high = (_day(column.low), _day(column.high)) if column is not None else (None, None)
        if column is None or low is None or high is None:
            continue
        after = any(sign in ("=", ">=", ">") and day > high for sign, day in held)
        before = any(sign in ("=", "<=", "<") and day < low for sign, day in held)
        if after or before:
            return messages(language)["out of reach"].format(
                profile.name,
                column.low,
                column.high,
            )
    return None


def _day(value: object) -> dt.date | None:
    """Return a value as a date; a year is returned as its first day. Return None for anything
    else.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return dt.date(value, 1, 1) if 1000 <= value <= 9999 else None
    try:
        return dt.date.fromisoformat(str(value)[:10])
    except ValueError:
        return None
