"""Read a file as a table, whatever its format: a SELECT over it for DuckDB, or its rows."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from app.data.readers.parts import apart

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from backends.data.table import Table

    Reader = Callable[[Path, str, str], Table]

# by the ending of a file: the module, loaded with the first such file, and its function
READERS = {
    ".csv": ("delimited", "read_delimited"),
    ".tsv": ("delimited", "read_delimited"),
    ".txt": ("delimited", "read_delimited"),
    ".parquet": ("structured", "read_parquet"),
    ".json": ("structured", "read_json"),
    ".jsonl": ("structured", "read_json"),
    ".ndjson": ("structured", "read_json"),
    ".xlsx": ("workbook", "read_xlsx"),
    ".xls": ("workbook", "read_xlsx"),
    ".ods": ("workbook", "read_xlsx"),
    ".sqlite": ("workbook", "read_sqlite"),
    ".sqlite3": ("workbook", "read_sqlite"),
    ".db": ("workbook", "read_sqlite"),
    ".duckdb": ("structured", "read_duckdb"),
    ".ddb": ("structured", "read_duckdb"),
}


def reader_of(path: Path) -> Reader:
    """Return what reads a file, or one of its tables, of an ending that is known: (path, uuid,
    hash) → table.
    """
    file, part = apart(path)
    module, name = READERS[file.suffix.lower()]
    read = getattr(import_module(f"{__name__}.{module}"), name)
    return partial(read_part, read, part) if part else read


def read_part(read: Callable[..., Table], part: str, path: Path, source: str, hash_: str) -> Table:
    """Read one table of several."""
    return read(apart(path)[0], source, hash_, part)
