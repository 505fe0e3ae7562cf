"""From rows to cells: quantities computed, summed up by what a request goes by, and named."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from backends.planning.composing.quantities import Leaf, Node, Quantity, leaves, signs, written
from backends.planning.composing.time.grains import ORDER
from backends.planning.telling.words import word

if TYPE_CHECKING:
    from backends.planning.asked import Builder
    from backends.planning.building.gather import Rows
    from backends.planning.composing.frame import Frame, Measured
    from backends.planning.times import Grain

RATES = re.compile(
    r"(?<![a-z])(?:price|rate|ratio|pct|percent|index|temp|avg|mean|score|rating|age(?![a-z])|growth|yield|margin|speed|humid|level|policy|inflation|unemploy|close|open|high|low|nav)|%|率|价|温|指数|均|速|浓度|湿度|pm2|净值|收盘|开盘|分数|仓位|增"
)
HOW = ("sum", "mean", "median", "max", "min")


@dataclass
class Cells:
    """Summed up rows. time: the column of periods, if they go on in time. keys: columns they go by.
    values: columns of numbers that are asked for.
    """

    handle: str
    time: str | None
    keys: list[str]
    values: list[str]
    percent: bool = False


def aggregates(frame: Frame) -> list[str]:
    """Return what is made of several rows: what the request says, else what suits its columns."""
    said = [how for how in HOW if frame.has(how)]
    if len(several := [how for how in said if how != "sum"]) > 1:
        return several
    if said:
        pure = [h for h in said if h != "sum"]
        return pure[:1] or ["sum"]
    return [usual(frame)]


def usual(frame: Frame) -> str:
    """Return what one value is made of a period's: prices end a period, amounts add up, rates are
    averaged.
    """
    leaf = next(iter(frame.columns), None)
    if leaf is None:
        return "count"
    view = frame.asked.view(leaf.source)
    if leaf.column == view.price:
        return "last"
    column = view.profile.column(leaf.column)
    if column is None or column.additive:
        return "sum"
    told = f"{column.name} {column.unit or ''} {column.meaning}".lower()
    return "mean" if RATES.search(told) else "sum"


def lowered(build: Builder, handle: str, quantity: Quantity, title: str) -> tuple[str, str]:
    """Compute a quantity row by row; return the rows and its column."""
    if isinstance(quantity, Leaf):
        return handle, quantity.column
    handle, left = lowered(build, handle, quantity.left, title)
    handle, right = lowered(build, handle, quantity.right, title)
    name = written(quantity)[:60]
    if any(step.arguments.get("name") == name for step in build.steps):
        return handle, name
    made = build.add(
        "compute", name, data=handle, name=name, first=left, operator=quantity.sign, second=right
    )
    return made, name


def by_stages(frame: Frame, how: str) -> bool:
    """Tell whether a mean of sums is asked for: "the average monthly outage" of days."""
    own = frame.main.grain
    if frame.has("mean") and frame.has("median"):
        return False  # of the days of each month
    weak = frame.grain is not None and not frame.each and own is not None and bool(frame.main.time)
    return (
        weak
        and how in ("mean", "median", "max", "min")
        and ORDER.index(own or "day") < ORDER.index(frame.grain or "day")
    )


def in_percent(frame: Frame, quantity: Quantity) -> bool:
    """Tell whether a column holds percents: what is multiplied by it is divided by 100."""
    if not isinstance(quantity, Leaf):
        return False
    column = frame.asked.view(quantity.source).profile.column(quantity.column)
    told = f"{column.name} {column.unit} {column.meaning}" if column else ""
    return bool(re.search(r"%|％|pct|percent", told))


def by_row(frame: Frame, build: Builder, rows: Rows, measured: Measured) -> list[str]:
    """Compute what can be before rows are summed up; return the columns to sum up: the two parts of
    a ratio.
    """
    quantity = measured.quantity
    if isinstance(quantity, Node) and quantity.sign == "/":
        made: list[str] = []
        for part in (quantity.left, quantity.right):
            rows.handle, name = lowered(build, rows.handle, part, frame.main.profile.name)
            made.append(name)
        return made
    rows.handle, name = lowered(build, rows.handle, quantity, frame.main.profile.name)
    if (
        isinstance(quantity, Node)
        and quantity.sign == "*"
        and in_percent(frame, quantity.left) != in_percent(frame, quantity.right)
    ):
        part = f"{name} / 100"
        rows.handle = build.add(
            "compute", part, data=rows.handle, name=part, first=name, operator="/", second=100.0
        )
        return [part]
    return [name]


def summed(
    frame: Frame,
    build: Builder,
    rows: Rows,
    keys: list[str],
    every: Grain | None,
    *,
    written_: bool = False,
) -> Cells | None:
    """Sum rows up by columns and periods, and compute ratios of the sums; None for what cannot be
    told so.
    """
    how = aggregates(frame)
    title = frame.main.profile.name
    parts = {i: by_row(frame, build, rows, m) for i, m in enumerate(frame.measured)}
    ratio = any(isinstance(m.quantity, Node) and m.quantity.sign == "/" for m in frame.measured)
    if ratio and how[0] not in ("sum", "mean", "last", "count"):
        return None
    columns = list(
        dict.fromkeys(c for part in parts.values() for c in part if c not in rows.beside)
    )
    attached = [
        c for c in dict.fromkeys(c for part in parts.values() for c in part) if c in rows.beside
    ]
    if ratio:
        how = ["sum"]
    if attached and not keys:
        return None
    if every is None and columns and not attached and by_stages(frame, how[0]):
        rows.handle = build.add(
            "summarise",
            title,
            data=rows.handle,
            by=keys,
            columns=columns[:8],
            aggregates=[usual(frame)],
            every=frame.grain,
            time=rows.time,
        )
    handle = build.add(
        "summarise",
        title,
        data=rows.handle,
        by=[*keys, *attached],
        columns=columns[:8],
        aggregates=how if columns else None,
        every=every,
        time=rows.time if every else None,
        written=written_ or None,
    )
    values: list[str] = []
    percent = False
    for i, m in enumerate(frame.measured):
        if isinstance(m.quantity, Node) and m.quantity.sign == "/":
            handle, name = divided(build, handle, parts[i], m, title)
            percent = percent or m.percent
            values.append(name)
        elif len(how) > 1:
            values += [h if len(columns) == 1 else f"{h} of {parts[i][0]}" for h in how]
        else:
            values += parts[i]
    if not frame.measured:
        values = ["rows"]
    return Cells(handle, rows.time if every else None, keys, list(dict.fromkeys(values)), percent)


def divided(
    build: Builder, handle: str, parts: list[str], measured: Measured, title: str
) -> tuple[str, str]:
    """Divide two columns of sums; times 100 if it is told in percent."""
    name = written(measured.quantity)[:56]
    made = build.add(
        "compute", title, data=handle, name=name, first=parts[0], operator="/", second=parts[1]
    )
    if not measured.percent:
        return made, name
    scaled = f"{name} %"
    return (
        build.add("compute", title, data=made, name=scaled, first=name, operator="*", second=100.0),
        scaled,
    )


def linear(quantity: Quantity) -> bool:
    """Tell whether a quantity only adds up columns."""
    return signs(quantity) <= {"+", "-"}


def called(measured: Measured) -> str:
    """Return what a quantity is called in a title."""
    return measured.name or written(measured.quantity)


def names_of(frame: Frame) -> str:
    """Return what is measured, in words."""
    return ", ".join(dict.fromkeys(written(m.quantity) for m in frame.measured)) or word(
        "rows", frame.asked.told
    )


__all__ = [
    "HOW",
    "Cells",
    "aggregates",
    "called",
    "leaves",
    "linear",
    "names_of",
    "summed",
    "usual",
]
