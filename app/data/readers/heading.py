"""Which row of a spreadsheet names the columns: what stands above it is a title, a date of the day, nothing."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SOUGHT = 20  # rows; a heading further down is that of a second table
WIDE = 0.6  # of the columns that hold anything: a heading names most of them
NUMBER = re.compile(r"[-+(]?[€$£¥]?\s*\d[\d.,\s'’]*\s*[%€$£¥]?\)?")
DATE = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}\b.*")
YEAR = re.compile(r"(1[89]|20)\d\d")


def heading(rows: Iterable[Sequence[str]]) -> int:
    """Return which row names the columns; 0 unless what stands above another one is plainly no heading.

    A row of titles fills hardly a cell, the row below all of them fills most, with words (or years) that differ.
    """
    first = [[cell.strip() for cell in row] for row in islice(rows, SOUGHT)]
    width = max((len(filled(row)) for row in first), default=0)
    few = max(1, width // 3)
    if width < 2 or not first or not is_title(first[0], few):
        return 0
    for i, row in enumerate(first[:-1]):
        if is_heading(row, width):
            return i if width > 2 or any(map(tells, first[i + 1 :])) else 0
        if not is_title(row, few):
            return 0
    return 0


def filled(row: list[str]) -> list[str]:
    """Return the cells that hold anything."""
    return [cell for cell in row if cell]


def is_title(row: list[str], few: int) -> bool:
    """Tell whether a row holds at most a few cells, from its left; ",value" is the heading of a numbered table."""
    cells = filled(row)
    return not cells or (len(cells) <= few and bool(row[0]))


def is_heading(row: list[str], width: int) -> bool:
    """Tell whether a row names columns: most of them, each another, none by a number or a day."""
    cells = filled(row)
    names = [cell for cell in cells if not YEAR.fullmatch(cell)]
    each = len(set(cells)) == len(cells) >= max(2, WIDE * width)
    return each and bool(names) and not tells(names)


def tells(row: list[str]) -> bool:
    """Tell whether a row holds a number or a day, as rows of data do."""
    return any(NUMBER.fullmatch(cell) or DATE.fullmatch(cell) for cell in row)
