"""Repairs a workflow in which a step failed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from backends.data.workflow.step import Step, Workflow


REPAIRS = 2  # maximum number of repairs for one step


def mended(workflow: Workflow, failed: str, error: str) -> Workflow | None:
    """Return the workflow with the cause of a step's failure repaired, or None if this is not
    possible.

    Dates at irregular intervals and several values a day are summed by month. If a report does not
    exist, the most recent one before it is used. A chart with too many lines becomes a bar chart.
    """
    step = next((s for s in workflow.steps if s.id == failed), None)
    if step is None:
        return None
    if step.interface == "forecast" and re.search("not regular|several values", error):
        return with_arguments(workflow, str(step.arguments.get("data")), {"every": "month"})
    if step.interface == "read_cross_section" and step.arguments.get("exact"):
        return with_arguments(workflow, failed, {"exact": None})
    if step.interface == "read_series" and "more than" in error:
        return with_arguments(workflow, failed, {"every": "month"})
    if step.interface == "line" and "more than" in error:
        return replaced(
            workflow, step.model_copy(update={"interface": "bar", "arguments": without(step, "by")})
        )
    return None


def without(step: Step, name: str) -> dict[str, Any]:
    """Return a step's arguments without one of them."""
    return {key: value for key, value in step.arguments.items() if key != name}


def with_arguments(workflow: Workflow, name: str, more: dict[str, Any]) -> Workflow | None:
    """Return the workflow with some arguments of a step changed, or None if nothing changes.
    Arguments that are None are removed.
    """
    step = next((s for s in workflow.steps if s.id == name), None)
    if step is None or step.interface not in ("read_series", "read_cross_section"):
        return None
    made = {key: value for key, value in (step.arguments | more).items() if value is not None}
    if made == step.arguments:
        return None
    return replaced(workflow, step.model_copy(update={"arguments": made}))


def replaced(workflow: Workflow, step: Step) -> Workflow:
    """Return the workflow with a step replaced by another one with the same name."""
    steps = [step if s.id == step.id else s for s in workflow.steps]
    return workflow.model_copy(update={"steps": steps})
