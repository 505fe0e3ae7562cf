"""The library's JSON file, with notes on tables and versions of workflows, and a table's parsing
file, which describes the table for people and models.

The library's interfaces for open tables, offered as tools.
"""

from __future__ import annotations

import hashlib
import json
import threading
from typing import TYPE_CHECKING, Any, Protocol, cast

from pydantic import ValidationError

from app.data.library.entry import LibraryEntry, Note
from app.data.readers.parts import TableRef
from app.domain.errors import SourceError
from backends.data.steps import STEPS
from backends.data.workflow.library_interface import Designed, Example
from backends.data.workflow.step import Workflow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from app.data.library.entry import RequestExample
    from app.data.readers.workbook import WorkbookSheet
    from app.data.tables import OpenTable
    from app.domain.dashboard import Widget
    from backends.data.table import Table


VERSION = 1


class KeptFile(Protocol):
    """A JSON file that is replaced atomically."""

    def read_now(self) -> dict[str, Any]:
        """Return the saved content."""
        ...

    async def change(self, changed: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Replace the saved content with the result of `changed`."""
        ...


class Library:
    """Notes on tables, and every version of each workflow."""

    def __init__(self, file: KeptFile) -> None:
        self._file = file
        self._lock = threading.Lock()

    def note(self, uid: str) -> Note | None:
        """Return the user's note on a table.

        Raises: SetupError if the file cannot be read, SourceError if its content has an unexpected
        format.
        """
        raw = self._kept()["sources"].get(uid)
        return note_in(uid, raw) if raw else None

    def notes(self) -> dict[str, Note]:
        """Return the notes on all tables that have one, by uuid.

        Raises: SetupError, SourceError.
        """
        return {uid: note_in(uid, raw) for uid, raw in self._kept()["sources"].items()}

    async def keep_note(self, uid: str, note: Note) -> None:
        """Save the user's note on a table.

        Raises: SetupError.
        """
        await self._change(
            lambda known: known | {"sources": known["sources"] | {uid: note.model_dump()}}
        )

    async def forget_note(self, uid: str) -> None:
        """Remove the user's note on a table.

        Raises: SetupError.
        """
        await self._change(
            lambda known: (
                known | {"sources": {k: v for k, v in known["sources"].items() if k != uid}}
            )
        )

    def entries(self) -> list[LibraryEntry]:
        """Return the newest version of each workflow, by name. An unreadable one has the status
        `failed` and a reason.

        Raises: SetupError, SourceError if the file's content has an unexpected format.
        """
        return [
            entry_in(name, versions)
            for name, versions in sorted(self._kept()["entries"].items())
            if versions
        ]

    def entry(self, name: str) -> LibraryEntry:
        """Return the newest version of a workflow.

        Raises: SourceError if there is no workflow with this name or it cannot be read; SetupError.
        """
        every = self.entries()
        found = next((e for e in every if e.name == name), None)
        if found is None:
            names = ", ".join(e.name for e in every) or "nothing yet"
            raise SourceError(f"The library has no {name!r}.", f"It has: {names}.")
        if not found.workflow.steps:
            raise SourceError(f"{name} contains no workflow.", found.reason)
        return found

    async def put(self, entry: LibraryEntry) -> LibraryEntry:
        """Save an entry as a new version under its name, and return it.

        Raises: SetupError, SourceError.
        """
        made: list[LibraryEntry] = []

        def changed(known: dict[str, Any]) -> dict[str, Any]:
            held = known["entries"].get(entry.name, [])
            versions = list(cast("list[Any]", held)) if isinstance(held, list) else [held]
            made[:] = [entry.model_copy(update={"version": len(versions) + 1})]
            entries = known["entries"] | {entry.name: [*versions, made[0].model_dump(mode="json")]}
            return known | {"entries": entries}

        await self._change(changed)
        return made[0]

    async def remove(self, name: str) -> list[Any]:
        """Remove a workflow, and return all its versions, oldest first.

        Raises: SourceError if there is no workflow with this name; SetupError.
        """
        gone: list[Any] = []

        def changed(known: dict[str, Any]) -> dict[str, Any]:
            entries = dict(known["entries"])
            if name not in entries:
                names = ", ".join(entries) or "nothing yet"
                raise SourceError(f"The library has no {name!r}.", f"It has: {names}.")
            held = entries.pop(name)
            gone[:] = held if isinstance(held, list) else [held]
            return known | {"entries": entries}

        await self._change(changed)
        return gone

    async def put_back(self, name: str, versions: list[Any]) -> None:
        """Restore a workflow that was removed, unless another workflow has its name by now.

        Raises: SetupError.
        """
        await self._change(lambda known: known | {"entries": {name: versions} | known["entries"]})

    def _kept(self) -> dict[str, Any]:
        return shaped(self._file.read_now())

    async def _change(self, changed: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        await self._file.change(lambda known: changed(shaped(known)) | {"version": VERSION})


def shaped(known: dict[str, Any]) -> dict[str, Any]:
    """Return the content of a library file, including both its parts.

    Raises: SourceError if the file has an unexpected format or comes from a newer version of
    Deskpilot. Such a file is never written to.
    """
    version = known.get("version", VERSION)
    if isinstance(version, int) and version > VERSION:
        raise SourceError(
            f"The library was saved by a newer Deskpilot (file version {version}).",
            "Use that one, or move library.json away to start over.",
        )
    made = {"sources": {}, "entries": {}} | known
    if not all(isinstance(made[part], dict) for part in ("sources", "entries")):
        raise SourceError(
            "The library cannot be read.", "Fix library.json, or move it away to start over."
        )
    return made


def note_in(uid: str, raw: Any) -> Note:
    """Return the user's note on a table.

    Raises: SourceError if the data is not a note.
    """
    try:
        return Note.model_validate(raw)
    except ValidationError as error:
        raise SourceError(
            f"The notes on the table {uid} cannot be read: {why(error)}.",
            "Fix library.json, or move it away to start over.",
        ) from error


def entry_in(name: str, versions: Any) -> LibraryEntry:
    """Return the newest version of a workflow. If it cannot be read, return an entry without steps
    that states the reason.
    """
    count = len(cast("list[Any]", versions)) if isinstance(versions, list) else 1
    raw = versions[-1] if isinstance(versions, list) else versions
    try:
        if not isinstance(raw, dict):
            raise TypeError("it is not an object")
        return LibraryEntry.model_validate(cast("dict[str, Any]", raw) | {"name": name})
    except (ValidationError, TypeError) as error:
        told = why(error) if isinstance(error, ValidationError) else str(error)
        reason = f"It cannot be read: {told}. Remove it, or fix library.json."
        return LibraryEntry.model_construct(
            name=name, version=count, workflow=Workflow.model_construct(steps=[]), reason=reason
        )


def why(error: ValidationError) -> str:
    """Return the first reason why data is invalid."""
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


VALUES = 10  # maximum number of values listed per column
TYPES = {"number": "number", "text": "text", "date": "date", "time": "time", "boolean": "yes or no"}


def schema_hash(table: Table) -> str:
    """Return a hash of the names and kinds of a table's columns. If it changes, everything built on
    the table is out of date.
    """
    shape = [[column.name, column.kind] for column in table.columns]
    return hashlib.sha256(json.dumps(shape, ensure_ascii=False).encode()).hexdigest()[:16]


def parsing_file(source: OpenTable, widget: Widget | None = None) -> dict[str, Any]:
    """Return the description of a table: its columns with meaning, type, range and values, an
    example of reading it, and its first and last row. widget: the widget it belongs to, if any.
    """
    profile = source.profile
    columns = [
        {
            "name": c.name,
            "meaning": c.meaning or c.name.replace("_", " "),
            "type": TYPES[c.kind],
            "source_type": (source.copy.types if source.copy else source.types).get(c.name),
            "role": c.role,
            "unit": c.unit,
            "distinct": c.distinct,
            "missing": c.missing,
            "range": [c.low, c.high] if c.low is not None else None,
            "values": c.values[:VALUES],
        }
        for c in profile.columns
    ]
    example = {"source": source.uuid, "columns": [c.name for c in profile.columns[:3]], "n": 5}
    copy, sheet = source.copy, source.sheet
    ref = TableRef.of(source.path)
    return {
        "source": source.uuid,
        "kind": kind_of(source, widget),
        "path": str(source.path),
        "database": copy.url if copy else None,
        "table": f"{copy.schema}.{copy.name}"
        if copy
        else ref.part or None
        if sheet is None
        else None,
        "sheet": sheet.name if sheet else None,
        "cells": sheet.cells(len(columns), profile.rows) if sheet else None,
        "backend": widget.backend or None if widget else None,
        "parameters": source.values,
        "name": widget.name if widget else profile.name,
        "description": (
            profile.description
            or (widget.description if widget else "")
            or where(ref.file, ref.part, sheet)
        ),
        "rows": profile.rows,
        "schema_hash": schema_hash(source.table),
        "closes": profile.closes,
        "columns": columns,
        "access_example": {"interface": "read_rows", "arguments": example},
        "first_row": profile.first_row,
        "last_row": profile.last_row,
    }


def where(file: Path, part: str, sheet: WorkbookSheet | None) -> str:
    """Return a sentence that says which table in a file it is, or an empty string for a file with
    one table."""
    if sheet is not None and sheet.of > 1:
        return f"The sheet {sheet.name} of {file.name}."
    return f"The table {part} of {file.name}." if part and sheet is None else ""


def kind_of(source: OpenTable, widget: Widget | None) -> str:
    """Return the origin of a table: a database, a widget and its type, or a file and its format."""
    if source.copy is not None:
        return "postgresql"
    if widget is not None and (widget.backend or widget.type != "table"):
        return f"widget: {widget.type}"
    return TableRef.of(source.path).file.suffix.lower().removeprefix(".")


JSON_TYPES: dict[str, dict[str, Any]] = {
    "text": {"type": "string"},
    "number": {"type": "number"},
    "date": {"type": "string", "format": "date"},
}


def usable(entries: Iterable[LibraryEntry], sources: dict[str, OpenTable]) -> list[LibraryEntry]:
    """Return the validated entries that use these tables. Each table must still have the columns
    that it had when the entry was made.

    An entry that lets the user choose among tables can be used with those that are open.
    """
    shapes = {uid: schema_hash(source.table) for uid, source in sources.items()}
    made: list[LibraryEntry] = []
    for entry in entries:
        here = {uid: known for uid, known in entry.origin.schemas.items() if uid in shapes}
        if (
            entry.status == "validated"
            and here
            and all(shapes[uid] == known for uid, known in here.items())
        ):
            made.append(entry)
    return made


def told_of(entry: LibraryEntry) -> Designed:
    """Return the description of an entry."""
    last = STEPS[entry.workflow.steps[-1].interface]
    first = STEPS[entry.workflow.steps[0].interface]
    asked = [
        Example(request=cover.request, values=cover.values) for cover in told_once(entry.covers)
    ]
    if not asked and entry.origin.question:
        asked = [Example(request=entry.origin.question)]
    return Designed(
        name=entry.name,
        version=entry.version,
        description=entry.description,
        meanings=entry.meanings,
        kind=entry.kind or (first if len(entry.workflow.steps) == 1 else last).kind,
        gives=last.gives,
        workflow=entry.workflow,
        examples=asked,
    )


def told_once(covers: list[RequestExample]) -> list[RequestExample]:
    """Return requests with only one set of values for each combination of parameters, since the
    wording is the same for other values.
    """
    first: dict[tuple[str, ...], dict[str, Any]] = {}
    for cover in covers:
        first.setdefault(tuple(sorted(cover.values)), cover.values)
    return [cover for cover in covers if first[tuple(sorted(cover.values))] == cover.values]


def as_interface(entry: LibraryEntry) -> dict[str, Any]:
    """Return an entry in the form used in a list of interfaces: its name, class, result and the
    schema of its arguments.
    """
    told = told_of(entry)
    properties = {
        p.name: JSON_TYPES[p.type]
        | ({"enum": p.choices} if p.choices else {})
        | ({"default": p.default} if p.default is not None else {})
        | ({"description": p.description} if p.description else {})
        for p in told.parameters
    }
    return {
        "name": told.name,
        "class": told.kind,
        "description": told.description,
        "gives": told.gives,
        "arguments": {"type": "object", "properties": properties, "additionalProperties": False},
        "designed": True,
        "sources": told.workflow.sources(),
        "examples": [one.request for one in told.examples[:3]],
    }
