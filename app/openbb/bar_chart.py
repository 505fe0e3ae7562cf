"""Bar charts in an answer: the order of the bars, whether they are horizontal, and the height they
need.
"""

from __future__ import annotations

import calendar
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.domain.events import Artifact

ISO = re.compile(r"\d{4}-\d\d-\d\d")
ROOM = 640  # width of the column of answers, in pixels
# pixels of a small letter, of a wide one, and of the value axis
LETTER, WIDE_LETTER, AXIS = 6.5, 11.5, 60
# pixels of a horizontal bar, and of each one beside it; the most bars drawn this way
BAR, BESIDE, MOST_LYING = 24, 14, 40
ORDERED = re.compile(r"\d|[一二三四五六七八九十]月|星期|周[一二三四五六日]|[月火水木金土日]曜")
CALENDAR = {
    name.lower()
    for names in (calendar.month_name, calendar.month_abbr, calendar.day_name, calendar.day_abbr)
    for name in names
}


def largest_first(chart: dict[str, Any], rows: list[Any]) -> list[Any]:
    """Return the rows of a bar chart with the largest value first, since categories have no order
    of their own.

    Rows that are already sorted by value keep their order, and so do days, months and numbered
    names.
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
    """Return whether names have no order of their own: no days, no months, nothing numbered."""
    return all(
        isinstance(name, str) and not ORDERED.search(name) and name.lower() not in CALENDAR
        for name in names
    )


def lies(chart: dict[str, Any], rows: list[Any]) -> bool:
    """Return whether the bars of a chart are horizontal, which they are if their names are too long
    to stand beside each other.
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
    """Return the height of a chart in an answer, in pixels; horizontal bars get the height they
    need.

    scale: the text size factor. least: the height of other charts.
    """
    chart, rows = artifact.chart or {}, artifact.content
    if not isinstance(rows, list) or not lies(chart, rows):
        return least
    beside = BESIDE * (len(chart.get("yKey") or []) - 1)
    return max(least, round((len(rows) * (BAR + beside) + AXIS) * scale))
