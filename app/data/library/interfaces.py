"""The library's interfaces for open tables, as tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.data.library.library_file import schema_hash
from backends.data.steps import STEPS
from backends.data.workflow.library_interface import Designed, Example

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.data.library.entry import LibraryEntry, RequestExample
    from app.data.tables import OpenTable

TYPES: dict[str, dict[str, Any]] = {
    "text": {"type": "string"},
    "number": {"type": "number"},
    "date": {"type": "string", "format": "date"},
}


def usable(entries: Iterable[LibraryEntry], sources: dict[str, OpenTable]) -> list[LibraryEntry]:
    """Return the validated entries over these tables; each table must still have the columns it
    had.

    An entry that chooses among tables can be used with those that are open.
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
    """Return requests with one set of values for each choice of parameters, since the wording is
    the same for other values.
    """
    first: dict[tuple[str, ...], dict[str, Any]] = {}
    for cover in covers:
        first.setdefault(tuple(sorted(cover.values)), cover.values)
    return [cover for cover in covers if first[tuple(sorted(cover.values))] == cover.values]


def as_interface(entry: LibraryEntry) -> dict[str, Any]:
    """Return an entry in the form used in a list of interfaces: name, class, result, and the schema
    of its arguments.
    """
    told = told_of(entry)
    properties = {
        p.name: TYPES[p.type]
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
