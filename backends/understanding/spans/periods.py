"""Days and periods in a question."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from backends.data.periods import days_of
from backends.data.values import ColumnProfile, Condition, Profile
from backends.understanding.spans.numbers import CHINESE as DIGITS
from backends.understanding.spans.numbers import WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from backends.understanding.spans.text import Question


Unit = Literal["day", "month", "quarter", "half", "year", "range"]
MONTHS = {
    name.lower(): i
    for i in range(1, 13)
    for name in (calendar.month_name[i], calendar.month_abbr[i])
}
MONTHS["sept"] = 9
MONTH = "(?P<month>" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\.?"
YEAR = r"(?P<year>(?:1[0-9]|20|21)\d\d)"
DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
ORDINALS = {
    "first": 1,
    "1st": 1,
    "second": 2,
    "2nd": 2,
    "third": 3,
    "3rd": 3,
    "fourth": 4,
    "4th": 4,
    "last": 4,
    "final": 4,
}
CHINESE = DIGITS | {"十一": 11, "十二": 12, "几": 3, "上": 1, "下": 2}
ORDINAL = r"(?P<ordinal>first|second|third|fourth|last|final|1st|2nd|3rd|4th)"
COUNT = r"(?P<count>\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[一二两三四五六七八九十]+)"
ZH = r"(?P<zh>[一二三四1-4])"


@dataclass(frozen=True)
class Period:
    """A stretch of days, both ends inside, and where it stands in the question.

    words: how it is shown. open: which end the question left open ("since 2015", "before May").
    month_only: the year was not said; `resolve` sets it by the data. steps: how many of `unit`
    back, where "the last three months" counts them.
    """

    low: dt.date
    high: dt.date
    unit: Unit
    start: int
    end: int
    words: str
    open: Literal["", "low", "high"] = ""
    month_only: bool = False
    steps: int = 0


def year_of(year: int) -> tuple[dt.date, dt.date]:
    """Return the first and last day of a year."""
    return dt.date(year, 1, 1), dt.date(year, 12, 31)


def months(year: int, first: int, last: int) -> tuple[dt.date, dt.date]:
    """Return the first day of a month and the last day of another, counting past December into the
    next year.
    """
    low = dt.date(year + (first - 1) // 12, (first - 1) % 12 + 1, 1)
    end_year, end_month = year + (last - 1) // 12, (last - 1) % 12 + 1
    return low, dt.date(end_year, end_month, calendar.monthrange(end_year, end_month)[1])


def number(text: str) -> int:
    """Return a small number written in digits, English or Chinese."""
    if text.isdigit():
        return int(text)
    return WORDS.get(text) or CHINESE.get(text) or 1


Made = tuple[dt.date, dt.date, Unit, str]


def _day(m: re.Match[str], today: dt.date) -> Made:
    month = m["month"]
    day = dt.date(int(m["year"]), MONTHS.get(month) or int(month), int(m["day"]))
    return day, day, "day", day.isoformat()


def _numeric(m: re.Match[str], today: dt.date) -> Made:
    one, two, year = int(m["one"]), int(m["two"]), int(m["year"])
    day, month = (
        (two, one) if two > 12 else (one, two)
    )  # 5/18 is May; 5/6 is read as the 5th of June
    made = dt.date(year, month, day)
    return made, made, "day", made.isoformat()


def _days(m: re.Match[str], today: dt.date) -> Made:
    year, month = int(m["year"]), MONTHS[m["month"]]
    low, high = dt.date(year, month, int(m["day"])), dt.date(year, month, int(m["until"]))
    return low, high, "range", f"{low} – {high}"


def _years(m: re.Match[str], today: dt.date) -> Made:
    first, last = int(m["year"]), int(m["last"])
    return dt.date(first, 1, 1), dt.date(last, 12, 31), "range", f"{first} – {last}"


def _this_year(m: re.Match[str], today: dt.date) -> int:
    """Return the year that "of last year", 去年 … means beside a part of it."""
    said = next((v for k, v in m.groupdict().items() if k.startswith("which") and v), "")
    back = {"last": 1, "previous": 1, "去": 1, "前": 2, "上一": 1}.get(said, 0)
    return today.year - back


def _part_of(m: re.Match[str], today: dt.date) -> Made:
    year, groups = _this_year(m, today), m.groupdict()
    if said := groups.get("month") or groups.get("zm"):
        n = MONTHS.get(said) or number(said)
        return *months(year, n, n), "month", f"{calendar.month_abbr[n]} {year}"
    if said := groups.get("half"):
        h = 2 if said in ("2", "second", "下") else 1
        return *months(year, 6 * h - 5, 6 * h), "half", f"H{h} {year}"
    said = groups.get("quarter") or groups.get("ordinal") or groups.get("zh") or "1"
    q = ORDINALS.get(said) or number(said)
    return *months(year, 3 * q - 2, 3 * q), "quarter", f"Q{q} {year}"


def _month(m: re.Match[str], today: dt.date) -> Made:
    number_ = MONTHS.get(m["month"]) or number(m["month"])
    low, high = months(int(m["year"]), number_, number_)
    return low, high, "month", f"{calendar.month_abbr[number_]} {low.year}"


def _quarter(m: re.Match[str], today: dt.date) -> Made:
    groups = m.groupdict()
    said = groups.get("quarter") or groups.get("ordinal") or groups.get("zh") or "1"
    q = ORDINALS.get(said) or number(said)
    low, high = months(int(m["year"]), 3 * q - 2, 3 * q)
    return low, high, "quarter", f"Q{q} {low.year}"


def _half(m: re.Match[str], today: dt.date) -> Made:
    groups = m.groupdict()
    said = groups.get("half") or groups.get("ordinal") or groups.get("zh") or "1"
    h = 2 if said in ("2", "second", "2nd", "下", "last") else 1
    low, high = months(int(m["year"]), 6 * h - 5, 6 * h)
    return low, high, "half", f"H{h} {low.year}"


def _year(m: re.Match[str], today: dt.date) -> Made:
    return *year_of(int(m["year"])), "year", m["year"]


def _decade(m: re.Match[str], today: dt.date) -> Made:
    first = int(m["decade"])
    return dt.date(first, 1, 1), dt.date(first + 9, 12, 31), "range", f"{first}s"


def _season(m: re.Match[str], today: dt.date) -> Made:
    first = {
        "spring": 3,
        "summer": 6,
        "autumn": 9,
        "fall": 9,
        "winter": 12,
        "春": 3,
        "夏": 6,
        "秋": 9,
        "冬": 12,
    }[m["season"]]
    low, high = months(int(m["year"]), first, first + 2)
    return low, high, "range", f"{m['season']} {m['year']}"


def _past(m: re.Match[str], today: dt.date) -> Made:
    count, unit = number(m["count"] or "one"), m["unit"]
    if unit.startswith(("day", "天", "日")):
        low = today - dt.timedelta(days=count - 1)
    elif unit.startswith(("week", "周", "个星期", "星期")):
        low = today - dt.timedelta(days=7 * count - 1)
    else:
        size = (
            12 if unit.startswith(("year", "年")) else 3 if "quarter" in unit or "季" in unit else 1
        )
        low = months(today.year, today.month - size * count, today.month - size * count)[0]
        last = calendar.monthrange(low.year, low.month)[1]
        low = low.replace(day=min(today.day, last)) + dt.timedelta(days=1)
    return low, today, "range", f"{low} – {today}"


def _relative(m: re.Match[str], today: dt.date) -> Made:
    said, unit = m["which"], m["unit"]
    back = 0 if said in ("this", "今", "本", "这个", "current", "这") else 1
    if said in ("前", "next"):
        back = 2 if said == "前" else -1
    if unit.startswith(("year", "年")):
        return *year_of(today.year - back), "year", str(today.year - back)
    if "quarter" in unit or "季" in unit:
        q = (today.month - 1) // 3 + 1 - back
        low, high = months(today.year, 3 * q - 2, 3 * q)
        return low, high, "quarter", f"Q{(low.month + 2) // 3} {low.year}"
    if "month" in unit or "月" in unit:
        low, high = months(today.year, today.month - back, today.month - back)
        return low, high, "month", f"{calendar.month_abbr[low.month]} {low.year}"
    monday = today - dt.timedelta(days=today.weekday() + 7 * back)
    return monday, monday + dt.timedelta(days=6), "range", f"week of {monday}"


def _near_day(m: re.Match[str], today: dt.date) -> Made:
    back = {"today": 0, "今天": 0, "yesterday": 1, "昨天": 1, "前天": 2}[m[0]]
    day = today - dt.timedelta(days=back)
    return day, day, "day", day.isoformat()


def _month_only(m: re.Match[str], today: dt.date) -> Made:
    number_ = MONTHS.get(m["month"]) or number(m["month"])
    day = m.groupdict().get("day")
    if day:
        date = dt.date(today.year, number_, int(day))
        return date, date, "day", f"{calendar.month_abbr[number_]} {day}"
    low, high = months(today.year, number_, number_)
    return low, high, "month", calendar.month_abbr[number_]


UNITS = r"(?P<unit>days?|weeks?|months?|quarters?|years?)"
RULES: list[tuple[re.Pattern[str], Callable[[re.Match[str], dt.date], Made], bool]] = [
    (re.compile(pattern), made, loose)
    for pattern, made, loose in (
        (
            rf"\b{DAY}\s?(?:to|-|–|until|through)\s?(?P<until>[12]?\d|3[01])(?:st|nd|rd|th)?(?: of)? {MONTH},? {YEAR}\b",
            _days,
            False,
        ),
        (
            rf"\b{MONTH} {DAY}\s?(?:to|-|–|until|through)\s?(?P<until>[12]?\d|3[01])(?:st|nd|rd|th)?,? {YEAR}\b",
            _days,
            False,
        ),
        (
            rf"\b(?P<one>0?[1-9]|[12]\d|3[01])[/.-](?P<two>0?[1-9]|[12]\d|3[01])[/.-]{YEAR}\b",
            _numeric,
            False,
        ),
        (rf"(?<!\d){YEAR}\s?(?:-|–|~|到|至)\s?(?P<last>(?:19|20)\d\d)年?(?![\d-])", _years, False),
        (rf"\b{YEAR}[-/.](?P<month>0?[1-9]|1[0-2])[-/.]{DAY}(?!\d)", _day, False),
        (rf"{YEAR}年(?P<month>1[0-2]|0?[1-9])月{DAY}[日号]", _day, False),
        (rf"\b{DAY}(?: of)? {MONTH},? {YEAR}\b", _day, False),
        (rf"\b{MONTH} {DAY},? {YEAR}\b", _day, False),
        (
            rf"\b(?:q(?P<quarter>[1-4])|{ORDINAL} quarter)(?: of| in|,)?(?: the year)? ?{YEAR}\b",
            _quarter,
            False,
        ),
        (rf"\b{YEAR}[- ]?q(?P<quarter>[1-4])\b", _quarter, False),
        (rf"\b{YEAR}'?s? {ORDINAL} quarter\b", _quarter, False),
        (rf"{YEAR}年?第?{ZH}季度?", _quarter, False),
        (rf"\b(?:h(?P<half>[12])|{ORDINAL} half)(?: of|,)? ?{YEAR}\b", _half, False),
        (rf"\b{YEAR}[- ]?h(?P<half>[12])\b", _half, False),
        (rf"{YEAR}年(?P<zh>[上下])半年", _half, False),
        (rf"\b(?P<season>spring|summer|autumn|fall|winter)(?: of)? {YEAR}\b", _season, False),
        (rf"{YEAR}年(?P<season>[春夏秋冬])[季天]", _season, False),
        (rf"\b{MONTH}(?: of|,)? '?{YEAR}\b", _month, False),
        (
            rf"\b(?:{ORDINAL} quarter|q(?P<quarter>[1-4]))(?: of)? (?P<which>this|last|previous) year\b",
            _part_of,
            False,
        ),
        (
            rf"\b(?P<which>this|last|previous) year'?s? (?:{ORDINAL} quarter|q(?P<quarter>[1-4]))\b",
            _part_of,
            False,
        ),
        (
            r"\b(?P<half>first|second) half(?: of)? (?P<which>this|last|previous|the) year\b",
            _part_of,
            False,
        ),
        (rf"\b{MONTH}(?: of)? (?P<which>this|last|previous) year\b", _part_of, False),
        (rf"(?P<which>今|去|前)年第?{ZH}季度?", _part_of, False),
        (r"(?P<which>今|去|前)年(?P<half>[上下])半年", _part_of, False),
        (
            r"(?P<which>今|去|前)年(?P<zm>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月份?",
            _part_of,
            False,
        ),
        (r"(?<![年\d])(?P<half>[上下])半年", _part_of, False),
        (rf"\b{YEAR}[-/](?P<month>0[1-9]|1[0-2])(?![\d-])", _month, False),
        (rf"{YEAR}年(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月份?", _month, False),
        (r"\b(?:the )?(?P<decade>(?:1[0-9]|20)\d0)'?s\b", _decade, False),
        (r"(?P<decade>(?:1[0-9]|20)\d0)年代", _decade, False),
        (rf"\b(?:the )?(?:last|past|previous|recent|most recent) {COUNT} {UNITS}\b", _past, False),
        (r"\b(?:the )?past (?P<count>)(?P<unit>day|week|month|quarter|year)\b", _past, False),
        (rf"(?:最近|近|过去|前)的?{COUNT}(?P<unit>天|日|周|个星期|个月|个季度|年)", _past, False),
        (
            r"\b(?P<which>this|last|previous|current|next) (?P<unit>week|month|quarter|year)\b",
            _relative,
            False,
        ),
        (r"(?P<which>今|去|前)(?P<unit>年)", _relative, False),
        (r"(?P<which>本|上|这个|这)个?(?P<unit>月|季度|周|星期|年)", _relative, False),
        (r"\btoday\b|\byesterday\b|今天|昨天|前天", _near_day, False),
        (rf"{YEAR}年度?", _year, False),
        (
            rf"\b(?:{ORDINAL} quarter|(?<![a-z0-9])q(?P<quarter>[1-4]))\b(?!\s*(?:\d|of))",
            _part_of,
            True,
        ),
        (rf"第{ZH}季度|(?<!\d)(?P<quarter>[一二三四1-4])季度", _part_of, True),
        (rf"\b{MONTH} {DAY}\b", _month_only, True),
        (rf"\b{DAY}(?: of)? {MONTH}\b", _month_only, True),
        (rf"(?P<month>1[0-2]|0?[1-9])月{DAY}[日号]", _month_only, True),
        (
            rf"\b(?:in|of|during|for|this|since|until|to|and|from) {MONTH}(?=\W|$)",
            _month_only,
            True,
        ),
        (
            r"(?<!\d)(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月份?(?!\d|均)",
            _month_only,
            True,
        ),
    )
]
BARE_YEARS = [
    (
        re.compile(
            rf"(?<![\d.,a-z_]){YEAR}(?![\d%-])(?!\s?(?:%|kg|km|usd|units|people|元|人|,\d))"
        ),
        _year,
        False,
    )
]


AXIS = re.compile(
    r"(?:^|[\s_(])(?:year|yr|fy)(?:$|[\s_)])|^(?:Fiscal|Calendar)?Year$|^(?:年|年份|年度)$",
    re.IGNORECASE,
)


class OutsideData(Exception):
    """The table holds nothing of the period; `words` names it, `held` says what it holds."""

    def __init__(self, words: str, held: str) -> None:
        super().__init__(words)
        self.words = words
        self.held = held


def time_columns(profile: Profile) -> list[ColumnProfile]:
    """Return the columns that together say when a row was: a date, or year and quarter, or a
    period.
    """
    for column in profile.columns:
        if column.kind in ("date", "time"):
            return [column]
    for column in profile.columns:
        if column.role == "period":
            return [column]
    years = [c for c in profile.columns if c.role == "year"]
    axis = [c for c in years if AXIS.search(c.name)]
    parts = [c for role in ("quarter", "month") for c in profile.columns if c.role == role]
    return [*axis[:1], *parts][:2]


def resolve(period: Period, profile: Profile) -> Period:
    """Give a month without a year the latest year the table has it for."""
    if not period.month_only:
        return period
    last = span_of(profile)
    if last is None:
        return period
    for year in range(last[1].year, last[0].year - 1, -1):
        try:
            low, high = period.low.replace(year=year), period.high.replace(year=year)
        except ValueError:
            continue
        if low <= last[1] and high >= last[0]:
            return replace(
                period, low=low, high=high, month_only=False, words=f"{period.words} {year}"
            )
    return period


def span_of(profile: Profile) -> tuple[dt.date, dt.date] | None:
    """Return the first and last day the table's time columns reach; None without such columns."""
    columns = time_columns(profile)
    if not columns or columns[0].low is None or columns[0].high is None:
        return None
    low, high = columns[0].low, columns[0].high
    if columns[0].kind in ("date", "time"):
        return dt.date.fromisoformat(str(low)[:10]), dt.date.fromisoformat(str(high)[:10])
    if columns[0].role == "period":
        one, two = days_of(str(low)), days_of(str(high))
        return (one[0], two[1]) if one and two else None
    if columns[0].role == "year":
        return dt.date(int(low), 1, 1), dt.date(int(high), 12, 31)
    return None


def conditions(
    period: Period, profile: Profile, column: ColumnProfile | None = None
) -> list[Condition] | None:
    """Return the conditions that select a period; None if the table's columns cannot say it.

    column: the date column the question names, if it has several.
    Raises: OutsideData.
    """
    columns = [column] if column else time_columns(profile)
    if not columns:
        columns = [c for c in profile.columns if c.role == "year"]
        if len(columns) != 1:
            return None
    reach = span_of(profile)
    if column is None and reach is not None and (period.high < reach[0] or period.low > reach[1]):
        raise OutsideData(period.words, f"{reach[0]} – {reach[1]}")
    first = columns[0]
    if first.kind in ("date", "time"):
        return on_dates(period, first.name)
    if first.role == "year":
        columns = columns if column is None else [first]
    if first.role == "period" and period.steps:
        ended = [v for v in first.values if (d := days_of(str(v))) and d[1] <= period.high]
        size = {"month": 1, "quarter": 3, "year": 12}.get(period.unit, 1)
        count = period.steps * size // months_of(first)
        return (
            [Condition(column=first.name, op="in", value=ended[-count:])]
            if ended and count
            else None
        )
    if first.role == "period":
        inside = [
            v
            for v in first.values
            if (d := days_of(str(v))) and d[0] >= period.low and d[1] <= period.high
        ]
        return (
            [Condition(column=first.name, op="in", value=inside)]
            if inside and first.complete
            else None
        )
    return on_parts(period, columns)


def months_of(column: ColumnProfile) -> int:
    """Return how many months a written period of a column is long."""
    days = days_of(str(column.values[0]))
    return (days[1].month - days[0].month + 1) if days else 1


def on_dates(period: Period, name: str) -> list[Condition]:
    """Select a period on a date column."""
    if period.open == "high":
        return [Condition(column=name, op=">=", value=period.low.isoformat())]
    if period.open == "low":
        return [Condition(column=name, op="<=", value=period.high.isoformat())]
    if period.low == period.high:
        return [Condition(column=name, op="=", value=period.low.isoformat())]
    return [
        Condition(
            column=name, op="between", value=[period.low.isoformat(), period.high.isoformat()]
        )
    ]


def on_parts(period: Period, columns: list[ColumnProfile]) -> list[Condition] | None:
    """Select a period on a year column, and a quarter or month column beside it."""
    by = {c.role: c.name for c in columns}
    if "year" not in by:
        if period.unit == "month" and "month" in by:
            return [Condition(column=by["month"], op="=", value=period.low.month)]
        return None
    year = by["year"]
    whole_years = (period.low.month, period.low.day) == (1, 1) and (
        period.high.month,
        period.high.day,
    ) == (
        12,
        31,
    )
    if whole_years:
        if period.open == "high":
            return [Condition(column=year, op=">=", value=period.low.year)]
        if period.open == "low":
            return [Condition(column=year, op="<=", value=period.high.year)]
        if period.low.year == period.high.year:
            return [Condition(column=year, op="=", value=period.low.year)]
        return [Condition(column=year, op="between", value=[period.low.year, period.high.year])]
    if period.open or period.low.year != period.high.year or period.unit == "day":
        return None
    same_year = Condition(column=year, op="=", value=period.low.year)
    part, low, high = "month", period.low.month, period.high.month
    if "quarter" in by and period.low.month % 3 == 1 and period.high.month % 3 == 0:
        part, low, high = "quarter", (period.low.month + 2) // 3, period.high.month // 3
    if part not in by:
        return None
    if low == high:
        return [same_year, Condition(column=by[part], op="=", value=low)]
    return [same_year, Condition(column=by[part], op="between", value=[low, high])]


def find_periods(question: Question, today: dt.date, *, bare_years: bool = False) -> list[Period]:
    """Take every date and period out of the question, in reading order; years alone in a turn of
    their own.

    Neighbours that the question joins ("from … to …") stay two; `joined` tells.
    """
    found: list[Period] = []
    for pattern, make, loose in BARE_YEARS if bare_years else RULES:
        for match in pattern.finditer(question.lower):
            start = (
                match.start("month") if loose and "month" in match.groupdict() else match.start()
            )
            if loose and "day" in match.groupdict():
                start = match.start()
            if not question.free(start, match.end()) or question.in_code(start, match.end()):
                continue
            try:
                low, high, unit, words = make(match, today)
            except (ValueError, OverflowError):
                continue  # 31 June is no date; the words stay unexplained and are told
            question.take(start, match.end(), "DATE")
            steps, unit = steps_of(match, unit)
            found.append(
                Period(low, high, unit, start, match.end(), words, month_only=loose, steps=steps)
            )
    found.sort(key=lambda p: p.start)
    both = {p for pair in joined(question, found) for p in pair}
    return [p if p in both else with_open_end(question, p) for p in found]


def steps_of(match: re.Match[str], unit: Unit) -> tuple[int, Unit]:
    """Return how many months, quarters or years "the last three months" counts; 0 for other
    periods.
    """
    groups = match.groupdict()
    if "count" not in groups or "unit" not in groups:
        return 0, unit
    said = groups["unit"]
    units: list[tuple[str, Unit]] = [
        ("month", "month"),
        ("月", "month"),
        ("quarter", "quarter"),
        ("季", "quarter"),
        ("year", "year"),
        ("年", "year"),
    ]
    kind: Unit | None = next((k for word, k in units if word in said), None)
    return (number(groups["count"] or "one"), kind) if kind else (0, unit)


BEFORE = re.compile(
    r"(?:\b(?P<since>since|from|starting(?: in| from)?|as of|beginning)|\b(?P<after>after|later than|following)"
    r"|\b(?P<until>until|till|up to|through|by)|\b(?P<before>before|prior to|earlier than)|(?P<zh>自从?|从))(?: the)?(?: (?:start|beginning|end) of)?(?: the)? *$"
)
AFTER = re.compile(
    r"^ *(?:(?P<since>onwards?|or (?:later|newer|after)|and (?:newer|up)|and (?:later|after)|以来|起|及以后|至今)|(?P<after>之后|以后|后)"
    r"|(?P<until>or earlier|及以前|为止)|(?P<before>之前|以前|前))"
)


def with_open_end(question: Question, period: Period) -> Period:
    """Return the period, stretched where the question says since, after, until or before."""
    head, tail = (
        BEFORE.search(question.lower[: period.start]),
        AFTER.search(question.lower[period.end :]),
    )
    kinds = {k: v for m in (head, tail) if m for k, v in m.groupdict().items() if v}
    if head and head["since"] == "from" and not (tail and tail["since"]) and period.unit != "day":
        kinds.pop("since", None)  # "the fines from 2025" are those of 2025; "from 2025 on" are not
    on = re.match(r" *(to|until|till|through|-|–) ", question.lower[period.end :])
    if kinds.get("since") == "from" and (on or period.unit == "range"):
        return period
    far, past = dt.date(9999, 12, 31), dt.date(1, 1, 1)
    start = period.start - (len(head[0]) if head and "zh" not in kinds else 0)
    end = period.end + (len(tail[0]) if tail else 0)
    if "since" in kinds or ("zh" in kinds and tail and tail["since"]):
        made = replace(period, high=far, open="high", words=f"since {period.words}")
    elif "after" in kinds:
        made = replace(
            period,
            low=period.high + dt.timedelta(days=1),
            high=far,
            open="high",
            words=f"after {period.words}",
        )
    elif "until" in kinds:
        made = replace(period, low=past, open="low", words=f"until {period.words}")
    elif "before" in kinds:
        made = replace(
            period,
            low=past,
            high=period.low - dt.timedelta(days=1),
            open="low",
            words=f"before {period.words}",
        )
    else:
        return period
    question.take(start, period.start, "")
    question.take(period.end, end, "")
    return replace(made, unit="range", start=start, end=end)


JOIN = re.compile(r"^ *(?:and|to|until|till|through|-|–|—|~|至|到|和|与)(?: the)? *$")


def joined(question: Question, periods: list[Period]) -> Iterator[tuple[Period, Period]]:
    """Yield neighbouring periods that the question joins."""
    for one, two in pairwise(periods):
        if JOIN.match(question.lower[one.end : two.start]):
            yield one, two


def hull(one: Period, two: Period) -> Period:
    """Return the stretch from one period to another."""
    low, high = min(one.low, two.low), max(one.high, two.high)
    unit: Unit = "range"
    return Period(
        low, high, unit, one.start, two.end, f"{one.words} – {two.words}", month_only=one.month_only
    )
