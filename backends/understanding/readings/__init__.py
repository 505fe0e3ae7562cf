"""Whole readings of a question: an operation on columns under conditions, scored as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backends.understanding.readings.aggregates import aggregate, counts, distincts, groups
from backends.understanding.readings.cells import latest, lists, look_ups, series
from backends.understanding.readings.compare import differences, shares
from backends.understanding.readings.extremes import extremes

if TYPE_CHECKING:
    from collections.abc import Callable

    from backends.understanding.parts import Parts, Reading

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
    return [r for r in made if (key := f"{r.interface}{r.arguments}") not in seen and not seen.add(key)]
