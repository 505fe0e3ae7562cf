"""A request read as its parts, answered by the first kind of workflow that fits them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backends.planning.building import groups, series
from backends.planning.building import series as pairs
from backends.planning.building import series as prices
from backends.planning.building.cells import keys_of
from backends.planning.building.groups import share
from backends.planning.composing.expressions import Node
from backends.planning.composing.wishes import DOWNWARD, FORMS_OF, ROLLED, UPWARD

if TYPE_CHECKING:
    from collections.abc import Callable

    from backends.planning.asked import StepBuilder
    from backends.planning.composing.frame import RequestFrame

SHAPES: tuple[Callable[[RequestFrame], StepBuilder | None], ...] = (
    series.forecast,
    prices.indicators,
    pairs.correlation,
    groups.pivot,
    pairs.set_against,
    share,
    prices.returns,
    series.growth,
    groups.count,
    series.series,
    groups.groups,
    groups.values,
)


PLAIN = ("groups", "values", "count", "series")  # kinds that may be one operation on one table


def takes_several(frame: RequestFrame, made: StepBuilder, kind: str) -> bool:
    """Return whether a request takes more than one operation on one table."""
    wishes = frame.wishes
    sources = {str(s.arguments["source"]) for s in made.steps if "source" in s.arguments}
    if kind == "share" and len(sources) == 1 and made.steps[-1].interface == "read_value":
        return False  # one operation tells that, too
    if kind not in PLAIN or len(sources) > 1 or len(frame.measured) > 1 or wishes.form == "pie":
        return True
    if any(isinstance(m.quantity, Node) for m in frame.measured) or wishes.has("save"):
        return True
    if kind == "series" and frame.each and frame.grain and not series.one_period(frame):
        return True
    if kind == "series":
        many = any(len(values) > 1 for values in frame.named.values())
        drawn = wishes.has("trend", "draw") or wishes.form is not None
        return (
            wishes.has("yoy", "mom", "rolling", "cumulative")
            or frame.ranked is not None
            or (drawn and many)
        )
    return wishes.has("mean") and wishes.has("median")


def goes_beyond(frame: RequestFrame, kind: str) -> bool:
    """Return whether a request has parts that kinds of requests that are read as a whole do not
    know.
    """
    wishes = frame.wishes
    bounded = any(
        c["op"] not in ("=", "in") for conditions in frame.filters.values() for c in conditions
    )
    apart = [d for d in frame.dims if d.marked >= 2]
    return bool(
        kind in ("set_against", "correlation", "pivot", "share")
        or any(isinstance(m.quantity, Node) for m in frame.measured)
        or bounded
        or wishes.has("sum", "max", "min", "latest")
        or wishes.has(
            "pivot", "yoy", "mom", "rolling", "correlation", "count", "share", "cumulative"
        )
        or wishes.windows
        or wishes.n
        or frame.ranked
        or (frame.grain and series.every_of(frame) != frame.main.grain)
        or len(frame.when.periods) > 1
        or (apart and not wishes.has("returns"))
        or (
            wishes.indicators
            and (frame.when.point or any(wishes.indicators.values()) or not wishes.has("candles"))
        )
        or len(frame.measured) > 1
    )


USED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("yoy", ("change", "growth")),
    ("mom", ("change", "growth", "returns")),
    ("cumulative", ("cumulate", "returns")),
    ("returns", ("returns", "growth", "change", "compute")),
    ("growth", ("growth", "change", "returns")),
    ("correlation", ("correlation", "correlations")),
    ("forecast", ("forecast",)),
    ("rolling", ("rolling",)),
    ("pivot", ("pivot",)),
)
STATISTICS = ("mean", "median", "max", "min")


def unused(frame: RequestFrame, made: StepBuilder) -> list[str]:
    """Return the wishes that no step fulfils, in the words they are told in: an answer without them
    may be a wrong one.
    """
    wishes, text = frame.wishes, frame.said.text
    interfaces = {step.interface for step in made.steps}
    how = {str(h) for step in made.steps for h in step.arguments.get("aggregates", [])}
    how |= {"mean"} if "rolling" in interfaces else set()
    left = [name for name, steps in USED if wishes.has(name) and not interfaces & set(steps)]
    left += [
        name
        for name in STATISTICS
        if wishes.has(name)
        and name not in how
        and not ("rank" in interfaces and name in ("max", "min"))
    ]
    words = [m[0] for name in left if (m := ({"rolling": ROLLED} | FORMS_OF)[name].search(text))]
    sought = next(
        (m for form in (DOWNWARD, UPWARD) if (m := form.search(text.replace("most recent", "")))),
        None,
    )
    if sought and not interfaces & {"rank", "loop_rank"}:
        words.append(sought[0])
    if len(frame.when.periods) > 1 and not interfaces & {
        "growth",
        "pivot",
        "line",
        "bar",
        "change",
    }:
        words.append(" … ".join(f"{first}" for first, _ in frame.when.periods))
    return [word.strip() for word in words]


def build(frame: RequestFrame) -> tuple[StepBuilder, str] | None:
    """Return the steps that answer a request, and the kind they are of; None if none fits."""
    dims, measured = list(frame.dims), list(frame.measured)
    filters, named = frame.filters, frame.named
    for shape in SHAPES:
        frame.dims, frame.measured = list(dims), list(measured)
        frame.filters = {source: list(held) for source, held in filters.items()}
        frame.named = dict(named)
        keys = keys_of(frame)
        if shape is not groups.count:
            thing = (
                groups.counted_thing(frame)
                if shape is groups.groups and frame.has("count")
                else None
            )
            frame.dims = [d for d in dims if d.column in keys or d is thing]
        made = shape(frame)
        if made is not None and made.steps:
            frame.unread += [word for word in unused(frame, made) if word not in frame.unread]
            return made, shape.__name__
    return None
