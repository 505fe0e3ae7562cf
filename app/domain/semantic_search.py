"""Semantic search: split texts into comparable parts and merge two lists of results."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.domain.conversation import FoundTurn

PART, SHORTEST, MOST = (
    900,
    200,
    8,
)  # characters of a part, from which on one is closed; parts of a text
# of reciprocal rank fusion: how little the first places count for more than those behind them
RANK = 60
BREAK = re.compile(r"\n\s*\n")


@dataclass(frozen=True)
class TurnText:
    """The text of a turn. id: of the text; question: the number of its characters that are the
    question.
    """

    id: int
    text: str
    question: int


@dataclass(frozen=True)
class EmbeddedPart:
    """A part of a text, in characters; vector: its embedding, as 16-bit floats, of length 1."""

    text_id: int
    start: int
    end: int
    vector: bytes = b""


def parts_of(told: TurnText) -> list[EmbeddedPart]:
    """Return the parts of a text to compare: the question, then its answer by paragraphs; of a very
    long answer only the first ones.
    """
    places = [
        told.question,
        *(told.question + m.end() for m in BREAK.finditer(told.text[told.question :])),
    ]
    spans, start = [(0, min(told.question, PART))], told.question
    for place in [*places[1:], len(told.text)]:
        while place - start > PART:
            spans.append((start, start + PART))
            start += PART
        if place - start >= SHORTEST or place == len(told.text):
            spans.append((start, place))
            start = place
    return [EmbeddedPart(told.id, a, b) for a, b in spans if told.text[a:b].strip()][:MOST]


def fused(words: list[FoundTurn], meant: list[FoundTurn], limit: int = 50) -> list[FoundTurn]:
    """Merge results by words and by meaning into one list by reciprocal rank; ties go to words."""
    ranks: dict[tuple[str, str], float] = {}
    known: dict[tuple[str, str], FoundTurn] = {}
    for one, rank in (*ranked(words), *ranked(meant)):
        place = (one.conversation_id, one.turn_id)
        ranks[place] = ranks.get(place, 0.0) + rank
        known[place] = replace(known[place], by="both") if place in known else one
    order = sorted(ranks, key=lambda place: -ranks[place])  # stable: of equals, words first
    return [known[place] for place in order[:limit]]


def by_chat(found: list[FoundTurn]) -> list[FoundTurn]:
    """Return each conversation once, in the order they were found, at the first of its turns that
    was.
    """
    best: dict[str, FoundTurn] = {}
    for one in found:
        known = best.get(one.conversation_id)
        words = one.turn_id and one.by != "meaning"
        if known is None or (words and not known.turn_id):
            best[one.conversation_id] = one  # a title names no place to open; a turn does
    return list(best.values())


def ranked(found: Iterable[FoundTurn]) -> list[tuple[FoundTurn, float]]:
    """Return results with the weight of their rank."""
    return [(one, 1 / (RANK + place)) for place, one in enumerate(found, 1)]
