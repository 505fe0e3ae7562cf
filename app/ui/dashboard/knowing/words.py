"""What is known of a table and its columns, in words."""

from __future__ import annotations

from typing import Any

from app.ui.words import mark, tr

KINDS = (mark("number"), mark("text"), mark("date"), mark("time"), mark("yes or no"))
CELLS, LONG = 6, 40  # of a row that are shown, and characters of each


def facts(told: dict[str, Any]) -> str:
    """Return where a table is from, and how large it is."""
    size = tr("%n rows", "", told["rows"]) + " × " + tr("%n columns", "", len(told["columns"]))
    where = told["table"] or told["path"]
    return "  ·  ".join(
        part for part in (size, where, told["cells"] or "", told["database"] or "") if part
    )


def kind_words(column: dict[str, Any]) -> str:
    """Return of which type a column is, its unit, and what its database calls that."""
    kind = str(column["type"])
    words = tr(kind) if kind in KINDS else kind
    more = [part for part in (column["unit"], column["source_type"]) if part]
    return f"{words} ({', '.join(more)})" if more else words


def held(column: dict[str, Any]) -> str:
    """Return what a column holds: its range, or its values, and how many cells are empty."""
    values = [short(value) for value in column["values"]]
    ends = column["range"]
    told = f"{short(ends[0])} – {short(ends[1])}" if ends else ", ".join(values)
    many = tr("%n different values", "", column["distinct"])
    empty = tr("%n empty", "", column["missing"]) if column["missing"] else ""
    return "; ".join(part for part in (told or many, empty) if part)


def row_words(told: dict[str, Any]) -> str:
    """Return the first and the last row."""
    rows = ((tr("First row: {cells}", cells=cells(told["first_row"]))), tr("Last row: {cells}", cells=cells(told["last_row"])))  # fmt: skip
    return "\n".join(rows)


def cells(row: dict[str, Any]) -> str:
    """Return the first cells of a row."""
    shown = [f"{name} {short(value)}" for name, value in list(row.items())[:CELLS]]
    return ", ".join(shown) + (" …" if len(row) > CELLS else "")


def short(value: object) -> str:
    """Return a value, cut if it is long."""
    text = "" if value is None else f"{value:,.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= LONG else f"{text[: LONG - 1]}…"
