"""Parquet, DuckDB and JSON: tables whose columns have types."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from app.data.readers.contents import rows_of
from app.domain.database import literal
from app.domain.errors import SourceError
from app.openbb.content import kind_of
from backends.data.errors import KernelError
from backends.data.table import Table, connect, quote, table_from_rows, table_from_sql

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb


ZONED = "TIMESTAMP WITH TIME ZONE"


class TypedTable(Table):
    """A table with the type names that its file states, by column."""

    def __init__(self, table: Table, types: dict[str, str]) -> None:
        super().__init__(table.connection, table.relation, table.columns, table.source, table.hash)
        self.types = types


def typed(
    table: Table, connection: duckdb.DuckDBPyConnection, select: str, bound: list[str]
) -> TypedTable:
    """Return a table with the types that its columns had in the SELECT it was made from."""
    described = connection.execute(f"DESCRIBE {select}", bound).fetchall()
    return TypedTable(
        table, {c.name: str(row[1]) for c, row in zip(table.columns, described, strict=True)}
    )


def meanings(types: dict[str, str]) -> dict[str, str]:
    """Return the information in column types that does not affect how the columns are read."""
    return {name: "time in UTC" for name, told in types.items() if told == ZONED}


LISTED = 12  # tables listed in an error


def read_parquet(path: Path, source: str, hash_: str) -> Table:
    """Read a Parquet file.

    Raises: SourceError.
    """
    import duckdb

    try:
        connection, select = connect(), "SELECT * FROM read_parquet(?)"
        made = table_from_sql(connection, select, [str(path)], source=source, hash_=hash_)
        return typed(made, connection, select, [str(path)])
    except duckdb.Error as error:
        raise SourceError(
            f"{path.name} is not a readable Parquet file.", "Save it again."
        ) from error


def read_duckdb(path: Path, source: str, hash_: str, part: str = "") -> Table:
    """Read a table or view of a DuckDB file, by default the largest table. The file is opened
    read-only.

    Raises: SourceError.
    """
    import duckdb

    connection = connect()
    try:
        attach(connection, path)
        there = held_tables(connection)
        name = part or next((one for one, (_, rows) in there.items() if rows), "")
        if name not in there:
            raise no_table(path, part, list(there))
        select = f"SELECT * FROM {there[name][0]}"
        made = typed(
            table_from_sql(connection, select, [], source=source, hash_=hash_),
            connection,
            select,
            [],
        )
        connection.execute("DETACH held")
    except duckdb.Error as error:
        raise not_duckdb(path, error) from error
    return made


def tables_in(path: Path) -> list[str]:
    """Return the names of the tables in a DuckDB file that have rows, largest first, and then of
    its views. Names outside the main schema include their schema.

    Raises: SourceError.
    """
    import duckdb

    connection = connect()
    try:
        attach(connection, path)
        return [name for name, (_, rows) in held_tables(connection).items() if rows != 0]
    except duckdb.Error as error:
        raise not_duckdb(path, error) from error
    finally:
        connection.close()


def attach(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Attach a file to a connection that can read no other file from now on, because a view in an
    untrusted file might name one.

    Raises: duckdb.Error.
    """
    connection.execute(f"ATTACH {literal(str(path))} AS held (READ_ONLY)")
    connection.execute("SET enable_external_access = false")


def held_tables(connection: duckdb.DuckDBPyConnection) -> dict[str, tuple[str, int]]:
    """Return the tables of an attached file by name, largest first, then its views: each in SQL and
    with its number of rows; -1 for a view.
    """
    found = connection.execute(
        "SELECT schema_name, table_name, false FROM duckdb_tables() WHERE database_name = 'held'"
        " AND NOT internal UNION ALL SELECT schema_name, view_name, true FROM duckdb_views() WHERE"
        " database_name = 'held' AND NOT internal"
    ).fetchall()
    sized: list[tuple[int, str, str]] = []
    for schema, table, view in found:
        relation = f"held.{quote(schema)}.{quote(table)}"
        counted = (
            None if view else connection.execute(f"SELECT count(*) FROM {relation}").fetchone()
        )
        sized.append(
            (
                int(counted[0]) if counted else -1,
                f"{schema}.{table}".removeprefix("main."),
                relation,
            )
        )
    return {name: (relation, rows) for rows, name, relation in sorted(sized, reverse=True)}


def no_table(path: Path, part: str, there: list[str]) -> SourceError:
    """Return the error for a table that does not exist in a file, or for a file without rows."""
    if not part:
        return SourceError(f"{path.name} has no table with rows.", "Attach a database with rows.")
    return SourceError(
        f"{path.name} has no table {part!r}.", f"It has: {', '.join(there[:LISTED])}."
    )


def not_duckdb(path: Path, error: duckdb.Error) -> SourceError:
    """Return the error for a file or view that cannot be read; for a view, with DuckDB's reason."""
    import duckdb

    if isinstance(
        error, duckdb.CatalogException | duckdb.BinderException | duckdb.PermissionException
    ):
        why = str(error).splitlines()[0]
        return SourceError(
            f"A view of {path.name} cannot be read: {why}", "Choose one of its tables."
        )
    return SourceError(f"{path.name} is not a readable DuckDB file.", "Check the file.")


def read_json(path: Path, source: str, hash_: str) -> Table:
    """Read JSON: a list of rows, rows under one key, or one row on each line.

    Raises: SourceError.
    """
    text = path.read_text("utf-8-sig", errors="strict") if is_utf8(path) else ""
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):  # endless nesting is not a table either
        value = read_lines(path, text)
    if (
        isinstance(value, dict)
        and value.keys() == {"type", "value"}
        and kind_of(str(value["type"])).tabular
    ):
        value = rows_of(str(value["type"]), value["value"])
    elif isinstance(value, dict):
        lists = [v for v in cast("dict[str, Any]", value).values() if isinstance(v, list)]
        value = lists[0] if len(lists) == 1 else [value]
    rows = (
        [row for row in cast("list[Any]", value) if isinstance(row, dict)]
        if isinstance(value, list)
        else []
    )
    if not rows:
        raise SourceError(
            f"{path.name} contains no rows.", "It needs a list of objects, one for each row."
        )
    try:
        return table_from_rows(cast("list[dict[str, Any]]", rows), source=source, hash_=hash_)
    except KernelError as error:
        raise SourceError(f"{path.name}: {error.text}", error.remedy) from error


def is_utf8(path: Path) -> bool:
    """Return whether a file is UTF-8 text.

    Raises: SourceError if it is not.
    """
    try:
        path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(f"{path.name} is not JSON in UTF-8.", "Save it as UTF-8.") from error
    return True


def read_lines(path: Path, text: str) -> list[Any]:
    """Read one row from each line.

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
                f"{path.name} is not JSON: line {number} cannot be read.", "Fix that line."
            ) from error
    return rows
