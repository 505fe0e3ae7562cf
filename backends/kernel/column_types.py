"""Give text columns the type of what they hold, cell by cell or not at all.

A type is taken only if every non-empty cell reads as it: one stray word keeps a column text, so
that nothing is lost. Codes with leading zeros stay text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from backends.kernel.values import Kind

if TYPE_CHECKING:
    import duckdb

NUMBER = r"^[-+]?(\d{1,3}(,\d{3})+|\d+)?(\.\d+)?([eE][-+]?\d+)?$"
STRIPPED = r"[$€£¥￥%,\s]"
DATES = (
    "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%d-%m-%Y", "%m-%d-%Y",
    "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y", "%d-%b-%y", "%b %d %Y", "%Y年%m月%d日", "%m/%d/%y",
)  # fmt: skip
ZONE = r"(Z|[+-]\d\d:?\d\d)$"


@dataclass(frozen=True)
class Column:
    """A typed column.

    sql: its type in SQL. percent: its cells carried a percent sign. currency: the sign they carried.
    """

    name: str
    kind: Kind
    sql: str
    percent: bool = False
    currency: str = ""


def type_columns(cursor: duckdb.DuckDBPyConnection, raw: str, relation: str) -> list[Column]:
    """Make table `relation` from `raw`, text columns typed; return its columns without the ordinal."""
    columns: list[Column] = []
    selected: list[str] = ["_row"]
    described = cursor.execute(f"DESCRIBE {raw}").fetchall()
    for name, sql_type, *_ in described[1:]:
        quoted = '"' + name.replace('"', '""') + '"'
        if sql_type == "VARCHAR":
            column, expression = type_text(cursor, raw, name, quoted)
        else:
            column, expression = keep_type(name, sql_type, quoted)
        columns.append(column)
        selected.append(f"{expression} AS {quoted}")
    cursor.execute(f"CREATE TABLE {relation} AS SELECT {', '.join(selected)} FROM {raw} ORDER BY _row")
    return columns


def keep_type(name: str, sql_type: str, quoted: str) -> tuple[Column, str]:
    """Return a column that came typed, and the expression that reads it."""
    if sql_type == "BOOLEAN":
        return Column(name, "boolean", sql_type), quoted
    if sql_type == "DATE":
        return Column(name, "date", sql_type), quoted
    if sql_type.startswith("TIMESTAMP"):
        return Column(name, "time", "TIMESTAMP"), f"CAST({quoted} AS TIMESTAMP)"
    if sql_type.startswith("DECIMAL"):
        return Column(name, "number", "DOUBLE"), f"CAST({quoted} AS DOUBLE)"
    if sql_type in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"):
        return Column(name, "number", "BIGINT"), f"CAST({quoted} AS BIGINT)"
    if sql_type in ("FLOAT", "DOUBLE", "HUGEINT", "UBIGINT"):
        return Column(name, "number", "DOUBLE"), f"CAST({quoted} AS DOUBLE)"
    return Column(name, "text", "VARCHAR"), f"CAST({quoted} AS VARCHAR)"


def type_text(cursor: duckdb.DuckDBPyConnection, raw: str, name: str, quoted: str) -> tuple[Column, str]:
    """Return what a text column really is, and the expression that reads it so."""
    text = f"nullif(trim({quoted}), '')"
    bare = f"regexp_replace({text}, '{STRIPPED}', '', 'g')"
    number = f"CAST({bare} AS DOUBLE)"
    tests = cursor.execute(
        f"SELECT count({text}),"
        f" count(*) FILTER (regexp_matches({text}, '^0\\d+$')),"
        f" count(*) FILTER (regexp_matches(regexp_replace({text}, '^[$€£¥￥]|%$|\\s', '', 'g'), '{NUMBER}')"
        f" AND regexp_matches({text}, '\\d')),"
        f" count(*) FILTER (regexp_matches({text}, '^[-+]?[\\d,]+$')),"
        f" count(*) FILTER (contains({text}, '%')), max(regexp_extract({text}, '[$€£¥￥]')),"
        f" count(*) FILTER (length({bare}) > 15)"
        f" FROM {raw}"
    ).fetchone()
    assert tests is not None
    cells, zeros, numbers, integers, percents, currency, long = tests
    if not cells:
        return Column(name, "text", "VARCHAR"), text
    as_date = date_expression(cursor, raw, text, cells)
    if as_date is not None:
        kind, expression = as_date
        return Column(name, kind, "DATE" if kind == "date" else "TIMESTAMP"), expression
    if numbers == cells and not zeros and not long:
        whole = integers == cells
        column = Column(name, "number", "BIGINT" if whole else "DOUBLE", percents == cells, currency or "")
        return column, f"CAST({bare} AS BIGINT)" if whole else number
    return Column(name, "text", "VARCHAR"), text


def date_expression(
    cursor: duckdb.DuckDBPyConnection, raw: str, text: str, cells: int
) -> tuple[Kind, str] | None:
    """Return how a text column reads as dates or times; None if a cell does not.

    Where two formats read every cell (03/04/2024), that one is taken under which neighbouring rows
    lie closer together.
    """
    sample = cursor.execute(f"SELECT {text} FROM {raw} WHERE {text} IS NOT NULL LIMIT 1").fetchone()
    if sample is None or not any(c.isdigit() for c in sample[0]) or len(sample[0]) < 6:
        return None
    wall = f"regexp_replace({text}, '{ZONE}', '')"
    fits: list[tuple[float, str]] = []
    for form in DATES:
        read = f"CAST(try_strptime({text}, '{form}') AS DATE)"
        if cursor.execute(f"SELECT try_strptime(?, '{form}')", [sample[0]]).fetchone() == (None,):
            continue
        guard = f" AND regexp_matches({text}, '^(19|20)\\d{{6}}$')" if form == "%Y%m%d" else ""
        found = cursor.execute(
            f"SELECT count(d), coalesce(sum(abs(gap)), 0) FROM (SELECT d, d - lag(d) OVER (ORDER BY _row) AS gap"
            f" FROM (SELECT _row, CASE WHEN true{guard} THEN {read} END AS d FROM {raw}))"
        ).fetchone()
        if found is not None and found[0] == cells:
            fits.append((float(found[1]), read))
    if fits:
        return "date", min(fits, key=lambda fit: fit[0])[1]
    if not (("T" in sample[0] or ":" in sample[0]) and "-" in sample[0]):
        return None
    read = f"TRY_CAST({wall} AS TIMESTAMP)"
    found = cursor.execute(
        f"SELECT count({read}), count(*) FILTER (CAST({read} AS TIME) <> TIME '00:00:00') FROM {raw}"
    ).fetchone()
    if found is None or found[0] != cells:
        return None
    return ("time", read) if found[1] else ("date", f"CAST({read} AS DATE)")
