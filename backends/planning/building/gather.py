"""Rows that hold all a request speaks of: read from the table that is measured, joined with those
that belong to it.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from backends.planning.building.cells import usual
from backends.planning.building.keys import keys_of
from backends.planning.composing.slots import links_between
from backends.planning.composing.time.grains import ORDER

if TYPE_CHECKING:
    from backends.planning.asked import Builder
    from backends.planning.composing.frame import Frame
    from backends.planning.tables import Link, View


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
    frame: Frame, build: Builder, *, whole: bool = False, keep: tuple[str, ...] = ()
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


def read(frame: Frame, build: Builder, view: View, columns: list[str], *, whole: bool) -> Rows:
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
    """Tell whether the rows of a table go on in time, and do not just have a day each, such as that
    of their opening.
    """
    return view.grain is not None and (bool(view.numbers) or view.profile.rows > 30)


def moment(frame: Frame, view: View) -> str | None:
    """Return the day of a cross-section, "" for the newest; None where a range is meant or a day of
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
    frame: Frame, build: Builder, rows: Rows, view: View, link: Link, columns: list[str]
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
    frame: Frame, build: Builder, rows: Rows, view: View, columns: list[str], *, whole: bool
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
