"""Turns a request into a workflow.

The request is read, and the first kind of request that matches it builds the workflow. If its dates
come after the last date in a table, the user is asked. Rules determine which columns hold closing
prices and growth.

Repairs a workflow in which a step failed.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel

from backends.data.steps import STEPS
from backends.data.workflow.step import Task, Workflow
from backends.planning import shapes
from backends.planning.request import (
    Asked,
    StepBuilder,
    Wanted,
    read_request,
    unread,
)
from backends.planning.tables import View
from backends.planning.text import getting, measured, quarters_said, showing, tight
from backends.planning.times import Time
from backends.query.dates import later_by
from backends.query.lexicon import Language

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from backends.data.values import Profile
    from backends.data.workflow.step import Step
    from backends.query.annotate import Embed


SHARE_PRICE = re.compile(r"股票价格|股价")
CLOSES = ("收盘价", "收盘", "終値", "终值")
# prices that must occur in the same table as a closing price
CANDLES = (("开盘", "始値"), ("最高", "高値"), ("最低", "安値"))
CHANGE = re.compile(
    r"(?P<base>.*[^_\s])[_\s]?(?P<against>yoy|同比|环比|mom)(?:[(（]?%[)）]?)?", re.IGNORECASE
)
GROWTH = {
    "同比": (
        r"[\s_]+(?:year[- ]on[-"
        r" ]year[\s_]+)?growth(?:[\s_]+rates?)?(?![a-z])|(?:的)?(?:同比)?(?:增长率|增长速度|增速|增幅)(?:同比)?"
    ),
    "环比": r"(?:的)?环比(?:增长率|增长速度|增速|增幅)",
}


def columns_said(text: str, profiles: Iterable[Profile]) -> str:
    """Return a question in which words that refer to columns, according to our rules, are replaced
    by the names of these columns.
    """
    for profile in profiles:
        names = [column.name for column in profile.columns]
        close = closing(names)
        if close is not None and not any(SHARE_PRICE.search(name) for name in names):
            text = SHARE_PRICE.sub(close, text)
        for name in names:
            text = growth_said(text, name)
    return text


def closing(names: list[str]) -> str | None:
    """Return the column of closing prices, if a table contains candlestick data in Chinese or
    Japanese.
    """
    if not all(any(word in name for name in names for word in words) for words in CANDLES):
        return None
    return next((name for close in CLOSES for name in names if name == close), None)


def growth_said(text: str, name: str) -> str:
    """Return a question in which "X growth" is replaced by the column that contains it: GDP增速 by
    GDP同比, "GDP growth" by gdp_yoy.
    """
    match = CHANGE.fullmatch(name)
    if match is None or name in text:
        return text
    against = "环比" if match["against"].lower() in ("环比", "mom") else "同比"
    form = rf"(?<![A-Za-z]){re.escape(match['base'])}(?:{GROWTH[against]})"
    return re.sub(form, lambda _: name, text, flags=re.IGNORECASE)


SHAPES: tuple[Callable[[Asked], StepBuilder | None], ...] = (
    shapes.news,
    shapes.about,
    shapes.forecast,
    shapes.candles,
    shapes.each_member,
    shapes.members,
    shapes.flow,
    shapes.correlation,
    shapes.arithmetic,
    shapes.returns,
    shapes.growth,
    shapes.series,
    shapes.ranked,
    shapes.value,
)
# Requests for these cannot be answered by a single operation on one table.
SEVERAL = ("forecast", "candles", "rolling", "correlation", "returns", "flow", "save")
WHOLE = (
    shapes.news,
    shapes.about,
    shapes.members,
)  # kinds of requests that a single operation cannot answer
QUERIED = frozenset(  # steps that only read, sum, sort and plot rows
    {"read_series", "read_rows", "read_value", "read_cross_section", "read_constituents"}
    | {"summarise", "rank", "select", "show_table", "compute", "rename", "mean_median", "combine"}
    | {"line", "bar"}
)
OVER_TIME = (
    "cumulative",
    "yoy",
    "mom",
)  # only if it is shown over time and not as a single number


# The place to save something. The user chooses it in a dialog, whatever the request says.
PLACE = re.compile(
    r"\s*(?:\b(?:to|in|into|as|under)\s+|[到至在])?(?:(?:~|\.{1,2})?/|[A-Za-z]:\\)?[\w./\\~-]*\w\.(?:csv|xlsx)\b",
    re.IGNORECASE | re.ASCII,
)


class Intent(BaseModel):
    """What a request is about: when, where, who or what, and how the result is to be displayed.
    rewritten: the request with its dates and columns written out.
    """

    rewritten: str
    language: Language
    time: Time
    location: str | None = None
    objects: list[str] = []
    metrics: list[str] = []
    format: Literal["chart", "table", "text"]
    wanted: Wanted


class Plan(BaseModel):
    """A workflow that answers a request.

    several: whether more than one operation on one table is needed. unread: words of the request
    that nothing in the plan represents. doubts: words that were understood, but that the plan does
    not take into account. ended: the table, its last date and the dates of the request, if the
    request asks for dates after that last date; the workflow then covers the last dates in the
    table.
    """

    intent: Intent
    workflow: Workflow
    several: bool
    unread: list[str] = []
    doubts: list[str] = []
    ended: dict[str, str] = {}

    @property
    def asks(self) -> bool:
        """Return whether the user must be asked first, because some words that may be important
        were not used or were not taken into account.
        """
        return bool(self.unread or self.doubts)

    @property
    def serves(self) -> bool:
        """Return whether the plan answers a question that no query can answer. A plan that has only
        one step and leaves words unused may be about something else.
        """
        return self.several or not self.asks

    def reads_more(self, unread: list[str]) -> bool:
        """Return whether the plan is a better answer than a query that leaves these words unread.

        It is better if it leaves fewer words unread and does more than a query can.
        """
        return self.beyond and len(self.unread) + len(self.doubts) < len(unread)

    @property
    def beyond(self) -> bool:
        """Whether the plan does more than read, sum, sort and plot rows. A plan that does only this
        has examined the words less closely than the query parser does.
        """
        return any(step.interface not in QUERIED for step in self.workflow.steps)


def plan(
    question: str,
    profiles: list[Profile],
    *,
    now: dt.datetime,
    embed: Embed | None = None,
    told: Language | None = None,
) -> Plan | None:
    """Return a workflow that answers a request about some tables, or None if there is none.

    now: the time to which "today" and "this year" refer. told: the language in which its steps are
    described, if the question was translated before it was read.
    """
    said = columns_said(quarters_said(tight(PLACE.sub("", question)), profiles), profiles)
    asked = read_request(said, profiles, now, embed)
    asked.told = told or asked.told
    for shape in SHAPES:
        build = shape(asked)
        if build is not None and build.steps:
            return planned(asked, build, shape)
    return None


def plan_of(asked: Asked, build: StepBuilder, *, several: bool, unread_: list[str]) -> Plan:
    """Return the plan made of steps: a task that gets data, then a task that displays it."""
    intent = intent_of(asked, build)
    data = [s for s in build.steps if STEPS[s.interface].kind != "visualization"]
    shown = [s for s in build.steps if STEPS[s.interface].kind == "visualization"]
    tasks = [
        Task(kind=STEPS[some[0].interface].kind, instruction=about, steps=[s.id for s in some])
        for some, about in ((data, get_words(asked, build)), (shown, show_words(asked, build)))
        if some
    ]
    workflow = Workflow(
        name=intent.rewritten[:120], description=asked.question, tasks=tasks, steps=build.steps
    )
    return Plan(
        intent=intent,
        workflow=workflow,
        several=several,
        unread=unread_,
        doubts=form_left(asked, build),
    )


def form_left(asked: Asked, build: StepBuilder) -> list[str]:
    """Return the type of chart that the request asks for, if the plan contains no chart of this
    type.
    """
    form, drawn = asked.wanted.form, {step.interface for step in build.steps}
    return [form] if form == "pie" and form not in drawn else []


def planned(asked: Asked, build: StepBuilder, shape: Callable[[Asked], StepBuilder | None]) -> Plan:
    """Return the plan for a request, from the steps that its kind builds."""
    several = at_once_or_not(asked, build, shape)
    views = [asked.view(uid) for uid in sources_of(build)]
    return plan_of(asked, build, several=several, unread_=unread(asked.masked, views, asked.today))


def sources_of(build: StepBuilder) -> list[str]:
    """Return the tables that the steps read."""
    return Workflow(steps=build.steps).sources()


def at_once_or_not(
    asked: Asked, build: StepBuilder, shape: Callable[[Asked], StepBuilder | None]
) -> bool:
    """Return whether a request needs more than one operation on one table."""
    intent = intent_of(asked, build)
    sources = sources_of(build)
    several = asked.wanted.has(*SEVERAL) or bool(asked.wanted.indicators) or len(sources) > 1
    several = several or (asked.wanted.has(*OVER_TIME) and not asked.wanted.has("how_much"))
    drawn = any(STEPS[s.interface].gives == "chart" for s in build.steps)
    to_be_drawn = asked.wanted.has("draw", "trend") or asked.wanted.form is not None
    several = several or (
        drawn and to_be_drawn and len(intent.objects) > 1 and not asked.wanted.has("how_much")
    )
    several = several or (shape in WHOLE and len(asked.views) > 1)
    several = several or (
        drawn and to_be_drawn and asked.time.grain is not None and bool(asked.entities)
    )
    several = several or (asked.wanted.has("growth") and shape is shapes.growth)
    several = several or (asked.wanted.has("mean") and asked.wanted.has("median"))
    return several


def objects_of(asked: Asked, build: StepBuilder) -> list[str]:
    """Return who or what a plan is about, as written in the data."""
    used = {str(s.arguments["source"]) for s in build.steps if "source" in s.arguments}
    used |= {
        str(s.arguments["arguments"].get("source"))
        for s in build.steps
        if "arguments" in s.arguments
    }
    named = [next((p for p in e.places if p.source in used), None) for e in asked.entities]
    return list(dict.fromkeys(str(p.value) for p in named if p is not None))


def metrics_of(build: StepBuilder) -> list[str]:
    """Return the columns whose values a plan uses."""
    found: list[str] = []
    for step in build.steps:
        if STEPS[step.interface].kind == "acquisition" and step.interface != "read_rows":
            found += [str(c) for c in step.arguments.get("columns", [])]
        if step.interface == "loop_rank":
            found.append(str(step.arguments["arguments"]["value"]))
    return list(dict.fromkeys(found))


def format_of(build: StepBuilder) -> Literal["chart", "table", "text"]:
    """Return how a plan displays its result."""
    gives = [STEPS[s.interface].gives for s in build.steps]
    if "chart" in gives:
        return "chart"
    return "text" if gives[-1] == "value" or "value" in gives else "table"


def intent_of(asked: Asked, build: StepBuilder) -> Intent:
    """Return what a request is about."""
    location = next((w for w in ("中国", "全国", "China") if w in asked.question), None)
    return Intent(
        rewritten=" ".join(get_words(asked, build).split()),
        language=asked.told,
        time=asked.time,
        location=location,
        objects=objects_of(asked, build),
        metrics=metrics_of(build),
        format=format_of(build),
        wanted=asked.wanted,
    )


def get_words(asked: Asked, build: StepBuilder) -> str:
    """Return the description of the task that gets data."""
    names, metrics = objects_of(asked, build), metrics_of(build)
    made = [s.interface for s in build.steps]
    if not names and asked.told == "en":
        names = [asked.view(build.steps[0].arguments["source"]).profile.name]
    days = (str(asked.time.start), str(asked.time.end)) if asked.time.start else None
    return getting(measured(metrics, made, asked.told), names, days, made, asked.told)


def show_words(asked: Asked, build: StepBuilder) -> str:
    """Return the description of the task that displays the result."""
    title = next((str(s.arguments["title"]) for s in build.steps if s.arguments.get("title")), "")
    return showing(title, [s.interface for s in build.steps], asked.told)


MOST = 240  # maximum length, in months, of a range that is treated as whole months


def moved(made: Plan, profiles: list[Profile]) -> Plan:
    """Return a plan that asks for dates after the last one in the table, changed to cover the last
    dates instead; `ended` records this. Any other plan is returned unchanged.
    """
    for step in made.workflow.steps:
        given = step.arguments
        profile = next((p for p in profiles if p.source == given.get("source")), None)
        start, end = day(given.get("start")), day(given.get("end"))
        high = last_day(profile) if profile is not None else None
        if profile is None or start is None or end is None or high is None or high >= start:
            continue
        first = shifted(start, end, high)
        known = {start.isoformat(): first.isoformat(), end.isoformat(): high.isoformat()}
        told = {"table": profile.name, "high": str(high), "start": str(start), "end": str(end)}
        return with_days(made, known).model_copy(update={"ended": told})
    return made


def last_day(profile: Profile) -> dt.date | None:
    """Return the last date in a table, or None if the dates are not in a single column."""
    time = View(profile).time
    column = profile.column(time[0]) if len(time) == 1 else None
    return day(column.high) if column is not None and column.kind in ("date", "time") else None


def day(value: object) -> dt.date | None:
    """Return the date that a text represents, or None if it is not a date."""
    try:
        return dt.date.fromisoformat(str(value)[:10])
    except ValueError:
        return None


def shifted(start: dt.date, end: dt.date, high: dt.date) -> dt.date:
    """Return the first day of a range that has the same length but ends on another day. The length
    is measured in months if possible, and otherwise in days.
    """
    months = next((n for n in range(1, MOST) if later_by(end, -n, "month") == start), None)
    return later_by(high, -months, "month") if months else high - (end - start)


def with_days(made: Plan, known: dict[str, str]) -> Plan:
    """Return a plan in which dates are replaced by other dates, wherever they occur."""
    text = made.model_dump_json()
    for before, after in known.items():
        text = text.replace(before, after)
    return type(made).model_validate_json(text)


REPAIRS = 2  # maximum number of repairs for one step


def mended(workflow: Workflow, failed: str, error: str) -> Workflow | None:
    """Return the workflow with the cause of a step's failure repaired, or None if this is not
    possible.

    If dates are irregular, or there are several values a day, the values are summed by month. If a
    report does not exist, the most recent one before it is used. A chart with too many lines
    becomes a bar chart.
    """
    step = next((s for s in workflow.steps if s.id == failed), None)
    if step is None:
        return None
    if step.interface == "forecast" and re.search("not regular|several values", error):
        return with_arguments(workflow, str(step.arguments.get("data")), {"every": "month"})
    if step.interface == "read_cross_section" and step.arguments.get("exact"):
        return with_arguments(workflow, failed, {"exact": None})
    if step.interface == "read_series" and "more than" in error:
        return with_arguments(workflow, failed, {"every": "month"})
    if step.interface == "line" and "more than" in error:
        return replaced(
            workflow, step.model_copy(update={"interface": "bar", "arguments": without(step, "by")})
        )
    return None


def without(step: Step, name: str) -> dict[str, Any]:
    """Return a step's arguments without one of them."""
    return {key: value for key, value in step.arguments.items() if key != name}


def with_arguments(workflow: Workflow, name: str, more: dict[str, Any]) -> Workflow | None:
    """Return the workflow with some arguments of a step changed, or None if nothing changes.
    Arguments that are set to None are removed.
    """
    step = next((s for s in workflow.steps if s.id == name), None)
    if step is None or step.interface not in ("read_series", "read_cross_section"):
        return None
    made = {key: value for key, value in (step.arguments | more).items() if value is not None}
    if made == step.arguments:
        return None
    return replaced(workflow, step.model_copy(update={"arguments": made}))


def replaced(workflow: Workflow, step: Step) -> Workflow:
    """Return the workflow with a step replaced by another one with the same name."""
    steps = [step if s.id == step.id else s for s in workflow.steps]
    return workflow.model_copy(update={"steps": steps})
