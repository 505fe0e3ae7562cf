"""Where the library lies: a JSON file of notes on tables and versions of workflows."""

from __future__ import annotations

import datetime as dt
import threading
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import ValidationError

from app.data.library.entry import Entry, Origin
from app.data.library.notes import Note
from app.data.library.parsing import schema_hash
from app.domain.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.data.sources import Source, Sources
    from backends.kernel.workflow.step import Workflow

VERSION = 1


class KeptFile(Protocol):
    """A JSON file that is replaced whole."""

    def read_now(self) -> dict[str, Any]:
        """Return what is kept."""
        ...

    async def change(self, changed: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Keep something else."""
        ...


class Library:
    """Notes on tables, and workflows by name, every version of them."""

    def __init__(self, file: KeptFile) -> None:
        self._file = file
        self._lock = threading.Lock()

    def note(self, uid: str) -> Note | None:
        """Return what a person said of a table.

        Raises: SetupError for a file that cannot be read.
        """
        raw = self._file.read_now().get("sources", {}).get(uid)
        return Note.model_validate(raw) if raw else None

    def notes(self) -> dict[str, Note]:
        """Return the tables that were added, by uuid."""
        return {
            uid: Note.model_validate(raw) for uid, raw in self._file.read_now().get("sources", {}).items()
        }

    async def keep_note(self, uid: str, note: Note) -> None:
        """Keep what a person said of a table.

        Raises: SetupError.
        """
        await self._file.change(
            lambda known: (
                known | {"version": VERSION, "sources": known.get("sources", {}) | {uid: note.model_dump()}}
            )
        )

    async def forget_note(self, uid: str) -> None:
        """Forget what a person said of a table.

        Raises: SetupError.
        """
        await self._file.change(
            lambda known: known | {"sources": {k: v for k, v in known.get("sources", {}).items() if k != uid}}
        )

    def entries(self) -> list[Entry]:
        """Return the newest version of each workflow, by name.

        Raises: SourceError for a file that holds something else.
        """
        try:
            every = self._file.read_now().get("entries", {})
            return [Entry.model_validate(versions[-1]) for _, versions in sorted(every.items()) if versions]
        except (ValidationError, AttributeError, TypeError) as error:
            raise SourceError(
                "The library cannot be read.", "Move library.json away to begin anew."
            ) from error

    def entry(self, name: str) -> Entry:
        """Return the newest version of a workflow.

        Raises: SourceError if there is none of that name.
        """
        every = self.entries()
        found = next((e for e in every if e.name == name), None)
        if found is None:
            names = ", ".join(e.name for e in every) or "nothing yet"
            raise SourceError(f"The library has no {name!r}.", f"It has: {names}.")
        return found

    async def put(self, entry: Entry) -> Entry:
        """Keep an entry as a new version of its name, and return it.

        Raises: SetupError.
        """
        made: list[Entry] = []

        def changed(known: dict[str, Any]) -> dict[str, Any]:
            versions = list(known.get("entries", {}).get(entry.name, []))
            made[:] = [entry.model_copy(update={"version": len(versions) + 1})]
            entries = known.get("entries", {}) | {entry.name: [*versions, made[0].model_dump(mode="json")]}
            return known | {"version": VERSION, "entries": entries}

        await self._file.change(changed)
        return made[0]

    async def remove(self, name: str) -> list[Any]:
        """Forget a workflow, and return all its versions, the oldest first.

        Raises: SourceError if there is none of that name; SetupError.
        """
        self.entry(name)
        versions = list(self._file.read_now()["entries"][name])
        await self._file.change(
            lambda known: (
                known | {"entries": {k: v for k, v in known.get("entries", {}).items() if k != name}}
            )
        )
        return versions

    async def put_back(self, name: str, versions: list[Any]) -> None:
        """Keep a workflow again that was forgotten, unless there is another of its name by now.

        Raises: SetupError.
        """
        await self._file.change(
            lambda known: known | {"entries": {name: versions} | known.get("entries", {})}
        )


def entry_of(
    name: str, workflow: Workflow, sources: Sources, question: str = "", description: str = ""
) -> Entry:
    """Return a workflow as an entry that is still to be validated.

    Raises: SourceError for a name that cannot be used; UnknownWidget.
    """
    opened: list[Source] = [sources.source(uid) for uid in workflow.sources()]
    origin = Origin(
        question=question,
        made_at=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        paths={source.uuid: str(source.path) for source in opened},
        schemas={source.uuid: schema_hash(source.table) for source in opened},
        columns={source.uuid: {c.name: c.kind for c in source.table.columns} for source in opened},
        hashes={source.uuid: source.table.hash for source in opened},
    )
    if workflow.parameters:  # a title that names today's values would be wrong with others
        steps = [s.model_copy(update={"arguments": retitled(s.arguments, name)}) for s in workflow.steps]
        workflow = workflow.model_copy(update={"steps": steps, "tasks": []})
    try:
        about = description or question or workflow.name
        return Entry(name=name, description=about, workflow=workflow, origin=origin)
    except ValidationError as error:
        raise SourceError(
            f"{name!r} cannot be a name.", "Use small letters, digits and _, a letter first."
        ) from error


def retitled(arguments: dict[str, Any], title: str) -> dict[str, Any]:
    """Return arguments with another title, where there is one."""
    return arguments | ({"title": title} if arguments.get("title") else {})
