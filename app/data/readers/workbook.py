"""Spreadsheets and SQLite files: the first sheet or table that has rows."""

from __future__ import annotations

import datetime as dt
import sqlite3
from typing import TYPE_CHECKING, Any

from python_calamine import CalamineError, CalamineWorkbook

from app.data.readers.heading import heading
from app.domain.databases.names import quote, unique
from app.domain.errors import SourceError
from backends.kernel import KernelError, Table, table_from_rows

if TYPE_CHECKING:
    from pathlib import Path


def read_xlsx(path: Path, source: str, hash_: str) -> Table:
    """Read the first sheet with rows, from the row that names its columns; rows that hold nothing are left out.

    Raises: SourceError.
    """
    try:
        book = CalamineWorkbook.from_path(str(path))
        sheets = [book.get_sheet_by_name(name).to_python() for name in book.sheet_names]
    except (CalamineError, OSError) as error:
        raise SourceError(
            f"{path.name} is not a spreadsheet that can be read.", "Save it again as .xlsx."
        ) from error
    for sheet in sheets:
        cells = [[plain(cell) for cell in row] for row in sheet]
        words = [["" if cell is None else str(cell) for cell in row] for row in cells]
        at = heading(words)
        rows = [row for row in cells[at + 1 :] if any(cell is not None for cell in row)]
        if rows:
            names = unique(words[at])
            named = [dict(zip(names, row, strict=False)) for row in rows]
            return table_from_rows(named, source=source, hash_=hash_)
    raise SourceError(f"{path.name} has no sheet with rows.", "Attach a spreadsheet with a header and rows.")


def read_sqlite(path: Path, source: str, hash_: str) -> Table:
    """Read the largest table; the file is opened read-only.

    Raises: SourceError.
    """
    try:
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            connection.row_factory = sqlite3.Row
            names = [r[0] for r in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            counted = [
                (connection.execute(f"SELECT count(*) FROM {quote(n)}").fetchone()[0], n) for n in names
            ]
            if not counted or max(counted)[0] == 0:
                raise SourceError(f"{path.name} has no table with rows.", "Attach a database with rows.")
            rows = [dict(row) for row in connection.execute(f"SELECT * FROM {quote(max(counted)[1])}")]
        finally:
            connection.close()
        return table_from_rows(
            [{k: plain(v) for k, v in row.items()} for row in rows], source=source, hash_=hash_
        )
    except (sqlite3.Error, KernelError) as error:
        raise SourceError(
            f"{path.name} is not an SQLite file that can be read.", "Check the file."
        ) from error


def plain(value: Any) -> Any:
    """Return a cell as a JSON value: dates as ISO text, whole floats as whole numbers."""
    if isinstance(value, dt.date | dt.datetime | dt.time):
        return value.isoformat()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    return None if value == "" else value
