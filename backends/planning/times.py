"""Which days a request is about: a range, a point in time, and how finely it is asked."""

from __future__ import annotations

import datetime as dt
import re
from typing import Literal

from pydantic import BaseModel

from backends.planning.days import COUNT, MONTHS, back, count_of, day_in, months

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
