"""Requests about each member of a group: what it earned, or a column of it, as bars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backends.planning.asked import Asked, Builder
from backends.planning.shapes.lists import Group, groups
from backends.planning.telling.words import word

if TYPE_CHECKING:
    from backends.planning.tables import Metric, View


def each_member(asked: Asked) -> Builder | None:
    """Returns, or a column, of each member of a group out of another table."""
    if not asked.wanted.has("members", "rank", "lowest", "mean", "median", "compare"):
        return None
    if not asked.wanted.has("members") and any(
        asked.view(p.source).price for e in asked.entities for p in e.places
    ):
        return None  # the index itself has a price: it is meant, not its members
    for group in groups(asked):
        if group.link is None:
            continue
        view = asked.view(group.link.other)
        metric = next((m for m in asked.metrics if m.source == view.uuid), None)
        sure = metric is not None and metric.column != view.price
        if asked.wanted.has("returns", "growth") and view.price and view.time and not sure:
            return returns(asked, group, view)
        if metric is not None and is_long(asked, view):
            return over_days(asked, group, view, metric.column)
        if metric is not None:
            return cross_section(asked, group, view, metric)
    return None


def returns(asked: Asked, group: Group, view: View) -> Builder:
    """What each member earned, ranked, as bars."""
    assert group.link is not None
    build = Builder()
    members = group.members(asked, build)
    name = word("return", asked.told)
    title = asked.title(name, [group.place.value])
    ranked = build.add(
        "loop_rank",
        title,
        data=members,
        column=group.member,
        interface="total_return",
        arguments={
            "source": view.uuid,
            "value": view.price,
            "time": view.time,
            "by": group.link.other_column,
            **asked.span(),
        },
        descending=not asked.wanted.has("lowest") or asked.wanted.has("rank"),
        n=asked.wanted.n,
    )
    finish(asked, build, ranked, group.member, "return %", title)
    return build


def cross_section(asked: Asked, group: Group, view: View, metric: Metric) -> Builder:
    """A column of each member at one point in time, or made one over a range, ranked, as bars."""
    assert group.link is not None
    build = Builder()
    members = group.members(asked, build)
    title = asked.title(metric.column, [group.place.value])
    how = next((c for c in ("sum", "mean", "max", "min") if asked.wanted.has(c)), None)
    over_range = (
        how is not None
        and asked.time.start is not None
        and not asked.time.is_point
        and not asked.wanted.has("median")
    )
    column = metric.column
    if over_range and view.time:
        cells = build.add(
            "read_series",
            title,
            source=view.uuid,
            time=view.time,
            columns=[column],
            by=group.link.other_column,
            **asked.span(),
        )
        cells = build.add(
            "combine", title, data=cells, column=column, aggregate=how, by=[group.link.other_column]
        )
        column = f"{how} of {column}"
    else:
        report = asked.time.end is not None and view.grain in ("quarter", "year", "month")
        cells = build.add(
            "read_cross_section",
            title,
            source=view.uuid,
            by=group.link.other_column,
            columns=[column],
            time=view.time,
            at=asked.at(view).get("at"),
            exact=(report and bool(view.time)) or None,
        )
    if group.link.other_column != group.member:
        cells = build.add(
            "rename", title, data=cells, names={group.link.other_column: group.member}
        )
    joined = build.add("merge", title, left=members, right=cells, on=[group.member])
    small = build.add("select", title, data=joined, columns=[group.member, column])
    ascending = asked.wanted.has("lowest") and not asked.wanted.has("rank")
    ranked = build.add(
        "rank", title, data=small, by=column, descending=not ascending, n=asked.wanted.n
    )
    finish(asked, build, ranked, group.member, column, title)
    if not over_range:
        statistics(asked, build, ranked, column)
    return build


def is_long(asked: Asked, view: View) -> bool:
    """Tell whether a mean and a median are asked of a range in which each member has many rows."""
    both = asked.wanted.has("mean") and asked.wanted.has("median")
    return (
        both
        and asked.time.start is not None
        and not asked.time.is_point
        and view.grain in ("day", "week")
    )


def over_days(asked: Asked, group: Group, view: View, column: str) -> Builder:
    """Mean and median of a column over a range of days, of each member."""
    assert group.link is not None
    build = Builder()
    members = group.members(asked, build)
    by, title = group.link.other_column, asked.title(column, [group.place.value])
    days = build.add(
        "read_series",
        title,
        source=view.uuid,
        time=view.time,
        columns=[column],
        by=by,
        **asked.span(),
    )
    if by != group.member:
        days = build.add("rename", title, data=days, names={by: group.member})
    joined = build.add("merge", title, left=members, right=days, on=[group.member])
    statistics(asked, build, joined, column, group.member)
    return build


def finish(asked: Asked, build: Builder, rows: str, label: str, column: str, title: str) -> None:
    """Show rows as bars, or as what was asked for."""
    wanted = asked.wanted
    if wanted.form == "pie":
        build.add("pie", title, data=rows, labels=label, values=column, title=title)
    elif not (wanted.has("table", "save") and not wanted.has("draw")):
        build.add("bar", title, data=rows, x=label, y=[column], title=title)
    if wanted.has("table", "save"):
        build.add("show_table", title, data=rows, title=title, save=wanted.has("save"))


def statistics(asked: Asked, build: Builder, rows: str, column: str, by: str | None = None) -> None:
    """Add mean and median, if they are asked for."""
    if asked.wanted.has("mean", "median"):
        name = word("mean and median", asked.told)
        made = build.add("mean_median", name, data=rows, column=column, by=by)
        build.add("show_table", name, data=made, title=f"{column} · {name}")
