"""Steps that group, and shares of a whole."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Any

from backends.planning.asked import StepBuilder
from backends.planning.building.cells import Cells, aggregates, gather, keys_of, summed
from backends.planning.building.series import chosen_value, every_of
from backends.planning.building.show import ordered, show_rows, show_series, show_value, title_of
from backends.planning.composing.expressions import Leaf
from backends.planning.composing.time import ORDER
from backends.planning.composing.wishes import Dim

if TYPE_CHECKING:
    from backends.planning.building.cells import Rows
    from backends.planning.composing.frame import RequestFrame
    from backends.planning.times import Grain

__all__ = ["Cells", "aggregates", "count", "groups", "pivot", "values"]


Column = tuple[str, str]  # a table and a column of it
SHARE = re.compile(
    r"\bshares? of\b|\bshare in\b|\bwhat (?:share|percent(?:age)?|proportion|fraction|part)"
    r" of\b|\b(?:percent(?:age)?|proportion|fraction) of\b|占比|比重|占(?=[^,，。"
    r"]{0,16}(?:百分|比例|多少|几成|%))|份额"
)


def share(frame: RequestFrame) -> StepBuilder | None:
    """A part over its whole, in percent; for each of something, or each period, where that is
    asked.
    """
    match = SHARE.search(frame.said.text)
    if frame.wishes.form == "pie" and not frame.has("percent"):
        return None  # a pie of the amounts shows the shares
    if match is None or frame.has("yoy", "mom", "growth", "correlation", "forecast", "pivot"):
        return None
    if len(frame.measured) > 1 or any(not isinstance(m.quantity, Leaf) for m in frame.measured):
        return None
    part = part_of(frame, match)
    keys = [k for k in keys_of(frame) if k not in {column for _, column in part}]
    by = [] if part else keys[:1]
    common = keys if part else keys[1:]
    if not part and not by:
        return None
    taken = without_part(frame, part)
    frame.dims += [
        Dim(source, column)
        for source, column in part
        if all(d.column != column for d in frame.dims)
    ]
    build, title = StepBuilder(), title_of(frame)
    rows = gather(frame, build, keep=tuple(c for s, c in part if s == frame.main.uuid))
    if rows is None or any(c not in rows.held for c in [*by, *common, *(c for _, c in part)]):
        return None
    every = every_of(frame) if rows.time and (frame.grain or frame.has("trend")) else None
    kept = rows.handle
    whole = summed(frame, build, rows, common, every)
    if whole is None or len(whole.values) != 1:
        return None
    rows.handle = build.add("select", title, data=kept, where=taken) if taken else kept
    own = summed(frame, build, rows, [*common, *by], every)
    if own is None:
        return None
    value = own.values[0]
    total = build.add("rename", title, data=whole.handle, names={value: f"total {value}"})
    on = [*common, *([str(whole.time)] if whole.time else [])]
    made = divided(build, title, value, (own.handle, total), on)
    shown = Cells(made, whole.time, [*by, *common], ["share %"])
    if shown.time:
        show_series(frame, build, shown)
    elif shown.keys:
        show_rows(frame, build, ordered(frame, build, shown, "share %"))
    else:
        show_value(frame, build, shown)
    return build


def divided(
    build: StepBuilder, title: str, value: str, both: tuple[str, str], on: list[str]
) -> str:
    """Set each part beside its whole, and divide it by that."""
    left, right = both
    if not on:  # one row each
        left = build.add(
            "compute", title, data=left, name="one", first=value, operator="*", second=0.0
        )
        right = build.add(
            "compute",
            title,
            data=right,
            name="one",
            first=f"total {value}",
            operator="*",
            second=0.0,
        )
    made = build.add("merge", title, left=left, right=right, on=on or ["one"])
    made = build.add(
        "compute",
        title,
        data=made,
        name="share",
        first=value,
        operator="/",
        second=f"total {value}",
    )
    return build.add(
        "compute", title, data=made, name="share %", first="share", operator="*", second=100.0
    )


def part_of(frame: RequestFrame, match: re.Match[str]) -> dict[Column, list[Any]]:
    """Return the values that make the part: the only column that values are named of; else those
    named before the word for the share and not behind it; else those named last.
    """
    named = dict(frame.named)
    if len(named) < 2:
        return named
    text = frame.said.text
    before = {
        key
        for key, values in named.items()
        if all(
            0 <= text.find(str(v).lower()) < match.start()
            and str(v).lower() not in text[match.end() :]
            for v in values
        )
    }
    if before:
        return {key: named[key] for key in named if key in before}
    last = max(named, key=lambda key: max(text.rfind(str(v).lower()) for v in named[key]))
    return {last: named[last]}


def without_part(frame: RequestFrame, part: dict[Column, list[Any]]) -> list[dict[str, Any]]:
    """Take the conditions that make the part from those of the whole, and return them."""
    taken: list[dict[str, Any]] = []
    for source, column in part:
        kept = frame.filters.get(source, [])
        taken += [c for c in kept if c["column"] == column and c["op"] in ("=", "in")]
        frame.filters[source] = [
            c for c in kept if c["column"] != column or c["op"] not in ("=", "in")
        ]
        frame.named.pop((source, column), None)
    return taken


NUMBER_OF = re.compile(r"[\u3400-\u9fff]{1,4}?的?(?:数量|数目|[个家只座支台店]数)")
COUNTED = re.compile(
    r"(?:几|多少|\d+)[个家只支条名位种天次笔期台辆款座所]?$|(?:how many|number of|count of|count"
    r" the)\s*(?:[a-z-]+ ){0,2}$"
)


def pivot(frame: RequestFrame) -> StepBuilder | None:
    """A table of rows by columns."""
    if not frame.has("pivot"):
        return None
    keys, every = keys_of(frame), pivot_every(frame)
    timed = (
        len(keys) < 2
        and (frame.grain is not None or bool(frame.when.periods))
        and bool(frame.main.time)
    )
    if len(keys) + timed != 2:
        return None
    build, title = StepBuilder(), title_of(frame)
    rows = gather(frame, build)
    cells = (
        summed(frame, build, rows, keys, every if timed else None, written_=timed) if rows else None
    )
    if cells is None or len(cells.values) != 1:
        return None
    if timed and frame.when.periods:
        spelled = [label_of(last, every) for _, last in frame.when.periods]
        whole = every == frame.when.kind or frame.when.kind in ("day", "edge")
        kept = [{"column": cells.time, "op": "in", "value": spelled}] if whole else []
        cells.handle = build.add("select", title, data=cells.handle, where=kept)
    down, across = axes(frame, cells, timed=timed)
    made = build.add(
        "pivot", title, data=cells.handle, rows=down, columns=across, value=cells.values[0]
    )
    build.add("show_table", title, data=made, title=title, save=frame.has("save"))
    return build


def pivot_every(frame: RequestFrame) -> Grain:
    """Return the periods that are columns or rows: those that are asked for, else those that are
    named.
    """
    own: Grain = frame.main.grain or "day"
    named: list[Grain] = [g for g in ORDER if g == frame.when.kind and g != "day"]
    if frame.grain is not None and not (named and frame.when.periods and frame.grain == "day"):
        return frame.grain
    return named[0] if named else own


def label_of(day: dt.date, every: Grain) -> str:
    """Return how a period is written that ends on a day."""
    written = {
        "year": f"{day.year}",
        "quarter": f"{day.year}Q{(day.month + 2) // 3}",
        "month": f"{day:%Y-%m}",
    }
    return written.get(every, day.isoformat())


def axes(frame: RequestFrame, cells: Cells, *, timed: bool) -> tuple[str, str]:
    """Return what is to be rows and what columns: as it is said, else what is named first is
    rows.
    """
    told = {d.column: d.at for d in frame.dims}
    places = [(role(frame, told[key]) if key in told else "", key) for key in cells.keys]
    if timed:
        first = str(frame.when.periods[0][0].year) if frame.when.periods else ""
        at = frame.grain_at if frame.grain else frame.said.text.find(first)
        places.append((role(frame, at), str(cells.time)))
    across = next((name for said, name in places if said == "columns"), None)
    down = next((name for said, name in places if said == "rows" and name != across), None)
    names = [name for _, name in places]
    across = across or next((name for name in reversed(names) if name != down), names[-1])
    return down or next((name for name in names if name != across), names[0]), across


def role(frame: RequestFrame, at: int) -> str:
    """Return whether what stands at a place is to be rows or columns, if the words beside it say
    so.
    """
    behind = re.split(r"[,，;；。.]", frame.said.text[at : at + 48])[0]
    before = re.split(r"[,，;；。.:：]", frame.said.text[max(0, at - 14) : at])[-1]
    if match := re.search(
        r"\b(rows?|columns?) (?:per|for(?: each)?|of|are|:)\s*(?:each |the"
        r" )?$|([行列])(?:是|为|放|:)$",
        before,
    ):
        return "columns" if re.search(r"列|column", match[0]) else "rows"
    if match := re.search(
        r"(?:放|做|作|为|当|在|到)?(?:行|列)|\brows?\b|\bcolumns?\b|\bdown\b|\bacross\b", behind
    ):
        return "columns" if re.search(r"列|columns?|across", match[0]) else "rows"
    if match := re.search(r"行(?:是|为|放)|列(?:是|为|放)|\b(?:rows?|columns?)\b", before):
        return "columns" if re.search(r"列|column", match[0]) else "rows"
    return ""


def groups(frame: RequestFrame) -> StepBuilder | None:
    """One row for each value of a column, ordered and the first kept."""
    keys = keys_of(frame)
    if not keys and frame.wishes.n and not frame.ranked and frame.main.entity and frame.measured:
        keys = [frame.main.entity]
    if not keys or not frame.measured:
        return None
    build = StepBuilder()
    thing = counted_thing(frame) if frame.has("count") else None
    keys = [k for k in keys if thing is None or k != thing.column] or keys
    things = (thing.column,) if thing is not None and thing.source == frame.main.uuid else ()
    rows = gather(frame, build, keep=(*things, *(k for k in keys if k == frame.main.entity)))
    if rows is None or any(key not in rows.held for key in keys):
        return None
    handle = rows.handle
    cells = summed(frame, build, rows, keys, None)
    if cells is None:
        return None
    rows.handle = handle
    cells = counted_too(frame, build, rows, cells, thing)
    if len(cells.values) == 1 or frame.wishes.ranked:
        cells = ordered(
            frame,
            build,
            cells,
            chosen_value(frame, cells),
            always=len(keys) == 1 and len(cells.values) == 1,
        )
    show_rows(frame, build, cells)
    return build


def count(frame: RequestFrame) -> StepBuilder | None:
    """Rows, or things, counted; for each period or each value of a column, if that is asked."""
    if not frame.has("count") or frame.measured:
        return None
    counted = counted_thing(frame)
    frame.dims = [d for d in frame.dims if d is not counted]
    if counted is not None and one_a_row(frame, counted):
        counted = None  # rows are such things
    keys = keys_of(frame)
    build = StepBuilder()
    rows = gather(frame, build, keep=kept(frame, counted))
    if rows is None:
        return None
    if counted is not None and counted.column in rows.held:
        rows.handle = build.add(
            "summarise", title_of(frame), data=rows.handle, by=[*keys, counted.column]
        )
        rows.handle = build.add(
            "select", title_of(frame), data=rows.handle, columns=[*keys, counted.column]
        )
        rows.time = None
    every = every_of(frame) if frame.grain and rows.time else None
    cells = summed(frame, build, rows, keys, every)
    if cells is None:
        return None
    if cells.time:
        show_series(frame, build, cells)
    elif keys:
        show_rows(frame, build, ordered(frame, build, cells, "rows"))
    else:
        show_value(frame, build, cells)
    return build


def counted_thing(frame: RequestFrame) -> Dim | None:
    """Return the column of the things that are counted, if they are named."""
    text = frame.said.text
    return next(
        (d for d in frame.dims if COUNTED.search(text[: d.at]) or NUMBER_OF.match(text[d.at :])),
        None,
    )


def one_a_row(frame: RequestFrame, dim: Dim) -> bool:
    """Return whether each row of the main table is another such thing."""
    column = frame.main.profile.column(dim.column) if dim.source == frame.main.uuid else None
    return column is not None and column.distinct == frame.main.profile.rows


def counted_too(
    frame: RequestFrame, build: StepBuilder, rows: Rows, cells: Cells, thing: Dim | None
) -> Cells:
    """Set how many things there are beside what else is told of each group: "number of shops and
    mean area".
    """
    if thing is None or thing.column not in rows.held or not cells.keys:
        return cells
    handle = rows.handle
    if not one_a_row(frame, thing):
        handle = build.add(
            "summarise", title_of(frame), data=handle, by=[*cells.keys, thing.column]
        )
        handle = build.add(
            "select", title_of(frame), data=handle, columns=[*cells.keys, thing.column]
        )
    counts = build.add("summarise", title_of(frame), data=handle, by=cells.keys)
    cells.handle = build.add(
        "merge", title_of(frame), left=cells.handle, right=counts, on=cells.keys
    )
    cells.values = [*cells.values, "rows"]
    return cells


def kept(frame: RequestFrame, counted: Dim | None) -> tuple[str, ...]:
    """Return the columns of the main table that counting needs."""
    first = frame.main.profile.columns[0].name
    if counted is not None and counted.source == frame.main.uuid:
        return (counted.column,)
    return (frame.main.entity or first,)


def values(frame: RequestFrame) -> StepBuilder | None:
    """One number, or one for each column that is named."""
    if not frame.measured or keys_of(frame):
        return None
    build = StepBuilder()
    rows = gather(frame, build)
    cells = summed(frame, build, rows, [], None) if rows else None
    if cells is None:
        return None
    show_value(frame, build, cells)
    return build
