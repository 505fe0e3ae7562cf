"""Convert a text column to the type of its values, if all its cells have that type."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from backends.data.computation import part
from backends.data.periods import date_expression, days_of
from backends.data.values import Kind

if TYPE_CHECKING:
    import datetime as dt

    import duckdb


def different_values(name: str, ordinal: str, relation: str, clause: str, most: int) -> str:
    """Return SQL for the most frequent values, with empty cells last. It reads the table only once.

    Each row of the result has a value, its count, and three totals that are the same in every row:
    the number of distinct values, of rows, and of cells that are not empty. name: the column's
    name, quoted.
    """
    each = (
        f"SELECT {name} AS v, count(*) AS n, min({ordinal}) AS earliest FROM {relation} WHERE"
        f" {clause} GROUP BY 1"
    )
    return (
        f"WITH each_value AS MATERIALIZED ({each}), all_of_them AS (SELECT count(v) AS many, sum(n)"
        " AS met, sum(n) FILTER (v IS NOT NULL) AS held FROM each_value) SELECT v, n, many, met,"
        f" held FROM each_value, all_of_them ORDER BY v IS NULL, n DESC, earliest LIMIT {most}"
    )


# An exponent needs a decimal point or a sign: 1.5e7, 2e-3. Without either, it is a code, such as
# E0017 or 12E5.
NUMBER = r"^[-+]?((\d{1,3}(,\d{3})+|\d+)(\.\d*)?|\.\d+|\d+(\.\d+[eE][-+]?|[eE][-+])\d+)$"
PLAIN = r"-?(0|[1-9]\d*)(\.\d+)?"  # the usual notation for numbers, which is matched quickly
DIGITS = 15  # digits that a float can represent exactly
SAMPLE = 2048  # number of cells examined first
STRIPPED = r"[$€£¥￥%,\s]"
# texts that people write instead of a missing number
MISSING = (
    "-",
    "–",
    "—",
    "--",
    "/",
    "?",
    "n/a",
    "na",
    "n.a.",
    "#n/a",
    "nan",
    "null",
    "none",
    "abs",
    "absent",
    "missing",
    "unknown",
    "tbd",
    "tbc",
    "inf",
    "-inf",
    "+inf",
    "infinity",
    "-infinity",
    "#div/0!",
    "#value!",
    "#ref!",
    "#name?",
    "#num!",
    "#null!",
    "缺",
    "缺考",
    "无",
    "未知",
    "暂无",
)
WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
LARGE_WHOLE = ("HUGEINT", "UHUGEINT", "UBIGINT")
NESTED = re.compile(r"\]$|^(STRUCT|MAP|UNION)\(")
TYPED = 0.7  # progress at which all column types are known
# minimum number of rows, and maximum number of values, for which dictionaries pay off
LARGE, DICTIONARY = 10_000, 1000
PERIODS = 2000
# units after the number, when every cell of a column has one: 12 kg, 45 min, 3岁
MEASURES = (
    "kg",
    "g",
    "mg",
    "t",
    "lb",
    "lbs",
    "oz",
    "km",
    "m",
    "cm",
    "mm",
    "mi",
    "miles",
    "ft",
    "in",
    "km²",
    "m²",
    "m2",
    "km2",
    "sqm",
    "sq m",
    "ha",
    "acres",
    "l",
    "ml",
    "cl",
    "m³",
    "h",
    "hr",
    "hrs",
    "hours",
    "hour",
    "min",
    "mins",
    "minutes",
    "s",
    "sec",
    "secs",
    "seconds",
    "ms",
    "days",
    "day",
    "weeks",
    "months",
    "years",
    "year",
    "yrs",
    "y",
    "kwh",
    "mwh",
    "gwh",
    "kw",
    "mw",
    "w",
    "°c",
    "°f",
    "℃",
    "°",
    "hz",
    "mhz",
    "ghz",
    "kb",
    "mb",
    "gb",
    "tb",
    "mbps",
    "km/h",
    "kmh",
    "mph",
    "m/s",
    "bpm",
    "kcal",
    "cal",
    "hp",
    "bar",
    "pa",
    "hpa",
    "db",
    "pts",
    "points",
    "pcs",
    "pc",
    "people",
    "persons",
    "pages",
    "eur",
    "usd",
    "gbp",
    "chf",
    "jpy",
    "cny",
    "kr",
    "zł",
    "元",
    "块",
    "岁",
    "人",
    "个",
    "件",
    "台",
    "次",
    "天",
    "小时",
    "分钟",
    "分",
    "秒",
    "公里",
    "千米",
    "米",
    "厘米",
    "公斤",
    "千克",
    "克",
    "斤",
    "吨",
    "升",
    "度",
    "平方米",
    "平米",
    "辆",
    "册",
    "本",
    "页",
    "名",
    "位",
    "张",
    "只",
    "头",
    "条",
    "箱",
    "瓶",
    "份",
    "场",
    "步",
    "円",
    "歳",
    "才",
    "日",
    "時間",
    "秒",
    "キロ",
    "個",
    "冊",
    "回",
    "点",
    "枚",
    "頁",
    "匹",
    "頭",
    "羽",
    "軒",
    "組",
    "杯",
    "箱",
    "年",
)


@dataclass(frozen=True)
class TypedColumn:
    """A column with its type.

    sql: its type in SQL. percent: whether its cells had a percent sign. currency: the currency sign
    or unit in its cells. periods: all its values, if they are months, quarters or years written as
    text. dictionary: the SQL type that lists its values, if it is text with few distinct values in
    a large table.
    """

    name: str
    kind: Kind
    sql: str
    percent: bool = False
    currency: str = ""
    periods: tuple[str, ...] = ()
    dictionary: str = ""


def type_columns(
    cursor: duckdb.DuckDBPyConnection, raw: str, relation: str, until: dt.date | None = None
) -> list[TypedColumn]:
    """Create the table `relation` from `raw`, with types for its text columns. Return its columns,
    without the ordinal.

    until: the latest day that a date without a year may stand for.
    """
    columns: list[TypedColumn] = []
    expressions: list[str] = []
    described = cursor.execute(f"DESCRIBE {raw}").fetchall()
    for i, (name, sql_type, *_) in enumerate(described[1:]):
        quoted = '"' + name.replace('"', '""') + '"'
        with part(TYPED * i / len(described), TYPED * (i + 1) / len(described)):
            if sql_type == "VARCHAR":
                column, expression = type_text(cursor, raw, name, quoted, until)
            else:
                column, expression = keep_type(
                    name, narrowed(cursor, raw, sql_type, quoted), quoted
                )
        columns.append(column)
        expressions.append(expression)
    columns, expressions = with_dictionaries(cursor, raw, relation, columns, expressions)
    selected = [
        f'{expression} AS "{column.name.replace(chr(34), chr(34) * 2)}"'
        for column, expression in zip(columns, expressions, strict=True)
    ]
    with part(TYPED, 1.0, cursor):
        cursor.execute(
            f"CREATE TABLE {relation} AS SELECT {', '.join(['_row', *selected])} FROM {raw}"
        )
    return columns


def with_dictionaries(
    cursor: duckdb.DuckDBPyConnection,
    raw: str,
    relation: str,
    columns: list[TypedColumn],
    expressions: list[str],
) -> tuple[list[TypedColumn], list[str]]:
    """Store text columns with few distinct values as numbers that refer to a list, in tables that
    are large enough for this to pay off.

    Comparing a million cells with a value then takes 1 ms instead of 10 ms.
    """
    found = cursor.execute(f"SELECT count(*) FROM {raw}").fetchone()
    texts = [i for i, column in enumerate(columns) if column.kind == "text"]
    if not texts or found is None or found[0] < LARGE:
        return columns, expressions
    counted = ", ".join(f"approx_count_distinct({expressions[i]})" for i in texts)
    counts = cursor.execute(f"SELECT {counted} FROM {raw}").fetchone() or ()
    columns, expressions = list(columns), list(expressions)
    for i, count in zip(texts, counts, strict=True):
        if 0 < count <= DICTIONARY:
            name, text = f"{relation}_{i}", expressions[i]
            listed = f"SELECT DISTINCT {text} FROM {raw} WHERE {text} IS NOT NULL ORDER BY 1"
            cursor.execute(f"CREATE TYPE {name} AS ENUM ({listed})")
            columns[i] = replace(columns[i], dictionary=name)
            expressions[i] = f"CAST({text} AS {name})"
    return columns, expressions


def keep_type(name: str, sql_type: str, quoted: str) -> tuple[TypedColumn, str]:
    """Return a column that already has a type, and the SQL expression that reads it.

    Infinite dates, and numeric values that are not numbers, become empty. Times with a time zone
    are converted to UTC. Lists and structures become JSON.
    """
    if sql_type == "BOOLEAN":
        return TypedColumn(name, "boolean", sql_type), quoted
    if sql_type == "DATE":
        return TypedColumn(
            name, "date", sql_type
        ), f"CASE WHEN isfinite({quoted}) THEN {quoted} END"
    if sql_type.startswith("TIMESTAMP"):
        wall = f"{quoted} AT TIME ZONE 'UTC'" if "WITH TIME ZONE" in sql_type else quoted
        moment = f"CAST({wall} AS TIMESTAMP)"
        return TypedColumn(
            name, "time", "TIMESTAMP"
        ), f"CASE WHEN isfinite({moment}) THEN {moment} END"
    if sql_type in WHOLE:
        return TypedColumn(name, "number", "BIGINT"), f"CAST({quoted} AS BIGINT)"
    if sql_type.startswith("DECIMAL") or sql_type in LARGE_WHOLE:
        return TypedColumn(name, "number", "DOUBLE"), f"CAST({quoted} AS DOUBLE)"
    if sql_type in (
        "FLOAT",
        "DOUBLE",
    ):  # otherwise one cell that is not a number would make every sum and mean empty
        number = (
            f"CAST(CAST({quoted} AS VARCHAR) AS DOUBLE)" if sql_type == "FLOAT" else quoted
        )  # so that 0.1 is still 0.1
        return TypedColumn(
            name, "number", "DOUBLE"
        ), f"CASE WHEN NOT isnan({quoted}) THEN {number} END"
    if NESTED.search(sql_type):
        return TypedColumn(name, "text", "VARCHAR"), f"CAST(to_json({quoted}) AS VARCHAR)"
    if sql_type == "BLOB":
        return TypedColumn(name, "text", "VARCHAR"), f"octet_length({quoted}) || ' bytes'"
    return TypedColumn(name, "text", "VARCHAR"), f"CAST({quoted} AS VARCHAR)"


def narrowed(cursor: duckdb.DuckDBPyConnection, raw: str, sql_type: str, quoted: str) -> str:
    """Return a column's type: 64-bit instead of 128-bit whole numbers, if all its values fit.

    DuckDB returns sums as 128-bit numbers.
    """
    if sql_type not in LARGE_WHOLE and not (
        sql_type.startswith("DECIMAL") and sql_type.endswith(",0)")
    ):
        return sql_type
    found = cursor.execute(
        f"SELECT count(*) FILTER ({quoted} IS NOT NULL AND TRY_CAST({quoted} AS BIGINT) IS NULL)"
        f" FROM {raw}"
    ).fetchone()
    return "BIGINT" if found == (0,) else sql_type


def type_text(
    cursor: duckdb.DuckDBPyConnection,
    raw: str,
    name: str,
    quoted: str,
    until: dt.date | None = None,
) -> tuple[TypedColumn, str]:
    """Return the type of a text column, and the SQL expression that reads it.

    Most columns of plain text are recognised by their first cells, so the whole column need not be
    read.
    """
    text = f"nullif(trim({quoted}), '')"
    few = f"(SELECT * FROM {raw} LIMIT {SAMPLE})"
    sample = count_cells(cursor, few, text)
    numeric = not sample or number(cursor, few, text, sample) is not None
    dated = (
        not sample or date_expression(cursor, few, text, sample, name=name, until=until) is not None
    )
    if not numeric and not dated and (numbers := without_marks(cursor, raw, few, text, sample)):
        text, numeric = numbers, True
    amount = text
    measure = "" if numeric or dated else measure_of(cursor, few, text, sample)
    if not (numeric or dated or measure) and (alike := with_one_currency(cursor, few, text)):
        amount, measure = alike, measure_of(cursor, few, alike, sample)
    if measure:
        bare = f"regexp_replace({amount}, '{BEHIND}', '')"
        cells = count_cells(cursor, raw, amount)
        if measure_of(cursor, raw, amount, cells) and (read := number(cursor, raw, bare, cells)):
            whole, _, _, expression = read
            return (
                TypedColumn(name, "number", "BIGINT" if whole else "DOUBLE", currency=measure),
                expression,
            )
    if not numeric and not dated:
        return as_text(cursor, raw, name, text)
    cells = count_cells(cursor, raw, text)
    as_date = date_expression(cursor, raw, text, cells, name=name, until=until) if dated else None
    if as_date is not None:
        kind, expression = as_date
        return TypedColumn(name, kind, "DATE" if kind == "date" else "TIMESTAMP"), expression
    found = number(cursor, raw, text, cells) if numeric else None
    if found is None:
        return as_text(cursor, raw, name, text)
    whole, percent, currency, expression = found
    return TypedColumn(
        name, "number", "BIGINT" if whole else "DOUBLE", percent, currency
    ), expression


BEHIND = r"\s?[^\d\s.,][^\d,]{0,8}$"


def measure_of(cursor: duckdb.DuckDBPyConnection, raw: str, text: str, cells: int) -> str:
    """Return the unit that follows every number in a column; empty if there is none. It is read
    from the first cells.
    """
    form = r"^[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?\s?([^\d\s.,][^\d,]{0,8})$"
    found = cursor.execute(
        f"SELECT regexp_extract({text}, '{form}', 1) AS unit, count(*) FROM {raw}"
        f" WHERE {text} IS NOT NULL GROUP BY 1 LIMIT 4"
    ).fetchall()
    units = [str(unit) for unit, _ in found]
    if not cells or not units or not all(map(is_measure, units)):
        return ""
    alike = {unit.lower().rstrip(".").removesuffix("s") for unit in units}
    return max(units, key=len) if len(alike) == 1 else ""


def with_one_currency(cursor: duckdb.DuckDBPyConnection, few: str, text: str) -> str | None:
    """Return the expression for a column whose amounts are in the same currency, written in
    different ways.

    For example, some cells contain ¥1,955 and others 1,955元 or no unit. The result is None for any
    other column.
    """
    found = cursor.execute(
        f"SELECT count(*) FILTER (contains({text}, '元')), count(*) FILTER (contains({text}, '円')),"
        f" count(*) FILTER (regexp_matches({text}, '[¥￥]')) FROM {few}"
    ).fetchone()
    yuan, yen, signs = found or (0, 0, 0)
    if (yuan and yen) or not (yuan or yen or signs):
        return None
    mark = "円" if yen else "元"
    return f"regexp_replace({text}, '[¥￥{mark}\\s]', '', 'g') || '{mark}'"


def is_measure(unit: str) -> bool:
    """Return whether the text after a number is a unit. It is not in 12A and 7B, which are
    codes.
    """
    return (unit if len(unit) == 1 else unit.lower().rstrip(".")) in MEASURES


def without_marks(
    cursor: duckdb.DuckDBPyConnection, raw: str, few: str, text: str, sample: int
) -> str | None:
    """Return the expression for a column in which the markers of missing values count as empty, if
    the other cells are numbers.
    """
    listed = ", ".join(f"'{mark}'" for mark in MISSING)
    kept = f"CASE WHEN lower({text}) NOT IN ({listed}) THEN {text} END"
    left = count_cells(cursor, few, kept)
    if left == sample or left < 0.5 * sample or number(cursor, few, kept, left) is None:
        return None
    return kept if number(cursor, raw, kept, count_cells(cursor, raw, kept)) is not None else None


def as_text(
    cursor: duckdb.DuckDBPyConnection, raw: str, name: str, text: str
) -> tuple[TypedColumn, str]:
    """Return a column that remains text. Its values are listed if each of them is a month, quarter
    or year.
    """
    sample = cursor.execute(f"SELECT {text} FROM {raw} WHERE {text} IS NOT NULL LIMIT 1").fetchone()
    if sample is None or days_of(sample[0]) is None:
        return TypedColumn(name, "text", "VARCHAR"), text
    found = cursor.execute(
        f"SELECT DISTINCT {text} FROM {raw} WHERE {text} IS NOT NULL LIMIT {PERIODS + 1}"
    )
    values = [row[0] for row in found.fetchall()]
    periods = tuple(values) if len(values) <= PERIODS and all(map(days_of, values)) else ()
    return TypedColumn(name, "text", "VARCHAR", periods=periods), text


def count_cells(cursor: duckdb.DuckDBPyConnection, raw: str, text: str) -> int:
    """Return how many cells are not empty."""
    found = cursor.execute(f"SELECT count({text}) FROM {raw}").fetchone()
    return int(found[0]) if found else 0


def number(
    cursor: duckdb.DuckDBPyConnection, raw: str, text: str, cells: int
) -> tuple[bool, bool, str, str] | None:
    """Return how to read a column as numbers (whole, percent, currency, expression), or None if
    some cell is not a number.

    Codes with leading zeros are not numbers. Numbers with more digits than a float can represent
    are not read as numbers, either.
    """
    found = cursor.execute(
        f"SELECT count(*) FILTER (regexp_full_match({text}, '{PLAIN}')),"
        f" count(*) FILTER (contains({text}, '.')), max(length({text})) FROM {raw}"
    ).fetchone()
    if cells and found is not None and found[0] == cells and found[2] <= DIGITS:
        return not found[1], False, "", f"CAST({text} AS {'DOUBLE' if found[1] else 'BIGINT'})"
    bare = f"regexp_replace({text}, '{STRIPPED}', '', 'g')"
    tests = cursor.execute(
        f"SELECT count(*) FILTER (regexp_matches({text}, '^0\\d+$')), count(*) FILTER"
        f" (regexp_matches(regexp_replace({text}, '^[$€£¥￥]|[%$€£¥￥]$|\\s', '', 'g'), '{NUMBER}') AND"
        f" regexp_matches({text}, '\\d')), count(*) FILTER (regexp_matches({text},"
        f" '^[-+]?[\\d,]+$')), count(*) FILTER (contains({text}, '%')), max(regexp_extract({text},"
        f" '[$€£¥￥]')), count(*) FILTER (length({bare}) > {DIGITS}) FROM {raw}"
    ).fetchone()
    assert tests is not None
    zeros, numbers, integers, percents, currency, long = tests
    if cells and numbers != cells:
        return with_commas(cursor, raw, text, cells, currency or "")
    if not cells or numbers != cells or zeros or long:
        return None
    whole = integers == cells
    return (
        whole,
        percents == cells,
        currency or "",
        f"CAST({bare} AS {'BIGINT' if whole else 'DOUBLE'})",
    )


def with_commas(
    cursor: duckdb.DuckDBPyConnection, raw: str, text: str, cells: int, currency: str
) -> tuple[bool, bool, str, str] | None:
    """Return how to read a column of numbers with decimal commas, such as 1.234,50 and 54,9. Return
    None if some cell is not such a number.
    """
    bare = f"regexp_replace({text}, '[$€£¥￥%\\s]', '', 'g')"
    found = cursor.execute(
        f"SELECT count(*) FILTER (regexp_full_match({bare},"
        " '[-+]?(\\d{1,3}(\\.\\d{3})+|\\d+)(,\\d+)?')), count(*) FILTER"
        f" (regexp_matches({bare}, ',\\d{{1,2}}$')), count(*) FILTER (contains({text}, '%')),"
        f" max(length({text})) FROM {raw}"
    ).fetchone()
    if found is None or found[0] != cells or not found[1] or found[3] > DIGITS:
        return None
    read = f"CAST(replace(replace({bare}, '.', ''), ',', '.') AS DOUBLE)"
    return False, found[2] == cells, currency, read
