"""A table: opened from a file, read once for each version, and profiled.

Saved first views of tables, shown on the dashboard before the files are read again.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import tempfile
import threading
import uuid
from dataclasses import asdict, dataclass, field
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import app.data
import backends.data
from app.data import readers
from app.data.library.entry import Note, noted
from app.data.readers import format_of, reader_of
from app.data.readers.parts import TableRef, copied, file_name, hash_of, name_of
from app.data.readers.typed_files import TypedTable, fetched_with, meanings, subjects
from app.data.readers.workbook import SheetTable, WorkbookSheet
from app.domain.dashboard import ColumnSeries
from app.domain.errors import SourceError
from backends.data.column_types import TypedColumn
from backends.data.computation import part
from backends.data.profile import profile
from backends.data.table import Table
from backends.data.values import Profile
from backends.paths import looks_folder

if TYPE_CHECKING:
    import duckdb

    from app.domain.database import TableCopy
    from backends.data.values import Scalar


@dataclass(frozen=True)
class OpenTable:
    """An open table. uuid: a uuid that is the same each time a path is opened. copy: the database
    table that it is a copy of.

    values: the parameters of a backend's widget. look: its snapshot. own: its profile without the
    user's notes. sheet: its position in a workbook. types: the type names of its columns in the
    file.
    """

    uuid: str
    path: Path
    table: Table
    profile: Profile
    stamp: tuple[int, int]
    copy: TableCopy | None = None
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    look: TableLook | None = None
    own: Profile | None = None
    sheet: WorkbookSheet | None = None
    types: dict[str, str] = field(default_factory=dict[str, str])


# the progress when a file has been hashed and when it has been read; the rest is for profiling its
# columns
HASHED, READ = 0.05, 0.9


LIMIT_BYTES = 4 * 1024**3


def uuid_of(path: Path) -> str:
    """Return the uuid of a file's table, which is the same each time the path is opened."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, path.expanduser().absolute().as_uri()))


def stamp_of(path: Path) -> tuple[int, int]:
    """Return the size and modification time of a file, which reveal a change.

    Raises: SourceError if it is not a readable file.
    """
    path = TableRef.of(path).file
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
            f"{path.name} is {status.st_size / 1e9:.1f} GB; up to {LIMIT_BYTES / 1e9:.0f} GB can"
            " be opened.",
            "Reduce it, or save it as Parquet.",
        )
    return status.st_size, status.st_mtime_ns


def read_source(
    path: Path, uid: str, stamp: tuple[int, int], looks: Looks | None = None
) -> OpenTable:
    """Read a file as a table. If there is a snapshot, the file is read on first use.

    Raises: SourceError.
    """
    if format_of(path) is None:
        raise SourceError(
            f"{path.name}: this file type cannot be read as a table.",
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
        return OpenTable(
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
    return OpenTable(uid, path, table, known, stamp, copy, values, look, None, sheet, types)


def read_table(path: Path, uid: str, hash_: str) -> Table:
    """Read a file completely.

    Raises: SourceError.
    """
    try:
        return reader_of(path)(path, uid, hash_)
    except PermissionError as error:
        raise SourceError(
            f"You do not have permission to read {file_name(path)}.", "Check its permissions."
        ) from error


# number of rows read at a time, number of cells measured for a card, and maximum number of cells
# saved
PAGE, CELLS, MOST_CELLS = 200, 4000, 100_000


@dataclass(frozen=True)
class TableLook:
    """The first view of a table. rows: its first rows. series: the columns plotted so far. sheet:
    its position in a workbook. types: the type names of its columns in the file.
    """

    columns: list[TypedColumn]
    profile: Profile
    rows: list[tuple[Scalar, ...]]
    series: dict[str, ColumnSeries] = field(default_factory=dict[str, ColumnSeries])
    sheet: WorkbookSheet | None = None
    types: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def is_whole(self) -> bool:
        """Return whether it contains all rows."""
        return len(self.rows) == self.profile.rows

    def as_dict(self) -> dict[str, Any]:
        """Return the view as JSON values."""
        told: dict[str, Any] = {
            "columns": [asdict(column) for column in self.columns],
            "profile": self.profile.model_dump(),
            "rows": self.rows,
            "series": {name: asdict(one) for name, one in self.series.items()},
        }
        told |= {"sheet": asdict(self.sheet)} if self.sheet is not None else {}
        return told | ({"types": self.types} if self.types else {})


def look_at(table: Table, profile: Profile) -> TableLook | None:
    """Return the first view of a table, or None if the table is too wide."""
    width = len(table.columns)
    rows = max(
        PAGE * 2, (CELLS // width // PAGE + 2) * PAGE
    )  # all that a card measures, and one more page for scrolling
    if rows * width > MOST_CELLS:
        return None
    elsewhere = {
        "source": "",
        "name": "",
        "symbols": [],
    }  # depends on where the file is, not on its content
    sheet = table.sheet if isinstance(table, SheetTable) else None
    types = table.types if isinstance(table, TypedTable) else {}
    first = table.rows(0, rows)
    return TableLook(
        table.columns, profile.model_copy(update=elsewhere), first, sheet=sheet, types=types
    )


def look_from(told: dict[str, Any]) -> TableLook:
    """Restore a view from its stored form.

    Raises: ValueError, KeyError or TypeError if the input is not valid.
    """
    sheet = told.get("sheet")
    return TableLook(
        [
            TypedColumn(**column | {"periods": tuple(column["periods"])})
            for column in told["columns"]
        ],
        Profile.model_validate(told["profile"]),
        [tuple(row) for row in told["rows"]],
        {name: series_from(one) for name, one in told["series"].items()},
        WorkbookSheet(**sheet | {"skipped": tuple(sheet["skipped"])}) if sheet else None,
        told.get("types", {}),
    )


def series_from(told: dict[str, Any]) -> ColumnSeries:
    """Restore a series from its stored form."""
    made: dict[str, Any] = {
        name: tuple(one) if isinstance(one, list) else one for name, one in told.items()
    }
    return ColumnSeries(**made)


class KeptTable(Table):
    """A table that was read before.

    content: the content of its file, which may have changed or been deleted since. of: the file's
    suffix and the name of the table in the file.
    """

    def __init__(self, look: TableLook, content: bytes, of: tuple[str, str], source: str) -> None:
        super().__init__(None, "", look.columns, source, look.profile.hash)
        self._look, self._content, self._of = look, content, of
        self._lock = threading.Lock()
        self._read: Table | None = None

    @property
    def is_read(self) -> bool:
        """Return whether it has been read in this session."""
        return self._read is not None

    def count(self) -> int:
        """Return the number of rows."""
        return self._look.profile.rows

    def rows(self, offset: int, limit: int) -> list[tuple[Scalar, ...]]:
        """Return rows `offset` to `offset + limit` in the source's order."""
        kept = self._look.rows
        if self._look.is_whole or offset + limit <= len(kept):
            return kept[offset : offset + limit]
        return super().rows(offset, limit)

    def _place(self) -> tuple[duckdb.DuckDBPyConnection, str]:
        with self._lock:
            if self._read is None:
                self._read = self._from_content()
            return self._read.connection, self._read.relation

    def _from_content(self) -> Table:
        with tempfile.TemporaryDirectory() as folder:
            ending, part = self._of
            file = Path(folder, f"table{ending}")
            file.write_bytes(self._content)
            path = TableRef(file, part).path
            return reader_of(path)(path, self.source, self.hash)


# the size of a file; a larger one is read immediately so that its first answer is not delayed
SNAPSHOT_BYTES = 1 << 20
ENDINGS = (
    ".csv",
    ".tsv",
    ".txt",
    ".json",
    ".jsonl",
    ".ndjson",
    ".parquet",
    ".xlsx",
    ".xls",
    ".ods",
)
# The code that decides how a table is read. Snapshots made by another version of it are not used.
CODE = (app.data, readers, backends.data)
log = logging.getLogger(__name__)


class Looks:
    """A thread-safe store of snapshots in a folder. ready: a folder with snapshots that are shipped
    with Deskpilot.

    They only save time: failures to read or write them are logged and ignored.
    """

    def __init__(self, folder: Path, ready: Path | None = None) -> None:
        self._folder, self._ready = folder, ready
        self._lock = threading.Lock()

    def find(self, path: Path, source: str, hash_: str) -> tuple[KeptTable, TableLook] | None:
        """Return the snapshot of a file's table with this content, or None if there is no such
        snapshot.
        """
        ref = TableRef.of(path)
        told = self._told(self._name(path, hash_)) if ref.suffix in ENDINGS else None
        if told is None:
            return None
        try:
            look = look_from(told)
            content = ref.file.read_bytes()
        except (ValueError, KeyError, TypeError, OSError) as error:
            log.warning("The look kept at %s cannot be used: %s", path.name, error)
            return None
        digest = hashlib.sha256(content)
        digest.update(ref.part.encode("utf-8", "surrogatepass"))
        if hash_ != digest.hexdigest()[: len(hash_)]:  # the file has just been changed
            return None
        return KeptTable(look, content, (ref.suffix, ref.part), source), look

    def keep(self, path: Path, table: Table, profile: Profile) -> TableLook | None:
        """Save a snapshot of a table that was read, and return it. Return None for a table that is
        always read again.
        """
        file = TableRef.of(path).file
        if file.suffix.lower() not in ENDINGS or file.stat().st_size > SNAPSHOT_BYTES:
            return None
        look = look_at(table, profile)
        if look is not None:
            self.save(path, look)
        return look

    def save(self, path: Path, look: TableLook) -> None:
        """Save a snapshot in its current form."""
        name = self._name(path, look.profile.hash)
        with self._lock:
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                part = self._folder / f"{name}.{os.getpid()}"
                handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    json.dump({"code": self._code, **look.as_dict()}, file, ensure_ascii=False)
                os.replace(part, self._folder / name)
            except OSError as error:
                log.warning("The look at %s cannot be kept: %s", path.name, error)

    def leave_only(self, hashes: set[str]) -> None:
        """Remove all snapshots except those of tables with these hashes."""
        for path in self._folder.glob("*.json"):
            if path.name.partition(".")[0] not in hashes:
                path.unlink(missing_ok=True)

    def _told(self, name: str) -> dict[str, Any] | None:
        for folder in (self._folder, self._ready):
            told = read(folder / name) if folder is not None else None
            if told is not None and (folder == self._ready or told.get("code") == self._code):
                return told
        return None

    @cached_property
    def _code(self) -> str:
        """Return a hash of the code that reads tables."""
        digest = hashlib.sha256()
        for package in CODE:
            for file in sorted(files(package).iterdir(), key=lambda one: one.name):
                if file.name.endswith((".py", ".pyc")):
                    digest.update(file.read_bytes())
        return digest.hexdigest()[:16]

    @staticmethod
    def _name(path: Path, hash_: str) -> str:
        return f"{hash_}{TableRef.of(path).suffix}.json"


def own_looks() -> Looks:
    """Return the snapshots for this data folder. The snapshot of the sample table is shipped with
    Deskpilot.
    """
    return Looks(looks_folder(), Path(str(files("resources") / "samples" / "looks")))


def read(path: Path) -> dict[str, Any] | None:
    """Return the content of a snapshot file, or None if the file does not exist or is empty."""
    try:
        told = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return told if isinstance(told, dict) else None
