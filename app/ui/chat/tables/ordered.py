"""The rows of a table in an answer: put in an order, and written to be copied or saved."""

from __future__ import annotations

import csv
import html
import io
import re
from typing import NamedTuple

NUMBER = re.compile(r"^\s*([-+−]?)[$€£¥]?([\d,.\u2009\u202f ]*\d)\s?(%|[A-Za-z]{1,3})?\s*$")
CELLS = re.compile(r"(?<!\\)\|")
WHOLE, COLUMNS = (
    500,
    12,
)  # rows and columns of a table that are shown at most; all are copied and saved
TIMES = {"k": 1e3, "m": 1e6, "mn": 1e6, "b": 1e9, "bn": 1e9, "t": 1e12, "tn": 1e12}


class Order(NamedTuple):
    """Which column rows are ordered by, and which end comes first."""

    column: int
    descending: bool = False


class View(NamedTuple):
    """How a table is looked at: in which order, all of it or its first rows, long figures as they are or cut."""

    order: Order | None = None
    whole: bool = False
    cut: bool = False


PLAIN = View()


def cells_of(line: str) -> list[str]:
    """Return the cells of a row of Markdown, as they are written."""
    line = line.strip().removeprefix("|")
    cells = CELLS.split(line)
    return [
        cell.strip() for cell in (cells[:-1] if len(cells) > 1 and not cells[-1].strip() else cells)
    ]


def shortened(source: str, view: View, rows: int) -> str:
    """Return of a table what is shown, in its order: at most so many rows, or `WHOLE`, and the first columns.

    A table that is not larger than that is left as it is.
    """
    lines = source.rstrip("\n").split("\n")
    most = WHOLE if view.whole else rows
    width = len(cells_of(lines[0]))
    if len(lines) - 2 <= most and width <= COLUMNS:
        return source
    body = lines[2:]
    if view.order is not None:
        body = [body[n] for n in ranks([cells_of(line) for line in body], view.order)]
    kept = [*lines[:2], *body[:most]]
    if width <= COLUMNS:
        return "\n".join(kept)
    return "\n".join(f"| {' | '.join(cells_of(line)[:COLUMNS])} |" for line in kept)


def turned(order: Order | None, column: int) -> Order | None:
    """Return the order after a press on a column's head: upwards, downwards, as it came."""
    if order is None or order.column != column:
        return Order(column)
    return None if order.descending else Order(column, descending=True)


def ranks(rows: list[list[str]], order: Order | None) -> list[int]:
    """Return the numbers of rows in an order: numbers by size, then words; what is empty stays last."""
    places = list(range(len(rows)))
    if order is None:
        return places
    keys = [key_of(row[order.column] if order.column < len(row) else "") for row in rows]
    full, empty = [n for n in places if keys[n][0] < 2], [n for n in places if keys[n][0] == 2]
    return sorted(full, key=lambda n: keys[n], reverse=order.descending) + empty


def key_of(text: str) -> tuple[int, float, str]:
    """Return what a cell is ordered by."""
    text = text.strip()
    if not text:
        return 2, 0.0, ""
    found = NUMBER.match(text)
    if found is None:
        return 1, 0.0, text.casefold()
    digits = re.sub(r"[,\u2009\u202f ]", "", found[2])
    if digits.count(".") > 1:  # a date or a version
        return 1, 0.0, text.casefold()
    sign = -1 if found[1] in ("-", "−") else 1
    return 0, sign * float(digits) * TIMES.get((found[3] or "").lower(), 1), ""


def as_tabs(rows: list[list[str]]) -> str:
    """Return rows with tabs between the cells, as spreadsheets take them."""
    return "\n".join("\t".join(" ".join(cell.split()) for cell in row) for row in rows)


def as_csv(rows: list[list[str]]) -> str:
    """Return rows as CSV."""
    held = io.StringIO()
    csv.writer(held).writerows(rows)
    return held.getvalue()


def as_html(rows: list[list[str]]) -> str:
    """Return rows as a table of HTML, the head first."""
    made = [
        "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row)
        for tag, row in zip(["th", *["td"] * (len(rows) - 1)], rows, strict=True)
    ]
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in made) + "</table>"
