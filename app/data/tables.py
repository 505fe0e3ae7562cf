"""A table: opened from a file, read once for each version, and profiled."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.data.library.entry import Note, noted
from app.data.readers import format_of, reader_of
from app.data.readers.contents import fetched_with, subjects
from app.data.readers.parts import TableRef, copied, file_name, hash_of, name_of
from app.data.readers.typed_files import TypedTable, meanings
from app.data.readers.workbook import SheetTable
from app.domain.errors import SourceError
from backends.data.computation import part
from backends.data.profile import profile
from backends.data.table import Table

if TYPE_CHECKING:
    from app.data.readers.workbook import WorkbookSheet
    from app.data.snapshots import Looks, TableLook
    from app.domain.database import TableCopy
    from backends.data.table import Table
    from backends.data.values import Profile


@dataclass(frozen=True)
class OpenTable:
    """An open table. uuid: the same each time a path is opened. copy: the database table that it is
    a copy of.

    values: the parameters of a backend's widget. look: its snapshot. own: its profile without the
    user's notes. sheet: its place in a workbook. types: the type names of its columns in the file.
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


# progress after a file is hashed and after it is read; the rest is profiling its columns
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
            f"{path.name} has {status.st_size / 1e9:.1f} GB; up to {LIMIT_BYTES / 1e9:.0f} GB can"
            " be opened.",
            "Reduce it, or save it as Parquet.",
        )
    return status.st_size, status.st_mtime_ns


def read_source(
    path: Path, uid: str, stamp: tuple[int, int], looks: Looks | None = None
) -> OpenTable:
    """Read a file as a table; if there is a snapshot, the file is read on first use.

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
