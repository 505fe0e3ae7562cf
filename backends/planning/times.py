"""Days and times that a request speaks of."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from typing import Literal

from pydantic import BaseModel

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


Grain = Literal["day", "week", "month", "quarter", "year"]

UNITS: list[tuple[str, Grain]] = [
    ("个?交易日|天|日|days?", "day"),
    ("周|个?星期|weeks?", "week"),
    ("个?月|months?", "month"),
    ("个?季度?|quarters?", "quarter"),
    ("年|years?", "year"),
]
UNIT = "|".join(f"(?P<{grain}>{form})" for form, grain in UNITS)
PAST = re.compile(
    rf"(?:最近|近|过去|(?<!年)前(?!一个?(?:交易日|日|天|年|期)))的?(?P<n>{COUNT}|半)的?(?:{UNIT})"
    rf"|(?:over |in |for |during )?(?:the )?(?:last|past|previous|recent) (?P<en>{COUNT}"
    rf" )?(?:{UNIT.replace('?P<', '?P<e')})\b(?! of (?:19|20)\d\d)",
    re.IGNORECASE,
)
AFTER = re.compile(rf"\s*(?:之后|以后|后|起)的?(?P<n>{COUNT}|半)(?:{UNIT})", re.IGNORECASE)
HALF_AFTER = re.compile(
    rf"(?:the )?(?:(?P<half>half a year)|(?P<n>{COUNT}) (?:{UNIT}))(?: after| from| following|"
    r" since| starting)(?: in)?\s*$",
    re.IGNORECASE,
)
JOIN = re.compile(
    r"^\s*(?:的|期间)?\s*(?:到|至|—|–|-|~|to|until|till|through|and|和|与)\s*(?:the )?",
    re.IGNORECASE,
)
SINCE = re.compile(r"(?:since|自|自从)\s*(?:the )?$", re.IGNORECASE)
SINCE_BEHIND = re.compile(
    r"^\s*(?:以来|至今|开始|起|(?:一?直)?到(?:现在|今天|最[新近])|onwards?|on\b|(?:up"
    r" )?(?:to|until|till|through) (?:the )?(?:present|now|today|latest|last|most"
    r" recent|newest)\b)",
    re.IGNORECASE,
)
BEHIND = re.compile(r"^\s*(?:的)?(?:这段时间|期间|之间|整[一二三四五六七八九十]+年)")
LEAD = re.compile(
    r"(?:从|自|在|于|截至|截止至?|from|between|in|on|during|as"
    r" of|at|of|for|over|until|by)\s*(?:the )?$",
    re.IGNORECASE,
)
RELATIVE = re.compile(
    r"(?P<this>本|这个?|上个?|this|current|last|previous)\s?(?P<unit>季度|月|周|quarter|month|week)(?![a-z])",
    re.IGNORECASE,
)
YESTERDAY = re.compile(r"昨天|昨日|\byesterday\b", re.IGNORECASE)
GRAINS: list[tuple[re.Pattern[str], Grain]] = [
    (
        re.compile(
            r"每日|每天|每个?交易日|日度|逐日|\bdaily\b|\b(?:each|every|per|by) day\b",
            re.IGNORECASE,
        ),
        "day",
    ),
    (
        re.compile(r"每周|周度|按周|\bweekly\b|\b(?:each|every|per|by) week\b", re.IGNORECASE),
        "week",
    ),
    (
        re.compile(
            r"每个?月|月度|按月|逐月|\bmonthly\b|\b(?:each|every|per|by) month\b|month by month",
            re.IGNORECASE,
        ),
        "month",
    ),
    (
        re.compile(
            r"每个?季度?|按季度?|季度(?=gdp|的?数据)|\bquarterly\b|\b(?:each|every|per|by) quarter\b",
            re.IGNORECASE,
        ),
        "quarter",
    ),
    (
        re.compile(
            r"每年|年度(?!报)|按年|逐年|历年|\b(?:yearly|annual|annually)\b(?! report)|\b(?:each|every|per|by) year\b",
            re.IGNORECASE,
        ),
        "year",
    ),
]


class Time(BaseModel):
    """Days asked for. start, end: both inside; the same for a point in time. exact: only what is of
    that very day, such as a report. said: as it was written; none if no time was told. grain: how
    finely it is asked.
    """

    start: dt.date | None = None
    end: dt.date | None = None
    exact: bool = False
    said: str = ""
    grain: Grain | None = None

    @property
    def is_point(self) -> bool:
        """Whether one day is meant."""
        return self.start is not None and self.start == self.end


def read_time(text: str, today: dt.date) -> tuple[Time, str]:
    """Return the days a request is about, and the request without them.

    today: what "this year" counts from.
    """
    grain, text = read_grain(text)
    found = past(text, today) or written(text, today) or relative(text, today)
    if found is None:
        return Time(grain=grain), text
    (start, end), first, last, exact = found
    lead = LEAD.search(text[:first])
    first = lead.start() if lead else first
    tail = BEHIND.search(text[last:])
    last += tail.end() if tail else 0
    said = text[first:last].strip()
    return (
        Time(start=start, end=end, exact=exact, said=said, grain=grain),
        f"{text[:first]} {text[last:]}".strip(),
    )


Found = tuple[tuple[dt.date, dt.date], int, int, bool]


def read_grain(text: str) -> tuple[Grain | None, str]:
    """Return how finely a request asks, and the request without it."""
    for form, grain in GRAINS:
        if match := form.search(text):
            return grain, f"{text[: match.start()]} {text[match.end() :]}"
    return None, text


def unit_of(match: re.Match[str]) -> Grain:
    """Return the unit that matched."""
    said = {name for name, value in match.groupdict().items() if value}
    return next(grain for _, grain in UNITS if grain in said or f"e{grain}" in said)


def past(text: str, today: dt.date) -> Found | None:
    """Return the days of "the last three months": from the same day three months ago until
    today.
    """
    match = PAST.search(text)
    if match is None:
        return None
    if re.match(
        r"(?:last|previous|the last|the previous) (?:year|quarter|month|week)$",
        match[0],
        re.IGNORECASE,
    ):
        return None  # the one before this one
    said = match["n"] or (match["en"] or "1").strip()
    unit = unit_of(match)
    start = back(today, 6, "month") if said == "半" else back(today, count_of(said), unit)
    return (start, today), match.start(), match.end(), False


def written(text: str, today: dt.date) -> Found | None:
    """Return the days that are written out: one, from one to another, or from one on for so
    long.
    """
    first = day_in(text, today)
    if first is None:
        return None
    (start, end), at, upto, kind = first
    if match := AFTER.match(text, upto):
        size = (6, "month") if match["n"] == "半" else (count_of(match["n"]), unit_of(match))
        return (
            (start, back(start, -size[0], size[1]) - dt.timedelta(days=1)),
            at,
            match.end(),
            False,
        )
    if match := HALF_AFTER.search(text[:at]):
        size = (6, "month") if match["half"] else (count_of(match["n"]), unit_of(match))
        return (
            (start, back(start, -size[0], size[1]) - dt.timedelta(days=1)),
            match.start(),
            upto,
            False,
        )
    if joined := JOIN.match(text[upto:]):
        second = day_in(text, today, upto + joined.end())
        if second is not None and second[1] == upto + joined.end():
            return (start, second[0][1]), at, second[2], False
        if kind in ("month",) and (
            bare := re.match(r"(1[0-2]|[1-9])月", text[upto + joined.end() :])
        ):
            return (
                (start, months(start.year, int(bare[1]), int(bare[1]))[1]),
                at,
                upto + joined.end() + bare.end(),
                False,
            )
    if kind != "report" and (since := SINCE.search(text[:at])):
        return (start, today), since.start(), upto, False
    if behind := SINCE_BEHIND.match(text[upto:]):
        return (start, today), at, upto + behind.end(), False
    if earlier := named_before(text, at, start, end, kind):
        return earlier[0], earlier[1], upto, False
    return (start, end), at, upto, kind == "report"


def named_before(
    text: str, at: int, start: dt.date, end: dt.date, kind: str
) -> tuple[tuple[dt.date, dt.date], int] | None:
    """Return a range whose first month or day leaves the year to the second: "January to March
    2024".
    """
    if kind not in ("month", "day"):
        return None
    names = "|".join(sorted(MONTHS, key=len, reverse=True))
    match = re.search(
        rf"(?:from |between )?(?P<name>{names})\.?(?:"
        r" (?P<day>\d\d?))?\s*(?:to|until|through|and|-|–)\s*$",
        text[:at],
        re.IGNORECASE,
    )
    if match is None:
        return None
    month = MONTHS[match["name"].lower()]
    year = start.year if month <= start.month else start.year - 1
    first = months(year, month, month)[0]
    return (first.replace(day=int(match["day"])) if match["day"] else first, end), match.start()


def relative(text: str, today: dt.date) -> Found | None:
    """Return the days of this or the last week, month or quarter."""
    if match := YESTERDAY.search(text):
        day = today - dt.timedelta(days=1)
        return (day, day), match.start(), match.end(), False
    match = RELATIVE.search(text)
    if match is None:
        return None
    before = match["this"].lower() in ("上", "上个", "last", "previous")
    unit = {"季度": "quarter", "月": "month", "周": "week"}.get(
        match["unit"], match["unit"].lower()
    )
    if unit == "week":
        monday = today - dt.timedelta(days=today.weekday() + 7 * before)
        span = (monday, monday + dt.timedelta(days=6))
    else:
        day = back(today.replace(day=1), int(before), unit)
        first = day.month if unit == "month" else day.month - (day.month - 1) % 3
        span = months(day.year, first, first + (2 if unit == "quarter" else 0))
    return (span[0], min(span[1], today)), match.start(), match.end(), False
