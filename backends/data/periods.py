"""Days and periods written as text (2024-05, Q3 2009, 2022年1月), and the SQL that reads them."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from typing import TYPE_CHECKING, NamedTuple

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
    """Return the first and last day of a written period, or None if the text is not one."""
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
    """Return SQL that sorts a column of written periods by time. values: all values in the
    column.
    """
    ordered = sorted(values, key=lambda v: days_of(v) or (dt.date.max, dt.date.max))
    listed = ", ".join(map(literal, ordered))
    return f"list_position([{listed}], CAST({column} AS VARCHAR))"


def part_sql(column: str, values: tuple[str, ...], part: str) -> str:
    """Return SQL for the year (2024) or quarter (2024-Q2) in a column of written periods.

    values: all values in the column.
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
    """Return text as an SQL literal."""
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
    "%b-%d-%Y",
    "%b-%d-%y",
    "%m/%d/%y",
    "%d/%m/%y",
    "%m-%d-%y",
    "%d.%m.%y",
    "%d-%m-%y",
    "%y-%m-%d",
    "%y/%m/%d",
    "%y.%m.%d",
    "%Y %b %d",
)
CLOCKS = ("%H:%M", "%H:%M:%S", "%I:%M %p")
# a weekday before or after a date: Mon 5 May 2026, 2026/5/3(日), 2026-05-03 周日
WEEKDAY = (
    r"^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*[,.]? "
    r"| ?[(（](Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*[)）]$| ?[(（][月火水木金土日](曜日?)?[)）]$"
    r"| ?[(（]?(周|星期|礼拜)[一二三四五六日天][)）]?$"
)
# the year before the first year of each Japanese era: R8.5.3 and 令和8年5月3日 are 3 May 2026
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
# Dates with different separators, and the one format for them. In dates with points, the day comes
# first, because nobody writes 3.14.2026.
YEAR_FIRST = r"^(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})\s*日?$"
YEAR_LAST = r"^(\d{1,2})\s*[-/.]\s*(\d{1,2})\s*[-/.]\s*(\d{4})$"
POINT = r"([A-Za-z]{3,4})\."  # the point after an abbreviated month: 01 Apr. 2026
# a date without a year, usually with its weekday: 5/1(金), 3月7日 周六, Sat 9 May, 9 May (Sat)
NAMED = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
WEEKDAY_SIGNS = {
    **{sign: i for i, sign in enumerate("月火水木金土日")},
    **{sign: i for i, sign in enumerate("一二三四五六日")},
    "天": 6,
}
BARE_DAYS = (
    re.compile(
        r"(?P<month>\d{1,2})[/月](?P<day>\d{1,2})[日号]? ?"
        r"(?:[(（](?:周|星期|礼拜)?|(?:周|星期|礼拜))(?P<sign>[月火水木金土日一二三四五六天])"
        r"(?:曜日?)?[)）]?"
    ),
    re.compile(r"(?P<month>\d{1,2})月(?P<day>\d{1,2})[日号]"),
    re.compile(r"(?P<name>[A-Za-z]{3})[a-z]*[,.]? (?P<day>\d{1,2}) (?P<word>[A-Za-z]{3,9})\.?"),
    re.compile(
        r"(?P<day>\d{1,2})[ -](?P<word>[A-Za-z]{3,9})\.?(?: ?\((?P<name>[A-Za-z]{3})[a-z]*\))?"
    ),
    re.compile(r"(?P<word>[A-Za-z]{3,9})\.? (?P<day>\d{1,2})"),
)
# 06/01 and 06-01 could be anything; they are dates if the column's name suggests it
SLASHED = re.compile(r"(?P<month>\d{1,2})[/-](?P<day>\d{1,2})")
DAY_NAMED = re.compile(r"\b(date|day|when)\b|_(date|day)\b|日$|日期|日付|月日|时间", re.IGNORECASE)
MOST_BARE = 1000  # maximum number of distinct dates in a column without years
AHEAD = dt.timedelta(days=31)  # from the day of writing to the latest date without a year
ZONE = r"(Z|[+-]\d\d:?\d\d)$"


def until_of(about: str, written: dt.date) -> dt.date:
    """Return the latest day that a date without a year may stand for.

    about: the name of the table; if it contains a year, the dates are in this year. written: the
    date of the file.
    """
    years = {int(year) for year in re.findall(r"(?<!\d)((?:19|20)\d\d)(?!\d)", about)}
    return dt.date(years.pop(), 12, 31) if len(years) == 1 else written + AHEAD


def date_expression(
    cursor: duckdb.DuckDBPyConnection,
    raw: str,
    text: str,
    cells: int,
    *,
    name: str = "",
    until: dt.date | None = None,
) -> tuple[Kind, str] | None:
    """Return how to read a text column as dates or times, or None if some cell is neither.

    If two formats fit every cell (as with 03/04/2024), the one in which the dates of neighbouring
    rows are closer together is used. name: the column's name. until: the latest day that a date
    without a year may stand for.
    """
    sample = cursor.execute(f"SELECT {text} FROM {raw} WHERE {text} IS NOT NULL LIMIT 1").fetchone()
    if sample is None or not any(c.isdigit() for c in sample[0]) or len(sample[0]) < 3:
        return None
    named = DAY_NAMED.search(name) is not None
    if bare_day(sample[0], slashed=named) is not None:
        latest = until or dt.date.today() + AHEAD
        return bare_day_expression(cursor, raw, text, cells, named=named, until=latest)
    if len(sample[0]) < 6:
        return None
    text = f"regexp_replace({text}, '{WEEKDAY}', '')" if re.search(WEEKDAY, sample[0]) else text
    sample = (re.sub(WEEKDAY, "", sample[0]),)
    if re.search(POINT, sample[0]):
        text = f"regexp_replace({text}, '{POINT}', '\\1')"
        sample = (re.sub(POINT, r"\1", sample[0]),)
    if re.search(ERA, sample[0]):
        return era_expression(cursor, raw, text, cells)
    if read := day_expression(cursor, raw, text, sample[0], cells):
        return "date", read
    if read := mixed_expression(cursor, raw, text, sample[0], cells):
        return "date", read
    wall = f"regexp_replace({text}, '{ZONE}', '')"
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


def day_expression(
    cursor: duckdb.DuckDBPyConnection, raw: str, text: str, sample: str, cells: int
) -> str | None:
    """Return how to read a text column as dates in a single format, or None if some cell does not
    fit it.
    """
    fits: list[tuple[float, str]] = []
    for form in DATES:
        read = f"CAST(try_strptime({text}, '{form}') AS DATE)"
        if form.endswith("%Y"):  # 07/22/23 is not a date in the year 23
            read = f"CASE WHEN regexp_matches({text}, '\\d{{4}}$') THEN {read} END"
        elif form.startswith("%Y"):
            read = f"CASE WHEN regexp_matches({text}, '^\\d{{4}}') THEN {read} END"
        elif form in ("%d-%m-%y", "%y-%m-%d", "%m-%d-%y"):  # 6-5-23 could also be a code
            read = f"CASE WHEN regexp_full_match({text}, '\\d\\d-\\d\\d-\\d\\d') THEN {read} END"
        if cursor.execute(f"SELECT try_strptime(?, '{form}')", [sample]).fetchone() == (None,):
            continue
        guard = f" AND regexp_matches({text}, '^(19|20)\\d{{6}}$')" if form == "%Y%m%d" else ""
        found = cursor.execute(
            "SELECT count(d), coalesce(sum(abs(gap)), 0) FROM (SELECT d, d - lag(d) OVER (ORDER BY"
            f" _row) AS gap FROM (SELECT _row, CASE WHEN true{guard} THEN {read} END AS d FROM"
            f" {raw}))"
        ).fetchone()
        if found is not None and found[0] == cells:
            fits.append((float(found[1]), read))
    return min(fits, key=lambda fit: fit[0])[1] if fits else None


def mixed_expression(
    cursor: duckdb.DuckDBPyConnection, raw: str, text: str, sample: str, cells: int
) -> str | None:
    """Return how to read a text column in which several people wrote dates in different formats.
    Return None if some cell is not a date.

    For example, 2026/1/3 next to 2026年1月7日, or 14.04.2026 next to 2-5-2026.
    """
    for form in (YEAR_FIRST, YEAR_LAST):
        if re.search(form, sample) is None:
            continue
        found = cursor.execute(f"SELECT bool_or(contains({text}, '.')) FROM {raw}").fetchone()
        sign = "-" if form == YEAR_FIRST else "." if found is not None and found[0] else "/"
        alike = rf"\1{sign}\2{sign}\3"
        mended = f"regexp_replace({text}, '{form}', '{alike}')"
        return day_expression(cursor, raw, mended, re.sub(form, alike, sample), cells)
    return None


class BareDay(NamedTuple):
    """A date without a year. weekday: 0 is Monday; None if no weekday is written."""

    month: int
    day: int
    weekday: int | None

    def of(self, year: int) -> dt.date | None:
        """Return this date in a given year. Return None if it does not exist, or if it falls on a
        different weekday.
        """
        try:
            found = dt.date(year, self.month, self.day)
        except ValueError:
            return None
        return found if self.weekday in (None, found.weekday()) else None


def bare_day(written: str, *, slashed: bool = False) -> BareDay | None:
    """Return a date without a year, or None for any other text.

    slashed: whether 06/01 counts as a date.
    """
    for form in (*BARE_DAYS, *([SLASHED] if slashed else [])):
        match = form.fullmatch(written.strip())
        if match is None:
            continue
        held = match.groupdict()
        name, word, sign = held.get("name"), held.get("word"), held.get("sign")
        if word is not None and word.lower() not in MONTHS:
            return None
        if name is not None and name.lower() not in NAMED:
            return None
        month = MONTHS[word.lower()] if word is not None else int(held["month"])
        weekday = NAMED.index(name.lower()) if name else WEEKDAY_SIGNS[sign] if sign else None
        found = BareDay(month, int(held["day"]), weekday)
        # a leap year, so that 29 February exists
        return found if found._replace(weekday=None).of(2024) is not None else None
    return None


def bare_day_expression(
    cursor: duckdb.DuckDBPyConnection,
    raw: str,
    text: str,
    cells: int,
    *,
    named: bool,
    until: dt.date,
) -> tuple[Kind, str] | None:
    """Return how to read a text column as dates in a single year, or in two years if January
    follows December. Return None if some cell is not a date.

    The year is the one nearest to today in which all dates fall on the weekdays given. Without
    weekdays, it is the latest year in which no date is after `until`. named: whether the column's
    name suggests dates.
    """
    held = cursor.execute(
        f"SELECT {text} AS v FROM {raw} WHERE {text} IS NOT NULL GROUP BY 1"
        f" ORDER BY min(_row) LIMIT {MOST_BARE + 1}"
    ).fetchall()
    written = {str(row[0]): bare_day(str(row[0]), slashed=named) for row in held}
    read = {value: day for value, day in written.items() if day is not None}
    if len(written) > MOST_BARE or len(read) < len(written) or not cells:
        return None
    if all(map(days_of, read)) and len({day.day for day in read.values()}) <= max(
        1, len(read) // 3
    ):
        return None  # Jan 24, Feb 24, Mar 24 are months, not days
    weekdays = any(day.weekday is not None for day in read.values())
    if weekdays:
        this = dt.date.today().year
        years = sorted(range(this - 30, this + 3), key=lambda one: (abs(one - this), one))
        after = dict.fromkeys(read, 0)
    else:
        years, after = list(range(until.year, until.year - 9, -1)), turns(list(read.items()))
    for year in years:
        days = {value: day.of(year + after[value]) for value, day in read.items()}
        found = [day for day in days.values() if day is not None]
        if len(found) < len(days) or (not weekdays and max(found) > until):
            continue
        cases = " ".join(
            f"WHEN {literal(value)} THEN DATE {literal(str(day))}" for value, day in days.items()
        )
        return "date", f"CASE {text} {cases} END"
    return None


def turns(days: list[tuple[str, BareDay]]) -> dict[str, int]:
    """Return, for each date, how many years it is after the first one. The dates are in the order
    in which they are written.

    The number is 1 from the change from December to January on; in descending lists, it is -1 from
    the change from January to December on. It is 0 for all dates if the year changes more than
    once.
    """
    made, year, changes = {}, 0, 0
    for (value, day), (_, before) in zip(days, [days[0], *days], strict=False):
        step = (before.month >= 10 and day.month <= 3) - (before.month <= 3 and day.month >= 10)
        year, changes = year + step, changes + abs(step)
        made[value] = year
    return made if changes <= 1 else dict.fromkeys(made, 0)


def era_expression(
    cursor: duckdb.DuckDBPyConnection, raw: str, text: str, cells: int
) -> tuple[Kind, str] | None:
    """Return how to read a text column as dates in Japanese eras, or None if some cell does not
    fit.
    """

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
    """Return how to read a text column as dates with a time of day, such as 01 May 2026 20:00."""
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
