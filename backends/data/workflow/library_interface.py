"""The interfaces in the library: workflows with parameters, which steps can use by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

from pydantic import BaseModel

from backends.data.errors import WrongArguments
from backends.data.steps import STEPS
from backends.data.values import Scalar
from backends.data.workflow.interface import Class
from backends.data.workflow.step import HANDLES, Parameter, Step, Workflow
from backends.data.workflow.step import STEPS as MOST

if TYPE_CHECKING:
    from collections.abc import Mapping

SELECT = "query"  # the interface for a declared SELECT


class Example(BaseModel):
    """A request that an interface can answer, and the parameter values with which it does."""

    request: str
    values: dict[str, Scalar] = {}


class Designed(BaseModel):
    """A validated interface from a terminal's library, as the terminal describes it in the metadata
    of the tables that it reads.

    workflow: its steps, with its parameters. meanings: its description in several languages.
    """

    name: str
    version: int = 1
    description: str = ""
    meanings: dict[str, str] = {}
    kind: Class
    gives: Literal["frame", "value", "chart", "table"] = "frame"
    workflow: Workflow
    examples: list[Example] = []

    @property
    def parameters(self) -> list[Parameter]:
        """Return the interface's parameters."""
        return self.workflow.parameters

    @property
    def selects(self) -> bool:
        """Return whether the steps include a declared SELECT, whose meaning the other steps do not
        show.
        """
        return any(step.interface == SELECT for step in self.workflow.steps)


def inlined(workflow: Workflow, library: Mapping[str, Workflow]) -> Workflow:
    """Return a workflow in which the library's interfaces are replaced by their own steps.

    The last of these steps gets the name of the step that is replaced, so that later steps use its
    result. Raises: WrongArguments if values do not match the parameters, for a loop over such an
    interface, or for too many steps.
    """
    if all(step.interface in STEPS or step.interface not in library for step in workflow.steps):
        return workflow
    made: list[Step] = []
    for step in workflow.steps:
        inner = library.get(step.interface) if step.interface not in STEPS else None
        if inner is None:
            made.append(step)
            continue
        if step.each is not None:
            raise WrongArguments(
                f"{step.interface} cannot be looped over.", "Use it once for each value."
            )
        made += put_in(step, inner)
    if len(made) > MOST:
        raise WrongArguments(f"These are more than {MOST} steps.", "Ask for less at once.")
    return workflow.model_copy(update={"steps": made})


def put_in(step: Step, inner: Workflow) -> list[Step]:
    """Return the steps of an interface under new names, with the values of a step filled in.

    Raises: WrongArguments.
    """
    filled = inner.filled(cast("dict[str, Scalar]", step.arguments))
    names = {s.id: f"{step.id[:30]}_{n}" for n, s in enumerate(filled.steps[:-1], 1)}
    names[filled.steps[-1].id] = step.id
    return [
        s.model_copy(
            update={
                "id": names[s.id],
                "arguments": renamed(s.arguments, names),
                "description": step.description or step.interface,
                "each": s.each.model_copy(update={"data": names.get(s.each.data, s.each.data)})
                if s.each
                else None,
            }
        )
        for s in filled.steps
    ]


def renamed(arguments: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """Return arguments in which the names of earlier results are replaced."""
    made = dict(arguments)
    for key in HANDLES:
        value = made.get(key)
        if isinstance(value, str):
            made[key] = names.get(value, value)
        elif isinstance(value, list):
            made[key] = [names.get(str(one), one) for one in cast("list[Any]", value)]
    return made
