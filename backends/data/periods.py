"""Days and periods as text writes them, 2024-05, Q3 2009, 2022年1月, and the expressions that read
them.
"""

from __future__ import annotations

import calendar
import datetime as dt
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

    from backends.data.values import Kind


MONTHS = {
    name.lower(): i
    for i in range(1, 13)
    for name in (calendar.month_name[i], calendar.month_abbr[i])
}
NAMES = "|".join(sorted(MONTHS, key=len, reverse=True))
DIGITS = {"一": 1, "二": 2, "三": 3, "四": 4}
FORMS = [
    re.compile(form, re.IGNORECASE)
    for form in (
        r"^(?P<year>\d{4})[-/ ]?(?:Q(?P<quarter>[1-4])|H(?P<half>[12])|(?P<month>0[1-9]|1[0-2]))$",
        r"^(?:Q(?P<quarter>[1-4])|H(?P<half>[12]))[-/ ']*(?P<year>\d{4})$",
        rf"^(?P<name>{NAMES})\.?[-/ ,']*(?P<year>\d{{4}}|\d\d)$",
        rf"^(?P<year>\d{{4}})[-/ ](?P<name>{NAMES})$",
        r"^(?P<month>0[1-9]|1[0-2])/(?P<year>\d{4})$",
        r"^(?P<year>\d{4})年?第?(?P<quarter>[一二三四1-4])季度?$",
        r"^(?P<year>\d{4})年(?P<month>\d{1,2})月份?$",
    )
]


def days_of(text: str) -> tuple[dt.date, dt.date] | None:
    """Return the first and last day of a written period; None if it is none."""
    match = next((m for form in FORMS if (m := form.match(text.strip()))), None)
    if match is None:
        return None
    said = match.groupdict()
    year = int(said["year"])
    year += 2000 if year < 70 else 1900 if year < 100 else 0
    first, last = 1, 12
    if quarter := said.get("quarter"):
        last = 3 * (DIGITS.get(quarter) or int(quarter))
        first = last - 2
    elif half := said.get("half"):
        first, last = 6 * int(half) - 5, 6 * int(half)
    elif month := said.get("month") or said.get("name"):
        first = last = MONTHS.get(month.lower()) or int(month)
    if not 1 <= first <= last <= 12 or not 1 <= year <= 9999:
        return None
    return dt.date(year, first, 1), dt.date(year, last, calendar.monthrange(year, last)[1])


def order_sql(column: str, values: tuple[str, ...]) -> str:
    """Return SQL that orders a column of written periods by their days; `values` are all it
    holds.
    """
    ordered = sorted(values, key=lambda v: days_of(v) or (dt.date.max, dt.date.max))
    listed = ", ".join(map(literal, ordered))
    return f"list_position([{listed}], CAST({column} AS VARCHAR))"


def part_sql(column: str, values: tuple[str, ...], part: str) -> str:
    """Return SQL that gives the year (2024) or quarter (2024-Q2) of a column of written periods;
    `values` are all it holds.
    """

    def named(value: str) -> str | None:
        days = days_of(value)
        if days is None:
            return None
        return (
            f"{days[0].year}" if part == "year" else f"{days[0].year}-Q{(days[0].month + 2) // 3}"
        )

    cases = " ".join(f"WHEN {literal(v)} THEN {literal(n)}" for v in values if (n := named(v)))
    return f"CASE CAST({column} AS VARCHAR) {cases} END"


def literal(text: str) -> str:
    """Return text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


DATES = (
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%Y%m%d",
    "%d.%m.%Y",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%d %b %Y",
    "%d %B %Y",
    "%d %b %y",
    "%d %B %y",
    "%b %d, %Y",
    "%B %d, %Y",
    "%d-%b-%Y",
    "%d-%b-%y",
    "%b %d %Y",
    "%Y年%m月%d日",
    "%m/%d/%y",
    "%d/%m/%y",
    "%d.%m.%y",
    "%d-%m-%y",
    "%y/%m/%d",
    "%y.%m.%d",
    "%Y %b %d",
)
CLOCKS = ("%H:%M", "%H:%M:%S", "%I:%M %p")
# a day of the week before a day or after it: Mon 5 May 2026, 2026/5/3(日), 2026-05-03 周日
WEEKDAY = (
    r"^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*[,.]? "
    r"| ?[(（](Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*[)）]$| ?[(（][月火水木金土日](曜日?)?[)）]$"
    r"| ?[(（]?(周|星期|礼拜)[一二三四五六日天][)）]?$"
)
# years of Japanese eras: R8.5.3 and 令和8年5月3日 are the third of May 2026; the year before the first
ERAS = {
    "R": 2018,
    "H": 1988,
    "S": 1925,
    "T": 1911,
    "令和": 2018,
    "平成": 1988,
    "昭和": 1925,
    "大正": 1911,
}
ERA = r"^(R|H|S|T|令和|平成|昭和|大正) ?(\d{1,2}|元)[.年/-](\d{1,2})[.月/-](\d{1,2})日?$"
ZONE = r"(Z|[+-]\d\d:?\d\d)$"


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
    text = f"regexp_replace({text}, '{WEEKDAY}', '')" if re.search(WEEKDAY, sample[0]) else text
    sample = (re.sub(WEEKDAY, "", sample[0]),)
    if re.search(ERA, sample[0]):
        return era_expression(cursor, raw, text, cells)
    wall = f"regexp_replace({text}, '{ZONE}', '')"
    fits: list[tuple[float, str]] = []
    for form in DATES:
        read = f"CAST(try_strptime({text}, '{form}') AS DATE)"
        if form.endswith("%Y"):  # 07/22/23 is no date of the year 23
            read = f"CASE WHEN regexp_matches({text}, '\\d{{4}}$') THEN {read} END"
        elif form.startswith("%Y"):
            read = f"CASE WHEN regexp_matches({text}, '^\\d{{4}}') THEN {read} END"
        elif form == "%d-%m-%y":  # 6-5-23 is a code as well
            read = f"CASE WHEN regexp_full_match({text}, '\\d\\d-\\d\\d-\\d\\d') THEN {read} END"
        if cursor.execute(f"SELECT try_strptime(?, '{form}')", [sample[0]]).fetchone() == (None,):
            continue
        guard = f" AND regexp_matches({text}, '^(19|20)\\d{{6}}$')" if form == "%Y%m%d" else ""
        found = cursor.execute(
            "SELECT count(d), coalesce(sum(abs(gap)), 0) FROM (SELECT d, d - lag(d) OVER (ORDER BY"
            f" _row) AS gap FROM (SELECT _row, CASE WHEN true{guard} THEN {read} END AS d FROM"
            f" {raw}))"
        ).fetchone()
        if found is not None and found[0] == cells:
            fits.append((float(found[1]), read))
    if fits:
        return "date", min(fits, key=lambda fit: fit[0])[1]
    if ":" in sample[0] and (read := clock_expression(cursor, raw, text, sample[0], cells)):
        return "time", read
    if not (("T" in sample[0] or ":" in sample[0]) and "-" in sample[0]):
        return None
    read = f"TRY_CAST({wall} AS TIMESTAMP)"
    found = cursor.execute(
        f"SELECT count({read}), count(*) FILTER (CAST({read} AS TIME) <> TIME '00:00:00') FROM"
        f" {raw}"
    ).fetchone()
    if found is None or found[0] != cells:
        return None
    return ("time", read) if found[1] else ("date", f"CAST({read} AS DATE)")


def era_expression(
    cursor: duckdb.DuckDBPyConnection, raw: str, text: str, cells: int
) -> tuple[Kind, str] | None:
    """Return how a text column reads as days of Japanese eras; None if a cell does not."""

    def group(number: int) -> str:
        return f"regexp_extract({text}, '{ERA}', {number})"

    before = " ".join(f"WHEN '{era}' THEN {year}" for era, year in ERAS.items())
    year = f"CASE {group(1)} {before} END + TRY_CAST(replace({group(2)}, '元', '1') AS INTEGER)"
    read = f"TRY_CAST(({year}) || '-' || {group(3)} || '-' || {group(4)} AS DATE)"
    found = cursor.execute(f"SELECT count({read}) FROM {raw}").fetchone()
    return ("date", read) if found is not None and found[0] == cells else None


def clock_expression(
    cursor: duckdb.DuckDBPyConnection, raw: str, text: str, sample: str, cells: int
) -> str | None:
    """Return how a text column reads as days with a time of day, such as 01 May 2026 20:00."""
    for form in (f"{day} {clock}" for day in DATES for clock in CLOCKS):
        if cursor.execute(f"SELECT try_strptime(?, '{form}')", [sample]).fetchone() == (None,):
            continue
        read = f"try_strptime({text}, '{form}')"
        if "%Y" in form:
            read = f"CASE WHEN regexp_matches({text}, '\\d{{4}}') THEN {read} END"
        found = cursor.execute(f"SELECT count({read}) FROM {raw}").fetchone()
        if found is not None and found[0] == cells:
            return read
    return None
