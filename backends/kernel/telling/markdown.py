"""A result as a table in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backends.kernel.workflow.numbers import show

if TYPE_CHECKING:
    from backends.kernel import Result, Scalar

ROWS = 20  # that are shown


def label(value: Scalar) -> str:
    """Return a label; a year is not grouped in thousands."""
    return str(value) if isinstance(value, int) and 1000 <= value <= 2200 else show(value)


def table(result: Result) -> str:
    """Return the first rows as a Markdown table."""
    head = "| " + " | ".join(escape(c) for c in result.columns) + " |"
    line = "|" + "|".join("---:" if is_number(result, i) else "---" for i in range(len(result.columns))) + "|"
    body = ["| " + " | ".join(escape(label(v)) for v in row) + " |" for row in result.rows[:ROWS]]
    return "\n".join([head, line, *body])


def is_number(result: Result, column: int) -> bool:
    """Tell whether a column of a result holds numbers."""
    return bool(result.rows) and isinstance(result.rows[0][column], int | float)


def escape(text: str) -> str:
    """Return text that cannot break out of a table's cell."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
