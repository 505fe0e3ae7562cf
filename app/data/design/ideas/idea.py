"""What could be asked of a table, and the interface that would answer it: enumerated by code, chosen by a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from app.data.design.ideas.view import as_name, words
from app.data.design.kinship import Kin, kin_of
from backends.kernel.values import Scalar
from backends.kernel.workflow.registry import Class
from backends.kernel.workflow.step import Parameter, Step, Workflow

if TYPE_CHECKING:
    from app.data.design.ideas.view import View
    from backends.kernel import ColumnProfile


class Draft(BaseModel):
    """An interface for one column of one table. key: the same for the same interface. shape: what it does, whatever the
    column. names: what it may be called. label: what tells it from others of its shape. kin: what its column is like."""

    key: str
    shape: str
    kind: Class
    names: list[str]
    label: str
    kin: Kin
    description: str
    workflow: Workflow


class Idea(BaseModel):
    """A request nobody asked yet, in several wordings, and the values with which its draft answers it."""

    draft: Draft
    wordings: list[str]
    values: dict[str, Scalar] = {}


def drafted(
    view: View,
    shape: str,
    kind: Class,
    column: ColumnProfile,
    about: str,
    steps: list[dict[str, Any]],
    *given: Parameter,
) -> Draft:
    """Return a draft over one column. about: what it gives, for people."""
    name = as_name(column.name)
    made = [Step.model_validate(step) for step in steps]
    return Draft(
        key=f"{shape}:{view.uuid}:{column.name}",
        shape=shape,
        kind=kind,
        names=[f"{name}_{shape}", f"{shape}_of_{name}", f"{view.called}_{name}_{shape}"],
        label=column.name.lower().replace("_", " "),
        kin=kin_of(view, column),
        description=about,
        workflow=Workflow(name=about[:120], description=about, parameters=list(given), steps=made),
    )


def parameter(
    name: str, kind: str, default: Scalar, about: str, choices: list[Scalar] | None = None
) -> Parameter:
    """Return a parameter with its default."""
    return Parameter.model_validate(
        {"name": name, "type": kind, "default": default, "choices": choices or [], "description": about}
    )


def taken(name: str) -> dict[str, str]:
    """Return what stands for a parameter among arguments."""
    return {"parameter": name}


def entity(view: View) -> list[Parameter]:
    """Return the parameter that names whom the rows are about, if there are several."""
    if view.entity is None:
        return []
    values = view.entity.values
    return [
        parameter("entity", "text", str(values[0]), f"which {words(view.entity)}", [str(v) for v in values])
    ]


def days(view: View) -> list[Parameter]:
    """Return the parameters of a range of days."""
    assert view.days is not None
    first, last = view.days
    return [parameter("start", "date", first, "first day"), parameter("end", "date", last, "last day")]


def of_whom(view: View, n: int) -> list[tuple[str, dict[str, Scalar]]]:
    """Return ` of ENTITY` and the value that says so for some entities; nothing where rows are about one thing."""
    if view.entity is None:
        return [("", {})]
    return [(f" of {value}", {"entity": str(value)}) for value in view.entities(n)]
