"""Bars of an answer: their order, whether they lie, and the height they need."""

from __future__ import annotations

import calendar
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.domain.events import Artifact

ISO = re.compile(r"\d{4}-\d\d-\d\d")
ROOM = 640  # pixels of the column of answers
LETTER, WIDE_LETTER, AXIS = 6.5, 11.5, 60  # pixels of a small letter, and of the axis of values
BAR, BESIDE, MOST_LYING = 24, 14, 40  # pixels of a bar that lies, and of each beside it; bars
ORDERED = re.compile(r"\d|[一二三四五六七八九十]月|星期|周[一二三四五六日]|[月火水木金土日]曜")
CALENDAR = {
    name.lower()
    for names in (calendar.month_name, calendar.month_abbr, calendar.day_name, calendar.day_abbr)
    for name in names
}


def largest_first(chart: dict[str, Any], rows: list[Any]) -> list[Any]:
    """Return the rows of a bar chart, the largest first: categories have no order of their own.

    Rows that are sorted by the value, and days, months and what is numbered, stay as they are.
    """
    keys = chart.get("yKey") or []
    names = [row.get(chart["xKey"]) for row in rows if isinstance(row, dict)]
    values = [row.get(keys[0]) for row in rows if isinstance(row, dict)] if len(keys) == 1 else []
    numbers = [value for value in values if isinstance(value, int | float)]
    known = len(numbers) == len(rows) > 0
    if not known or not is_category(names) or numbers in (sorted(numbers), sorted(numbers)[::-1]):
        return rows
    return sorted(rows, key=lambda row: row[keys[0]], reverse=True)


def is_category(names: list[Any]) -> bool:
    """Return whether names are without an order: no days, months, or anything numbered."""
    return all(
        isinstance(name, str) and not ORDERED.search(name) and name.lower() not in CALENDAR
        for name in names
    )


def lies(chart: dict[str, Any], rows: list[Any]) -> bool:
    """Return whether the bars of a chart lie: their names are too long to stand beside each
    other.
    """
    if chart.get("chartType") != "bar" or not chart.get("xKey"):
        return False
    held = [row.get(chart["xKey"]) for row in rows if isinstance(row, dict)]
    names = [name for name in held if isinstance(name, str)]
    if len(names) < len(held) or not 0 < len(names) <= MOST_LYING:
        return False
    widest = max(sum(WIDE_LETTER if ord(c) > 0x2E7F else LETTER for c in name) for name in names)
    dated = all(ISO.match(name) for name in names)
    return not dated and widest > (ROOM - AXIS) / len(names)


def height_of(artifact: Artifact, scale: float, least: int) -> int:
    """Return the height of a chart in an answer, in pixels: bars that lie take what they need.

    scale: of its words. least: what other charts have.
    """
    chart, rows = artifact.chart or {}, artifact.content
    if not isinstance(rows, list) or not lies(chart, rows):
        return least
    beside = BESIDE * (len(chart.get("yKey") or []) - 1)
    return max(least, round((len(rows) * (BAR + beside) + AXIS) * scale))
