"""One transaction of PostgreSQL that can only read, sees one state of the data, and does not wait for ever."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import adbc_driver_manager
import adbc_driver_postgresql
import duckdb

from app.domain.errors import DatabaseError

if TYPE_CHECKING:
    from collections.abc import Generator

LOCKED_SECONDS = 10
# A server of version 14 or newer looks whether somebody still waits for a long answer.
WATCH = "SELECT set_config(name, '1000', true) FROM pg_settings WHERE name = 'client_connection_check_interval'"
BATCH_BYTES = 8 * 1024**2


class Session:
    """A read-only transaction. Errors of the driver come as they are: who knows what was asked says them in words."""

    def __init__(self, connection: adbc_driver_manager.AdbcConnection) -> None:
        self._connection = connection

    def do(self, sql: str) -> None:
        """Run a statement that gives no rows."""
        with adbc_driver_manager.AdbcStatement(self._connection) as statement:
            statement.set_sql_query(sql)
            statement.execute_update()

    @contextmanager
    def stream(self, sql: str) -> Generator[Any]:
        """Run a SELECT; its rows come as Arrow batches while they are read."""
        with adbc_driver_manager.AdbcStatement(self._connection) as statement:
            statement.set_options(**{"adbc.postgresql.batch_size_hint_bytes": str(BATCH_BYTES)})
            statement.set_sql_query(sql)
            rows, _ = statement.execute_query()
            yield rows

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the few rows of a SELECT."""
        with self.stream(sql) as stream, duckdb.connect() as reader:
            return reader.from_arrow(stream).fetchall()


@contextmanager
def opened(conninfo: str, seconds: float) -> Generator[Session]:
    """Open a transaction; leaving the block ends it.

    Nothing that is sent can change the database: the transaction says so itself, whatever the user's rights are.
    Raises: DatabaseError where the server does not keep to that; the driver's errors.
    """
    with (
        adbc_driver_postgresql.connect(conninfo) as database,
        adbc_driver_manager.AdbcConnection(database) as connection,
    ):
        connection.set_autocommit(False)
        session = Session(connection)
        session.do("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        session.do(f"SET LOCAL statement_timeout = {int(seconds * 1000)}")
        session.do(f"SET LOCAL lock_timeout = {int(min(LOCKED_SECONDS, seconds / 8) * 1000)}")
        session.do(
            "SET LOCAL search_path = pg_catalog"
        )  # no function of a stranger stands in for PostgreSQL's
        session.do("SET LOCAL synchronize_seqscans = off")  # rows come in the same order each time
        session.do("SET LOCAL max_parallel_workers_per_gather = 0")
        session.rows(WATCH)
        if session.rows("SELECT current_setting('transaction_read_only')") != [("on",)]:
            raise DatabaseError(
                "The database would not promise to be read only.", "Ask who runs it."
            )
        yield session
        connection.rollback()
