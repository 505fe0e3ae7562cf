"""A read-only PostgreSQL transaction, and the database's errors as sentences."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import adbc_driver_manager
import adbc_driver_postgresql
import duckdb

from app.domain.errors import DatabaseError

if TYPE_CHECKING:
    from collections.abc import Generator


AGAIN = "Try again in a moment."
STATES = {  # by SQLSTATE
    "28P01": ("The database refused the user name or the password.", "Check both.", "password"),
    "28000": ("The database does not let this user in.", "Ask who runs it.", ""),
    "3D000": ("The server has no database of this name.", "Check the address.", ""),
    "42501": (
        "This user may not read {what}.",
        "Ask its owner for the right to SELECT, or choose another.",
        "",
    ),
    "42P01": ("{what} is not there any more.", "List its tables anew.", ""),
    "42703": ("The columns of {what} changed meanwhile.", AGAIN, ""),
    "57014": (
        "The database needed longer than {seconds:g} s for {what}.",
        "Read fewer rows, or a view that holds less.",
        "",
    ),
    "55P03": ("{what} is locked by another user or program.", AGAIN, ""),
    "25006": (
        "{what} writes to the database when it is read, so it is not read.",
        "Choose another.",
        "",
    ),
    "22021": (
        "{what} holds text that is not in the encoding of its database.",
        "Ask who runs it.",
        "",
    ),
    "53300": ("The database has too many connections already.", AGAIN, ""),
    "57P01": ("The database ended the connection.", AGAIN, ""),
    "57P02": ("The database crashed and starts anew.", AGAIN, ""),
    "57P03": ("The database is starting or shutting down.", AGAIN, ""),
}
HERE = "Check the address, and that the server runs."
SAID = (  # without a connection, before or after it exists, there is only text
    (r"no password supplied|password authentication failed", "28P01"),
    (r"the database system is|recovery mode", "57P03"),
    (r"too many clients|remaining connection slots", "53300"),
    (r"terminating connection due to administrator", "57P01"),
    (r'database ".*" does not exist', "3D000"),
    (r"pg_hba\.conf|role \".*\" does not exist|authentication failed", "28000"),
    (r"read-only transaction", "25006"),
    (r"permission denied", "42501"),
    (r"invalid byte sequence", "22021"),
    (r"due to statement timeout", "57014"),
    (r"due to lock timeout", "55P03"),
)
WORDS = (
    (r"connection refused|no such file", "Nobody answers at {where}.", HERE),
    (
        r"could not translate host|name or service not known|nodename nor servname",
        "There is no machine {where}.",
        "Check the address.",
    ),
    (
        r"timeout expired|timed out|no route to host|unreachable",
        "{where} does not answer.",
        "Check the address, and that this network reaches it.",
    ),
    (
        r"certificate|\bssl\b",
        "No safe connection to {where} can be made: {said}.",
        "Check sslmode and its certificates.",
    ),
    (
        r"server closed the connection|connection.*(?:lost|reset|not open)|could not receive data|no connection to the server|unexpected eof",
        "The connection to the database broke off.",
        AGAIN,
    ),
)


def told(
    said: str, state: str | None, *, what: str, where: str, seconds: float, password: str
) -> DatabaseError:
    """Return the error as a sentence. state: the SQLSTATE, if the server gave one."""
    words = " ".join(said.split())
    words = words.replace(password, "…") if password else words
    code = state if state in STATES else found(words)
    if code is not None:
        text, remedy, kind = STATES[code]
        return DatabaseError(text.format(what=what, seconds=seconds), remedy, kind=kind)
    first = shortest(words)
    for pattern, text, remedy in WORDS:
        if re.search(pattern, words, re.IGNORECASE):
            return DatabaseError(text.format(where=where, said=first), remedy)
    return DatabaseError(f"The database could not do it: {first}.", "Ask who runs it.")


def found(words: str) -> str | None:
    """Return the SQLSTATE for a message that comes without one."""
    return next((code for pattern, code in SAID if re.search(pattern, words, re.IGNORECASE)), None)


def shortest(words: str) -> str:
    """Return the server's own message, without the additions of our library."""
    bare = re.split(r"(?:FATAL|ERROR):\s*|\[libpq\]\s*", words)[-1]
    return re.split(r"\s(?:DETAIL|HINT|CONTEXT|SQLSTATE|LINE \d+|Query was):", bare)[0].strip(" .")[
        :300
    ]


LOCKED_SECONDS = 10
# A server of version 14 or later checks whether the client still waits for a long answer.
WATCH = (
    "SELECT set_config(name, '1000', true) FROM pg_settings WHERE name ="
    " 'client_connection_check_interval'"
)
BATCH_BYTES = 8 * 1024**2


class DatabaseSession:
    """A read-only transaction. The driver's errors are raised unchanged; the caller puts them into
    words.
    """

    def __init__(self, connection: adbc_driver_manager.AdbcConnection) -> None:
        self._connection = connection

    def do(self, sql: str) -> None:
        """Run a statement that returns no rows."""
        with adbc_driver_manager.AdbcStatement(self._connection) as statement:
            statement.set_sql_query(sql)
            statement.execute_update()

    @contextmanager
    def stream(self, sql: str) -> Generator[Any]:
        """Run a SELECT; its rows are returned as Arrow batches while they are read."""
        with adbc_driver_manager.AdbcStatement(self._connection) as statement:
            statement.set_options(**{"adbc.postgresql.batch_size_hint_bytes": str(BATCH_BYTES)})
            statement.set_sql_query(sql)
            rows, _ = statement.execute_query()
            yield rows

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of a SELECT that has few."""
        with self.stream(sql) as stream, duckdb.connect() as reader:
            return reader.from_arrow(stream).fetchall()


@contextmanager
def opened(conninfo: str, seconds: float) -> Generator[DatabaseSession]:
    """Open a transaction; leaving the block ends it.

    No statement can change the database: the transaction is read-only, whatever rights the user
    has.
    Raises: DatabaseError if the server does not keep the transaction read-only; the driver's
    errors.
    """
    with (
        adbc_driver_postgresql.connect(conninfo) as database,
        adbc_driver_manager.AdbcConnection(database) as connection,
    ):
        connection.set_autocommit(False)
        session = DatabaseSession(connection)
        session.do("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        session.do(f"SET LOCAL statement_timeout = {int(seconds * 1000)}")
        session.do(f"SET LOCAL lock_timeout = {int(min(LOCKED_SECONDS, seconds / 8) * 1000)}")
        session.do(
            "SET LOCAL search_path = pg_catalog"
        )  # prevent functions of other users from replacing PostgreSQL's own
        # return rows in the same order each time
        session.do("SET LOCAL synchronize_seqscans = off")
        session.do("SET LOCAL max_parallel_workers_per_gather = 0")
        session.rows(WATCH)
        if session.rows("SELECT current_setting('transaction_read_only')") != [("on",)]:
            raise DatabaseError(
                "The database would not promise to be read only.", "Ask who runs it."
            )
        yield session
        connection.rollback()
