"""What else a step that failed could be: the same with one argument left out or another, and
nothing lost that was asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backends.data.steps import STEPS
from backends.planning.checking.offer import of_steps
from backends.planning.checking.verdict import doubts
from backends.planning.choosing.choice import Option
from backends.planning.choosing.closed import ways

if TYPE_CHECKING:
    from collections.abc import Iterator

    from backends.data.workflow.step import Step, Workflow
    from backends.planning.choosing.ground import Ground

EMPTY = "No row meets these conditions."
MOST = 7  # that a model is shown
TAKEN = ("data", "left", "right", "charts", "source")  # what a step is of stays as it is
SAID = (
    "start",
    "end",
    "at",
    "since",
    "entities",
    "entity",
    "steps",
    "name",
)  # and what bounds it, which was asked for


def variants(
    workflow: Workflow, failed: str, error: str, ground: Ground
) -> list[tuple[Option, Workflow]]:
    """Return a few other forms of a step that failed, each with its workflow: such as serve all the
    workflow serves.

    Where no row was found, only another condition can find some.
    """
    step = next((s for s in workflow.steps if s.id == failed), None)
    if step is None or step.interface not in STEPS:
        return []
    views = ground.request.views
    before = set(doubts(ground.request, of_steps(workflow.steps, views)))
    found: list[tuple[Option, Workflow]] = []
    empty = error == EMPTY
    for arguments in changed(step, ground):
        if empty and arguments.get("where") == step.arguments.get("where"):
            continue
        steps = [
            s.model_copy(update={"arguments": arguments}) if s.id == failed else s
            for s in workflow.steps
        ]
        if set(doubts(ground.request, of_steps(steps, views))) <= before:
            option = Option(step.interface, arguments, frozenset(), 0.0)
            found.append((option, workflow.model_copy(update={"steps": steps})))
        if len(found) == MOST:
            break
    return found


def changed(step: Step, ground: Ground) -> Iterator[dict[str, Any]]:
    """Yield the arguments of a step with one of them left out, a condition less, or another value
    that is possible here.
    """
    fields = STEPS[step.interface].arguments.model_fields
    for name, value in step.arguments.items():
        if name == "where" and isinstance(value, list):
            for n in range(len(value)):
                less = [one for at, one in enumerate(value) if at != n]
                yield {
                    k: v
                    for k, v in (step.arguments | {"where": less}).items()
                    if k != "where" or less
                }
        elif name not in (*TAKEN, *SAID) and name in fields and not fields[name].is_required():
            yield {k: v for k, v in step.arguments.items() if k != name}
    for way in ways(ground):
        taken = {k: v[0] for k, v in way.arguments.items() if k in TAKEN}
        if way.interface != step.interface or any(
            step.arguments.get(k) != v for k, v in taken.items()
        ):
            continue
        for name, known in way.arguments.items():
            if name in step.arguments and name not in (*TAKEN, *SAID, "where"):
                yield from (
                    step.arguments | {name: v}
                    for v in known
                    if v not in (None, step.arguments[name])
                )
