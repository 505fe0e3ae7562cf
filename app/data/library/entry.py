"""A workflow kept under a name: versions, where it comes from, and whether it may be trusted."""

from __future__ import annotations

from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field

from app.domain.errors import SourceError
from backends.kernel.workflow.step import PARAMETER, Parameter, Step, Workflow

Status = Literal["validated", "failed", "stale"]
DATE = r"\d{4}-\d\d-\d\d"


class Origin(BaseModel):
    """Where a workflow comes from. sources: the path and the schema's hash of each table, by uuid."""

    made_by: Literal["person", "design"] = "person"
    question: str = ""
    made_at: str = ""
    paths: dict[str, str] = {}
    schemas: dict[str, str] = {}


class Trial(BaseModel):
    """What a trial gave: the values of its parameters, and a digest of all it showed."""

    values: dict[str, Any] = {}
    digest: str = ""
    seconds: float = 0.0


class Entry(BaseModel):
    """One version of a workflow in the library. reason: why it is not validated."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,59}$")
    version: int = Field(default=1, ge=1)
    description: str = ""
    workflow: Workflow
    origin: Origin = Origin()
    trials: list[Trial] = []
    status: Status = "failed"
    reason: str = ""


def with_parameters(workflow: Workflow, named: dict[str, str]) -> Workflow:
    """Return a workflow with arguments made parameters: name → where it stands, such as `result1.start` or
    `result1.entities.0`; what stands there becomes its default.

    Raises: SourceError for a place that is not there or holds no single value.
    """
    for name, place in named.items():
        step_id, _, path = place.partition(".")
        step = next((s for s in workflow.steps if s.id == step_id), None)
        if step is None or not path:
            ids = ", ".join(s.id for s in workflow.steps)
            raise SourceError(f"There is no step {step_id!r}.", f"Name one of {ids}, and an argument of it.")
        value, arguments = taken(step.arguments, path.split("."), name)
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            raise SourceError(f"{place} holds no single value.", "Name an argument such as result1.start.")
        made = Parameter.model_validate({"name": name, "type": kind_of(value), "default": value})
        steps: list[Step] = [
            s.model_copy(update={"arguments": arguments}) if s.id == step_id else s for s in workflow.steps
        ]
        workflow = workflow.model_copy(update={"steps": steps, "parameters": [*workflow.parameters, made]})
    return workflow


def kind_of(value: str | float) -> str:
    """Return the type of a parameter that has a value."""
    if not isinstance(value, str):
        return "number"
    return "date" if len(value) == 10 and value[4] == value[7] == "-" and value[:4].isdigit() else "text"


def taken(arguments: Any, path: list[str], name: str) -> tuple[Any, Any]:
    """Return what stands at a path, and the arguments with a parameter in its place.

    Raises: SourceError.
    """
    if not path:
        return arguments, {PARAMETER: name}
    head, *rest = path
    if isinstance(arguments, dict) and head in arguments:
        held = cast("dict[str, Any]", arguments)
        value, made = taken(held[head], rest, name)
        return value, held | {head: made}
    if isinstance(arguments, list) and head.isdigit() and int(head) < len(cast("list[Any]", arguments)):
        items = list(cast("list[Any]", arguments))
        value, items[int(head)] = taken(items[int(head)], rest, name)
        return value, items
    raise SourceError(f"There is no argument {head!r}.", "deskpilot data library NAME shows the arguments.")
