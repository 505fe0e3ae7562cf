"""Turn a follow-up question into a complete one.

It may change the names or days of the previous question, or ask for a forecast of its numbers.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from backends.planning.request import CUES, INDICATORS, read_cues
from backends.planning.tables import View, find_entities, plain
from backends.planning.text import CJK
from backends.planning.times import read_time, said_out

if TYPE_CHECKING:
    import datetime as dt

    from backends.data.values import Profile
    from backends.data.workflow.step import Workflow
    from backends.planning.tables import Entity

SMALL = re.compile(
    r"\b(?:and|or|but|now|then|next|what|how|about|only|just|also|same|again|the|in|on|at|for|of|from|to|do|it|that|this|please|instead|with|by|show|me)\b"
    r"|那么?|然后|接着|再|只看|只要|换成|换|改成|改为|看看?|把它|在|的|呢|吗|如果|一下|和|与|请|以及|[#\s?!.,:;？！。，、]+",
    re.IGNORECASE,
)
LEAD = re.compile(
    r"^(?:(?:and|but|now|then|next|please)\b[\s,]*)+|^(?:然后|接着|再|请|那么?)+", re.IGNORECASE
)
BETWEEN = re.compile(
    r"\s*(?:,|，|、|and|or|versus|vs\.?|和|与|跟|及)?\s*(?:and|和|与)?\s*", re.IGNORECASE
)
FORECAST = re.compile(CUES["forecast"].pattern, re.IGNORECASE)


class Before(NamedTuple):
    """A question that was answered, the workflow that answered it, and who or what it was about."""

    question: str
    workflow: Workflow
    names: list[str]


def as_whole(question: str, before: Before, profiles: list[Profile], today: dt.date) -> str | None:
    """Return a follow-up question as a complete question; None if it is not a follow-up.

    before: the previous question and the workflow that answered it.
    """
    views = [View(profile) for profile in profiles if profile.source in before.workflow.sources()]
    question = LEAD.sub("", question.strip())
    entities, rest = find_entities(question, [View(profile) for profile in profiles])
    wanted, rest = read_cues(rest)
    if wanted.has("forecast"):
        return forecast_of(question, entities, FORECAST.sub(" ", rest), before, views)
    if wanted.indicators and not SMALL.sub("", INDICATORS.sub(" ", rest)):
        said = before.question.rstrip(".?!。？！ ")
        return f"{said}{'，加上' if CJK.search(said) else ' with '}{', '.join(wanted.indicators)}"
    time, rest = read_time(rest, today)
    if SMALL.sub("", rest) or not (entities or time.said):
        return None
    made = renamed(before.question, entities, views) if entities else before.question
    return redated(made, time.said, today) if made is not None and time.said else made


def forecast_of(
    question: str, entities: list[Entity], rest: str, before: Before, views: list[View]
) -> str | None:
    """Return the forecast of what a workflow read; None if the question names something new."""
    steps = before.workflow.steps
    if entities or SMALL.sub("", rest) or any(s.interface == "read_constituents" for s in steps):
        return None
    step = next((s for s in steps if s.arguments.get("columns") and "source" in s.arguments), None)
    if step is None:
        return None
    numbers = {c.name for view in views for c in view.numbers}
    columns = [str(c) for c in step.arguments["columns"] if c in numbers]
    if not columns:
        return None
    names = before.names[:1]
    zh = bool(CJK.search(question))
    what = "的".join([*names, columns[0]]) if zh else " of ".join([columns[0], *names])
    said = question.rstrip(".?!。？！ ")
    return f"{what}：{said}" if zh else f"{said} of {what}"


def renamed(before: str, entities: list[Entity], views: list[View]) -> str | None:
    """Return a question with its names replaced by others of the same kind; None if it has none."""
    columns = {(p.source, p.column) for e in entities for p in e.places}
    old, _ = find_entities(before, views)
    spans = [
        (e.at, e.at + len(e.said))
        for e in old
        if columns & {(p.source, p.column) for p in e.places} and plain(before) == before.lower()
    ]
    if not spans:
        return None
    first, last = spans[0]
    made = before
    for start, end in reversed(spans[1:]):
        at = max((b for _, b in spans if b <= start), default=start)
        if BETWEEN.fullmatch(before[at:start]):
            made = made[:at] + made[end:]
        else:
            return None
    zh = bool(CJK.search(before))
    names = [str(e.places[0].value) for e in entities]
    return made[:first] + ("、" if zh else " and ").join(names) + made[last:]


def redated(before: str, said: str, today: dt.date) -> str:
    """Return a question with its days replaced; days are appended if it has none."""
    before = said_out(before, today)
    _, text = read_cues(before)
    time, _ = read_time(text, today)
    if time.said and time.said in before:
        at = before.index(time.said)
        gap = " " if before[:at][-1:].isascii() and before[:at][-1:].isalnum() else ""
        return f"{before[:at]}{gap}{said}{before[at + len(time.said) :]}"
    return f"{said}{before}" if CJK.search(before) else f"{before.rstrip('.?! ')} {said}"
