"""What a request names, read for the check of a plan: values, columns of numbers and of text, units
of time, days.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from backends.planning.composing.mentions import form_of, kinds_of, phrases
from backends.planning.composing.said import Said
from backends.planning.composing.time.periods import read_when
from backends.planning.composing.vocabulary import compounds
from backends.planning.tables import Entity, find_entities, plain
from backends.understanding.spans.text import CJK

if TYPE_CHECKING:
    from backends.planning.tables import View


@dataclass(frozen=True)
class Named:
    """Words that may name columns. columns: which ones; sure: how surely, 1 and more by a whole
    name.
    """

    start: int
    end: int
    columns: frozenset[str]
    sure: float


@dataclass(frozen=True)
class Request:
    """A request. text: in one form of each character; bare: the same, blanks where values or
    columns of numbers are named; open: only values are blanks; untimed: days are blanks, too.
    """

    text: str
    open: str
    bare: str
    untimed: str
    views: list[View]
    entities: list[Entity]
    numbers: list[Named]
    kinds: list[Named]

    @property
    def zh(self) -> bool:
        """Whether it was asked in Chinese."""
        return bool(CJK.search(self.text))


def read(question: str, views: list[View]) -> Request:
    """Return what a request about some tables names."""
    text = plain(question)
    entities, _ = find_entities(question, views)
    open_ = text
    for entity in sorted(entities, key=lambda e: -len(e.said)):
        form = (
            re.escape(entity.said)
            if CJK.search(entity.said)
            else rf"(?<![a-z0-9]){re.escape(entity.said)}(?:'s|s)?(?![a-z0-9])"
        )
        open_ = re.sub(form, lambda m: "\0" * len(m[0]), open_)
    numbers = longest(number_names(open_, views))
    kinds = longest(kind_names(open_, views))
    bare = open_
    for one in numbers:
        bare = bare[: one.start] + "\0" * (one.end - one.start) + bare[one.end :]
    timed = Said(bare.replace("\0", " "))
    read_when(timed, dt.date(2026, 1, 1))  # where days stand does not hang on which day it is
    return Request(text, open_, bare, timed.left(), views, entities, numbers, kinds)


def number_names(text: str, views: list[View]) -> list[tuple[int, int, str, float]]:
    """Return where columns of numbers are named."""
    return [
        (*match.span(), column.name, score)
        for view in views
        for column in view.numbers
        for phrase, score in (*phrases(column.name, column.meaning), *compounds(column.name, text))
        if score >= 0.7
        for match in re.finditer(form_of(phrase), text)
    ]


def kind_names(text: str, views: list[View]) -> list[tuple[int, int, str, float]]:
    """Return where columns of text are named by what their values are."""
    return [
        (*match.span(), column.name, score)
        for view in views
        for column in view.texts
        if column.distinct >= 2
        for phrase, score in kinds_of(
            column, view.profile.name if column.distinct == view.profile.rows else "", text
        )
        for match in re.finditer(form_of(phrase), text)
    ]


def longest(found: list[tuple[int, int, str, float]]) -> list[Named]:
    """Return the places that lie in no longer one, each with all columns it may name."""
    kept: list[Named] = []
    for start, end in sorted({(f[0], f[1]) for f in found}, key=lambda p: (p[0] - p[1], p[0])):
        if any(start < k.end and k.start < end for k in kept):
            continue
        within = [f for f in found if start <= f[0] and f[1] <= end]
        here = [f for f in within if (f[0], f[1]) == (start, end)]
        kept.append(Named(start, end, frozenset(f[2] for f in within), max(f[3] for f in here)))
    return sorted(kept, key=lambda k: k.start)
