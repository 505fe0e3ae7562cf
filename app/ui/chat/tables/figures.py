"""Long figures of a table as people read them: cut alike down a column; the whole value is kept beside."""

from __future__ import annotations

import math
import re

PLAIN_NUMBER = re.compile(r"^-?\d+(\.\d+)?([eE][-+]?\d+)?$")
UNGROUPED = re.compile(
    r"(^|_|\b)(year|id|code|no|number|symbol|zip|phone)s?($|_|\b)|年|代码|编号|コード",
    re.IGNORECASE,
)
SMALL, LARGE = 1.0, 100.0


def figures(name: str, cells: list[str]) -> list[str]:
    """Return the cells of a column as they are shown; a column that holds anything but numbers is as it was.

    name: of the column; one that ends with % has two decimals, years and codes are not grouped.
    """
    full = [cell for cell in cells if cell.strip()]
    if (
        not full
        or not all(PLAIN_NUMBER.match(cell.strip()) for cell in full)
        or UNGROUPED.search(name)
    ):
        return cells
    numbers = [float(cell) for cell in full]
    if any(
        len(cell.lstrip("-").partition(".")[0]) > 1 and cell.lstrip("-")[0] == "0" for cell in full
    ):
        return cells  # a code with leading zeros
    places = decimals(name, numbers, max(written(cell) for cell in full))
    return [shown(float(cell), places) if cell.strip() else cell for cell in cells]


def shown(number: float, places: int) -> str:
    """Return a number with so many decimals, thousands grouped."""
    text = f"{number:,.{places}f}"
    return text.lstrip("-") if not text.strip("-0.,") else text


def written(cell: str) -> int:
    """Return how many decimals a number is written with; many for one with an exponent."""
    return 99 if "e" in cell.lower() else len(cell.strip().partition(".")[2])


def decimals(name: str, numbers: list[float], most: int) -> int:
    """Return how many decimals a column needs: those it has, as far as they can be read."""
    top = max(map(abs, numbers))
    if name.strip().endswith("%") or top >= LARGE:
        places = 2
    elif top >= SMALL:
        places = 3
    else:
        places = 3 - math.floor(math.log10(top)) if top else 0
    return min(places, most)
