"""Definitions of designed interfaces, from a request to a library entry."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel

from app.data.design.ideas import Kin
from app.data.design.phrases import COLUMN, LANGUAGES, Language, wording
from app.data.library.entry import LibraryEntry, Origin, RequestExample
from app.data.library.library_file import schema_hash
from backends.data.values import Scalar
from backends.data.workflow.interface import Class
from backends.data.workflow.step import Workflow

if TYPE_CHECKING:
    from app.data.design.ideas import Idea
    from app.data.sources import Sources


class SelfRequest(BaseModel):
    """A request invented by the design job. also: other wordings. others: wordings in other
    languages. key: the key of the draft that answers it. seed: the user's request that it is based
    on. decision: whether its interface already existed.
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
    """An interface defined in a design. labels: the labels of its drafts. made_of: the keys of its
    drafts, more than one if it was merged. kin: the properties of each draft's column. called: the
    part of a name that stands for its shape. meanings: its description in each language, with a
    placeholder for the columns.
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
    covers: list[RequestExample] = []
    requests: list[str] = []

    @property
    def selector(self) -> str:
        """Return the parameter that chooses between the merged interfaces, or an empty string if
        the definition was not merged.
        """
        return next((p.name for p in self.workflow.parameters if p.binds), "")


def now() -> str:
    """Return the current time in the stored format."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")


def defined(idea: Idea, name: str) -> Definition:
    """Return a definition built from a draft, with the given name."""
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
    """Return a definition extended by one more request that it answers."""
    texts = {asked.language: [asked.request, *asked.also]} | asked.others
    said = [
        RequestExample(request=text, values=asked.values, language=language)
        for language, some in texts.items()
        for text in some
    ]
    return definition.model_copy(
        update={"covers": [*definition.covers, *said], "requests": [*definition.requests, asked.id]}
    )


def meanings(definition: Definition) -> dict[str, str]:
    """Return a definition's description in each language."""
    return {
        language: text.replace(COLUMN, wording(language).and_.join(definition.labels))
        for language in LANGUAGES
        if (text := definition.meanings.get(language))
    }


def entry_for(definition: Definition, sources: Sources, design: str, model: str) -> LibraryEntry:
    """Return a definition as a library entry that still has to be validated.

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
    return LibraryEntry(
        name=definition.name,
        description=definition.description,
        workflow=definition.workflow,
        origin=origin,
        kind=definition.kind,
        meanings=meanings(definition),
        covers=definition.covers,
    )


Phase = Literal["asking", "defining", "merging", "validating", "done"]
VERSION = 1


class DesignTable(BaseModel):
    """A table used in a design: its file, and the hash of the file's content when the design
    began."""

    path: str
    hash: str


class LibraryOutcome(BaseModel):
    """The result of saving a definition in the library."""

    name: str
    version: int
    status: str
    reason: str = ""


class State(BaseModel):
    """A design in progress. wanted: how many requests are wanted. chance: the seed for random
    numbers. seeds: the user's requests.

    defined: the number of requests that have a definition. laid: the number of definitions that
    have been merged or kept. apart: pairs of interfaces that were similar but gave different
    results.
    """

    version: Literal[1] = VERSION
    id: str
    began: str
    wanted: int
    chance: int
    seeds: list[str] = []
    tables: dict[str, DesignTable]
    phase: Phase = "asking"
    model: str = ""
    requests: list[SelfRequest] = []
    defined: int = 0
    definitions: list[Definition] = []
    laid: int = 0
    interfaces: list[Definition] = []
    apart: list[tuple[str, str]] = []
    kept: list[LibraryOutcome] = []

    @property
    def validated(self) -> list[LibraryOutcome]:
        """Return the validated definitions."""
        return [one for one in self.kept if one.status == "validated"]

    @property
    def merged(self) -> list[Definition]:
        """Return the interfaces that were merged from several."""
        return [one for one in self.interfaces if len(one.made_of) > 1]


def begun(tables: dict[str, DesignTable], wanted: int, seeds: list[str], chance: int) -> State:
    """Return a new design."""
    return State(
        id=uuid.uuid4().hex[:12],
        began=now(),
        wanted=wanted,
        chance=chance,
        seeds=seeds,
        tables=tables,
    )
