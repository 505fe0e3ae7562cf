"""Which column of numbers is computed with, of those a question speaks of."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backends.understanding.matching.match import Match
    from backends.understanding.parts import Parts

SPOKEN = 0.6  # the score from which on a column was said rather than guessed
DOUBTED = 0.5


def measures(parts: Parts) -> list[Match]:
    """Return the columns of numbers, best first, those behind others whose words mean something
    else here.
    """
    able = [
        m for m in parts.matches if m.column.role == "measure" and m.column.name not in parts.held
    ]
    able = beside(able, said_of_groups(parts))
    others = any(m.score >= SPOKEN and m.column.name not in parts.restricted for m in able)
    asked = parts.asks_for
    if asked is None or not others:
        return able if not others else [compared(m, parts) for m in able]
    if asked.role != "measure":
        able = beside(
            able, next((set(m.places) for m in parts.matches if m.column is asked), set[int]())
        )
    return [m if m.column is asked else compared(m, parts) for m in able]


def said_of_groups(parts: Parts) -> set[int]:
    """Return where groups are named: "the median total for guests from Canada" says no number of
    guests.
    """
    return {
        p for m in parts.matches if m.column.role == "category" and m.score >= 1.0 for p in m.places
    }


def beside(able: list[Match], taken: set[int]) -> list[Match]:
    """Return the columns, those only meant by words that mean another one behind the rest."""
    if not any(m.score >= SPOKEN and not set(m.places) <= taken for m in able):
        return able
    made = [
        replace(m, score=min(m.score, DOUBTED)) if m.places and set(m.places) <= taken else m
        for m in able
    ]
    return sorted(made, key=lambda m: -m.score)


def compared(match: Match, parts: Parts) -> Match:
    """Return a column lowered that was said once, in a comparison: the bill in "usage when the bill
    went over 100".
    """
    if match.column.name in parts.restricted and len(match.places) == 1:
        return replace(match, score=match.score - 0.8)
    return match
