"""Read a file as a table, whatever its format: a SELECT over it for DuckDB, or its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.data.readers.delimited import read_delimited
from app.data.readers.structured import read_duckdb, read_json, read_parquet
from app.data.readers.workbook import read_sqlite, read_xlsx

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from backends.kernel import Table

READERS: dict[str, Callable[[Path, str, str], Table]] = {
    ".csv": read_delimited,
    ".tsv": read_delimited,
    ".txt": read_delimited,
    ".parquet": read_parquet,
    ".json": read_json,
    ".jsonl": read_json,
    ".ndjson": read_json,
    ".xlsx": read_xlsx,
    ".xls": read_xlsx,
    ".ods": read_xlsx,
    ".sqlite": read_sqlite,
    ".sqlite3": read_sqlite,
    ".db": read_sqlite,
    ".duckdb": read_duckdb,
    ".ddb": read_duckdb,
}
