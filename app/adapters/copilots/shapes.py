"""Give what a copilot sent the shapes the terminal counts on; what has another shape is left out."""

from __future__ import annotations

from typing import Any


def chart_of(raw: object) -> dict[str, Any] | None:
    """Return how an artifact is drawn: names of columns for x and y; None if it says no such thing."""
    if not isinstance(raw, dict) or not isinstance(raw.get("xKey"), str):
        return None
    named = raw.get("yKey")
    return raw | {"yKey": [key for key in named if isinstance(key, str)] if isinstance(named, list) else []}


def details_of(raw: object) -> list[Any]:
    """Return the details of a status; the reading in the first of them has words, or is left out."""
    details = list(raw) if isinstance(raw, list) else []
    if details and isinstance(details[0], dict) and "interpretation" in details[0]:
        details[0] = interpretation_of(details[0])
    return details


def interpretation_of(raw: dict[str, Any]) -> dict[str, Any]:
    """Return what was understood and its alternatives; without a reading, the rest of the detail."""
    rest = {k: v for k, v in raw.items() if k not in ("interpretation", "alternatives")}
    if (shown := reading_of(raw["interpretation"])) is None:
        return rest
    others = raw.get("alternatives")
    made = [reading_of(other) for other in others] if isinstance(others, list) else []
    return rest | {"interpretation": shown, "alternatives": [other for other in made if other is not None]}


def reading_of(raw: object) -> dict[str, Any] | None:
    """Return a reading whose words, and whose words that were not understood, are lists of text."""
    if not isinstance(raw, dict):
        return None
    return raw | {"words": texts(raw.get("words")), "ignored": texts(raw.get("ignored"))}


def texts(raw: object) -> list[str]:
    """Return the texts of a list."""
    return [text for text in raw if isinstance(text, str)] if isinstance(raw, list) else []
