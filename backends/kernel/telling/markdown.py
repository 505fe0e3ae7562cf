"""Tables in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backends.kernel.workflow.numbers import show

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from backends.kernel import Result, Scalar

ROWS = 20  # that are shown


def label(value: Scalar) -> str:
    """Return a label; a year is not grouped in thousands."""
    return str(value) if isinstance(value, int) and 1000 <= value <= 2200 else show(value)


def table(result: Result) -> str:
    """Return the first rows of a result; numbers stand at the right."""
    numbers = [at for at in range(len(result.columns)) if is_number(result, at)]
    return written(
        result.columns, [[label(value) for value in row] for row in result.rows[:ROWS]], numbers
    )


def written(
    columns: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int] = ()
) -> str:
    """Return a table. right: the places of the columns whose cells stand at the right."""
    rule = "|".join("---:" if at in right else "---" for at in range(len(columns)))
    head, *body = ("| " + " | ".join(map(escape, row)) + " |" for row in (columns, *rows))
    return "\n".join([head, f"|{rule}|", *body])


def is_number(result: Result, column: int) -> bool:
    """Tell whether a column of a result holds numbers."""
    return bool(result.rows) and isinstance(result.rows[0][column], int | float)


def escape(text: str) -> str:
    """Return text that cannot break out of a table's cell."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
