"""An MCP server for one PostgreSQL database, which it only reads.

python -m app.adapters.databases.tool_server postgresql://user@host/name

The password is passed in PGPASSWORD. Every query is a separate transaction that cannot write.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import adbc_driver_manager
import duckdb
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

from app.adapters.databases import postgres
from app.domain.database import read_address
from app.domain.errors import DatabaseError
from backends import offline

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.domain.database import DatabaseAddress

SECONDS, ROWS = 30.0, 200
READS = ToolAnnotations(read_only_hint=True)
# A SELECT can call any function of the database, so the user sees each query before it runs.
ASKS = ToolAnnotations(read_only_hint=False, destructive_hint=False)


def server_of(address: DatabaseAddress, password: str) -> MCPServer:
    """Return the MCP server for a database."""
    server = MCPServer("postgresql")

    def asked(what: str, do: Callable[[postgres.DatabaseSession], Any]) -> Any:
        """Return the result of work done in a transaction.

        Raises: ToolError.
        """
        if offline.is_on() and not (address.host.startswith("/") or offline.is_here(address.host)):
            raise ToolError(f"Deskpilot is offline: no connection to {address.host} is made.")
        try:
            with postgres.opened(address.conninfo(password, SECONDS), SECONDS) as opened:
                return do(opened)
        except (adbc_driver_manager.Error, duckdb.Error) as error:
            told = postgres.told(
                str(error),
                str(getattr(error, "sqlstate", None) or "") or None,
                what=what,
                where=address.host,
                seconds=SECONDS,
                password=password,
            )
            raise ToolError(told.text) from error
        except DatabaseError as error:
            raise ToolError(error.text) from error

    @server.tool(annotations=READS, title="List tables")
    def list_tables() -> list[str]:
        """List the tables and views, each with its schema."""
        found = asked("its list of tables", postgres.tables)
        return [f"{held.schema}.{held.name}" for _at, held in found]

    @server.tool(annotations=READS, title="Describe table")
    def describe_table(schema: str, name: str) -> list[dict[str, str]]:
        """Return the columns of a table, each with its type and its owner's comment."""

        def described(opened: postgres.DatabaseSession) -> list[dict[str, str]]:
            at, _held = postgres.find(opened, schema, name)
            held = postgres.columns(opened, at)
            return [{"name": c.name, "type": c.told, "about": c.about} for c in held]

        return asked(f"{schema}.{name}", described)

    @server.tool(annotations=ASKS, title="Run SELECT")
    def run_select(sql: str) -> str:
        """Run one SELECT and return its first 200 rows as JSON; tables need their schema."""

        def selected(opened: postgres.DatabaseSession) -> str:
            wrapped = f"SELECT * FROM ({sql.strip().rstrip(';')}\n) answer LIMIT {ROWS}"
            with opened.stream(wrapped) as stream, duckdb.connect() as reader:
                found = reader.from_arrow(stream)
                rows = [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]
            return json.dumps(rows, ensure_ascii=False, default=str)

        return asked("this query", selected)

    return server


if __name__ == "__main__":
    server_of(read_address(sys.argv[1])[0], os.environ.get("PGPASSWORD", "")).run()
