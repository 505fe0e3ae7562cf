"""The catalogue of a PostgreSQL database, and how a column of each type is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.domain.database import DatabaseTable
from app.domain.errors import DatabaseError

if TYPE_CHECKING:
    from app.adapters.databases.session import DatabaseSession


BOOL, INT8, INT2, INT4, OID, FLOAT4, FLOAT8 = 16, 20, 21, 23, 26, 700, 701
NUMERIC, MONEY, DATE, TIMESTAMP, TIMESTAMPTZ, BYTEA = 1700, 790, 1082, 1114, 1184, 17
LARGEST = "1e300"  # limit for numbers from PostgreSQL; larger ones are read as empty
CHARACTERS = 20_000  # characters of a cell that are kept
DIGITS = 15  # digits that a float keeps
WHOLE = 18  # digits of a 64-bit integer


@dataclass(frozen=True)
class PgColumn:
    """A column. oid: of its type, with domains resolved. category: of its type; A for arrays, C for
    composite types. shape: of a number, as in `atttypmod`. told: a description of its type.
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
    """Return the SQL that reads a column."""
    q, oid = identifier(column.name), column.oid
    plain = {
        BOOL: q,
        INT2: q,
        INT4: q,
        INT8: q,
        OID: f"{q}::int8",
        FLOAT4: finite(f"{q}::text::float8"),  # keeps 0.1 as 0.1
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
    """Return the SQL for an exact number: an integer if it is declared as one, text if a float
    would round it.
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
    """Return the SQL for a float, with NaN and infinity as empty."""
    return f"CASE WHEN {sql} > '-Infinity' AND {sql} < 'Infinity' THEN {sql} END"


def shortened(sql: str) -> str:
    """Return the SQL for a text; a very long text is cut, and its length is added."""
    cut = (  # characters that every encoding has
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
    """Return the tables and views of a database, each with its id in the catalogue."""
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
    raise DatabaseError(f"{schema}.{name} is not there any more.", "List its tables anew.")


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
