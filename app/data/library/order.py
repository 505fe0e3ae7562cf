"""Whether what a workflow's SELECTs give hangs on the order in which rows happen to stand: SQL promises none."""

from __future__ import annotations

from math import isclose
from typing import TYPE_CHECKING, Any

from backends.data.errors import Interrupted, KernelError
from backends.data.table import ORDINAL, Table
from backends.data.workflow.designed import SELECT
from backends.data.workflow.desk import Desk
from backends.data.workflow.output import Frame
from backends.data.workflow.run import one

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.data.sources import Sources
    from backends.data.workflow.step import Step, Workflow

BACKWARDS, MIXED = f"{ORDINAL} DESC", f"hash({ORDINAL})"


def by_luck(workflow: Workflow, sources: Sources) -> bool:
    """Tell whether a SELECT of a workflow, its parameters filled in, gives other rows if those it reads stand otherwise.

    In which order it gives them is no matter; what is computed in another order may differ in its last digits.
    Raises: KernelError of a SELECT that cannot be run; Interrupted.
    """
    for step in workflow.steps:
        if step.interface == SELECT and step.each is None:
            known = rows_of(step, lambda uid: sources.source(uid).table)
            for order in (BACKWARDS, MIXED):
                try:
                    other = rows_of(
                        step, lambda uid, order=order: standing(sources.source(uid).table, order)
                    )
                except Interrupted:
                    raise
                except KernelError:
                    return True
                if not alike(known, other):
                    return True
    return False


def standing(table: Table, order: str) -> Table:
    """Return a table whose rows stand in another order."""
    moved = f"row_number() OVER (ORDER BY {order}, {ORDINAL}) - 1 AS {ORDINAL}"
    relation = f"(SELECT * REPLACE ({moved}) FROM {table.relation})"
    return Table(table.connection, relation, table.columns, table.source, table.hash)


def rows_of(step: Step, source: Callable[[str], Table]) -> list[tuple[Any, ...]]:
    """Return what a SELECT gives.

    Raises: KernelError.
    """
    desk = Desk(source)
    try:
        made = one(desk, step)
        assert isinstance(made, Frame)
        return made.table.rows(0, made.table.count())
    finally:
        desk.close()


def alike(some: list[tuple[Any, ...]], others: list[tuple[Any, ...]]) -> bool:
    """Tell whether two results hold the same rows, in any order."""
    if len(some) != len(others):
        return False
    return all(map(same_row, sorted(some, key=rough), sorted(others, key=rough)))


def rough(row: tuple[Any, ...]) -> list[str]:
    """Return what rows are put in order by: their numbers without the last digits."""
    return [f"{cell:.9g}" if isinstance(cell, float) else repr(cell) for cell in row]


def same_row(row: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Tell whether two rows hold the same, numbers up to their last digits."""
    return all(map(same_cell, row, other))


def same_cell(cell: object, other: object) -> bool:
    """Tell whether two cells hold the same; what is no number is as itself."""
    if isinstance(cell, float) and isinstance(other, float):
        return isclose(cell, other, rel_tol=1e-9, abs_tol=1e-12) or (
            cell != cell and other != other
        )
    return cell == other
