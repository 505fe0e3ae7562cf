"""The process that reads a database. It reads one line of JSON, answers with one, and exits.

Lines before the answer report the number of rows read so far.

It is a separate process so that a hanging server, a crashing driver or a cancellation by the user
does not stop anything else. The password is passed through the pipe and appears in neither the
command line nor the environment.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import adbc_driver_manager
import duckdb

from app.adapters.databases import postgres as catalogue
from app.adapters.databases.postgres import (
    DatabaseSession,
    PgColumn,
    expression,
    identifier,
    meaning,
    opened,
    told,
)
from app.domain.database import (
    KEY,
    DatabaseAddress,
    DatabaseTable,
    TableCopy,
    Wish,
    literal,
    read_address,
    unique,
)
from app.domain.errors import DatabaseError

if TYPE_CHECKING:
    from collections.abc import Generator

MEMORY = "1GB"
GROUP = 50_000  # number of rows that are compressed together
SEEN = "seen"  # name of the sequence that numbers the rows
EVERY = 0.25  # seconds between two progress lines


def answer(job: dict[str, Any]) -> dict[str, Any]:
    """Run a job: list the tables or copy one into a file.

    Raises: DatabaseError.
    """
    address, _ = read_address(job["url"])
    password, seconds = str(job["password"]), float(job["seconds"])
    wish = Wish(**job["wish"]) if "wish" in job else None
    what = f"{wish.schema}.{wish.name}" if wish else "the list of its tables"
    try:
        with opened(address.conninfo(password, seconds), seconds) as session:
            if wish is None:
                return {"tables": [held.__dict__ for _, held in catalogue.tables(session)]}
            return copy(session, address, wish, Path(job["path"])).as_dict()
    except adbc_driver_manager.Error as error:
        state = str(error.sqlstate or "") or None
        raise told(
            str(error), state, what=what, where=address.host, seconds=seconds, password=password
        ) from error
    except duckdb.Error as error:  # the error occurred while reading from the driver
        raise told(
            str(error), None, what=what, where=address.host, seconds=seconds, password=password
        ) from error


def copy(session: DatabaseSession, address: DatabaseAddress, wish: Wish, path: Path) -> TableCopy:
    """Write a table to a file, batch by batch, in the order of its key; return its description.

    Raises: DatabaseError if the table is too large; errors of the driver and the disk.
    """
    at, held = catalogue.find(session, wish.schema, wish.name)
    found = catalogue.columns(session, at)
    if not found:
        raise DatabaseError(f"{held.full_name} has no columns.", "Choose another.")
    relation = f"{identifier(held.schema)}.{identifier(held.name)}"
    limit = wish.first or wish.most
    larger = session.rows(f"SELECT EXISTS (SELECT 1 FROM {relation} OFFSET {limit}) AS larger") == [
        (True,)
    ]
    if larger and not wish.first:
        raise too_large(held, limit)
    order = ", ".join(identifier(name) for name in catalogue.key(session, at))
    listed = ", ".join(f"{expression(column)} AS c{i}" for i, column in enumerate(found))
    sql = f"SELECT {listed} FROM {relation}{f' ORDER BY {order}' if order else ''} LIMIT {limit}"
    names = names_of(found)
    made = TableCopy(
        address.url,
        address.database,
        held.schema,
        held.name,
        held.view,
        first=wish.first,
        rows=limit if larger else 0,
        about=held.about,
        of=max(held.rows, limit + 1) if larger else 0,
        meanings={name: said for name, c in zip(names, found, strict=True) if (said := meaning(c))},
        types={name: column.told for name, column in zip(names, found, strict=True)},
    )
    with session.stream(sql) as stream:
        rows = write(stream, names, made, path)
    return replace(made, rows=rows)


def write(stream: Any, names: list[str], made: TableCopy, path: Path) -> int:
    """Write streamed rows and their metadata as Parquet; return the number of rows.

    A sequence counts the rows as they are written, so that progress can be reported.
    """
    listed = ", ".join(f"c{i} AS {identifier(name)}" for i, name in enumerate(names))
    known = made.as_dict()
    with duckdb.connect(config={"memory_limit": MEMORY, "threads": 1}) as writer:
        writer.register("streamed", stream)
        writer.execute(f"CREATE SEQUENCE {SEEN}")
        with telling(writer):
            done = writer.execute(
                f"COPY (SELECT {listed} FROM streamed WHERE nextval('{SEEN}') > 0) TO"
                f" {literal(str(path))} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {GROUP},"
                f" KV_METADATA {{{KEY}: {literal(json.dumps(known, ensure_ascii=False))}}})"
            ).fetchone()
    return int(done[0]) if done else 0


@contextmanager
def telling(writer: duckdb.DuckDBPyConnection) -> Generator[None]:
    """Report the number of rows read by writing a line at intervals; the last line is written
    before the block ends.
    """
    ended, looker = threading.Event(), writer.cursor()

    def look() -> None:
        found = looker.execute("SELECT last_value FROM duckdb_sequences()").fetchone()
        say({"rows": int(found[0] or 0) if found else 0})

    def follow() -> None:
        while not ended.wait(EVERY):
            look()

    teller = threading.Thread(target=follow, name="tell how far the copy is")
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()
    look()


def say(told: dict[str, Any]) -> None:
    """Write a line to the parent process."""
    sys.stdout.write(json.dumps(told, ensure_ascii=True) + "\n")
    sys.stdout.flush()


def names_of(found: list[PgColumn]) -> list[str]:
    """Return names that the columns of our tables can have: they are unique even if case is
    ignored, and none of them is reserved.
    """
    return unique(["row" if column.name.lower() == "_row" else column.name for column in found])


def too_large(held: DatabaseTable, limit: int) -> DatabaseError:
    """Return the error for a table that is too large to be read without asking the user."""
    size = f"about {held.rows:,} rows" if held.rows > limit else "more rows"
    return DatabaseError(
        f"{held.full_name} has {size}; up to {limit:,} rows are copied without asking.",
        "Create a view with what you need, or specify how many rows to copy.",
        kind="large",
    )


def main() -> int:
    """Read a job, run it and write the result; stop as soon as the parent process has exited."""
    job = json.loads(sys.stdin.readline())
    threading.Thread(target=end_with_parent, daemon=True).start()
    try:
        made = answer(job)
    except DatabaseError as error:
        made = {"error": {"text": error.text, "remedy": error.remedy, "kind": error.kind}}
    say(made)
    return 0


def end_with_parent() -> None:
    """Wait until the pipe closes, then exit at once; the server notices this and stops as well."""
    sys.stdin.read()
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
