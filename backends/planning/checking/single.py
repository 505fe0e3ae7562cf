"""What of a request the steps of a plan do not serve."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from backends.planning.checking import checks
from backends.planning.checking.offer import Offer, of_steps
from backends.planning.composing.mentions import Said, compounds, form_of, kinds_of, phrases
from backends.planning.composing.time import read_when
from backends.planning.tables import Entity, View, find_entities, plain
from backends.planning.text import CJK

if TYPE_CHECKING:
    from collections.abc import Iterable

    from backends.data.workflow.step import Step


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


CHECKS = (
    checks.undone,
    checks.never,
    checks.unasked,
    checks.order,
    checks.extremes,
    checks.ends,
    checks.values,
    checks.columns,
    checks.unnamed,
    checks.rates,
    checks.bounds,
    checks.days,
    checks.only,
    checks.sought,
    checks.summed,
    checks.weak,
    checks.groups,
    checks.unasked_groups,
    checks.form,
    checks.size,
    checks.amounts,
    checks.lasts,
    checks.mixed,
    checks.percents,
    checks.within,
    checks.sorted_down,
    checks.windows,
    checks.lately,
    checks.shares,
    checks.means,
    checks.several,
    checks.which_grew,
    checks.nouns,
    checks.flags,
    checks.unresolved,
    checks.unsaid,
    checks.hardly,
    checks.written,
    checks.beyond,
)


def doubts_of_steps(question: str, views: list[View], steps: list[Step]) -> list[str]:
    """Return the words of a request that the steps of a plan do not serve."""
    return doubts(read(question, views), of_steps(steps, views))


def doubts(request: Request, offer: Offer) -> list[str]:
    """Return the words of a request that what is done does not serve, each once."""
    return spelled(word for check in CHECKS for word in check(request, offer))


def spelled(words: Iterable[str]) -> list[str]:
    """Return words without the blanks of what is masked, each once."""
    found = [re.sub(r"[\0\s]+", " ", word).strip(" .,;，。；") for word in words]
    return list(dict.fromkeys(word for word in found if word))
