"""One SELECT over several tables: each has a database of its own, so they are copied into one."""

from __future__ import annotations

from typing import Any

from backends.kernel.errors import WrongArguments
from backends.kernel.stopping import stoppable
from backends.kernel.table import ORDINAL, Table, connect, quote

CELLS = 2_000_000  # that are copied for one SELECT


def select_over(
    tables: dict[str, Table], sql: str, limit: int, seconds: float
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Run a stranger's SELECT over tables known by the names they are given; see `Table.select`.

    Raises: WrongArguments, also for more cells than can be brought together; Interrupted.
    """
    (name, table), *others = tables.items()
    if not others:
        return table.select(sql, name, limit, seconds)
    cells = sum(one.count() * len(one.columns) for one in tables.values())
    if cells > CELLS:
        raise WrongArguments(
            f"The tables have {cells:,} cells together; a SELECT over several takes up to {CELLS:,}.",
            "Ask each table by itself, and join what comes of it.",
        )
    together = connect()
    try:
        for called, one in tables.items():
            copy(one, together, called)
        first = Table(together, quote(name), table.columns, table.source, table.hash)
        return first.select(
            sql, f"{name}_", limit, seconds
        )  # all stand there under their own names already
    finally:
        together.close()


def copy(table: Table, there: Any, name: str) -> None:
    """Copy a table, without the ordinal, into another database, in its order."""
    listed = ", ".join(quote(c.name) for c in table.columns)
    cursor = table.connection.cursor()
    chosen = f"SELECT {listed} FROM {table.relation} ORDER BY {ORDINAL}"
    with stoppable(cursor):
        kinds = [str(row[1]) for row in cursor.execute(f"DESCRIBE {chosen}").fetchall()]
        rows = cursor.execute(chosen).fetchall()
    cursor.close()
    columns = ", ".join(
        f"{quote(c.name)} {kind}" for c, kind in zip(table.columns, kinds, strict=True)
    )
    there.execute(f"CREATE TABLE {quote(name)} ({columns})")
    # Whole columns at once: row by row it would take minutes.
    lists = ", ".join(f"unnest(?::{kind}[])" for kind in kinds)
    values = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in kinds]
    there.execute(f"INSERT INTO {quote(name)} SELECT {lists}", values)
