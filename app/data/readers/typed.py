"""Tables whose columns came with types of their own, and what these mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backends.data.table import Table

if TYPE_CHECKING:
    import duckdb

ZONED = "TIMESTAMP WITH TIME ZONE"


class TypedTable(Table):
    """A table with what its file calls the types of its columns, by name."""

    def __init__(self, table: Table, types: dict[str, str]) -> None:
        super().__init__(table.connection, table.relation, table.columns, table.source, table.hash)
        self.types = types


def typed(
    table: Table, connection: duckdb.DuckDBPyConnection, select: str, bound: list[str]
) -> TypedTable:
    """Return a table with the types its columns had in the SELECT it was made from."""
    described = connection.execute(f"DESCRIBE {select}", bound).fetchall()
    return TypedTable(
        table, {c.name: str(row[1]) for c, row in zip(table.columns, described, strict=True)}
    )


def meanings(types: dict[str, str]) -> dict[str, str]:
    """Return what types say of columns beyond what they are read as."""
    return {name: "time in UTC" for name, told in types.items() if told == ZONED}
