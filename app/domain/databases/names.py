"""Names of columns that a table may have, and text in SQL."""

from __future__ import annotations


def unique(header: list[str]) -> list[str]:
    """Return column names that are neither empty nor the same, each on one line."""
    names: list[str] = []
    for i, raw in enumerate(header):
        name = " ".join(raw.removeprefix("\ufeff").split()) or f"column {i + 1}"
        made, n = name, 2
        while made.lower() in {other.lower() for other in names}:
            made, n = f"{name} {n}", n + 1
        names.append(made)
    return names


def literal(text: str) -> str:
    """Return text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def quote(name: str) -> str:
    """Return an identifier as SQL."""
    return '"' + name.replace('"', '""') + '"'
