"""Semantic search: splits texts into comparable parts and merges two lists of results."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.domain.conversation import FoundTurn

# maximum characters in a part; minimum length at which a part may end; maximum parts in a text
PART, SHORTEST, MOST = 900, 200, 8
# the constant of reciprocal rank fusion: a larger constant favours the first places less
RANK = 60
BREAK = re.compile(r"\n\s*\n")


@dataclass(frozen=True)
class TurnText:
    """The text of a turn. id: the id of the text. question: how many of its characters belong to
    the question.
    """

    id: int
    text: str
    question: int


@dataclass(frozen=True)
class EmbeddedPart:
    """A part of a text, as positions in characters. vector: its embedding, as 16-bit floats,
    normalized to length 1.
    """

    text_id: int
    start: int
    end: int
    vector: bytes = b""


def parts_of(told: TurnText) -> list[EmbeddedPart]:
    """Return the parts of a text to compare: first the question, then the paragraphs of its answer.
    Only the first parts of a very long answer are returned.
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
    """Merge results by keyword and by meaning into one list by reciprocal rank; among equally
    ranked results, those found by keyword come first.
    """
    ranks: dict[tuple[str, str], float] = {}
    known: dict[tuple[str, str], FoundTurn] = {}
    for one, rank in (*ranked(words), *ranked(meant)):
        place = (one.conversation_id, one.turn_id)
        ranks[place] = ranks.get(place, 0.0) + rank
        known[place] = replace(known[place], by="both") if place in known else one
    # the sort is stable, so keyword results come first among equals
    order = sorted(ranks, key=lambda place: -ranks[place])
    return [known[place] for place in order[:limit]]


def by_chat(found: list[FoundTurn]) -> list[FoundTurn]:
    """Return each conversation once, in the order in which they were found, represented by the
    first of its turns that was found.
    """
    best: dict[str, FoundTurn] = {}
    for one in found:
        known = best.get(one.conversation_id)
        words = one.turn_id and one.by != "meaning"
        if known is None or (words and not known.turn_id):
            # a title does not lead to a place in the chat, but a turn does
            best[one.conversation_id] = one
    return list(best.values())


def ranked(found: Iterable[FoundTurn]) -> list[tuple[FoundTurn, float]]:
    """Return results with weights that correspond to their ranks."""
    return [(one, 1 / (RANK + place)) for place, one in enumerate(found, 1)]
