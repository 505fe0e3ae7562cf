"""Definitions of interfaces: made for a request, reused by others, merged, and at last an entry of
the library.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel

from app.data.design.kinship import Kin
from app.data.design.wording import COLUMN, LANGUAGES, Language, wording
from app.data.library.entry import Cover, Entry, Origin
from app.data.library.parsing import schema_hash
from backends.data.values import Scalar
from backends.data.workflow.interface import Class
from backends.data.workflow.step import Workflow

if TYPE_CHECKING:
    from app.data.design.idea import Idea
    from app.data.sources import Sources


class SelfRequest(BaseModel):
    """A request a design asks itself. also: other ways to say it; others: in other languages. key:
    of the draft that answers it. seed: a person's request that led to it. decision: whether its
    interface was there.
    """

    id: str
    request: str
    also: list[str] = []
    language: str = "en"
    others: dict[str, list[str]] = {}
    key: str
    kind: Class
    values: dict[str, Scalar] = {}
    sources: list[str]
    model: str
    asked_at: str
    seed: str = ""
    decision: Literal["reuse", "new"] | None = None


class Definition(BaseModel):
    """An interface of a design. labels: of the drafts in it. made_of: their keys; more than one if
    it is merged.
    kin: what the column of each is like. called: the shape in names. meanings: what it is for, in
    each language, its columns left open.
    """

    name: str
    shape: str
    kind: Class
    called: str = ""
    language: Language = "en"
    meanings: dict[str, str] = {}
    description: str
    labels: list[str]
    made_of: list[str]
    kin: list[Kin] = []
    workflow: Workflow
    covers: list[Cover] = []
    requests: list[str] = []

    @property
    def selector(self) -> str:
        """Return the parameter that chooses what it was merged of; empty if it was not."""
        return next((p.name for p in self.workflow.parameters if p.binds), "")


def now() -> str:
    """Return the time, as it is kept."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")


def defined(idea: Idea, name: str) -> Definition:
    """Return the definition of a draft under a name."""
    draft = idea.draft
    return Definition(
        name=name,
        shape=draft.shape,
        kind=draft.kind,
        called=draft.called,
        language=draft.language,
        meanings=draft.meanings,
        description=draft.description,
        labels=[draft.label],
        made_of=[draft.key],
        kin=[draft.kin],
        workflow=draft.workflow,
    )


def covering(definition: Definition, asked: SelfRequest) -> Definition:
    """Return a definition that answers one more request."""
    texts = {asked.language: [asked.request, *asked.also]} | asked.others
    said = [
        Cover(request=text, values=asked.values, language=language)
        for language, some in texts.items()
        for text in some
    ]
    return definition.model_copy(
        update={"covers": [*definition.covers, *said], "requests": [*definition.requests, asked.id]}
    )


def meanings(definition: Definition) -> dict[str, str]:
    """Return what a definition is for, in each language."""
    return {
        language: text.replace(COLUMN, wording(language).and_.join(definition.labels))
        for language in LANGUAGES
        if (text := definition.meanings.get(language))
    }


def entry_for(definition: Definition, sources: Sources, design: str, model: str) -> Entry:
    """Return a definition as an entry of the library that is still to be validated.

    Raises: UnknownWidget, SourceError.
    """
    opened = [sources.source(uid) for uid in definition.workflow.sources()]
    origin = Origin(
        made_by="design",
        question=definition.covers[0].request if definition.covers else "",
        made_at=now(),
        paths={source.uuid: str(source.path) for source in opened},
        schemas={source.uuid: schema_hash(source.table) for source in opened},
        columns={source.uuid: {c.name: c.kind for c in source.table.columns} for source in opened},
        hashes={source.uuid: source.table.hash for source in opened},
        model=model,
        design=design,
        requests=definition.requests,
    )
    return Entry(
        name=definition.name,
        description=definition.description,
        workflow=definition.workflow,
        origin=origin,
        kind=definition.kind,
        meanings=meanings(definition),
        covers=definition.covers,
    )
