"""Whole readings of a question: an operation on columns under conditions, scored as one.

A reading's score is half the weight of the cue that speaks for its operation (1 to 7), twice the
score of its column (0 to about 1.3), and what its shape adds or takes: +2 to 3 for what the
question asks for by name, -2.5 for one that its words speak against. Only the order matters, and
how far apart the first two are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from backends.understanding.readings.aggregates import (
    aggregate,
    counts,
    distincts,
    extremes,
    groups,
)
from backends.understanding.readings.cells import betweens, latest, lists, look_ups, series
from backends.understanding.readings.compare import differences, shares

if TYPE_CHECKING:
    from collections.abc import Callable

    from backends.understanding.operations import Parts, Reading

__all__ = ["generate"]

BUILDERS: dict[str, Callable[[Parts], list[Reading]]] = {
    "look_up": look_ups,
    "count": counts,
    "distinct": distincts,
    "sum": aggregate("sum"),
    "mean": aggregate("mean"),
    "median": aggregate("median"),
    "highest": extremes("highest"),
    "lowest": extremes("lowest"),
    "difference": differences("absolute"),
    "change": differences("percent"),
    "between": betweens,
    "share": shares,
    "series": series,
    "list": lists,
    "latest": latest,
    "group": groups,
}


def generate(parts: Parts) -> list[Reading]:
    """Return readings, best first, equal ones once."""
    made: list[Reading] = []
    for name, weight in parts.operations.items():
        for reading in BUILDERS[name](parts):
            reading.score += weight / 2
            made.append(reading)
    made.sort(key=lambda r: -r.score)
    seen: set[str] = set()
    return [
        r for r in made if (key := f"{r.interface}{r.arguments}") not in seen and not seen.add(key)
    ]
