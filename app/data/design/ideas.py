"""Possible requests about a table, and the interfaces that answer them. Code lists them, and a
model chooses among them.
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
    """An interface for one column of one table. key: equal for equal interfaces. shape: what it
    does; told: the shape whose words describe it. called: how the shape appears in names. names:
    possible names. label: distinguishes it from others of its shape. kin: properties of its column.
    meanings: its description in each language, with the placeholder `{column}`.
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
        """Return its description in the language of its table."""
        return self.meanings[self.language].replace(COLUMN, self.label)


class Idea(BaseModel):
    """A new request in several wordings and languages, with the values for which its draft answers
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
    """Return a draft for one column. told: the shape whose words describe it, if that is another
    one.
    """
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
    """Return a request, in every language, that a draft answers with these values."""
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
    """Return a parameter with its default. said: the key of its description, if it is not its
    name.
    """
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
    """Return the placeholder for a parameter in arguments."""
    return {"parameter": name}


def entity(view: DesignView) -> list[Parameter]:
    """Return the parameter that names the entity, if the rows are about several entities."""
    if view.entity is None:
        return []
    values = [str(v) for v in view.entity.values]
    return [
        parameter(view, "entity", "text", values[0], "", [*values], category=words(view.entity))
    ]


def days(view: DesignView) -> list[Parameter]:
    """Return the parameters for a range of days."""
    assert view.days is not None
    first, last = view.days
    return [parameter(view, "start", "date", first), parameter(view, "end", "date", last)]


def of_whom(view: DesignView, n: int) -> list[dict[str, Scalar]]:
    """Return the values that name each of the first `n` entities; one empty set if the rows are
    about a single thing.
    """
    return [{"entity": str(value)} for value in view.entities(n)] if view.entity else [{}]
