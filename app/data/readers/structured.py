"""Parquet, DuckDB and JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import duckdb

from app.data.readers.contents import TABULAR, rows_of
from app.domain.databases.names import literal
from app.domain.errors import SourceError
from backends.kernel import KernelError, Table, connect, table_from_rows, table_from_sql
from backends.kernel.table import quote

if TYPE_CHECKING:
    from pathlib import Path


def read_parquet(path: Path, source: str, hash_: str) -> Table:
    """Read a Parquet file.

    Raises: SourceError.
    """
    try:
        return table_from_sql(
            connect(), "SELECT * FROM read_parquet(?)", [str(path)], source=source, hash_=hash_
        )
    except duckdb.Error as error:
        raise SourceError(f"{path.name} is not a Parquet file that can be read.", "Save it again.") from error


def read_duckdb(path: Path, source: str, hash_: str) -> Table:
    """Read the largest table of a DuckDB file, which is opened read-only.

    Raises: SourceError.
    """
    connection = connect()
    try:
        connection.execute(f"ATTACH {literal(str(path))} AS held (READ_ONLY)")
        found = connection.execute(
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'held' AND NOT internal"
        ).fetchall()
        counted = [
            (connection.execute(f"SELECT count(*) FROM held.{quote(s)}.{quote(t)}").fetchone(), s, t)
            for s, t in found
        ]
        sized = [(int(row[0]), s, t) for row, s, t in counted if row is not None]
        if not sized or max(sized)[0] == 0:
            raise SourceError(f"{path.name} has no table with rows.", "Attach a database with rows.")
        _, schema, name = max(sized)
        select = f"SELECT * FROM held.{quote(schema)}.{quote(name)}"
        made = table_from_sql(connection, select, [], source=source, hash_=hash_)
        connection.execute("DETACH held")
    except duckdb.Error as error:
        raise SourceError(f"{path.name} is not a DuckDB file that can be read.", "Check the file.") from error
    return made


def read_json(path: Path, source: str, hash_: str) -> Table:
    """Read JSON: rows, rows under one key, or a row a line.

    Raises: SourceError.
    """
    text = path.read_text("utf-8-sig", errors="strict") if is_utf8(path) else ""
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):  # nested without end is no table either
        value = read_lines(path, text)
    if isinstance(value, dict) and value.keys() == {"type", "value"} and value["type"] in TABULAR:
        value = rows_of(str(value["type"]), value["value"])
    elif isinstance(value, dict):
        lists = [v for v in cast("dict[str, Any]", value).values() if isinstance(v, list)]
        value = lists[0] if len(lists) == 1 else [value]
    rows = (
        [row for row in cast("list[Any]", value) if isinstance(row, dict)] if isinstance(value, list) else []
    )
    if not rows:
        raise SourceError(f"{path.name} holds no rows.", "It needs a list of objects, one for each row.")
    try:
        return table_from_rows(cast("list[dict[str, Any]]", rows), source=source, hash_=hash_)
    except KernelError as error:
        raise SourceError(f"{path.name}: {error.text}", error.remedy) from error


def is_utf8(path: Path) -> bool:
    """Tell whether a file is UTF-8.

    Raises: SourceError if it is not.
    """
    try:
        path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(f"{path.name} is not JSON in UTF-8.", "Save it as UTF-8.") from error
    return True


def read_lines(path: Path, text: str) -> list[Any]:
    """Read a row a line.

    Raises: SourceError, naming the line.
    """
    rows: list[Any] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            rows.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            raise SourceError(
                f"{path.name} is not JSON: line {number} cannot be read.", "Mend that line."
            ) from error
    return rows
