"""The table formats: the reader for each, and how to list the tables in a file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from app.data.readers.parts import TableRef

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from backends.data.table import Table

    Reader = Callable[[Path, str, str], Table]


def delimited() -> Callable[..., Table]:
    """Load the reader for delimited text."""
    from app.data.readers.csv_file import read_delimited

    return read_delimited


def parquet() -> Callable[..., Table]:
    """Load the reader for Parquet."""
    from app.data.readers.typed_files import read_parquet

    return read_parquet


def json_file() -> Callable[..., Table]:
    """Load the reader for JSON."""
    from app.data.readers.typed_files import read_json

    return read_json


def duckdb_file() -> Callable[..., Table]:
    """Load the reader for DuckDB files."""
    from app.data.readers.typed_files import read_duckdb

    return read_duckdb


def workbook() -> Callable[..., Table]:
    """Load the reader for spreadsheets."""
    from app.data.readers.workbook import read_xlsx

    return read_xlsx


def sqlite() -> Callable[..., Table]:
    """Load the reader for SQLite files."""
    from app.data.readers.workbook import read_sqlite

    return read_sqlite


def sheet_names() -> Callable[[Path], list[str]]:
    """Load the function that lists the sheets of a spreadsheet, the default one first."""
    from app.data.readers.workbook import sheets_in

    return sheets_in


def sqlite_names() -> Callable[[Path], list[str]]:
    """Load the function that lists the tables of a SQLite file, the default one first."""
    from app.data.readers.workbook import tables_in

    return tables_in


def duckdb_names() -> Callable[[Path], list[str]]:
    """Load the function that lists the tables of a DuckDB file, the default one first."""
    from app.data.readers.typed_files import tables_in

    return tables_in


@dataclass(frozen=True)
class FileFormat:
    """A table format. Its libraries are imported when the first such file is read.

    reader: a function that loads the reader. names: for formats that can contain several tables, a
    function that loads the function that lists them.
    """

    suffixes: tuple[str, ...]
    reader: Callable[[], Callable[..., Table]]
    names: Callable[[], Callable[[Path], list[str]]] | None = None


FORMATS = (
    FileFormat((".csv", ".tsv", ".txt"), delimited),
    FileFormat((".parquet",), parquet),
    FileFormat((".json", ".jsonl", ".ndjson"), json_file),
    FileFormat((".xlsx", ".xls", ".ods"), workbook, sheet_names),
    FileFormat((".sqlite", ".sqlite3", ".db"), sqlite, sqlite_names),
    FileFormat((".duckdb", ".ddb"), duckdb_file, duckdb_names),
)


def format_of(path: Path) -> FileFormat | None:
    """Return the format of a file, or None if the file is not read as a table."""
    suffix = TableRef.of(path).suffix
    return next((one for one in FORMATS if suffix in one.suffixes), None)


def reader_of(path: Path) -> Reader:
    """Return the reader for a file, or for one of its tables: (path, uuid, hash) → table."""
    form = format_of(path)
    assert form is not None
    ref, read = TableRef.of(path), form.reader()
    return partial(read_part, read, ref.part) if ref.part else read


def read_part(read: Callable[..., Table], part: str, path: Path, source: str, hash_: str) -> Table:
    """Read one of several tables."""
    return read(TableRef.of(path).file, source, hash_, part)


def tables_of(path: Path) -> list[Path]:
    """If a file has several tables, return their paths, starting with the default table.

    Raises: SourceError if the file cannot be read.
    """
    ref, form = TableRef.of(path.expanduser().absolute()), format_of(path)
    if ref.part or form is None or form.names is None or not ref.file.is_file():
        return [path]
    names = form.names()(ref.file)
    return [TableRef(ref.file, name).path for name in names] if len(names) > 1 else [path]
