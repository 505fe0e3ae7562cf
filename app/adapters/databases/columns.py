"""How a column of PostgreSQL is read: each type as a number, day, truth value or text that our tables have."""

from __future__ import annotations

from dataclasses import dataclass

BOOL, INT8, INT2, INT4, OID, FLOAT4, FLOAT8 = 16, 20, 21, 23, 26, 700, 701
NUMERIC, MONEY, DATE, TIMESTAMP, TIMESTAMPTZ, BYTEA = 1700, 790, 1082, 1114, 1184, 17
LARGEST = "1e300"  # beyond, a number of PostgreSQL is none of ours
CHARACTERS = 20_000  # of a cell that are kept
DIGITS = 15  # a float keeps
WHOLE = 18  # digits of a whole number of 64 bits


@dataclass(frozen=True)
class PgColumn:
    """A column. oid: of its type, that of a domain resolved. category: A for lists, C for rows. shape: of a
    number, as `atttypmod` has it. told: its type in words."""

    name: str
    oid: int
    category: str
    shape: int
    told: str
    about: str = ""


def identifier(name: str) -> str:
    """Return a name as SQL, whatever stands in it."""
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
        FLOAT4: finite(f"{q}::text::float8"),  # 0.1 stays 0.1
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
    """Return what is known of a column in words: what its owner says, and the zone its times are in."""
    zone = "time in UTC" if column.oid == TIMESTAMPTZ else ""
    return "; ".join(part for part in (" ".join(column.about.split()), zone) if part)


def numeric(q: str, shape: int) -> str:
    """Return the SQL of an exact number: whole where it is declared so, text where a float would cut it."""
    bounded = f"CASE WHEN {q} > -{LARGEST} AND {q} < {LARGEST} THEN {q}::float8 END"  # NaN is none of these
    if shape < 4:
        return bounded
    digits, scale = (shape - 4) >> 16, (shape - 4) & 0x7FF
    if scale == 0:
        return f"CASE WHEN {q} <> 'NaN' THEN {q}::int8 END" if digits <= WHOLE else f"{q}::text"
    return bounded


def finite(sql: str) -> str:
    """Return a float as SQL, what is no number as empty."""
    return f"CASE WHEN {sql} > '-Infinity' AND {sql} < 'Infinity' THEN {sql} END"


def shortened(sql: str) -> str:
    """Return a text as SQL, one that is very long cut, with a word about it."""
    cut = f"left({sql}, {CHARACTERS}) || ' ... (' || length({sql}) || ' characters)'"  # signs every encoding has
    return f"CASE WHEN length({sql}) > {CHARACTERS} THEN {cut} ELSE {sql} END"
