"""Steps that gather cells, and the columns that tell rows apart."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from backends.planning.composing.expressions import Leaf, Node, Quantity, leaves, signs, written
from backends.planning.composing.time import ORDER
from backends.planning.composing.wishes import links_between
from backends.planning.words import word

if TYPE_CHECKING:
    from backends.planning.asked import StepBuilder
    from backends.planning.composing.frame import Measured, RequestFrame
    from backends.planning.composing.wishes import Dim
    from backends.planning.tables import TableLink, View
    from backends.planning.times import Grain

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


EACH = re.compile(
    r"\b(?:each|every)\b(?! (?:of the"
    r" )?(?:next|day|week|month|quarter|year))|各(?!月|季|年|日|周|个?月)|每[只个家种]"
)

ALL_AS_ONE = re.compile(
    r"百分之[几多]|是?多少(?!个|家|只)|\bhow much\b|\b(?:what|which) (?:percentage|share|percent)\b"
)
APART = re.compile(
    r"[两三四五六]条|分别|各自|各一条|\b(?:two|three|both|one) lines?\b|\brespectively\b"
)


def keys_of(frame: RequestFrame) -> list[str]:
    """Return the columns a request goes by: those it says so of, else the column of which it names
    several values.
    """
    strong = [d for d in frame.dims if d.marked >= 2]
    by = [d for d in strong if d.marked == 3]
    if by and len(strong) > len(by) and frame.has("mean", "median"):
        strong = by  # "every plant's output, its mean by fuel"
    summed_up = frame.has("sum") and frame.has("rolling", "cumulative", "yoy", "mom", "forecast")
    weak = (
        [d for d in frame.dims if d.marked == 1]
        if frame.grain is None or frame.has("each", "pivot")
        else []
    )
    weak = (
        [] if summed_up or (ALL_AS_ONE.search(frame.said.text) and not frame.has("each")) else weak
    )
    if (together(frame) or frame.ranked) and not frame.has("each", "pivot"):
        return list(dict.fromkeys(d.column for d in by))[
            :2
        ]  # "adding both counters together", "五家酒店加在一起"
    strong = [d for d in strong if not alone(frame, d)]
    if frame.has("pivot") and len(strong) < 2:
        strong = list(frame.dims)  # "a branch by section table"
    marked = (
        strong or weak or (frame.dims if frame.wishes.ranked or frame.has("each", "pivot") else [])
    )
    keys = list(dict.fromkeys(d.column for d in marked))
    for (source, column), values in frame.named.items():
        several = len(values) > 1 and (source == frame.main.uuid or frame.has("each", "compare"))
        wide = frame.has("pivot") and len(values) > 1 and len(keys) < 2
        if (several or wide) and column not in keys and (not keys or wide) and not together(frame):
            keys.append(column)
    if not keys and frame.has("each") and frame.main.entity and EACH.search(frame.said.text):
        named = frame.named.get((frame.main.uuid, frame.main.entity))
        keys = [frame.main.entity] if not named else keys
    return keys[:2]


def alone(frame: RequestFrame, dim: Dim) -> bool:
    """Return whether each of a kind has one row, of which a mean or median makes no sense: that of
    all is meant.
    """
    column = frame.main.profile.column(dim.column) if dim.source == frame.main.uuid else None
    once = column is not None and column.distinct == frame.main.profile.rows
    return once and frame.has("mean", "median") and not frame.wishes.ranked


def together(frame: RequestFrame) -> bool:
    """Return whether several are to be told as one."""
    if APART.search(frame.said.text):
        return False
    return bool(
        re.search(
            r"\b(?:together(?! with)|combin(?:e|ed|ing)|altogether|in"
            r" total|jointly)\b|一共|加起来|加总|总共|合起来|合在一起|加在一起|合并|之和",
            frame.said.text,
        )
    )


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


def aggregates(frame: RequestFrame) -> list[str]:
    """Return what is made of several rows: what the request says, else what suits its columns."""
    said = [how for how in HOW if frame.has(how)]
    if len(several := [how for how in said if how != "sum"]) > 1:
        return several
    if said:
        pure = [h for h in said if h != "sum"]
        return pure[:1] or ["sum"]
    return [usual(frame)]


def usual(frame: RequestFrame) -> str:
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


def lowered(build: StepBuilder, handle: str, quantity: Quantity, title: str) -> tuple[str, str]:
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


def by_stages(frame: RequestFrame, how: str) -> bool:
    """Return whether a mean of sums is asked for: "the average monthly outage" of days."""
    own = frame.main.grain
    if frame.has("mean") and frame.has("median"):
        return False  # of the days of each month
    weak = frame.grain is not None and not frame.each and own is not None and bool(frame.main.time)
    return (
        weak
        and how in ("mean", "median", "max", "min")
        and ORDER.index(own or "day") < ORDER.index(frame.grain or "day")
    )


def in_percent(frame: RequestFrame, quantity: Quantity) -> bool:
    """Return whether a column holds percents: what is multiplied by it is divided by 100."""
    if not isinstance(quantity, Leaf):
        return False
    column = frame.asked.view(quantity.source).profile.column(quantity.column)
    told = f"{column.name} {column.unit} {column.meaning}" if column else ""
    return bool(re.search(r"%|％|pct|percent", told))


def by_row(frame: RequestFrame, build: StepBuilder, rows: Rows, measured: Measured) -> list[str]:
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
    frame: RequestFrame,
    build: StepBuilder,
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
    build: StepBuilder, handle: str, parts: list[str], measured: Measured, title: str
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
    """Return whether a quantity only adds up columns."""
    return signs(quantity) <= {"+", "-"}


def called(measured: Measured) -> str:
    """Return what a quantity is called in a title."""
    return measured.name or written(measured.quantity)


def names_of(frame: RequestFrame) -> str:
    """Return what is measured, in words."""
    return ", ".join(dict.fromkeys(written(m.quantity) for m in frame.measured)) or word(
        "rows", frame.asked.told
    )


@dataclass
class Rows:
    """A result in the making. time: its column of days, if it has one; held: the columns that are
    there; beside: columns of numbers that belong to a joined thing, not to a row.
    """

    handle: str
    time: str | None
    held: set[str] = field(default_factory=set[str])
    beside: set[str] = field(default_factory=set[str])
    start: str | None = None
    end: str | None = None


def time_name(view: View) -> str | None:
    """Return what the column of days is called in rows read from a table."""
    if not view.time:
        return None
    column = view.profile.column(view.time[0])
    return view.time[0] if column is not None and column.kind == "date" else "date"


def gather(
    frame: RequestFrame, build: StepBuilder, *, whole: bool = False, keep: tuple[str, ...] = ()
) -> Rows | None:
    """Read what is needed; None if tables do not belong together.

    whole: from the first day on, for what looks back. keep: further columns of the main table.
    """
    main = frame.main
    needed: dict[str, list[str]] = {main.uuid: [*keep]}
    for dim in frame.dims:
        needed.setdefault(dim.source, []).append(dim.column)
    for leaf in frame.columns:
        needed.setdefault(leaf.source, []).append(leaf.column)
    for source, conditions in frame.filters.items():
        needed.setdefault(source, []).extend(c["column"] for c in conditions if source == main.uuid)
    for (source, column), values in frame.named.items():
        if len(values) > 1:
            needed.setdefault(source, []).append(column)
    links = {
        uid: links_between(frame.asked, main, frame.asked.view(uid))
        for uid in needed
        if uid != main.uuid
    }
    keys = keys_of(frame)
    needed[main.uuid] += [key for key in keys if key == main.entity]
    for link in links.values():
        if link is not None:
            needed[main.uuid].append(link.column)
    rows = read(frame, build, main, needed[main.uuid], whole=whole)
    for uid, link in links.items():
        view = frame.asked.view(uid)
        if link is not None:
            beside(frame, build, rows, view, link, needed[uid])
        elif main.time and rows.time and view.time and is_dated(view):
            by_day(frame, build, rows, view, needed[uid], whole=whole)
        else:
            return None
    return rows


def read(
    frame: RequestFrame, build: StepBuilder, view: View, columns: list[str], *, whole: bool
) -> Rows:
    """Read one table: its days in the range, or as it was at a point."""
    when, title = frame.when, view.profile.name
    names = [c for c in dict.fromkeys(columns) if c not in view.time]
    where = frame.filters.get(view.uuid, [])
    if not view.time or not is_dated(view):
        rows = Rows("", None, set(names))
        rows.handle = build.add("read_rows", title, source=view.uuid, columns=names, where=where)
        return rows
    at = moment(frame, view)
    time = time_name(view)
    rows = Rows("", time, {*names, time} if time else set(names))
    if at is not None and not whole and view.entity:
        kept = [c for c in names if c != view.entity]
        rows.held.add(view.entity)
        rows.handle = build.add(
            "read_cross_section",
            title,
            source=view.uuid,
            by=view.entity,
            columns=kept or names,
            time=view.time,
            at=at or None,
            where=where,
        )
        rows.time = "date"
        return rows
    if when.first is not None and when.last is not None:
        rows.start, rows.end = when.first.isoformat(), when.last.isoformat()
    rows.handle = build.add(
        "read_series",
        title,
        source=view.uuid,
        time=view.time,
        columns=names,
        where=where,
        start=None if whole else rows.start,
        end=rows.end,
    )
    return rows


def is_dated(view: View) -> bool:
    """Return whether the rows of a table go on in time, and do not just have a day each, such as
    that of their opening.
    """
    return view.grain is not None and (bool(view.numbers) or view.profile.rows > 30)


def moment(frame: RequestFrame, view: View) -> str | None:
    """Return the day of a cross-section, "" for the newest; None if a range is meant or a day of
    its own counts.
    """
    when = frame.when
    leaves = [leaf for leaf in frame.columns if leaf.source == view.uuid]
    known = [view.profile.column(leaf.column) for leaf in leaves]
    flows = [c for c in known if c is not None and c.additive]
    if when.point and when.last is not None:
        exact = view.grain in ("quarter", "month", "year")
        if exact and (when.last + dt.timedelta(days=1)).day == 1:
            return None
        if flows and view.grain == "day" and when.kind == "day":
            return None
        return when.last.isoformat()
    if frame.has("latest") and not when.said:
        return ""
    return None


def beside(
    frame: RequestFrame,
    build: StepBuilder,
    rows: Rows,
    view: View,
    link: TableLink,
    columns: list[str],
) -> None:
    """Join a table that says more of the things the rows are about."""
    title = view.profile.name
    names = list(dict.fromkeys([link.other_column, *columns]))
    right = build.add(
        "read_rows",
        title,
        source=view.uuid,
        columns=names,
        where=frame.filters.get(view.uuid, []),
        distinct=True,
    )
    if link.other_column != link.column:
        right = build.add("rename", title, data=right, names={link.other_column: link.column})
    rows.handle = build.add("merge", title, left=rows.handle, right=right, on=[link.column])
    rows.held |= {link.column if n == link.other_column else n for n in names}
    rows.beside |= {leaf.column for leaf in frame.columns if leaf.source == view.uuid}


def by_day(
    frame: RequestFrame,
    build: StepBuilder,
    rows: Rows,
    view: View,
    columns: list[str],
    *,
    whole: bool,
) -> None:
    """Join a table by the day."""
    bounds = [str(c["column"]) for c in frame.filters.get(view.uuid, [])]
    right = read(frame, build, view, columns or bounds, whole=whole)
    handle = right.handle
    wanted = next((g for g in reversed(ORDER) if g in (frame.main.grain, view.grain)), "day")
    if frame.main.grain and view.grain and frame.main.grain != view.grain:
        how = [usual(frame) if not frame.has("mean") else "mean"]
        numbers = {c.name for v in (frame.main, view) for c in v.numbers}
        for side, own in ((rows, frame.main), (right, view)):
            if own.grain != wanted:
                kept = [n for n in side.held if n not in numbers and n != side.time]
                measured = [n for n in side.held if n in numbers]
                made = build.add(
                    "summarise",
                    own.profile.name,
                    data=side.handle,
                    by=sorted(kept)[:3],
                    columns=sorted(measured),
                    aggregates=how,
                    every=wanted,
                    time=side.time,
                )
                side.handle = made
        handle = right.handle
    if right.time != rows.time:
        handle = build.add(
            "rename", view.profile.name, data=handle, names={str(right.time): str(rows.time)}
        )
    rows.handle = build.add(
        "merge", view.profile.name, left=rows.handle, right=handle, on=[str(rows.time)]
    )
    rows.held |= right.held - {str(right.time)}


def conditions_of(rows: Rows) -> list[dict[str, Any]]:
    """Return the range of days as conditions, for rows that were read from the first day on."""
    made: list[dict[str, Any]] = []
    if rows.time and rows.start:
        made.append({"column": rows.time, "op": ">=", "value": rows.start})
    return made
