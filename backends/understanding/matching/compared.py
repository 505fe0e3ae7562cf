"""Which column of numbers a comparison in a question is about."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.understanding.matching.names import means, named
from backends.understanding.spans.text import name_words, stem
from backends.understanding.spans.units import MONEY, unit_held, unit_said

if TYPE_CHECKING:
    from backends.data.values import ColumnProfile
    from backends.understanding.matching.match import Match
    from backends.understanding.parts import Parts
    from backends.understanding.spans.numbers import Comparison
    from backends.understanding.spans.text import Question

WORD = re.compile(r"[^\W\u3400-\u9fff]+|[\u3400-\u9fff]")
NOTHING = re.compile(r"\s*(?:(?:of|in|for|the|on|worth of) )*")


# comparatives that say nothing of what is compared
WIDE = {
    "higher",
    "lower",
    "larger",
    "bigger",
    "smaller",
    "greater",
    "better",
    "newer",
    "over",
    "under",
    "fewer",
    "number",
    "either",
    "after",
    "later",
}
A_MONTH = re.compile(r" ?(?:a|per|each|every) month\b| monthly\b")
MONTHLY = re.compile(r"month|pcm|rent", re.IGNORECASE)
FAR = 40  # characters from which on a name stands too far off to be the one compared


def compared(question: Question, parts: Parts, comparison: Comparison) -> list[ColumnProfile]:
    """Return the column a comparison is about; two for "in both maths and English"."""
    able = [m for m in parts.matches if m.column.role == "measure"]
    near = [m for m in able if m.score >= 0.42 and m.places]
    both = in_both(question, near, comparison)
    if both:
        return [m.column for m in both]
    near.sort(key=lambda m: distance(question, m, comparison))
    by_unit = of_unit(able, comparison)
    best = by_words(question, able, comparison) or near or by_name(able, comparison)
    best = best or [m for m in able if m.score >= 0.3] or (by_unit if len(by_unit) == 1 else [])
    far = not near or (
        near[0] not in by_unit and min(abs(p - comparison.start) for p in near[0].places) > FAR
    )
    of_money = unit_said(comparison.unit) in MONEY and not any(m in by_unit for m in best[:1])
    if (len(by_unit) == 1 and far) or (by_unit and of_money):
        best = by_unit
    best = best or (able if len(able) == 1 else [])
    return [best[0].column] if best else []


def of_unit(able: list[Match], comparison: Comparison) -> list[Match]:
    """Return the columns that count in the unit said."""
    unit = unit_said(comparison.unit) if comparison.unit else None
    return [m for m in able if unit and unit_held(m.column) == unit]


def in_both(question: Question, near: list[Match], comparison: Comparison) -> list[Match]:
    """Return the two columns of "over 90 in both maths and English"."""
    end = comparison.end
    after = re.search(r"\b(?:in |for )?both ([^,.?]+)", question.lower[end:])
    if after is None:
        return []
    inside = [m for m in near if any(end <= p < end + after.end() for p in m.places)]
    if len(inside) != 2:
        return []
    question.take(end + after.start(), end + after.start(1), "")
    return inside


def distance(question: Question, match: Match, comparison: Comparison) -> tuple[float, float]:
    """Return how far from a comparison a column is named: behind it, the next words count most."""
    start, end = comparison.start, comparison.end
    gaps: list[float] = []
    for place in match.places:
        if place >= end:
            between = question.lower[end:place]
            close = 0.0 if NOTHING.fullmatch(between) else 1.5 * (place - end)
            gaps.append(
                close + 15.0 * bool(re.search(r"[,;，、；]|\b(?:and|or|but)\b|和|且", between))
            )
        else:
            word = WORD.match(question.lower, place)
            gaps.append(float(max(0, start - (word.end() if word else place))))
    return (min(gaps), -match.score)


def by_words(question: Question, able: list[Match], comparison: Comparison) -> list[Match]:
    """Return the column the words of the comparison mean: the age of "older than 60", the rent of
    "1,000 a month".
    """
    monthly = [
        m
        for m in able
        if A_MONTH.match(question.lower[comparison.end :]) and MONTHLY.search(m.column.name)
    ]
    if len(monthly) == 1:
        return monthly
    said = set(re.findall(r"[a-z]+er\b", question.lower[comparison.start : comparison.end])) - WIDE
    return [
        m for m in able if any(means(w, words) >= 0.6 for w in said for words in named(m.column))
    ][:1]


def by_name(able: list[Match], comparison: Comparison) -> list[Match]:
    """Return the columns called as what is counted: the points of "95 points or better"."""
    unit = stem(comparison.unit) if comparison.unit else ""
    return [m for m in able if unit and unit in {stem(w) for w in name_words(m.column.name)}]
