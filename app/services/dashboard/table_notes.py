"""Notes on tables, written by the user, and files that contain several tables."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from zoneinfo import available_timezones

from app.data.library.entry import Note
from app.data.library.library_file import parsing_file
from app.data.readers import tables_of
from app.data.readers.parts import TableRef, file_name
from app.data.tables import uuid_of
from app.domain.errors import SourceError

if TYPE_CHECKING:
    from pathlib import Path

    from app.data.library.library_file import Library
    from app.data.tables import OpenTable
    from app.domain.dashboard import Widget
    from app.services.dashboard.widgets import Widgets


CLOCK = re.compile(r"^([01]\d|2[0-3]):[0-5]\d( (?P<zone>\S+))?$")

MARKETS = (  # the closing times of some markets
    "15:00 Asia/Shanghai",
    "16:00 Asia/Hong_Kong",
    "15:30 Asia/Tokyo",
    "16:30 Europe/London",
    "17:30 Europe/Berlin",
    "16:00 America/New_York",
)


@dataclass(frozen=True)
class TableDescription:
    """The description of a table. parsing: its parsing file. meanings: the meanings of its columns,
    empty for columns without a description.
    """

    uid: str
    parsing: dict[str, Any]
    meanings: dict[str, str]


def note_of(source: OpenTable, about: str, meanings: dict[str, str], closes: str) -> Note:
    """Return the user's note on a table.

    Raises: SourceError for a missing column, an invalid time, or an unknown time zone.
    """
    check_clock(closes)
    for name in meanings:
        if all(c.name != name for c in source.table.columns):
            raise SourceError(
                f"{source.path.name} has no column {name!r}.", "Specify one of its columns."
            )
    return Note(path=str(source.path), about=about, meanings=meanings, closes=closes)


def check_clock(closes: str) -> None:
    """Check the time at which a day ends.

    Raises: SourceError for an invalid time or an unknown time zone.
    """
    found = CLOCK.match(closes)
    if closes and not found:
        raise SourceError(
            f"{closes} is not a time.", "Write it like 15:00, or 15:00 Asia/Shanghai."
        )
    if found and found["zone"] and found["zone"] not in available_timezones():
        raise SourceError(f"There is no time zone {found['zone']}.", "Write it like Asia/Shanghai.")


class KnownTables:
    """The descriptions of the open tables. Notes are stored in the library, together with those
    made with shell commands.
    """

    def __init__(self, library: Library, widgets: Widgets) -> None:
        self._library, self._widgets = library, widgets

    async def read(self, uid: str) -> TableDescription:
        """Return the description of a widget's table.

        Raises: UnknownWidget, SourceError.
        """
        widget = self._widgets.get(self._widgets.get(uid).table)
        source = await asyncio.to_thread(self._widgets.sources.source, widget.uuid)
        meanings = {column.name: column.meaning for column in source.profile.columns}
        return TableDescription(widget.uuid, parsing_file(source, widget), meanings)

    async def say(self, uid: str, about: str, meanings: dict[str, str], closes: str) -> Note | None:
        """Save the user's notes on a table if they differ from the table's own descriptions, and
        return the previous notes.

        Raises: UnknownWidget; SourceError for invalid notes; SetupError.
        """
        source = await asyncio.to_thread(self._widgets.sources.source, uid)
        own, widget = source.own or source.profile, self._widgets.get(uid)
        said = {column.name: column.meaning for column in own.columns}
        other = {name: " ".join(text.split()) for name, text in meanings.items()}
        other = {name: text for name, text in other.items() if text and text != said.get(name)}
        words = about.strip()
        words = "" if words == (own.description or widget.description).strip() else words
        note = note_of(source, words, other, " ".join(closes.split()))
        before = self._library.note(uid)
        await self._library.keep_note(uid, note)
        self._use(uid)
        return before

    async def put_back(self, uid: str, note: Note | None) -> None:
        """Restore previous notes, or remove the notes if these are None.

        Raises: SetupError.
        """
        if note is None:
            await self._library.forget_note(uid)
        else:
            await self._library.keep_note(uid, note)
        self._use(uid)

    def _use(self, uid: str) -> None:
        """Use the notes from the next question on."""
        self._widgets.sources.renote(uid)
        self._widgets.tell()


MOST = 12  # maximum number of tables in a file that are opened without asking


async def paths_in(widgets: Widgets, path: Path) -> list[Path]:
    """Return the paths of a file's tables. If the file itself is on a dashboard, its path comes
    first.

    Raises: SourceError.
    """
    paths = await asyncio.to_thread(tables_of, path)
    return [path, *paths[1:]] if len(paths) > 1 and uuid_of(path) in widgets else paths


async def add_tables(widgets: Widgets, path: Path, *, attach: bool = True) -> list[Widget]:
    """Open a file, with each of its sheets or tables as a widget. If there are several, unreadable
    ones are skipped.

    Raises: SourceError if none can be read, or if the file has more tables than are opened without
    asking.
    """
    paths = await paths_in(widgets, path)
    if len(paths) > MOST:
        raise too_many(path, paths)
    made: list[Widget] = []
    for one in paths:
        try:
            made.append(await widgets.add_file(one, attach=attach))
        except SourceError:  # a view whose table is gone, next to tables that can be read
            if one == paths[-1] and not made:
                raise
    return made


def too_many(path: Path, paths: list[Path]) -> SourceError:
    """Return the error for a file that has so many tables that the user has to choose one."""
    more = [f"+{len(paths) - MOST}"] if len(paths) > MOST else []
    named = ", ".join([*(TableRef.of(one).part for one in paths[:MOST]), *more])
    return SourceError(
        f"{path.name} has {len(paths)} tables: {named}.",
        f"Specify the one you need, such as {file_name(paths[0])}.",
    )
