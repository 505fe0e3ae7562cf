"""Export tables as CSV (UTF-8, as shown) and as Parquet."""

from __future__ import annotations

import csv
import json
import shutil
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from app.data.views import RowOrder, RowView
from app.domain.errors import SourceError
from backends.data.table import ORDINAL, quote

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from backends.data.table import Table


PIECE = 10_000  # number of rows read at a time


def table_to_csv(table: Table, order: RowOrder, path: Path) -> int:
    """Write a table's rows in the given order, and return how many there are.

    Raises: SourceError.
    """
    arranged = None if order.is_plain else RowView(table, order)
    count = table.count() if arranged is None else arranged.count
    read = table.rows if arranged is None else arranged.rows
    with replacing(path) as file:
        writer = csv.writer(file)
        writer.writerow([column.name for column in table.columns])
        for offset in range(0, count, PIECE):
            writer.writerows(read(offset, PIECE))
    return count


def rows_to_csv(rows: list[dict[str, Any]], path: Path) -> int:
    """Write the rows of an answer, and return how many there are.

    Raises: SourceError.
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells_to_csv([names, *([cell(row.get(name)) for name in names] for row in rows)], path)
    return len(rows)


def cells_to_csv(rows: list[list[Any]], path: Path) -> None:
    """Write rows of cells, the header first.

    Raises: SourceError.
    """
    with replacing(path) as file:
        csv.writer(file).writerows(rows)


@contextmanager
def replacing(path: Path) -> Generator[TextIO]:
    """Write a file completely or not at all: if the disk is full or writing fails, the old file is
    kept.

    Raises: SourceError.
    """
    try:
        whole = path.is_file() or not path.exists()
        path = path.resolve() if whole else path  # so that a symbolic link is preserved
        part = (
            path.with_name(f".{uuid.uuid4().hex}.part") if whole else path
        )  # a pipe is written to directly
        try:
            with part.open("w", encoding="utf-8", newline="", errors="replace") as file:
                yield file
            if path.is_file() and whole:
                shutil.copymode(path, part)
            if whole:
                part.replace(path)
        finally:
            if whole:
                part.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from error


def cell(value: Any) -> Any:
    """Return a cell as it is written to a file."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def cannot_write(path: Path, error: OSError) -> SourceError:
    """Return the error for a file that cannot be written."""
    return SourceError(
        f"{path.name} cannot be written: {error.strerror or error}.", "Choose another place."
    )


def write_parquet(table: Table, path: Path) -> None:
    """Write a table in its own order, without its ordinal column.

    Raises: OSError, duckdb.Error.
    """
    listed = ", ".join(quote(column.name) for column in table.columns)
    cursor = table.connection.cursor()
    arrays = cursor.execute(
        f"SELECT {listed} FROM {table.relation} ORDER BY {ORDINAL}"
    ).fetchnumpy()
    import duckdb  # imported when the first file is written

    with duckdb.connect() as writing:  # the tables' own connection may have no access to files
        writing.register("given", arrays)
        writing.execute(
            f"COPY given TO '{str(path).replace(chr(39), chr(39) * 2)}' (FORMAT parquet)"
        )
