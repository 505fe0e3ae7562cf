"""Find the dates and periods of a question."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from backends.understanding.spans.period_rules import BARE_YEARS, RULES, Period, Unit, number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from backends.understanding.spans.text import Question


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
