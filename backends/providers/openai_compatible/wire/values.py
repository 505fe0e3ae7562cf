"""Values out of JSON that a stranger sent."""

from __future__ import annotations

from typing import Any


def rows_of(answer: dict[str, Any], *names: str) -> list[dict[str, Any]]:
    """Return the list of objects under the first of the names an answer has; empty for none."""
    for name in names:
        rows: Any = answer.get(name)
        if isinstance(rows, list) and all(isinstance(row, dict) for row in rows):
            return rows
    return []


def number(value: Any) -> int | None:
    """Return a count a server told; None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def noted(answer: dict[str, Any]) -> list[str]:
    """Return what another Deskpilot says beside its values; nothing for every other server."""
    note = answer.get("note")
    return [note] if isinstance(note, str) and note else []
