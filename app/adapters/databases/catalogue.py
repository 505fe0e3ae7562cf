"""What the catalogue of a PostgreSQL database says: its tables and views, and the columns of one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.adapters.databases.columns import PgColumn
from app.domain.database import Held
from app.domain.errors import DatabaseError

if TYPE_CHECKING:
    from app.adapters.databases.session import Session

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
DOMAINS = "SELECT oid::int8 AS oid, typbasetype::int8 AS base, typtypmod::int8 AS shape FROM pg_type WHERE typtype = 'd'"
KEY = """
SELECT a.attname::text AS name
FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY k(num, place)
  JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.num
WHERE i.indrelid = {at} AND i.indisprimary ORDER BY k.place
"""


def tables(session: Session) -> list[tuple[int, Held]]:
    """Return the tables and views of a database, each with where the catalogue has it."""
    return [
        (int(at), Held(schema, name, kind == "v", max(-1, round(rows)), about))
        for at, schema, name, kind, rows, about in session.rows(READABLE)
    ]


def find(session: Session, schema: str, name: str) -> tuple[int, Held]:
    """Return a table.

    Raises: DatabaseError if there is none of this name.
    """
    for at, held in tables(session):
        if (held.schema, held.name) == (schema, name):
            return at, held
    raise DatabaseError(f"{schema}.{name} is not there any more.", "List its tables anew.")


def columns(session: Session, at: int) -> list[PgColumn]:
    """Return the columns of a table, a domain as what it stands for."""
    domains = {int(oid): (int(base), int(shape)) for oid, base, shape in session.rows(DOMAINS)}
    made: list[PgColumn] = []
    for name, oid, category, shape, told, about in session.rows(COLUMNS.format(at=int(at))):
        while oid in domains:
            oid, shape = domains[oid]
        made.append(PgColumn(name, int(oid), category, int(shape), told, about))
    return made


def key(session: Session, at: int) -> list[str]:
    """Return the columns of a table's primary key; none where it has none."""
    return [row[0] for row in session.rows(KEY.format(at=int(at)))]
