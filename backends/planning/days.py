"""Days as people write them: one day, a month, a quarter, a report, the start, middle or end of a
year.
"""

from __future__ import annotations

import calendar
import datetime as dt
import re

Range = tuple[dt.date, dt.date]

MONTHS = {
    name.lower(): i
    for i in range(1, 13)
    for name in (calendar.month_name[i], calendar.month_abbr[i])
}
MONTHS["sept"] = 9
NAMES = "|".join(sorted(MONTHS, key=len, reverse=True))
DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
WORDS = {
    w: i
    for i, w in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ]
    )
} | {
    "a": 1,
    "an": 1,
    "fifteen": 15,
    "eighteen": 18,
    "twenty": 20,
    "thirty": 30,
    "dozen": 12,
}
COUNT = rf"(?:\d+|[一二两三四五六七八九十]+|{'|'.join(sorted(WORDS, key=len, reverse=True))})"
YEAR = r"(?:19|20)\d\d"
THIS = r"今年|去年|前年|本年|this year|last year|the previous year"

FORMS = [
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?P<y>{YEAR})年(?P<m>1[0-2]|0?[1-9])月(?P<d>[12]\d|3[01]|0?[1-9])(?:日|号)?",
        rf"(?P<this>{THIS})(?P<m>1[0-2]|0?[1-9])月(?P<d>[12]\d|3[01]|0?[1-9])(?:日|号)",
        rf"(?P<y>{YEAR})[-/.](?P<m>1[0-2]|0?[1-9])[-/.](?P<d>3[01]|[12]\d|0?[1-9])(?!\d)",
        rf"(?<!\d)(?P<y>{YEAR})(?P<m>1[0-2]|0[1-9])(?P<d>3[01]|[12]\d|0[1-9])日?(?!\d)",
        (
            rf"(?P<d>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?(?: of)? (?P<name>{NAMES})\.?,?"
            rf" (?:(?P<y>{YEAR})|(?P<this>{THIS}))"
        ),
        (
            rf"(?P<name>{NAMES})\.? (?P<d>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?,?"
            rf" (?:(?P<y>{YEAR})|(?P<this>{THIS}))"
        ),
        rf"(?:(?P<y>{YEAR})年?|(?P<this>{THIS}))的?(?P<part>年?初|年?中(?!国)|年?底|年?末)",
        rf"(?:the )?(?P<part>start|beginning|middle|end) of (?:(?P<y>{YEAR})|(?P<this>{THIS}))",
        rf"(?P<part>mid|early|late)[- ](?P<y>{YEAR})",
        rf"(?:(?P<y>{YEAR})年?|(?P<this>{THIS}))的?第?(?P<q>[一二三四1-4])季度?报?",
        rf"(?:(?P<y>{YEAR})年?|(?P<this>{THIS}))的?(?P<report>半年报|中报|年报|年度报告)",
        rf"(?:(?P<y>{YEAR})年?|(?P<this>{THIS}))的?(?P<half>[上下])半年",
        (
            r"(?:q(?P<q>[1-4])|(?:the )?(?P<qn>first|second|third|fourth|last|final) quarter)(?:"
            rf" of|,)? ?(?:(?P<y>{YEAR})|(?P<this>{THIS}))"
        ),
        rf"(?P<y>{YEAR})[- ]?q(?P<q>[1-4])",
        rf"(?:(?P<y>{YEAR})年?|(?P<this>{THIS}))的?前(?P<fn>{COUNT})个?(?P<fu>月|季度?)(?!\d)",
        (
            rf"(?:the )?first (?P<fn>{COUNT}) (?P<fu>months|quarters)(?: of|,| in)?"
            rf" (?:(?P<y>{YEAR})|(?P<this>{THIS}))"
        ),
        (
            r"(?:the )?(?P<report>annual report|half-year report)(?: of| for)?"
            rf" (?:(?P<y>{YEAR})|(?P<this>{THIS}))"
        ),
        (
            r"(?:h(?P<h>[12])|(?:the )?(?P<hn>first|second) half)(?: of|,)?"
            rf" ?(?:(?P<y>{YEAR})|(?P<this>{THIS}))"
        ),
        rf"(?:(?P<y>{YEAR})年|(?P<this>{THIS}))(?P<m>1[0-2]|0?[1-9])月份?(?:0?1(?=到|至))?",
        rf"(?P<name>{NAMES})\.?(?: of)?,? (?:(?P<y>{YEAR})|(?P<this>{THIS}))",
        rf"(?<!\d)(?P<y>{YEAR})-(?P<m>1[0-2]|0[1-9])(?![\d-])",
        rf"(?P<this>{THIS})",
        rf"(?<![\d.])(?P<y>{YEAR})年?度?(?!\d|\.\d)",
        r"(?P<today>今天|今日|现在|目前|当前|\btoday\b|\bnow\b)",
    )
]
QUARTERS = {
    "一": 1,
    "二": 2,
    "三": 3,
    "四": 4,
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "last": 4,
    "final": 4,
}


def count_of(text: str) -> int:
    """Return a small number written in digits, English or Chinese."""
    text = text.lower()
    if text.isdigit():
        return int(text)
    if text in WORDS:
        return WORDS[text]
    tens, ten, ones = text.rpartition("十")
    if ten:
        return 10 * (DIGITS[tens] if tens else 1) + (DIGITS[ones] if ones else 0)
    return DIGITS.get(text, 1)


def day_in(text: str, today: dt.date, at: int = 0) -> tuple[Range, int, int, str] | None:
    """Return the earliest written day or period from a place on: its days, where it stands, and
    what it is.

    What it is: `day`, `month`, `quarter`, `half`, `year`, `edge` of a year, `report`, or `today`. A
    year that is not over yet ends today.
    """
    best: tuple[Range, int, int, str] | None = None
    for form in FORMS:
        match = form.search(text, at)
        if match is None or (best is not None and match.start() >= best[1]):
            continue
        if (made := days_of(match, today)) is not None:
            best = (made[0], match.start(), match.end(), made[1])
    return best


def days_of(match: re.Match[str], today: dt.date) -> tuple[Range, str] | None:
    """Return the days that are written, and what they are; None for a day that no calendar has."""
    said = {k: v.lower() for k, v in match.groupdict().items() if v}
    if "today" in said:
        return (today, today), "today"
    this = said.get("this", "")
    back = 1 if this in ("去年", "last year", "the previous year") else 2 if this == "前年" else 0
    year = int(said["y"]) if "y" in said else today.year - back
    if "part" in said:
        part = said["part"]
        day = dt.date(year, 1, 1)
        if any(word in part for word in ("中", "mid")):
            day = dt.date(year, 6, 30)
        elif any(word in part for word in ("底", "末", "end", "late")):
            day = dt.date(year, 12, 31)
        return (day, day), "edge"
    if "report" in said:
        day = (
            dt.date(year, 6, 30)
            if "半" in said["report"] or "中" in said["report"] or "half" in said["report"]
            else dt.date(year, 12, 31)
        )
        return (day, day), "report"
    if quarter := said.get("q") or said.get("qn"):
        n = QUARTERS.get(quarter) or int(quarter)
        made = months(year, 3 * n - 2, 3 * n)
        return ((made[1], made[1]), "report") if match[0].endswith("报") else (made, "quarter")
    if first := said.get("fn"):
        n = count_of(first) * (1 if said["fu"] in ("月", "months") else 3)
        return (months(year, 1, n), "half") if n <= 12 else None
    if half := said.get("half") or said.get("h") or said.get("hn"):
        return (months(year, 1, 6) if half in ("上", "1", "first") else months(year, 7, 12)), "half"
    if "d" in said:
        month = MONTHS[said["name"]] if "name" in said else int(said["m"])
        if int(said["d"]) > calendar.monthrange(year, month)[1]:
            return None
        day = dt.date(year, month, int(said["d"]))
        return (day, day), "day"
    if "m" in said or "name" in said:
        month = MONTHS[said["name"]] if "name" in said else int(said["m"])
        return months(year, month, month), "month"
    end = dt.date(year, 12, 31)
    return (dt.date(year, 1, 1), min(end, today) if year == today.year else end), "year"


def months(year: int, first: int, last: int) -> Range:
    """Return the first day of a month and the last day of another of the same year."""
    return dt.date(year, first, 1), dt.date(year, last, calendar.monthrange(year, last)[1])


def back(day: dt.date, count: int, unit: str) -> dt.date:
    """Return the day so many days, weeks, months, quarters or years earlier; the 31st becomes the
    last of its month.
    """
    if unit in ("day", "week"):
        return day - dt.timedelta(days=count * (7 if unit == "week" else 1))
    total = day.year * 12 + day.month - 1 - count * {"month": 1, "quarter": 3, "year": 12}[unit]
    year, month = divmod(total, 12)
    return dt.date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))
