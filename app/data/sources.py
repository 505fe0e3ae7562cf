"""The tables the person opened: read once for each version, profiled, asked."""

from __future__ import annotations

import threading
import uuid
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.data.documents import text_of
from app.data.excerpt import table_in_words
from app.data.library.entry import Note, noted
from app.data.library.offered import usable
from app.data.readers import READERS, reader_of
from app.data.readers.contents import fetched_with, subjects
from app.data.readers.parts import apart, copied, file_name, hash_of, name_of
from app.data.readers.structured import TypedTable, meanings
from app.data.readers.workbook import SheetTable
from app.data.runs import Runs
from app.data.views import series
from app.domain.errors import SourceError, UnknownWidget
from backends.data.arguments import read as read_arguments
from backends.data.compile import QUERY, QueryArguments, query_sources, run_query
from backends.data.interfaces import INTERFACES
from backends.data.profile import profile
from backends.data.stopping import part
from backends.data.table import Table
from backends.data.values import Result, Scalar

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.data.kept import Look, Looks
    from app.data.library.entry import Entry
    from app.data.library.shelf import Library
    from app.data.readers.workbook import Sheet
    from app.domain.database import Copied
    from app.domain.widget import Series, Widget
    from backends.data.values import Profile


@dataclass(frozen=True)
class Source:
    """One open table. uuid: the same for a path, whenever it is opened. copy: of what it is one, if
    of a database's.

    values: of a backend's widget, the parameters its data were fetched with. look: what is kept of
    it. own: its profile without what a person said of it. sheet: where it stands in a workbook.
    types: of its columns, as its file calls them.
    """

    uuid: str
    path: Path
    table: Table
    profile: Profile
    stamp: tuple[int, int]
    copy: Copied | None = None
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    look: Look | None = None
    own: Profile | None = None
    sheet: Sheet | None = None
    types: dict[str, str] = field(default_factory=dict[str, str])


HASHED, READ = (
    0.05,
    0.9,
)  # of reading a file: known by its hash, made a table; what is left is to look at its columns
LIMIT_BYTES = 4 * 1024**3


class Sources:
    """Open tables by uuid. Threads may call at once; sources are never written.

    note: what a person said of a table, by its uuid. entries: the newest versions of the library's
    workflows.
    looks: what is kept of tables, so that they stand here before they are read; without, each is
    read at once.
    """

    def __init__(
        self,
        note: Callable[[str], Note | None] | None = None,
        entries: Callable[[], list[Entry]] | None = None,
        looks: Looks | None = None,
    ) -> None:
        self._looks = looks
        self._note = note
        self._entries = entries
        self._sources: dict[str, Source] = {}
        self._lock = threading.Lock()
        self._reading: dict[str, threading.Lock] = {}
        self._documents: dict[str, Widget] = {}
        self.runs = Runs(
            lambda uid: self.source(uid).table, lambda uid: self.source(uid).profile.name
        )

    @classmethod
    def of(cls, library: Library, looks: Looks | None = None) -> Sources:
        """Return tables with what a library knows of them, and its interfaces over them."""
        return cls(library.note, library.entries, looks)

    def __contains__(self, uid: object) -> bool:
        """Tell whether a table of this uuid is open."""
        return uid in self._sources

    def add_file(self, path: Path) -> Source:
        """Open a file; one that is open and unchanged is not read again.

        Raises: SourceError.
        """
        path = path.expanduser().absolute()
        stamp, uid = stamp_of(path), uuid_of(path)
        with self._lock:
            reading = self._reading.setdefault(uid, threading.Lock())
        with reading:  # a large file holds up nobody who asks another, or says something of one
            known = self._sources.get(uid)
            if known is None or known.stamp != stamp:
                known = read_source(path, uid, stamp, self._looks)
                with self._lock, part(1.0, 1.0):  # not once it was stopped
                    if self._note is not None:
                        said = noted(known.profile, self._note(uid))
                        known = replace(known, own=known.profile, profile=said)
                    self._sources[uid] = known
            return known

    def renote(self, uid: str) -> None:
        """Take in what a person has said of an open table meanwhile."""
        with self._lock:
            known = self._sources.get(uid)
            if known is not None and self._note is not None:
                profile = noted(known.own or known.profile, self._note(uid))
                self._sources[uid] = replace(known, profile=profile)

    def opened(self, uid: str) -> Source | None:
        """Return a table as it was read, if one of this uuid is open."""
        return self._sources.get(uid)

    def source(self, uid: str) -> Source:
        """Return an open table, read again if its file changed; one whose file is gone answers from
        what was read.

        Raises: UnknownWidget, SourceError.
        """
        known = self._sources.get(uid)
        if known is None:
            raise UnknownWidget("There is no such table here.", "Attach the file again.")
        try:
            stamp = stamp_of(known.path)
        except SourceError:
            return known
        return known if stamp == known.stamp else self.add_file(known.path)

    def is_stale(self, uid: str, source_hash: str) -> bool:
        """Tell whether a citation is of another version than the one that is open."""
        known = self._sources.get(uid)
        return known is None or known.table.hash != source_hash

    def has_changed(self, uid: str) -> bool:
        """Tell whether the file of an open table is another now, or gone."""
        known = self._sources.get(uid)
        try:
            return known is not None and stamp_of(known.path) != known.stamp
        except SourceError:
            return True

    def series(self, uid: str, column: str) -> Series:
        """Return a column in time's order; see `app.data.views.series`.

        Raises: UnknownWidget, SourceError.
        """
        source = self.source(uid)
        look = source.look
        if look is None or self._looks is None:
            return series(source, column)
        if column not in look.series:
            look.series[column] = series(source, column)
            self._looks.save(source.path, look)
        return look.series[column]

    def tidy(self) -> None:
        """Let go of what is kept of tables that are not open."""
        if self._looks is not None:
            self._looks.leave_only({source.table.hash for source in self._sources.values()})

    def close(self, uid: str) -> None:
        """Forget an open table: what lies there is none any more."""
        with self._lock:
            self._sources.pop(uid, None)

    def copy_of(self, uid: str) -> Copied | None:
        """Return of what an open table is the copy, if it is one of a database's."""
        known = self._sources.get(uid)
        return known.copy if known is not None else None

    def library(self) -> list[Entry]:
        """Return the validated workflows of the library whose tables are open and as they were.

        Raises: SourceError, SetupError.
        """
        if self._entries is None or not (entries := self._entries()):
            return []
        read = {uid for entry in entries for uid in entry.origin.schemas if uid in self._sources}
        return usable(entries, {uid: self.source(uid) for uid in read})

    def set_documents(self, widgets: list[Widget]) -> None:
        """Know the widgets that are no tables, so that copilots can read them."""
        self._documents = {w.uuid: w for w in widgets}

    def run(self, interface: str, arguments: dict[str, Any]) -> Result:
        """Compute a data interface.

        Raises: UnknownWidget, KernelError.
        """
        if interface not in INTERFACES:
            raise UnknownWidget(
                f"There is no data interface {interface!r}.", f"There are: {', '.join(INTERFACES)}."
            )
        if interface == QUERY:
            asked = read_arguments(QUERY, QueryArguments, arguments)
            named = query_sources(asked.query)
            return run_query(asked.query, {uid: self.source(uid).table for uid in named})
        return INTERFACES[interface].run(self.source(str(arguments.get("source"))).table, arguments)

    def rows(self, uid: str, offset: int, limit: int) -> list[tuple[Scalar, ...]]:
        """Return rows of a table, in its order."""
        return self.source(uid).table.rows(offset, limit)

    def document(self, uid: str) -> Widget | None:
        """Return a widget that is no table; None if there is none of this uuid."""
        return self._documents.get(uid)

    def as_text(self, uid: str, question: str = "") -> str:
        """Return a widget for copilots that want data: a table as JSON, cut to what fits a question
        best if it is large; anything else in words.

        Raises: UnknownWidget, SourceError.
        """
        if uid in self._documents:
            return text_of(self._documents[uid])
        return table_in_words(self.source(uid), question)


def uuid_of(path: Path) -> str:
    """Return the uuid of a file's table: the same for a path, whenever it is opened."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, path.expanduser().absolute().as_uri()))


def stamp_of(path: Path) -> tuple[int, int]:
    """Return size and time of a file, by which a change shows.

    Raises: SourceError for what is no readable file.
    """
    path, _ = apart(path)
    try:
        status = path.stat()
    except OSError as error:
        raise SourceError(
            f"{path.name} cannot be found or read.", "Check the path and its permissions."
        ) from error
    if not path.is_file():
        raise SourceError(f"{path.name} is not a file.", "Attach a file.")
    if status.st_size > LIMIT_BYTES:
        raise SourceError(
            f"{path.name} has {status.st_size / 1e9:.1f} GB; up to {LIMIT_BYTES / 1e9:.0f} GB can"
            " be opened.",
            "Cut it down, or save it as Parquet.",
        )
    return status.st_size, status.st_mtime_ns


def read_source(path: Path, uid: str, stamp: tuple[int, int], looks: Looks | None = None) -> Source:
    """Read a file as a table; one of which a look is kept is read once it is asked.

    Raises: SourceError.
    """
    file, _ = apart(path)
    if file.suffix.lower() not in READERS:
        raise SourceError(
            f"{path.name} is of a kind that cannot be read as a table.",
            "Attach CSV, Parquet, Excel, JSON, SQLite or DuckDB.",
        )
    values = fetched_with(path)
    with part(0.0, HASHED):
        hash_ = hash_of(path)
    if looks is not None and (kept := looks.find(path, uid, hash_)) is not None:
        table, look = kept
        known = look.profile.model_copy(
            update={"source": uid, "name": name_of(path), "symbols": subjects(values)}
        )
        return Source(
            uid, path, table, known, stamp, None, values, look, None, look.sheet, look.types
        )
    with part(HASHED, READ):
        table = read_table(path, uid, hash_)
    with part(READ, 1.0):
        known, copy = profile(table, name_of(path), symbols=subjects(values)), copied(path)
    if copy is not None:
        known = noted(known, Note(path=str(path), about=copy.described(), meanings=copy.meanings))
        known = known.model_copy(
            update={"name": f"{known.name} (first {known.rows:,} rows)"} if copy.of else {}
        )
    types = table.types if isinstance(table, TypedTable) else {}
    if copy is None and (said := meanings(types)):
        known = noted(known, Note(path=str(path), meanings=said))
    look = looks.keep(path, table, known) if looks is not None and copy is None else None
    sheet = table.sheet if isinstance(table, SheetTable) else None
    return Source(uid, path, table, known, stamp, copy, values, look, None, sheet, types)


def read_table(path: Path, uid: str, hash_: str) -> Table:
    """Read all of a file.

    Raises: SourceError.
    """
    try:
        return reader_of(path)(path, uid, hash_)
    except PermissionError as error:
        raise SourceError(
            f"{file_name(path)} may not be read.", "Check its permissions."
        ) from error
