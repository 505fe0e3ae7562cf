"""Whether a plan does no more than one operation on one table does: that one cites its cells, so it goes first."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backends.kernel.workflow.step import Workflow
    from backends.planning.cues import Wanted
    from backends.understanding import Reading, Understanding

# Steps that such an operation does, too, unless a chart or a file is asked for.
STEPS = frozenset(
    [
        "read_series",
        "read_rows",
        "read_cross_section",
        "summarise",
        "select",
        "rank",
        "read_value",
        "show_table",
        "bar",
        "line",
        "growth",
        "combine",
        "rename",
        "unpivot",
        "mean_median",
    ]
)
ONE_NUMBER = (
    "count",
    "difference",
    "distinct",
    "share",
)  # interfaces that give it whatever rows a plan shows
MANY_ROWS = ("list_rows", "series")


def is_simple(workflow: Workflow, wanted: Wanted, tables: int) -> bool:
    """Tell whether one operation on one table may do as well. tables: how many were attached."""
    if tables != 1 or len(workflow.sources()) > 1 or wanted.form is not None:
        return False
    if wanted.has("draw", "trend", "save") or (wanted.has("mean") and wanted.has("median")):
        return False
    return {step.interface for step in workflow.steps} <= STEPS


def is_enough(understood: Understanding, workflow: Workflow) -> bool:
    """Tell whether one operation answers a request for which there is a simple plan: all words were understood, and it
    gives as many rows as the plan does."""
    if understood.decision == "ask":
        return not understood.readings  # it says what the table does not have
    if understood.decision == "talk" or understood.ignored:
        return False
    first = understood.readings[0]
    ranks = [int(step.arguments.get("n") or 0) for step in workflow.steps if step.interface == "rank"]
    if first.interface in ONE_NUMBER:
        return max(ranks, default=0) <= 1
    one = any(step.interface == "read_value" for step in workflow.steps) or ranks == [1]
    return gives_many(first) != one


def gives_many(reading: Reading) -> bool:
    """Tell whether an operation gives several rows."""
    n = reading.arguments.get("n")
    if reading.interface == "group":
        return n != 1
    return reading.interface in MANY_ROWS or (reading.interface == "extreme" and (n or 1) > 1)
