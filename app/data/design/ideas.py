"""Possible requests about a table and the interfaces that answer them: listed by code, chosen by a
model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from app.data.design.kinship import Kin, kin_of, words
from app.data.design.phrases import COLUMN, LANGUAGES, Language, as_name, filled, wording
from backends.data.values import Scalar
from backends.data.workflow.interface import Class
from backends.data.workflow.step import Parameter, Step, Workflow

if TYPE_CHECKING:
    from app.data.design.kinship import DesignView
    from backends.data.values import ColumnProfile


class InterfaceDraft(BaseModel):
    """An interface for one column of one table. key: the same for the same interface. shape: what
    it does; told: the shape whose words describe it. called: the shape in names. names: possible
    names. label: distinguishes it from others of its shape. kin: properties of its column.
    meanings: its description in each language, `{column}` open.
    """

    key: str
    shape: str
    told: str
    slots: dict[str, str]
    called: str
    kind: Class
    names: list[str]
    label: str
    kin: Kin
    language: Language
    meanings: dict[str, str]
    workflow: Workflow

    @property
    def description(self) -> str:
        """Return its description in its own language."""
        return self.meanings[self.language].replace(COLUMN, self.label)


class Idea(BaseModel):
    """A new request in several wordings and languages, and the values with which its draft answers
    it.
    """

    draft: InterfaceDraft
    wordings: list[str]
    others: dict[str, list[str]] = {}
    values: dict[str, Scalar] = {}


def drafted(
    view: DesignView,
    shape: str,
    kind: Class,
    column: ColumnProfile,
    steps: list[dict[str, Any]],
    *given: Parameter,
    told: str = "",
    slots: dict[str, str] | None = None,
) -> InterfaceDraft:
    """Return a draft over one column. told: the shape whose words describe it, if another's."""
    told, slots = told or shape, slots or {}
    own, label = wording(view.language), words(column)
    called = own.called(told, slots)
    parts = {"column": as_name(column.name), "shape": called, "table": view.called}
    meanings = {one: wording(one).means(told, slots) for one in LANGUAGES}
    about = meanings[view.language].replace(COLUMN, label)
    return InterfaceDraft(
        key=f"{shape}:{view.uuid}:{column.name}",
        shape=shape,
        told=told,
        slots=slots,
        called=called,
        kind=kind,
        names=[name.format_map(parts)[:60] for name in own.names],
        label=label,
        kin=kin_of(view, column),
        language=view.language,
        meanings=meanings,
        workflow=Workflow(
            name=about[:120],
            description=about,
            parameters=list(given),
            steps=[Step.model_validate(step) for step in steps],
        ),
    )


def asked(draft: InterfaceDraft, view: DesignView, values: dict[str, Scalar]) -> Idea:
    """Return a request a draft answers with values, in every language."""
    said: dict[Language, list[str]] = {}
    for language in LANGUAGES:
        what = wording(language).what(draft.label, values.get("entity"))
        said[language] = wording(language).asks(draft.told, draft.slots | values | {"what": what})
    others = {language: texts for language, texts in said.items() if language != view.language}
    return Idea(draft=draft, wordings=said[view.language], others=others, values=values)


def parameter(
    view: DesignView,
    name: str,
    kind: str,
    default: Scalar,
    said: str = "",
    choices: list[Scalar] | None = None,
    **slots: str,
) -> Parameter:
    """Return a parameter with its default. said: whose words say what it is, if not its name's."""
    about = filled(wording(view.language).parameters[said or name], slots)
    return Parameter.model_validate(
        {
            "name": name,
            "type": kind,
            "default": default,
            "choices": choices or [],
            "description": about,
        }
    )


def taken(name: str) -> dict[str, str]:
    """Return the stand-in for a parameter among arguments."""
    return {"parameter": name}


def entity(view: DesignView) -> list[Parameter]:
    """Return the parameter that names whom the rows are about, if there are several."""
    if view.entity is None:
        return []
    values = [str(v) for v in view.entity.values]
    return [
        parameter(view, "entity", "text", values[0], "", [*values], category=words(view.entity))
    ]


def days(view: DesignView) -> list[Parameter]:
    """Return the parameters of a range of days."""
    assert view.days is not None
    first, last = view.days
    return [parameter(view, "start", "date", first), parameter(view, "end", "date", last)]


def of_whom(view: DesignView, n: int) -> list[dict[str, Scalar]]:
    """Return the values that name each of some entities; none if rows are about one thing."""
    return [{"entity": str(value)} for value in view.entities(n)] if view.entity else [{}]
