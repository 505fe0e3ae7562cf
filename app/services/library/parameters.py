"""Parameters of a workflow: what may be one, and where those stood that a changed workflow had
before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.data.editing.changes import at, placed
from app.data.library.entry import places_of
from app.domain.errors import SourceError
from backends.data.workflow.step import PARAMETER

if TYPE_CHECKING:
    from app.data.editing.fields import Path
    from backends.data.workflow.step import Workflow

# Arguments one may want to give anew each time a workflow is run.
GIVEN = frozenset(
    [
        "entities",
        "entity",
        "name",
        "start",
        "end",
        "at",
        "since",
        "n",
        "steps",
        "level",
        "window",
        "lag",
        "fast",
        "slow",
        "signal",
        "second",
        "value",
        "values",
    ]
)
UNGIVEN = frozenset(("columns", "source", "data"))


def offered(workflow: Workflow) -> dict[str, Any]:
    """Return what may become a parameter, by where it stands: days, numbers and texts, but for
    names of tables, earlier results, columns and the like.
    """
    found: dict[str, Any] = {}
    for step in workflow.steps:
        takes = step.arguments.get("data") is not None
        for place, value in places_of(step.arguments, step.id).items():
            names = [part for part in place.split(".")[1:] if not part.isdigit()]
            column = takes and names in (["value"], ["values"])
            if (
                not isinstance(value, dict)
                and not UNGIVEN & set(names)
                and GIVEN & set(names)
                and not column
            ):
                found[place] = value
    return found


def parameters_at(workflow: Workflow) -> dict[str, str]:
    """Return where the parameters of a workflow stand that one gives directly, by their names, as
    `keep` takes them.
    """
    known = {parameter.name for parameter in workflow.parameters}
    found: dict[str, list[str]] = {}
    for step_id, path, name in standing(workflow):
        if name in known:
            found.setdefault(name, []).append(".".join(map(str, (step_id, *path))))
    return {name: ",".join(places) for name, places in found.items()}


def standing(workflow: Workflow) -> list[tuple[str, Path, str]]:
    """Return each place where a parameter stands: its step, its path, and the parameter's name."""
    return [
        (step.id, path_of(place), str(value[PARAMETER]))
        for step in workflow.steps
        for place, value in places_of(step.arguments, step.id).items()
        if isinstance(value, dict)
    ]


def path_of(place: str) -> Path:
    """Return a place such as `result1.entities.0` as a path among its step's arguments."""
    return tuple(int(part) if part.isdigit() else part for part in place.split(".")[1:])


def chosen_again(before: Workflow, changed: Workflow) -> Workflow:
    """Return a changed workflow with the selectors it had before: parameters whose choices stand
    for several values.

    Raises: SourceError where a value was changed that a selector gives.
    """
    filled, known = before.filled({}), {parameter.name for parameter in before.parameters}
    selectors = [parameter for parameter in before.parameters if parameter.binds]
    steps = {step.id: step for step in changed.steps}
    was = {step.id: step for step in filled.steps}
    for step_id, path, name in standing(before):
        if name in known or step_id not in steps:
            continue
        step = steps[step_id]
        if at(step.arguments, path) != at(was[step_id].arguments, path):
            giver = next(
                (p.name for p in selectors if any(name in held for held in p.binds.values())), name
            )
            raise SourceError(
                f"{path[-1]} is given by the choice of {giver}.",
                "Leave it as it was, or keep this under another name.",
            )
        held = placed(step.arguments, path, {PARAMETER: name})
        steps[step_id] = step.model_copy(update={"arguments": held})
    return changed.model_copy(
        update={"steps": [steps[s.id] for s in changed.steps], "parameters": selectors}
    )


def described(before: Workflow, made: Workflow) -> Workflow:
    """Return a workflow whose parameters say and offer what those of the same names did before."""
    old = {parameter.name: parameter for parameter in before.parameters}
    told = [
        p.model_copy(
            update={"description": old[p.name].description, "choices": old[p.name].choices}
        )
        if p.name in old and (not old[p.name].choices or p.default in old[p.name].choices)
        else p
        for p in made.parameters
    ]
    return made.model_copy(update={"parameters": told})
