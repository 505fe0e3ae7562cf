"""Every day and period a request names, in its order: single ones, ranges, and several to be
compared.
"""

from __future__ import annotations

import calendar
import datetime as dt
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from backends.planning.days import MONTHS, NAMES, YEAR, back, count_of, day_in, months
from backends.planning.times import PAST, RELATIVE, YESTERDAY, relative, unit_of

if TYPE_CHECKING:
    from backends.planning.composing.said import Said
    from backends.planning.times import Grain

JOIN = re.compile(
    r"\s*(?:,? ?(?:up )?(?:to|until|till|through|thru)|到|至|—|–|-|~)\s*(?:the |end of )?"
)
AND = re.compile(r"\s*(?:,|、|;|\band\b|,\s*and\b|&|和|与|及|以及|vs\.?|versus|对比?|比|还有)\s*")
SINCE = re.compile(
    r"(?:since|after|from|starting(?: in| from| with)?|(?<!各)自从?|从)\s*(?:the )?(?:start of"
    r" |beginning of )?$"
)
ONWARDS = re.compile(
    r"^\s*(?:onwards?|on\b|and later|or later|(?:up )?(?:to|until|till|through) (?:the"
    r" )?(?:present|now|today|(?:latest|last|most recent|newest)(?: available)?(?:"
    r" (?:day|week|month|quarter|year|report|date|data))?)\b|(?:一?直)?到(?:现在|今天|最[新近]的?(?:一[期天个])?)|以来|至今|以后|之后|开始|起)"
)
SO_FAR = re.compile(r"^\s*(?:so far|to date|till now|until now)")
LEAD = re.compile(
    r"(?:从|自|在|于|截至|截止至?|\b(?:between|from|in|on|during|as"
    r" of|at|of|for|over|until|by|through|throughout|since|up"
    r" to|the))\s+$|(?:从|自|在|于|截至|截止至?)\s*$"
)
TAIL = re.compile(
    r"^\s*(?:的?(?:这段时间|期间|之间)|整[一二三四五六七八九十]+年|间|内|(?:这?[两一二三四五]个?(?:报告期|时点|日期))|全年|一整年)"
)
END_OF = re.compile(r"(?:at |by )?(?:the )?(?:end|close) of\s*$")
END_BEHIND = re.compile(r"^\s*的?(?:年?底|年?末|期末|月末|季末)")
BARE = re.compile(
    rf"(?:(?P<d>3[01]|[12]\d|[1-9])(?:st|nd|rd|th)? (?P<name>{NAMES})|(?P<name2>{NAMES})\.?"
    r" (?P<d2>3[01]|[12]\d|[1-9])(?:st|nd|rd|th)?(?!"
    rf" ?\d)|(?P<zm>十[一二]?|(?<!十)[一二三四五六七八九])月份?(?![一二三四五六七八九])|(?P<m>1[0-2]|0?[1-9])月(?:(?P<d3>3[01]|[12]\d|0?[1-9])[日号])?份?|(?P<name3>{NAMES})\b|(?P<n>1[0-2]|[1-9])(?=\s*(?:到|至|[-~—–－])\s*(?:1[0-2]|[1-9])月)|(?<=到)(?P<d4>3[01]|[12]\d|0?[1-9])[日号]|第?(?P<q>[一二三四1-4])季度|q(?P<q2>[1-4])\b)"
)
# from one end of all there is to the other
WHOLE = re.compile(
    r"\b(?:from|between) (?:the )?(?:very )?first (?:[a-z]+ )?(?:to|and|until) (?:the )?(?:very"
    r" )?last"
    r" (?:day|week|month|quarter|year|session|row|reading)\b|从?(?:第一|首)个?[日天周月季年]度?(?:到|至)(?:最后一?|末)个?[日天周月季年]度?"
)
EARLIER = re.compile(
    r"去年同期|去年同[月季周日]|上年同[月季]|上年同期|前一年同期|同比去年|(?:the )?same"
    r" (?:month|quarter|period|day|time|week)(?:(?: of)?(?: the)? (?:last|previous|prior) year|(?:"
    r" of| in)? the year (?:before|earlier)| a year (?:before|earlier))|(?:a|one) year"
    r" (?:earlier|before|ago)|(?:the )?(?:year before|previous year|prior year)"
)
DAY_EDGE = ("day", "edge", "report", "today")


@dataclass(frozen=True)
class Said_:
    """A period as it is written: where it stands, its first and last day, and what it is."""

    at: int
    end: int
    first: dt.date
    last: dt.date
    kind: str


@dataclass(frozen=True)
class When:
    """The days of a request: from, to; periods: those that are named apart from each other, at
    least two. point: one day, or the end of a period. said: whether any was named.
    """

    first: dt.date | None = None
    last: dt.date | None = None
    periods: tuple[tuple[dt.date, dt.date], ...] = ()
    kind: str = ""
    point: bool = False
    said: bool = False


def read_when(said: Said, today: dt.date) -> When:
    """Return the days a request is about, and take them from it."""
    for match in said.find(WHOLE):
        said.take(*match.span(), "time")
    earlier = next(said.find(EARLIER), None)
    if earlier:
        said.take(*earlier.span(), "time")
    found = joined(said, mentions(said, today), today)
    if not found:
        return When()
    for one in found:
        lead = LEAD.search(said.text[: one.at])
        start = lead.start() if lead else one.at
        lead = LEAD.search(said.text[:start])
        start = lead.start() if lead else start
        said.take(start, one.end, "time")
        if tail := TAIL.match(said.text[one.end :]):
            said.take(one.end, one.end + tail.end(), "time")
    if earlier:
        one = found[-1]
        found.append(
            Said_(*earlier.span(), back(one.first, 1, "year"), back_end(one.last), one.kind)
        )
    return together(found)


def back_end(day: dt.date) -> dt.date:
    """Return the same day a year before; the end of February stays its end."""
    end = calendar.monthrange(day.year - 1, day.month)[1]
    at_end = day.day == calendar.monthrange(day.year, day.month)[1]
    return dt.date(day.year - 1, day.month, end if at_end else min(day.day, end))


def together(found: list[Said_]) -> When:
    """Return several periods as one span, and each by itself where they stand apart."""
    point = len(found) == 1 and found[0].first == found[0].last
    spans = tuple((one.first, one.last) for one in found)
    spans = tuple(dict.fromkeys(spans))
    kinds = {one.kind for one in found}
    return When(
        min(s[0] for s in spans),
        max(s[1] for s in spans),
        spans if len(spans) > 1 and len(kinds) == 1 else (),
        found[0].kind,
        point,
        True,
    )


def mentions(said: Said, today: dt.date) -> list[Said_]:
    """Return every period that is written by itself, in order."""
    text = said.left().replace("\0", "\n")
    found: list[Said_] = []
    at = 0
    while at < len(text):
        best: Said_ | None = None
        if made := day_in(text, today, at):
            (first, last), start, end, kind = made
            best = Said_(start, end, first, last, kind)
        if (match := PAST.search(text, at)) and not re.match(
            r"(?:the )?(?:last|previous) (?:year|quarter|month|week)$", match[0]
        ):
            made_ = past(match, today)
            best = made_ if best is None or made_.at <= best.at else best
        for form in (RELATIVE, YESTERDAY):
            if (match := form.search(text, at)) and (best is None or match.start() < best.at):
                told = relative(match[0], today)
                if told:
                    kind = "day" if form is YESTERDAY else unit_word(match["unit"])
                    best = Said_(match.start(), match.end(), *told[0], kind)
        if best is None:
            break
        found.append(best)
        at = best.end
    found = with_bare(text, found, today)
    years = [one for one in found if year_of_others(one, found, text)]
    for one in years:
        said.take(one.at, one.end, "time")
    return [one for one in found if one not in years]


def unit_word(said: str) -> str:
    """Return the unit a word means."""
    return {"季度": "quarter", "月": "month", "周": "week"}.get(said, said)


def past(match: re.Match[str], today: dt.date) -> Said_:
    """Return the days of "the last three months"."""
    said = match["n"] or (match["en"] or "1").strip()
    unit: Grain = unit_of(match)
    start = back(today, 6, "month") if said == "半" else back(today, count_of(said), unit)
    return Said_(match.start(), match.end(), start, today, "past")


def with_bare(text: str, found: list[Said_], today: dt.date) -> list[Said_]:
    """Return the periods with those that leave their year to another: "from 15 May to 15 June
    2026", "1月到5月".
    """
    taken = [(one.at, one.end) for one in found]
    years = [one for one in found if one.kind != "past"]
    made = list(found)
    for match in BARE.finditer(text):
        if any(match.start() < end and start < match.end() for start, end in taken):
            continue
        bound = (
            match["d"]
            or match["d2"]
            or match["m"]
            or match["n"]
            or match["q"]
            or match["q2"]
            or match["d4"]
            or match["zm"]
        )
        beside = any(
            AND.fullmatch(text[match.end() : one.at]) or JOIN.fullmatch(text[match.end() : one.at])
            for one in found
        )
        if not bound and not beside:
            continue  # "may" alone is no month
        year = (
            min(years, key=lambda one: abs(one.at - match.start())).last.year
            if years
            else today.year
        )
        month = match["m"] or match["n"]
        if match["zm"]:
            month = str(count_of(match["zm"]))
        if match["d4"] and years:
            month = str(min(years, key=lambda one: abs(one.at - match.start())).last.month)
        if name := match["name"] or match["name2"] or match["name3"]:
            month = MONTHS[name]
        if quarter := match["q"] or match["q2"]:
            n = {"一": 1, "二": 2, "三": 3, "四": 4}.get(quarter) or int(quarter)
            span, kind = months(year, 3 * n - 2, 3 * n), "quarter"
        else:
            span, kind = months(year, int(month or 1), int(month or 1)), "month"
        if day := match["d"] or match["d2"] or match["d3"] or match["d4"]:
            if int(day) > span[1].day:
                continue
            on = span[0].replace(day=int(day))
            span, kind = (on, on), "day"
        made.append(Said_(match.start(), match.end(), span[0], span[1], kind))
    return sorted(made, key=lambda one: one.at)


def year_of_others(one: Said_, all_: list[Said_], text: str) -> bool:
    """Tell whether a year only says which year a bare month means: "今年 … (1月到5月)"."""
    if one.kind != "year" or one.first.month != 1:
        return False
    others = [
        o
        for o in all_
        if o is not one and o.kind in ("month", "quarter", "day") and o.first.year == one.first.year
    ]
    written = [o for o in others if not re.search(YEAR, text[o.at : o.end])]
    return bool(written)


def joined(said: Said, found: list[Said_], today: dt.date) -> list[Said_]:
    """Return the periods, those joined by "to" as one, those said to last until today as such."""
    made: list[Said_] = []
    for one in found:
        gap = said.text[made[-1].end : one.at] if made else ""
        if made and JOIN.fullmatch(gap) and one.last >= made[-1].first:
            before = made.pop()
            made.append(Said_(before.at, one.end, before.first, one.last, before.kind))
            continue
        if (
            made
            and made[-1].kind in DAY_EDGE
            and one.kind in DAY_EDGE
            and re.search(r"between [^,]*$", said.text[: made[-1].at])
            and re.fullmatch(r"\s*and\s*", gap)
        ):
            before = made.pop()
            made.append(Said_(before.at, one.end, before.first, one.last, before.kind))
            continue
        if (
            made
            and re.search(r"between\s*$", said.text[: made[-1].at])
            and re.fullmatch(r"\s*and\s*", gap)
        ):
            before = made.pop()
            made.append(Said_(before.at, one.end, before.first, one.last, before.kind))
            continue
        made.append(one)
    return [stretched(said, one, today) for one in made]


def stretched(said: Said, one: Said_, today: dt.date) -> Said_:
    """Return a period that begins or ends otherwise than it is written: "since", "so far", "the end
    of".
    """
    behind, before = said.text[one.end :], said.text[: one.at]
    if match := END_BEHIND.match(behind):
        return Said_(one.at, one.end + match.end(), one.last, one.last, "edge")
    if match := END_OF.search(before):
        return Said_(match.start(), one.end, one.last, one.last, "edge")
    if match := ONWARDS.match(behind):
        return Said_(one.at, one.end + match.end(), one.first, max(today, one.last), one.kind)
    if match := SO_FAR.match(behind):
        return Said_(one.at, one.end + match.end(), one.first, min(today, one.last), one.kind)
    if (
        (match := SINCE.search(before))
        and one.first <= today
        and match[0].strip() not in ("from", "从", "after")
    ):
        return Said_(match.start(), one.end, one.first, max(today, one.last), one.kind)
    return one
