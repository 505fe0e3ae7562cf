"""Dates and times in a request."""

from __future__ import annotations

import datetime as dt
import re
from typing import Literal

from pydantic import BaseModel

from backends.planning.text import CJK
from backends.query.dates import Clock, DateReader
from backends.query.lexicon import languages_of, lexicon

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


def count_of(text: str) -> int:
    """Return a small number that is written in digits, or as an English or Chinese word."""
    text = text.lower()
    if text.isdigit():
        return int(text)
    if text in WORDS:
        return WORDS[text]
    tens, ten, ones = text.rpartition("十")
    if ten:
        return 10 * (DIGITS[tens] if tens else 1) + (DIGITS[ones] if ones else 0)
    return DIGITS.get(text, 1)


Grain = Literal["day", "week", "month", "quarter", "year"]

UNITS: list[tuple[str, Grain]] = [
    ("个?交易日|天|日|days?", "day"),
    ("周|个?星期|weeks?", "week"),
    ("个?月|months?", "month"),
    ("个?季度?|quarters?", "quarter"),
    ("年|years?", "year"),
]
UNIT = "|".join(f"(?P<{grain}>{form})" for form, grain in UNITS)
BEHIND = re.compile(r"^\s*(?:的)?(?:这段时间|期间|之间|整[一二三四五六七八九十]+年)")
LEAD = re.compile(
    r"(?:从|自|在|于|截至|截止至?|from|between|in|on|during|as"
    r" of|at|of|for|over|until|by)\s*(?:the )?$",
    re.IGNORECASE,
)

EDGES = {"初": "1月1日", "中": "6月30日", "底": "12月31日", "末": "12月31日"}
EDGE = re.compile(r"((?:19|20)\d\d年?|今年|去年|前年)的?年?(初|中(?!国)|底|末)")
FIRST = re.compile(
    rf"((?:19|20)\d\d年?|今年|去年|前年)的?前({COUNT})个?(月|季度?)"
    rf"|(?:the )?first ({COUNT}) (months|quarters)(?: of|,| in)? ((?:19|20)\d\d)",
    re.IGNORECASE,
)
QUARTER_REPORT = re.compile(r"(?<=年)的?([一二三四1-4])季报")
ENGLISH_EDGES = {
    **dict.fromkeys(("start", "beginning", "early"), "-01-01"),
    **dict.fromkeys(("middle", "mid"), "-06-30"),
    **dict.fromkeys(("end", "late"), "-12-31"),
}
ENGLISH_EDGE = re.compile(
    r"(?:the )?\b(start|beginning|middle|end|mid|early|late)(?: of |[- ])((?:19|20)\d\d)\b(?!-)",
    re.IGNORECASE,
)
COMPACT = re.compile(r"(?<!\d)((?:19|20)\d\d)(1[0-2]|0[1-9])(3[01]|[12]\d|0[1-9])日?(?!\d)")
HALF_YEAR = re.compile(r"(?<![上下])半年(?!报)|\bhalf a year\b", re.IGNORECASE)
NOW = re.compile(r"今天|今日|现在|目前|当前|\btoday\b|\bnow\b", re.IGNORECASE)
ONWARDS = re.compile(
    r"\s*(?:以来|至今|开始|起|(?:一?直)?到(?:现在|今天|最[新近])|onwards?|on\b|(?:up"
    r" )?(?:to|until|till|through) (?:the )?(?:present|now|today|latest|last|most"
    r" recent|newest)\b)",
    re.IGNORECASE,
)
REPORT = re.compile(r"\s*的?(?P<half>半年报|中报)|(?:年度报告|[年季度]*报)(?!告)")
HALF_REPORT = re.compile(r"half-year report(?: of| for)?\s*$", re.IGNORECASE)
ANNUAL_REPORT = re.compile(r"annual report(?: of| for)?\s*$", re.IGNORECASE)


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
    """The dates that a request asks for. start, end: both inclusive; equal for a point in time.
    exact: whether only items from exactly this day, such as a report, are wanted. said: the words
    as written; empty if the request states no time. grain: the interval that it asks for, such as
    month.
    """

    start: dt.date | None = None
    end: dt.date | None = None
    exact: bool = False
    said: str = ""
    grain: Grain | None = None

    @property
    def is_point(self) -> bool:
        """Whether a single day is meant."""
        return self.start is not None and self.start == self.end


def read_time(text: str, today: dt.date) -> tuple[Time, str]:
    """Return the dates that a request is about, and the request without them.

    today: the date that determines what "this year" means. A period that has begun ends on this
    date at the latest.
    """
    grain, text = read_grain(text)
    text = said_out(text, today)
    plain = text.replace("#", " ")
    words = lexicon(languages_of(plain, ""))
    tokens = words.tokens(plain)
    clock = Clock(today, high=today, rolling=True)
    reader = DateReader(words, plain, tokens, clock, day_first=not any(t.wide for t in tokens))
    if (found := next(iter(reader.spans()), None)) is not None:
        start, end = found.period.start, found.period.end or today
        end = min(end, today) if start is None or start <= today else end
        first, last = tokens[found.first].start, tokens[found.last - 1].end
    elif now := NOW.search(text):
        start = end = today
        first, last = now.span()
    else:
        return Time(grain=grain), text
    exact = False
    if report := REPORT.match(text, last):
        exact, last = True, report.end()
        end = dt.date(end.year, 6, 30) if report["half"] else end
    elif HALF_REPORT.search(text[:first]):
        exact, end = True, dt.date(end.year, 6, 30)
    elif ANNUAL_REPORT.search(text[:first]):
        exact = True
    if onwards := ONWARDS.match(text, last):
        end, last = today, onwards.end()
    lead = LEAD.search(text[:first])
    first = lead.start() if lead else first
    tail = BEHIND.search(text[last:])
    last += tail.end() if tail else 0
    time = Time(
        start=end if exact else start,
        end=end,
        exact=exact,
        said=text[first:last].strip(),
        grain=grain,
    )
    return time, f"{text[:first]} {text[last:]}".strip()


def said_out(text: str, today: dt.date) -> str:
    """Return a request in which the start and end of a year are replaced by dates, half-years are
    replaced by months, and dates without separators are written in the usual form.
    """

    def year_of(said: str) -> int:
        ago = {"今年": 0, "去年": 1, "前年": 2}.get(said)
        return int(said.rstrip("年")) if ago is None else today.year - ago

    def edge(match: re.Match[str]) -> str:
        return f"{year_of(match[1])}年{EDGES[match[2]]}"

    def first(match: re.Match[str]) -> str:
        year, unit = year_of(match[1] or match[6]), match[3] or match[5].lower()
        last = count_of(match[2] or match[4]) * (1 if unit in ("月", "months") else 3)
        to = "到" if match[1] else " to "
        return f"{year}-01{to}{year}-{last:02}" if last <= 12 else match[0]

    text = QUARTER_REPORT.sub(r"第\1季度报", FIRST.sub(first, text))
    months = "6个月" if CJK.search(text) else "6 months"
    text = ENGLISH_EDGE.sub(lambda m: f"{m[2]}{ENGLISH_EDGES[m[1].lower()]}", EDGE.sub(edge, text))
    return COMPACT.sub(r"\1-\2-\3", HALF_YEAR.sub(months, text))


def read_grain(text: str) -> tuple[Grain | None, str]:
    """Return the interval that a request asks for, and the request without it."""
    for form, grain in GRAINS:
        if match := form.search(text):
            return grain, f"{text[: match.start()]} {text[match.end() :]}"
    return None, text
