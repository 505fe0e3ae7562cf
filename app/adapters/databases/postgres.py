"""A read-only PostgreSQL transaction: its catalogue, the way in which columns of each type are
read, and the database's errors as sentences.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import adbc_driver_manager
import adbc_driver_postgresql
import duckdb

from app.domain.database import DatabaseTable
from app.domain.errors import DatabaseError

if TYPE_CHECKING:
    from collections.abc import Generator


AGAIN = "Try again in a moment."
STATES = {  # by SQLSTATE
    "28P01": ("The database refused the user name or the password.", "Check both.", "password"),
    "28000": ("The database does not allow this user to connect.", "Ask its administrator.", ""),
    "3D000": ("The server has no database of this name.", "Check the address.", ""),
    "42501": (
        "This user does not have permission to read {what}.",
        "Ask its owner for the SELECT permission, or choose another.",
        "",
    ),
    "42P01": ("{what} no longer exists.", "List its tables again.", ""),
    "42703": ("The columns of {what} have changed in the meantime.", AGAIN, ""),
    "57014": (
        "The database took longer than {seconds:g} s for {what}.",
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
        "{what} contains text that is not in its database's encoding.",
        "Ask its administrator.",
        "",
    ),
    "53300": ("The database already has too many connections.", AGAIN, ""),
    "57P01": ("The database closed the connection.", AGAIN, ""),
    "57P02": ("The database crashed and is restarting.", AGAIN, ""),
    "57P03": ("The database is starting or shutting down.", AGAIN, ""),
}
HERE = "Check the address, and that the server runs."
SAID = (  # errors before the connection opens and after it closes are plain text
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
    (r"connection refused|no such file", "No server responds at {where}.", HERE),
    (
        r"could not translate host|name or service not known|nodename nor servname",
        "There is no machine {where}.",
        "Check the address.",
    ),
    (
        r"timeout expired|timed out|no route to host|unreachable",
        "{where} does not respond.",
        "Check the address, and that this network reaches it.",
    ),
    (
        r"certificate|\bssl\b",
        "No safe connection to {where} can be made: {said}.",
        "Check sslmode and its certificates.",
    ),
    (
        r"server closed the connection|connection.*(?:lost|reset|not open)|could not receive data|no connection to the server|unexpected eof",
        "The connection to the database was lost.",
        AGAIN,
    ),
)


def told(
    said: str, state: str | None, *, what: str, where: str, seconds: float, password: str
) -> DatabaseError:
    """Return the error as a sentence. state: the SQLSTATE; None if the server did not give one."""
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
    return DatabaseError(f"The database reported an error: {first}.", "Ask its administrator.")


def found(words: str) -> str | None:
    """Return the SQLSTATE for a message that does not include one."""
    return next((code for pattern, code in SAID if re.search(pattern, words, re.IGNORECASE)), None)


def shortest(words: str) -> str:
    """Return the server's own message, without the text that our library adds to it."""
    bare = re.split(r"(?:FATAL|ERROR):\s*|\[libpq\]\s*", words)[-1]
    return re.split(r"\s(?:DETAIL|HINT|CONTEXT|SQLSTATE|LINE \d+|Query was):", bare)[0].strip(" .")[
        :300
    ]


LOCKED_SECONDS = 10
# A server of version 14 or later checks whether the client is still waiting for a long answer.
WATCH = (
    "SELECT set_config(name, '1000', true) FROM pg_settings WHERE name ="
    " 'client_connection_check_interval'"
)
BATCH_BYTES = 8 * 1024**2


class DatabaseSession:
    """A read-only transaction. The driver's errors are raised unchanged; the caller turns them into
    sentences.
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
        """Run a SELECT; its rows are returned as Arrow batches as they are read."""
        with adbc_driver_manager.AdbcStatement(self._connection) as statement:
            statement.set_options(**{"adbc.postgresql.batch_size_hint_bytes": str(BATCH_BYTES)})
            statement.set_sql_query(sql)
            rows, _ = statement.execute_query()
            yield rows

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return all rows of a SELECT that returns only a few."""
        with self.stream(sql) as stream, duckdb.connect() as reader:
            return reader.from_arrow(stream).fetchall()


@contextmanager
def opened(conninfo: str, seconds: float) -> Generator[DatabaseSession]:
    """Open a transaction; leaving the block ends it.

    No statement can change the database, because the transaction is read-only whatever rights the
    user has. Raises: DatabaseError if the server does not keep the transaction read-only; the
    driver's errors.
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
        )  # this prevents functions of other users from replacing PostgreSQL's own
        # this returns rows in the same order each time
        session.do("SET LOCAL synchronize_seqscans = off")
        session.do("SET LOCAL max_parallel_workers_per_gather = 0")
        session.rows(WATCH)
        if session.rows("SELECT current_setting('transaction_read_only')") != [("on",)]:
            raise DatabaseError(
                "The database did not accept a read-only transaction.", "Ask its administrator."
            )
        yield session
        connection.rollback()


BOOL, INT8, INT2, INT4, OID, FLOAT4, FLOAT8 = 16, 20, 21, 23, 26, 700, 701
NUMERIC, MONEY, DATE, TIMESTAMP, TIMESTAMPTZ, BYTEA = 1700, 790, 1082, 1114, 1184, 17
LARGEST = "1e300"  # limit for numbers from PostgreSQL; larger numbers are read as empty
CHARACTERS = 20_000  # maximum number of characters kept from a cell
DIGITS = 15  # number of digits that a float preserves
WHOLE = 18  # number of digits of a 64-bit integer


@dataclass(frozen=True)
class PgColumn:
    """A column. oid: the object id of its type, with domains resolved. category: the category of
    its type; A for arrays, C for composite types. shape: the precision and scale of a number, as in
    `atttypmod`. told: a description of its type.
    """

    name: str
    oid: int
    category: str
    shape: int
    told: str
    about: str = ""


def identifier(name: str) -> str:
    """Return a name quoted for SQL, whatever characters it contains."""
    return '"' + name.replace('"', '""') + '"'


def expression(column: PgColumn) -> str:
    """Return the SQL expression that reads a column."""
    q, oid = identifier(column.name), column.oid
    plain = {
        BOOL: q,
        INT2: q,
        INT4: q,
        INT8: q,
        OID: f"{q}::int8",
        FLOAT4: finite(f"{q}::text::float8"),  # this keeps 0.1 as 0.1
        FLOAT8: finite(q),
        MONEY: f"{q}::numeric::float8",
        DATE: f"CASE WHEN isfinite({q}) THEN {q} END",
        TIMESTAMP: f"CASE WHEN isfinite({q}) THEN {q} END",
        TIMESTAMPTZ: f"CASE WHEN isfinite({q}) THEN {q} AT TIME ZONE 'UTC' END",
        BYTEA: f"octet_length({q})::text || ' bytes'",
    }
    if oid in plain:
        return plain[oid]
    if oid == NUMERIC:
        return numeric(q, column.shape)
    return shortened(f"to_json({q})::text" if column.category in "AC" else f"{q}::text")


def meaning(column: PgColumn) -> str:
    """Return the description of a column: its comment, and the time zone of its values."""
    zone = "time in UTC" if column.oid == TIMESTAMPTZ else ""
    return "; ".join(part for part in (" ".join(column.about.split()), zone) if part)


def numeric(q: str, shape: int) -> str:
    """Return the SQL for an exact number: it is read as an integer if it is declared as one, and as
    text if a float would round it.
    """
    bounded = (  # NaN meets neither condition
        f"CASE WHEN {q} > -{LARGEST} AND {q} < {LARGEST} THEN {q}::float8 END"
    )
    if shape < 4:
        return bounded
    digits, scale = (shape - 4) >> 16, (shape - 4) & 0x7FF
    if scale == 0:
        return f"CASE WHEN {q} <> 'NaN' THEN {q}::int8 END" if digits <= WHOLE else f"{q}::text"
    return bounded


def finite(sql: str) -> str:
    """Return the SQL for a float, with NaN and infinity read as empty."""
    return f"CASE WHEN {sql} > '-Infinity' AND {sql} < 'Infinity' THEN {sql} END"


def shortened(sql: str) -> str:
    """Return the SQL for a text; a very long text is cut off and its length is appended."""
    cut = (  # characters that exist in every encoding
        f"left({sql}, {CHARACTERS}) || ' ... (' || length({sql}) || ' characters)'"
    )
    return f"CASE WHEN length({sql}) > {CHARACTERS} THEN {cut} ELSE {sql} END"


READABLE = """
SELECT c.oid::int8 AS at, n.nspname::text AS schema, c.relname::text AS name, c.relkind::text AS kind,
  CASE WHEN c.relkind IN ('r', 'm') THEN c.reltuples::float8 ELSE -1 END AS rows,
  left(coalesce(obj_description(c.oid, 'pg_class'), ''), 500) AS about
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p') AND NOT c.relispartition
  AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp)'
  AND has_schema_privilege(n.oid, 'USAGE')
ORDER BY 2, 3
"""
COLUMNS = """
SELECT a.attname::text AS name, a.atttypid::int8 AS oid, t.typcategory::text AS category, a.atttypmod::int8 AS shape,
  format_type(a.atttypid, a.atttypmod)::text AS told, left(coalesce(col_description(a.attrelid, a.attnum), ''), 200) AS about
FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
WHERE a.attrelid = {at} AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum
"""
DOMAINS = (
    "SELECT oid::int8 AS oid, typbasetype::int8 AS base, typtypmod::int8 AS shape FROM pg_type"
    " WHERE typtype = 'd'"
)
KEY = """
SELECT a.attname::text AS name
FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY k(num, place)
  JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.num
WHERE i.indrelid = {at} AND i.indisprimary ORDER BY k.place
"""


def tables(session: DatabaseSession) -> list[tuple[int, DatabaseTable]]:
    """Return the tables and views of a database, each with its object id in the catalogue."""
    return [
        (int(at), DatabaseTable(schema, name, kind == "v", max(-1, round(rows)), about))
        for at, schema, name, kind, rows, about in session.rows(READABLE)
    ]


def find(session: DatabaseSession, schema: str, name: str) -> tuple[int, DatabaseTable]:
    """Return a table.

    Raises: DatabaseError if there is no table with this name.
    """
    for at, held in tables(session):
        if (held.schema, held.name) == (schema, name):
            return at, held
    raise DatabaseError(f"{schema}.{name} no longer exists.", "List its tables again.")


def columns(session: DatabaseSession, at: int) -> list[PgColumn]:
    """Return the columns of a table, with domains resolved."""
    domains = {int(oid): (int(base), int(shape)) for oid, base, shape in session.rows(DOMAINS)}
    made: list[PgColumn] = []
    for name, oid, category, shape, told, about in session.rows(COLUMNS.format(at=int(at))):
        while oid in domains:
            oid, shape = domains[oid]
        made.append(PgColumn(name, int(oid), category, int(shape), told, about))
    return made


def key(session: DatabaseSession, at: int) -> list[str]:
    """Return the columns of a table's primary key; empty if it has none."""
    return [row[0] for row in session.rows(KEY.format(at=int(at)))]
