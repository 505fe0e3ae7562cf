"""Whether a plan does no more than one operation on one table does: that one cites its cells, so it
goes first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from backends.data.workflow.step import Workflow
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
SHARES = frozenset(
    ["merge", "compute"]
)  # further steps of one number that one operation tells as a share
SHARE = re.compile(r"\b(?:shares?|percent(?:age)?|proportion|fraction)\b|占|比重|份额")
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
    used = {step.interface for step in workflow.steps}
    if "read_value" in used and SHARE.search(workflow.description.lower()):
        used -= SHARES
    return used <= STEPS


def is_share(understood: Understanding) -> bool:
    """Tell whether one operation that tells a share was understood; of a part that one column
    makes: a day beside it restricts the whole as well.
    """
    if not understood.readings or understood.readings[0].interface != "share":
        return False
    return len({one_column(c) for c in understood.readings[0].arguments.get("part") or []}) <= 1


def one_column(condition: Any) -> str:
    """Return the column of a condition."""
    return str(condition["column"] if isinstance(condition, dict) else condition.column)  # type: ignore[index]


def is_enough(understood: Understanding, workflow: Workflow) -> bool:
    """Tell whether one operation answers a request for which there is a simple plan: all words were
    understood, and it gives as many rows as the plan does.
    """
    if understood.decision == "ask":
        return not understood.readings  # it says what the table does not have
    if understood.decision == "talk" or understood.ignored:
        return False
    first = understood.readings[0]
    ranks = [
        int(step.arguments.get("n") or 0) for step in workflow.steps if step.interface == "rank"
    ]
    if first.interface == "share" and not is_share(understood):
        return False
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
