"""What is offered where a plan is in doubt."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from backends.planning.checking.checks import dates_in
from backends.planning.tables import View, plain
from backends.planning.times import back

if TYPE_CHECKING:
    from collections.abc import Iterable

    from backends.data.values import Profile
    from backends.data.workflow.step import Step
    from backends.planning.plan import Plan
    from backends.planning.times import Grain


MOST = 240  # months a range is known by


def moved(made: Plan, profiles: list[Profile]) -> Plan:
    """Return a plan that asks for days its table does not reach to as one of the last days the
    table has, told in `ended`; any other as it is.
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
    """Return the last day a table has; None if no single column of days says when."""
    time = View(profile).time
    column = profile.column(time[0]) if len(time) == 1 else None
    return day(column.high) if column is not None and column.kind in ("date", "time") else None


def day(value: object) -> dt.date | None:
    """Return a written day; None if it is none."""
    try:
        return dt.date.fromisoformat(str(value)[:10])
    except ValueError:
        return None


def shifted(start: dt.date, end: dt.date, high: dt.date) -> dt.date:
    """Return the first day of a range of the same length that ends on another day: of as many
    months, else days.
    """
    months = next((n for n in range(1, MOST) if back(end, n, "month") == start), None)
    return back(high, months, "month") if months else high - (end - start)


def with_days(made: Plan, known: dict[str, str]) -> Plan:
    """Return a plan with other days, wherever they are written."""
    text = made.model_dump_json()
    for before, after in known.items():
        text = text.replace(before, after)
    return type(made).model_validate_json(text)


Shape = Literal["value", "rows", "series", "forecast"]
SHOWN = ("line", "bar", "scatter", "pie", "candlestick", "show_table", "read_value", "correlation")
KEPT = (
    "change",
    "cumulate",
    "rolling",
    "returns",
    "technical",
    "compute",
    "unpivot",
    "rename",
    "forecast",
)


@dataclass
class Offer:
    """What is done. done: the interfaces. how: what several rows are made into. signs: of what is
    computed. columns: all that are read, by any step; measured: those that come out; keys: the
    columns of text a row comes out for. timed: whether
    rows go on in time, every: how finely. limits: how many rows are kept; by: what they are ordered
    by; up: from the lowest on. values: of conditions; dates: all that stand anywhere; sources: the
    tables, in their order; percent: whether a growth is told in percent; each: what has one value
    each; bounded: whether some days are left out.
    """

    done: set[str] = field(default_factory=set[str])
    how: set[str] = field(default_factory=set[str])
    signs: set[str] = field(default_factory=set[str])
    columns: set[str] = field(default_factory=set[str])
    measured: set[str] = field(default_factory=set[str])
    keys: set[str] = field(default_factory=set[str])
    grouped: set[str] = field(default_factory=set[str])
    timed: bool = False
    every: Grain | None = None
    grains: set[str] = field(default_factory=set[str])
    limits: set[int] = field(default_factory=set[int])
    by: set[str] = field(default_factory=set[str])
    up: bool | None = None
    values: set[str] = field(default_factory=set[str])
    conditions: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    bounded: bool = False
    start: str = ""
    end: str = ""
    dates: set[str] = field(default_factory=set[str])
    sources: list[str] = field(default_factory=list[str])
    percent: bool = False
    each: set[str] = field(default_factory=set[str])
    shape: Shape = "rows"
    raw: bool = False


@dataclass
class Made:
    """One result on the way. keys: what a row is for; raw: rows as they stand in a table."""

    keys: set[str]
    timed: bool
    every: Grain | None
    values: set[str]
    raw: bool = False
    n: int | None = None


def of_steps(steps: list[Step], views: list[View]) -> Offer:
    """Return what the steps of a plan do."""
    made, offer = dict[str, Made](), Offer()
    by_uuid = {view.uuid: view for view in views}
    last: Made | None = None
    for step in steps:
        arguments = step.arguments
        note(offer, step.interface, arguments)
        view = by_uuid.get(str(arguments.get("source")))
        before = made.get(str(arguments.get("data") or arguments.get("left") or ""))
        one = result(step, view, before, made)
        made[step.id] = one
        if step.interface in SHOWN:
            last = one
            offer.keys |= one.keys
            offer.timed = offer.timed or one.timed
            offer.every = one.every or offer.every
            offer.raw = offer.raw or one.raw
            offer.measured |= {str(y) for y in arguments.get("y", [])} or one.values
    interface = next((s.interface for s in reversed(steps) if s.interface in SHOWN), "show_table")
    offer.shape = shape_of(interface, last, offer)
    return offer


def shape_of(interface: str, last: Made | None, offer: Offer) -> Shape:
    """Return in which shape comes out what is shown last."""
    if "forecast" in offer.done:
        return "forecast"
    if interface in ("read_value", "correlation"):
        return "value"
    if interface in ("line", "candlestick") or (
        last is not None and last.timed and not offer.limits
    ):
        return "series"
    alone = (
        last is not None
        and not last.keys
        and not last.timed
        and not last.raw
        and len(last.values) == 1
    )
    return "value" if alone or offer.limits == {1} else "rows"


def note(offer: Offer, interface: str, arguments: dict[str, Any]) -> None:
    """Add what one step does, whatever comes of it."""
    offer.done.add(interface)
    offer.dates |= set(dates_in(arguments))
    offer.sources += [str(arguments["source"])] if "source" in arguments else []
    offer.percent = offer.percent or (
        interface in ("growth", "change") and arguments.get("how", "percent") == "percent"
    )
    offer.how |= {str(h) for h in arguments.get("aggregates") or []}
    if interface in ("combine", "pivot", "resample", "read_series") and arguments.get("aggregate"):
        offer.how.add(str(arguments["aggregate"]))
    if interface == "mean_median":
        offer.how |= {"mean", "median"}
    if interface == "rolling":
        offer.how.add("mean")
        offer.limits.add(int(arguments.get("window") or 0))
    if interface == "read_cross_section" and arguments.get("by"):
        offer.each.add(str(arguments["by"]))
    if interface == "summarise":
        offer.grouped |= {str(k) for k in arguments.get("by") or []}
    if interface == "compute":
        offer.signs.add(str(arguments.get("operator")))
    if interface in ("rank", "loop_rank"):
        offer.by.add(str(arguments.get("by")))
        offer.up = not arguments.get("descending", True)
    if arguments.get("n") and interface in ("rank", "loop_rank", "select", "read_rows"):
        offer.limits.add(int(arguments["n"]))
    if arguments.get("steps"):
        offer.limits.add(int(arguments["steps"]))
    if arguments.get("every"):
        offer.grains.add(str(arguments["every"]))
    of_rows(offer, interface, arguments)
    inner: dict[str, Any] = arguments.get("arguments") or {}
    for given in (arguments, inner):
        read(offer, given)


def of_rows(offer: Offer, interface: str, arguments: dict[str, Any]) -> None:
    """Add that rows are counted where no column is named, and whose members are read."""
    if interface in ("combine", "summarise") and not (
        arguments.get("column") or arguments.get("columns")
    ):
        offer.how.add("count")
    if interface == "read_constituents":
        offer.values.add(plain(str(arguments.get("name"))))


def read(offer: Offer, given: dict[str, Any]) -> None:
    """Add the columns, conditions and days of one step."""
    for name in ("columns", "by", "on", "y"):
        named = given.get(name) or []
        offer.columns |= {str(c) for c in (named if isinstance(named, list) else [named])}
    for name in (
        "column",
        "value",
        "x",
        "labels",
        "values",
        "group",
        "name",
        "members",
        "close",
        "rows",
    ):
        if isinstance(given.get(name), str):
            offer.columns.add(str(given[name]))
    offer.values |= {plain(str(v)) for v in given.get("entities") or []}
    note_conditions(offer, given.get("where") or [])
    offer.start = (
        str(given.get("start") or given.get("since") or given.get("at") or "") or offer.start
    )
    offer.end = str(given.get("end") or given.get("at") or "") or offer.end
    offer.bounded = offer.bounded or any(given.get(k) for k in ("start", "end", "at"))


def note_conditions(offer: Offer, where: Iterable[Any]) -> None:
    """Add conditions."""
    for one in where:
        held: dict[str, Any] = one if isinstance(one, dict) else one.model_dump()
        offer.conditions.append(held)
        offer.columns.add(str(held["column"]))
        value = held.get("value")
        offer.values |= {plain(str(v)) for v in (value if isinstance(value, list) else [value])}


def acquired(step: Step, view: View) -> Made:
    """Return what comes of reading a table."""
    given, name = step.arguments, step.interface
    columns = {str(c) for c in given.get("columns") or []}
    texts = {c.name for c in view.texts}
    if name == "read_cross_section":
        return Made({str(given.get("by"))}, False, None, columns - texts)
    by = {str(given["by"])} if given.get("by") else set[str]()
    time = name == "read_series"
    every = given.get("every") or (view.grain if time else None)
    return Made((columns & texts) | by, time, every, columns - texts, raw=not by)


def result(step: Step, view: View | None, before: Made | None, made: dict[str, Made]) -> Made:
    """Return what comes of a step."""
    given, name = step.arguments, step.interface
    columns = {str(c) for c in given.get("columns") or []}
    if view is not None and name in ("read_series", "read_rows", "read_cross_section"):
        return acquired(step, view)
    if before is None:
        return Made({str(given.get("name") or given.get("column") or "")}, False, None, set())
    if name == "summarise":
        keys = {str(k) for k in given.get("by") or []}
        numbers = {k for k in keys if k in before.values}
        return Made(keys - numbers, bool(given.get("every")), given.get("every"), columns | numbers)
    if name == "merge":
        other = made.get(str(given.get("right")))
        keys, values = (
            (before.keys | other.keys, before.values | other.values)
            if other
            else (before.keys, before.values)
        )
        return Made(
            keys, before.timed or bool(other and other.timed), before.every, values, before.raw
        )
    if name in ("growth", "mean_median", "combine"):
        by = given.get("by") or []
        return Made(
            {str(b) for b in (by if isinstance(by, list) else [by])},
            False,
            None,
            {str(given.get("value") or given.get("column"))},
        )
    if name == "correlations":
        return Made({str(given.get("by"))}, False, None, {"correlation"})
    if name == "pivot":
        across = {str(given.get("rows")), str(given.get("columns"))}
        return Made(across, before.timed, before.every, before.values)
    if name == "select" and columns:
        return Made(
            before.keys & columns,
            before.timed and bool(columns - before.keys - before.values),
            before.every,
            before.values & columns or columns - before.keys,
            before.raw,
        )
    if name == "rename":
        names: dict[str, str] = given.get("names") or {}
        keys, values = ({names.get(n, n) for n in side} for side in (before.keys, before.values))
        return Made(keys, before.timed, before.every, values, before.raw, before.n)
    if name == "unpivot":
        return Made({*before.keys, "name"}, before.timed, before.every, {"value"}, before.raw)
    if name == "loop_rank":
        return Made({str(given.get("column"))}, False, None, {"return"})
    return before
