"""A table as a Parquet file, for programs that read no table of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb

from backends.data.table import ORDINAL, quote

if TYPE_CHECKING:
    from pathlib import Path

    from backends.data.table import Table


def write_parquet(table: Table, path: Path) -> None:
    """Write a table, without its ordinal, in its order.

    Raises: OSError, duckdb.Error.
    """
    listed = ", ".join(quote(column.name) for column in table.columns)
    cursor = table.connection.cursor()
    arrays = cursor.execute(
        f"SELECT {listed} FROM {table.relation} ORDER BY {ORDINAL}"
    ).fetchnumpy()
    with duckdb.connect() as writing:  # that of the tables may be cut off from files
        writing.register("given", arrays)
        writing.execute(
            f"COPY given TO '{str(path).replace(chr(39), chr(39) * 2)}' (FORMAT parquet)"
        )
