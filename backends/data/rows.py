"""JSON rows as a table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from backends.data.errors import WrongArguments
from backends.data.table import connect, numbers, quote, table_from_sql

if TYPE_CHECKING:
    import datetime as dt

    import duckdb

    from backends.data.table import Table
    from backends.data.values import Scalar


def table_from_rows(
    rows: list[dict[str, Any]],
    *,
    source: str,
    hash_: str = "",
    connection: duckdb.DuckDBPyConnection | None = None,
    until: dt.date | None = None,
) -> Table:
    """Return a table of JSON rows; a row may lack columns.

    until: the last day that days without a year may be; by default those of the next month.

    Raises: WrongArguments if there is no row or no column.
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not names:
        raise WrongArguments("There are no rows.", "Attach a table that has some.")
    cells = [[flat(row.get(name)) for row in rows] for name in names]
    connection = connection or connect()
    number = next(numbers)
    cursor = connection.cursor()
    kinds = [sql_type(column) for column in cells]
    shape = ", ".join(f"c{i} {kind}" for i, kind in enumerate(kinds))
    cursor.execute(f"CREATE TABLE rows_{number} ({shape})")
    # whole columns at once: row by row, a hundred thousand rows took twenty seconds
    lists = ", ".join(f"unnest(?::{kind}[])" for kind in kinds)
    fitted = [[fit(v, kind) for v in column] for column, kind in zip(cells, kinds, strict=True)]
    cursor.execute(f"INSERT INTO rows_{number} SELECT {lists}", fitted)
    selected = ", ".join(f"c{i} AS {quote(name)}" for i, name in enumerate(called(names)))
    table = table_from_sql(
        connection,
        f"SELECT {selected} FROM rows_{number}",
        [],
        source=source,
        hash_=hash_,
        until=until,
    )
    cursor.execute(f"DROP TABLE rows_{number}")
    return table


def called(names: list[str]) -> list[str]:
    """Return the names of columns; unnamed ones are named by their place."""
    made = [name.encode("utf-8", "replace").decode() for name in names]  # half a surrogate pair
    taken = {name.lower() for name in made if name.strip()}
    for i, name in enumerate(made):
        if not name.strip():
            free = f"column {i + 1}"
            while free in taken:
                free += " 2"
            taken.add(free)
            made[i] = free
    return made


def flat(value: Any) -> Scalar:
    """Return a JSON value as a cell; a hover card's `value` stands for it."""
    if isinstance(value, dict):
        return (
            flat(value.get("value")) if "value" in value else json.dumps(value, ensure_ascii=False)
        )
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value


def sql_type(values: list[Scalar]) -> str:
    """Return the SQL type that holds all values; text if they are mixed."""
    kinds = {type(v) for v in values if v is not None}
    if kinds == {bool}:
        return "BOOLEAN"
    largest = max((abs(v) for v in values if isinstance(v, int)), default=0)
    if kinds and kinds <= {int, float} and largest < 10**300:
        return "BIGINT" if kinds == {int} and largest < 2**62 else "DOUBLE"
    return "VARCHAR"


def fit(value: Scalar, kind: str) -> Scalar:
    """Return a cell as the one Python type its SQL type is read from; text of truth values is
    SQL's.
    """
    if value is None or kind in ("BIGINT", "BOOLEAN"):
        return value
    if kind == "DOUBLE":
        return float(value)
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return (
        text if text.isascii() else text.encode("utf-8", "replace").decode()
    )  # half a surrogate pair
