"""Read a file as a table, whatever its format: a SELECT over it for DuckDB, or its rows."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from backends.kernel import Table

    Reader = Callable[[Path, str, str], Table]

READERS = {  # by the ending of a file: the module, loaded with the first such file, and its function
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
    """Return what reads a file as a table, of an ending that is known: (path, uuid, hash) → table."""
    module, name = READERS[path.suffix.lower()]
    return getattr(import_module(f"{__name__}.{module}"), name)
