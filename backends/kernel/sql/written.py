"""How text writes days and times of day, as an expression that reads it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

    from backends.kernel.values import Kind

DATES = (
    "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%d-%m-%Y", "%m-%d-%Y",
    "%d %b %Y", "%d %B %Y", "%d %b %y", "%d %B %y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y", "%d-%b-%y", "%b %d %Y", "%Y年%m月%d日", "%m/%d/%y", "%d/%m/%y", "%d.%m.%y", "%d-%m-%y", "%Y %b %d",
)  # fmt: skip
CLOCKS = ("%H:%M", "%H:%M:%S", "%I:%M %p")
# a day of the week before a day or after it: Mon 5 May 2026, 2026/5/3(日), 2026-05-03 周日
WEEKDAY = (
    r"^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*[,.]? "
    r"| ?[(（](Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*[)）]$| ?[(（][月火水木金土日](曜日?)?[)）]$"
    r"| ?[(（]?(周|星期|礼拜)[一二三四五六日天][)）]?$"
)
# years of Japanese eras: R8.5.3 and 令和8年5月3日 are the third of May 2026; the year before the first
ERAS = {"R": 2018, "H": 1988, "S": 1925, "T": 1911, "令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911}  # fmt: skip
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
            f"SELECT count(d), coalesce(sum(abs(gap)), 0) FROM (SELECT d, d - lag(d) OVER (ORDER BY _row) AS gap"
            f" FROM (SELECT _row, CASE WHEN true{guard} THEN {read} END AS d FROM {raw}))"
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
        f"SELECT count({read}), count(*) FILTER (CAST({read} AS TIME) <> TIME '00:00:00') FROM {raw}"
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
