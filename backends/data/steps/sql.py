"""A declared SELECT, for anything that no other interface offers. It runs over copies of its
tables, with bound values.
"""

from __future__ import annotations

from pydantic import Field

from backends.data.declared_select import CELLS, check_reading, copy
from backends.data.errors import WrongArguments
from backends.data.steps.acquisition import some
from backends.data.table import Table, connect
from backends.data.values import Scalar
from backends.data.workflow.context import RunContext
from backends.data.workflow.interface import Arguments, StepInterface
from backends.data.workflow.step import OutputFrame

SECONDS = 20.0


class NamedTable(Arguments):
    """A table, and the name that it has in the SELECT."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")
    source: str = Field(description="uuid of the table widget")


class SelectArguments(Arguments):
    """A SELECT over tables, whose values are bound as `$name`."""

    tables: list[NamedTable] = Field(min_length=1, max_length=8)
    sql: str = Field(min_length=1, max_length=8000)
    values: dict[str, Scalar] = Field(default={}, description="what is bound, by name")


def query(desk: RunContext, arguments: SelectArguments) -> OutputFrame:
    """Run a declared SELECT.

    It sees only copies of the columns that it names. These are in a separate database that cannot
    read files or use the network, and that is deleted afterwards. It therefore cannot write to a
    source. Raises: WrongArguments for anything that `check_reading` refuses, anything that cannot
    be computed, and too many cells; NothingSelected; ComputationStopped after 20 s.
    """
    import duckdb

    tables = {one.name: desk.source(one.source) for one in arguments.tables}
    if len(tables) < len(arguments.tables):
        raise WrongArguments("Two tables have the same name.", "Give each a different name.")
    used = check_reading(
        arguments.sql, tables, [c.name for t in tables.values() for c in t.columns]
    )
    chosen = {name: narrowed(table, used) for name, table in tables.items()}
    cells = sum(table.count() * len(table.columns) for table in chosen.values())
    if cells > CELLS:
        raise WrongArguments(
            f"The SELECT reads {cells:,} cells; the limit is {CELLS:,}.",
            "Specify fewer columns, or a smaller table.",
        )
    together = connect(threads=1)
    try:
        for name, table in chosen.items():
            copy(table, together, name)
        together.execute("SET enable_external_access = false")
        together.execute(
            "SET GLOBAL TimeZone = 'UTC'"
        )  # otherwise the time of day would depend on the machine
        together.execute("SET lock_configuration = true")
        first = next(iter(tables.values()))
        here = Table(together, "", first.columns, "", "")
        return some(desk.take(here, arguments.sql.strip().rstrip(";"), arguments.values, SECONDS))
    except duckdb.Error as error:
        raise WrongArguments(
            f"The SELECT cannot be run: {str(error).splitlines()[0]}", "Fix the SELECT."
        ) from error
    finally:
        together.close()


def narrowed(table: Table, used: set[str]) -> Table:
    """Return a table with only the columns that are used, but with at least one, so that rows can
    be counted.
    """
    if "*" in used:
        return table
    columns = [c for c in table.columns if c.name.lower() in used] or table.columns[:1]
    return Table(table.connection, table.relation, columns, table.source, table.hash)


ALL = (
    StepInterface(
        "query",
        "acquisition",
        "One declared SELECT over tables, its values bound.",
        SelectArguments,
        query,
    ),
)
