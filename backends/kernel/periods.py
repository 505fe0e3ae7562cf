"""Months, quarters, halves and years written as text: 2024-05, May 2024, Q3 2009, 2022年1月."""

from __future__ import annotations

import calendar
import datetime as dt
import re

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
    """Return SQL that orders a column of written periods by their days; `values` are all it holds."""
    ordered = sorted(values, key=lambda v: days_of(v) or (dt.date.max, dt.date.max))
    listed = ", ".join(map(literal, ordered))
    return f"list_position([{listed}], CAST({column} AS VARCHAR))"


def part_sql(column: str, values: tuple[str, ...], part: str) -> str:
    """Return SQL that gives the year (2024) or quarter (2024-Q2) of a column of written periods; `values` are all it holds."""

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
