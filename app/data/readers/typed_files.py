"""Parquet, DuckDB and JSON: tables whose columns have types.

The charts, key figures and price bars of widgets, converted to rows so that they can be queried
like a table.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

from app.domain.database import literal
from app.domain.errors import SourceError
from app.openbb.content import kind_of
from backends.data.errors import KernelError
from backends.data.table import Table, connect, quote, table_from_rows, table_from_sql

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb


FETCHED = re.compile(r"^[0-9a-f]{32}$")  # the folder with the data fetched for one widget
SUBJECT = re.compile(r"[A-Z^][A-Z0-9.^=:-]{0,14}|.*[\u3040-\u30ff\u4e00-\u9fff].*")
PRICES = ("open", "high", "low", "close")
LINES = ("scatter", "scattergl", "bar", "")


def rows_of(kind: str, value: Any) -> list[dict[str, Any]]:
    """Return the content of a widget as rows, or an empty list if it has none."""
    if kind == "plotly" and isinstance(value, dict):
        return figure_rows(value)
    if kind_of(kind).tabular and isinstance(value, list):
        return [row for row in value if isinstance(row, dict)]
    return []


def figure_rows(figure: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the points of a Plotly figure, with a row for each x and a column for each trace.

    If a trace has the same x twice, return a row for each point, with the name of its trace.
    Figures without such points (maps, heat maps, networks) produce no rows.
    """
    data, layout = figure.get("data"), figure.get("layout")
    layout = layout if isinstance(layout, dict) else {}
    traces = [one for one in data if isinstance(one, dict)] if isinstance(data, list) else []
    if len(traces) == 1 and traces[0].get("type") == "pie":
        pairs = zip(listed(traces[0].get("labels")), listed(traces[0].get("values")), strict=False)
        return [{"label": label, "value": value} for label, value in pairs]
    place = axis_name(layout, "xaxis") or "x"
    columns: list[tuple[str, list[Any], list[Any]]] = []
    for number, trace in enumerate(traces, 1):
        columns += points(trace, str(trace.get("name") or "").strip(), number, layout)
    if not columns:
        return []
    columns = with_own_names(columns, place)
    if any(len(set(map(str, x))) < len(x) for _, x, _ in columns):
        return [
            {place: at, "series": name, "value": y}
            for name, xs, ys in columns
            for at, y in zip(xs, ys, strict=True)
        ]
    rows: dict[Any, dict[str, Any]] = {}
    for name, xs, ys in columns:
        for at, y in zip(xs, ys, strict=True):
            rows.setdefault(str(at), {place: at})[name] = y
    made = list(rows.values())
    kinds = {type(row[place]) for row in made}
    rising = (
        all(a <= b for _, x, _ in columns for a, b in pairwise(x))
        if kinds in ({str}, {int}, {float})
        else False
    )
    return sorted(made, key=lambda row: row[place]) if rising else made


def points(
    trace: dict[str, Any], name: str, number: int, layout: dict[str, Any]
) -> list[tuple[str, list[Any], list[Any]]]:
    """Return the columns that a trace plots, each with its name, positions and values."""
    x = listed(trace.get("x"))
    kind = str(trace.get("type") or "")
    if kind in ("candlestick", "ohlc"):
        drawn = [(f"{name} {price}".strip(), listed(trace.get(price))) for price in PRICES]
    elif kind in LINES:
        y = listed(trace.get("y"))
        if kind == "bar" and trace.get("orientation") == "h":
            x, y = y, x
        drawn = [(name or axis_name(layout, "yaxis") or f"y{number if number > 1 else ''}", y)]
    else:
        return []
    return [
        (title, x or list(range(len(y))), y) for title, y in drawn if y and len(x or y) == len(y)
    ]


def with_own_names(
    columns: list[tuple[str, list[Any], list[Any]]], place: str
) -> list[tuple[str, list[Any], list[Any]]]:
    """Return columns with distinct names, none of which is the name of the position column."""
    taken, made = {place.lower()}, columns[:]
    for at, (name, x, y) in enumerate(columns):
        own, n = name, 2
        while own.lower() in taken:
            own, n = f"{name} {n}", n + 1
        taken.add(own.lower())
        made[at] = (own, x, y)
    return made


def axis_name(layout: dict[str, Any], axis: str) -> str:
    """Return the title of an axis."""
    told = layout.get(axis)
    title = told.get("title") if isinstance(told, dict) else None
    text = title.get("text") if isinstance(title, dict) else title
    return " ".join(text.split())[:80] if isinstance(text, str) else ""


def listed(raw: Any) -> list[Any]:
    """Return the values of a trace, which are sent as a list or as base64-encoded numbers."""
    if isinstance(raw, list):
        return [None if isinstance(one, list | dict) else one for one in raw]
    if not isinstance(raw, dict) or not isinstance(raw.get("bdata"), str):
        return []
    import numpy as np

    try:
        held = base64.b64decode(raw["bdata"], validate=True)
        return np.frombuffer(held, dtype=np.dtype(str(raw.get("dtype"))).newbyteorder("<")).tolist()
    except (binascii.Error, TypeError, ValueError):
        return []


def fetched_with(path: Path) -> dict[str, Any]:
    """Return the parameters with which a widget's data was fetched, or an empty dictionary for any
    other file."""
    if not FETCHED.match(path.parent.name):
        return {}
    try:
        told = json.loads(path.with_name("parameters.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def subjects(values: dict[str, Any]) -> list[str]:
    """Return the values of parameters that name the subject of the data, such as AAPL or 北京
    (Beijing).
    """
    every = [
        one for value in values.values() for one in (value if isinstance(value, list) else [value])
    ]
    words = [part.strip() for one in every if isinstance(one, str) for part in one.split(",")]
    return list(
        dict.fromkeys(word for word in words if len(word) <= 40 and SUBJECT.fullmatch(word))
    )


ZONED = "TIMESTAMP WITH TIME ZONE"


class TypedTable(Table):
    """A table with the type names that its file states, by column."""

    def __init__(self, table: Table, types: dict[str, str]) -> None:
        super().__init__(table.connection, table.relation, table.columns, table.source, table.hash)
        self.types = types


def typed(
    table: Table, connection: duckdb.DuckDBPyConnection, select: str, bound: list[str]
) -> TypedTable:
    """Return a table with the types that its columns had in the SELECT that produced it."""
    described = connection.execute(f"DESCRIBE {select}", bound).fetchall()
    return TypedTable(
        table, {c.name: str(row[1]) for c, row in zip(table.columns, described, strict=True)}
    )


def meanings(types: dict[str, str]) -> dict[str, str]:
    """Return the information from column types that does not affect how the columns are read."""
    return {name: "time in UTC" for name, told in types.items() if told == ZONED}


LISTED = 12  # maximum number of tables listed in an error message


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
    """Read a table or view from a DuckDB file, by default the largest table. The file is opened
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
    """Return the names of the non-empty tables in a DuckDB file, largest first, followed by those
    of its views. Names outside the main schema include their schema.

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
    """Attach a file to a connection. From then on, the connection can read no other file, because a
    view in an untrusted file might refer to one.

    Raises: duckdb.Error.
    """
    connection.execute(f"ATTACH {literal(str(path))} AS held (READ_ONLY)")
    connection.execute("SET enable_external_access = false")


def held_tables(connection: duckdb.DuckDBPyConnection) -> dict[str, tuple[str, int]]:
    """Return the tables of an attached file by name, largest first, followed by its views. Each has
    its name in SQL and its number of rows, which is -1 for a view.
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
    """Return the error for a file or view that cannot be read. For a view, the error contains
    DuckDB's reason."""
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
    """Read JSON: a list of rows, rows under one key, or one row per line.

    Raises: SourceError.
    """
    text = path.read_text("utf-8-sig", errors="strict") if is_utf8(path) else ""
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):  # JSON that is nested too deeply is not a table either
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
    """Read one row per line.

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
