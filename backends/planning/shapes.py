"""The kinds of requests: for lists, groups, rows at one point in time, or series over time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from backends.planning.request import Asked, StepBuilder
from backends.planning.tables import PRICES, Place, TableLink, View
from backends.planning.text import word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from backends.planning.tables import Metric
    from backends.planning.times import Grain


LAG: dict[Grain, dict[Grain, int]] = {
    "day": {"day": 1},
    "week": {"week": 1, "year": 52},
    "month": {"month": 1, "quarter": 3, "year": 12},
    "quarter": {"quarter": 1, "year": 4},
    "year": {"year": 1},
}
HOW = ("sum", "mean", "median", "max", "min")
RATE = re.compile(r"_(?:yoy|mom|qoq)$|同比|环比", re.IGNORECASE)
BEGIN = re.compile(r"开始|起$|\bstarting\b|\bonwards?\b", re.IGNORECASE)


class Read:
    """A series that is being built. by: its entity column, if the request names entities or the
    series covers several. every: the interval over which its values are aggregated.
    """

    def __init__(
        self,
        asked: Asked,
        build: StepBuilder,
        view: View,
        columns: list[str],
        *,
        whole: bool = False,
    ) -> None:
        self.view, self.columns = view, columns
        self.by, self.names, where = asked.filters(view)
        column = view.profile.column(self.by) if self.by else None
        several = column.distinct if column else 1
        self.every = (
            asked.time.grain if asked.time.grain != view.grain or repeated(view, self.by) else None
        )
        if asked.wanted.ahead and view.grain and finer(view.grain, asked.wanted.ahead[1]):
            self.every = asked.wanted.ahead[1]
        rates = [c for c in columns if RATE.search(c)]
        if rates and not asked.wanted.has(*HOW) and not asked.wanted.ahead:
            self.every = None  # a rate is not computed by aggregating other rates
        if self.every is None and repeated(view, self.by):
            self.every = view.grain or "day"
        self.grain: Grain | None = self.every or view.grain
        kept = self.by if several > 1 or self.names else None
        if (
            kept
            and not self.names
            and kept not in {c.column for c in asked.categories if c.source == view.uuid}
        ):
            kept = None if self.every else kept
        self.by = kept
        self.time = view.time[0] if view.profile.column(view.time[0]).kind == "date" else "date"  # type: ignore[union-attr]
        self.title = asked.title(", ".join(columns))
        span = forecast_span(asked) if whole else asked.span()
        self.rows = build.add(
            "read_series",
            self.title,
            source=view.uuid,
            time=view.time,
            columns=columns,
            by=self.by,
            entities=self.names,
            where=where,
            every=self.every,
            aggregate=self.aggregate(asked) if self.every else None,
            **span,
        )

    def aggregate(self, asked: Asked) -> str:
        """Return how the values in a period are aggregated: prices by their last value, amounts by
        their sum, and rates by their mean.
        """
        if how := next((h for h in HOW if asked.wanted.has(h)), None):
            return how
        if self.columns[0] == self.view.price:
            return "last"
        column = self.view.profile.column(self.columns[0])
        return "sum" if column is not None and column.additive else "mean"


def forecast_span(asked: Asked) -> dict[str, str]:
    """Return the dates on which a forecast is based: all dates up to today, or up to the day on
    which the forecast starts.
    """
    start, end = asked.time.start, asked.time.end or asked.today
    if start is not None and BEGIN.search(asked.time.said):
        start, end = None, start
    if start is None or asked.time.is_point:
        return {"end": end.isoformat()}
    return {"start": start.isoformat(), "end": end.isoformat()}


def finer(one: Grain, other: Grain) -> bool:
    """Return whether one grain is finer than another."""
    return list(LAG).index(one) < list(LAG).index(other)


def repeated(view: View, by: str | None) -> bool:
    """Return whether a table has several rows for one entity at the same point in time."""
    points = 1
    for name in [*view.time, *([by] if by else [])]:
        column = view.profile.column(name)
        points *= column.distinct if column else 1
    return view.profile.rows > points


NEWS = re.compile(r"新闻|消息|动态|快讯|\bnews\b|\bheadlines?\b", re.IGNORECASE)
NEWS_COLUMN = re.compile(r"title|headline|标题|news|新闻", re.IGNORECASE)
ABOUT_COLUMN = re.compile(
    r"introduction|description|business|about|profile|介绍|简介|主营", re.IGNORECASE
)
LATEST = 20


def news(asked: Asked) -> StepBuilder | None:
    """Return steps that show the latest rows of a news table as a table."""
    view = next((v for v in asked.views if any(NEWS_COLUMN.search(c.name) for c in v.texts)), None)
    if view is None or not NEWS.search(asked.question) or not view.time:
        return None
    build = StepBuilder()
    rows = build.add(
        "read_rows",
        view.profile.name,
        source=view.uuid,
        where=[{"column": view.time[0], "op": "<=", "value": asked.today.isoformat()}],
        order_by=view.time[0],
        descending=True,
        n=LATEST,
    )
    build.add(
        "show_table",
        view.profile.name,
        data=rows,
        title=asked.title(view.profile.name, []),
        save=asked.wanted.has("save"),
    )
    return build


def about(asked: Asked) -> StepBuilder | None:
    """Return steps that show as a table what the data say about someone or something."""
    told = [v for v in asked.views if any(ABOUT_COLUMN.search(c.name) for c in v.texts)]
    view = next((v for v in told if any(e.of(v.uuid) for e in asked.entities)), None)
    if view is None or not asked.wanted.has("about"):
        return None
    by, names, where = asked.filters(view)
    build = StepBuilder()
    conditions = [*where, *({"column": by, "op": "=", "value": name} for name in names[:1])]
    rows = build.add("read_rows", view.profile.name, source=view.uuid, where=conditions)
    build.add(
        "show_table", view.profile.name, data=rows, title=asked.title(view.profile.name, names)
    )
    return build


class Group:
    """A group that a request names. view, place: where the group is found. member: the column with
    its members. link: the table that has more data about them. where: further conditions on the
    members.
    """

    def __init__(
        self, asked: Asked, view: View, place: Place, member: str, link: TableLink | None
    ) -> None:
        self.view, self.place, self.member, self.link = view, place, member, link
        others = [e for e in asked.entities if place not in e.places and e.of(view.uuid)]
        held = [e.of(view.uuid)[0] for e in others]
        self.where = [
            {"column": p.column, "op": "=", "value": p.value} for p in held if p.column != member
        ]

    def members(self, asked: Asked, build: StepBuilder) -> str:
        """Add the step that reads the members."""
        return build.add(
            "read_constituents",
            f"{self.place.value}",
            source=self.view.uuid,
            group=self.place.column,
            name=str(self.place.value),
            members=[self.member],
            where=self.where,
            time=self.view.time if is_snapshot(self.view) else None,
            at=asked.time.end.isoformat() if asked.time.end and is_snapshot(self.view) else None,
        )


def is_snapshot(view: View) -> bool:
    """Return whether a table repeats the whole list for each date."""
    column = view.profile.column(view.time[0]) if view.time else None
    started = column is not None and re.search(
        r"since|start|begin|from|join|任职|起始|成立", column.name, re.IGNORECASE
    )
    return column is not None and not started and column.distinct * 3 <= view.profile.rows


def groups(asked: Asked) -> Iterator[Group]:
    """Yield the groups that a request may mean. Those whose members occur in another table come
    first.
    """
    found: list[tuple[int, Group]] = []
    for entity in asked.entities:
        for place in entity.places:
            view = asked.view(place.source)
            links = [
                link
                for link in asked.links
                if link.source == view.uuid and link.column != place.column
            ]
            for link in links:
                if not named_in(asked, link):
                    found.append((0, Group(asked, view, place, link.column, link)))
            member = next(
                (c.name for c in view.texts if c.name != place.column and names_things(c.name)),
                None,
            )
            column = view.profile.column(place.column)
            if member and not links and column is not None and column.distinct < view.profile.rows:
                found.append((1, Group(asked, view, place, member, None)))
    found.sort(key=lambda f: f[0])
    yield from (group for _, group in found)


def names_things(column: str) -> bool:
    """Return whether a column contains the names of the things that its rows are about."""
    return not re.search(r"code|id$|desc|text|type|代码|编号|类型", column, re.IGNORECASE)


def named_in(asked: Asked, link: TableLink) -> bool:
    """Return whether the request names one of the members. If it does, it is about this member
    only.
    """
    return any(
        p.source == link.source and p.column == link.column
        for e in asked.entities
        for p in e.places
    )


def members(asked: Asked) -> StepBuilder | None:
    """Return steps that list or count the members of a group."""
    if not asked.wanted.has("members") or measured(asked):
        return None
    group = next(groups(asked), None)
    if group is None:
        return None
    build = StepBuilder()
    rows = group.members(asked, build)
    name = asked.title(group.member, [group.place.value])
    if asked.wanted.has("count"):
        counted = build.add("combine", name, data=rows)
        build.add("read_value", name, data=counted, column="rows")
    build.add("show_table", name, data=rows, title=name, save=asked.wanted.has("save"))
    return build


def measured(asked: Asked) -> list[Any]:
    """Return the columns that a request certainly asks for, and what it asks to compute; none if it
    only asks for names.
    """
    sure = [m.column for m in asked.metrics if m.score >= 1.0 and m.column.lower() not in PRICES]
    return sure + [c for c in asked.wanted.cues if c in ("returns", "growth", "mean", "median")]


def each_member(asked: Asked) -> StepBuilder | None:
    """Return steps that read, from another table, the returns or a column for each member of a
    group.
    """
    if not asked.wanted.has("members", "rank", "lowest", "mean", "median", "compare"):
        return None
    if not asked.wanted.has("members") and any(
        asked.view(p.source).price for e in asked.entities for p in e.places
    ):
        return None  # the index has its own price, so the index itself is meant, not its members
    for group in groups(asked):
        if group.link is None:
            continue
        view = asked.view(group.link.other)
        metric = next((m for m in asked.metrics if m.source == view.uuid), None)
        sure = metric is not None and metric.column != view.price
        if asked.wanted.has("returns", "growth") and view.price and view.time and not sure:
            return groups_returns(asked, group, view)
        if metric is not None and is_long(asked, view):
            return over_days(asked, group, view, metric.column)
        if metric is not None:
            return cross_section(asked, group, view, metric)
    return None


def groups_returns(asked: Asked, group: Group, view: View) -> StepBuilder:
    """Return steps that show the return of each member as bars, in ranked order."""
    assert group.link is not None
    build = StepBuilder()
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


def cross_section(asked: Asked, group: Group, view: View, metric: Metric) -> StepBuilder:
    """Return steps that show a column for each member as bars, in ranked order. The values are from
    one point in time, or are computed over a range.
    """
    assert group.link is not None
    build = StepBuilder()
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
    """Return whether the request asks for a mean and median over a range in which each member has
    many rows.
    """
    both = asked.wanted.has("mean") and asked.wanted.has("median")
    return (
        both
        and asked.time.start is not None
        and not asked.time.is_point
        and view.grain in ("day", "week")
    )


def over_days(asked: Asked, group: Group, view: View, column: str) -> StepBuilder:
    """Return steps that compute the mean and median of a column over a range of dates for each
    member.
    """
    assert group.link is not None
    build = StepBuilder()
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


def finish(
    asked: Asked, build: StepBuilder, rows: str, label: str, column: str, title: str
) -> None:
    """Add the steps that show rows as bars, or in the form that the request asks for."""
    wanted = asked.wanted
    if wanted.form == "pie":
        build.add("pie", title, data=rows, labels=label, values=column, title=title)
    elif not (wanted.has("table", "save") and not wanted.has("draw")):
        build.add("bar", title, data=rows, x=label, y=[column], title=title)
    if wanted.has("table", "save"):
        build.add("show_table", title, data=rows, title=title, save=wanted.has("save"))


def statistics(
    asked: Asked, build: StepBuilder, rows: str, column: str, by: str | None = None
) -> None:
    """Add the mean and median if the request asks for them."""
    if asked.wanted.has("mean", "median"):
        name = word("mean and median", asked.told)
        made = build.add("mean_median", name, data=rows, column=column, by=by)
        build.add("show_table", name, data=made, title=f"{column} · {name}")


SIGNS = {"ratio": "/", "minus": "-", "times": "*"}


def correlation(asked: Asked) -> StepBuilder | None:
    """Return steps that correlate two columns of the same table, or of two tables joined by date or
    entity.
    """
    if not asked.wanted.has("correlation"):
        return None
    build = StepBuilder()
    pair = two_columns(asked, build)
    if pair is None:
        return None
    rows, x, y, title = pair
    build.add("correlation", title, data=rows, x=x, y=y)
    if asked.wanted.form == "scatter" or asked.wanted.has("draw"):
        build.add("scatter", title, data=rows, x=x, y=[y], title=title)
    return build


def arithmetic(asked: Asked) -> StepBuilder | None:
    """Return steps that compute a new column from two others: their ratio, difference or
    product.
    """
    sign = next((SIGNS[cue] for cue in ("ratio", "minus", "times") if asked.wanted.has(cue)), None)
    if sign is None:
        return None
    build = StepBuilder()
    pair = two_columns(asked, build)
    if pair is None:
        return None
    rows, x, y, _ = pair
    name = f"{x} {sign} {y}"
    made = build.add("compute", name, data=rows, name=name, first=x, operator=sign, second=y)
    view = asked.view(str(build.steps[0].arguments["source"]))
    by, names, _ = asked.filters(view)
    title = asked.title(name)
    interface = build.steps[0].interface
    if interface == "read_series":
        time = view.time[0] if view.profile.column(view.time[0]).kind == "date" else "date"  # type: ignore[union-attr]
        kept = by if build.steps[0].arguments.get("by") else None
        build.add("line", title, data=made, x=time, y=[name], by=kept, title=title)
        return build
    label = by if by and not names else view.entity
    if label is None:
        return None
    ascending = asked.wanted.has("lowest") and not asked.wanted.has("rank")
    ranked = build.add(
        "rank", title, data=made, by=name, descending=not ascending, n=asked.wanted.n
    )
    finish(asked, build, ranked, label, name, title)
    return build


def two_columns(asked: Asked, build: StepBuilder) -> tuple[str, str, str, str] | None:
    """Add the steps that place two columns side by side. Return the rows, both columns
    and a title.
    """
    metrics = [m for m in asked.metrics if m.score >= 0.75] or asked.metrics
    first = next(iter(sorted(metrics[:4], key=lambda m: m.at)), None)
    if first is None:
        return None
    other = next((m for m in metrics if m.at != first.at and m.source == first.source), None)
    other = other or next((m for m in metrics if m.at != first.at), None)
    if other is None:
        return None
    view, beside = asked.view(first.source), asked.view(other.source)
    title = asked.title(f"{first.column}, {other.column}")
    if view is beside:
        if view.time and (
            asked.time.grain
            or asked.wanted.has("trend", "draw")
            or not asked.wanted.has("rank", "lowest", "members")
        ):
            read = Read(asked, build, view, [first.column, other.column])
            return read.rows, first.column, other.column, title
        return side_by_side(asked, build, view, first.column, other.column, title)
    if view.time and beside.time:
        one, two = (
            Read(asked, build, view, [first.column]),
            Read(asked, build, beside, [other.column]),
        )
        right = two.rows
        if one.time != two.time:
            right = build.add("rename", title, data=right, names={two.time: one.time})
        joined = build.add("merge", title, left=one.rows, right=right, on=[one.time])
        second = other.column if other.column != first.column else f"{other.column} 2"
        return joined, first.column, second, title
    link = next((x for x in asked.links if x.source == view.uuid and x.other == beside.uuid), None)
    if link is None:
        return None
    left = build.add("read_rows", title, source=view.uuid, columns=[link.column, first.column])
    right = build.add(
        "read_rows", title, source=beside.uuid, columns=[link.other_column, other.column]
    )
    if link.column != link.other_column:
        right = build.add("rename", title, data=right, names={link.other_column: link.column})
    joined = build.add("merge", title, left=left, right=right, on=[link.column])
    return joined, first.column, other.column, title


def side_by_side(
    asked: Asked, build: StepBuilder, view: View, first: str, second: str, title: str
) -> tuple[str, str, str, str]:
    """Add the steps that read two columns of one table for each of its entities."""
    by, names, where = asked.filters(view)
    label = by or view.entity
    conditions: list[dict[str, Any]] = list(where)
    if names and by:
        conditions.append({"column": by, "op": "in", "value": names})
    columns = [*([label] if label else []), first, second]
    rows = build.add("read_rows", title, source=view.uuid, columns=columns, where=conditions)
    return rows, first, second, title


def ranked(asked: Asked) -> StepBuilder | None:
    """Return steps that show a column for each entity as bars, in ranked order. The column is
    summed, averaged or read over a range.
    """
    wanted = asked.wanted
    chosen = asked.chosen()
    if chosen is None or not (
        wanted.has("rank", "lowest", "members", "compare", "draw") or wanted.form
    ):
        return None
    view, columns = chosen
    by, names, where = asked.filters(view)
    label = by or view.entity
    if label is None:
        return None
    build = StepBuilder()
    column, title = columns[0], asked.title(columns[0])
    if view.time and (repeated(view, None) or asked.time.start):
        rows = build.add(
            "read_series",
            title,
            source=view.uuid,
            time=view.time,
            columns=[column],
            by=label,
            entities=names,
            where=where,
            **asked.span(),
        )
        profile = view.profile.column(column)
        how = next(
            (h for h in HOW if wanted.has(h)), "sum" if profile and profile.additive else "mean"
        )
        rows = build.add("combine", title, data=rows, column=column, aggregate=how, by=[label])
        column = f"{how} of {column}"
    else:
        conditions = [*where, *([{"column": label, "op": "in", "value": names}] if names else [])]
        rows = build.add(
            "read_rows", title, source=view.uuid, columns=[label, column], where=conditions
        )
    ascending = wanted.has("lowest") and not wanted.has("rank")
    rows = build.add("rank", title, data=rows, by=column, descending=not ascending, n=wanted.n)
    finish(asked, build, rows, label, column, title)
    return build


def value(asked: Asked) -> StepBuilder | None:
    """Return steps that state the value of a column for one or more entities at one point in time,
    or its mean and median over a range.
    """
    wanted = asked.wanted
    chosen = asked.chosen()
    if chosen is None or not asked.entities:
        return None
    view, columns = chosen
    if not view.time:
        return None
    build = StepBuilder()
    if wanted.has("mean", "median") and not asked.time.is_point:
        read = Read(asked, build, view, columns[:1])
        statistics(asked, build, read.rows, columns[0], read.by)
        return build
    by, names, where = asked.filters(view)
    if by is None or not names:
        return None
    rows = build.add(
        "read_cross_section",
        asked.title(columns[0]),
        source=view.uuid,
        by=by,
        entities=names,
        where=where,
        columns=columns,
        time=view.time,
        **asked.at(view),
        exact=bool(asked.time.exact) or None,
    )
    if len(names) == 1 and len(columns) == 1:
        build.add("read_value", asked.title(columns[0]), data=rows, column=columns[0])
        return build
    build.add(
        "show_table",
        asked.title(", ".join(columns)),
        data=rows,
        title=asked.title(", ".join(columns)),
    )
    return build


BESIDES = re.compile(
    r"并|同时|以及|\band (?:also |then )?(?:print|save|show|list|export)|as well|\balso\b",
    re.IGNORECASE,
)


def forecast(asked: Asked) -> StepBuilder | None:
    """Return steps that forecast the next values of a column from its whole series. The result is
    shown only as a table.
    """
    chosen = asked.chosen(lambda view: bool(view.time)) if asked.wanted.has("forecast") else None
    if chosen is None:
        return None
    view, columns = chosen
    build = StepBuilder()
    read = Read(asked, build, view, columns[:1], whole=True)
    steps, unit = asked.wanted.ahead or (4, read.grain or "day")
    steps *= LAG.get(read.grain or unit, {}).get(unit, 1)
    name = asked.title(f"{columns[0]} · {word('forecast', asked.told)}")
    made = build.add("forecast", name, data=read.rows, value=columns[0], steps=steps)
    build.add("show_table", name, data=made, title=name, save=asked.wanted.has("save"))
    return build


def candles(asked: Asked) -> StepBuilder | None:
    """Return steps that plot a candlestick chart with indicators in panes below it, or only an
    indicator as lines.
    """
    wanted = asked.wanted
    if not wanted.indicators and not wanted.has("candles"):
        return None
    views = [v for v in asked.views if v.candles]
    views.sort(key=lambda v: -sum(1 for e in asked.entities if e.of(v.uuid)))
    if not views or not views[0].candles or not views[0].time:
        return None
    view, prices = views[0], dict(views[0].candles or {})
    build = StepBuilder()
    read = Read(asked, build, view, list(prices.values()))
    rows, made = read.rows, list[str]()
    for indicator in wanted.indicators:
        own = {k: prices[k] for k in ("close", "high", "low")}
        rows = build.add(
            "technical", indicator.upper(), data=rows, indicator=indicator, by=read.by, **own
        )
        made += SHOWN[indicator]
    title = asked.title(word("candles", asked.told))
    if wanted.has("candles") or not wanted.indicators:
        build.add("candlestick", title, data=rows, time=read.time, title=title, **prices)
    else:
        title = asked.title(", ".join(i.upper() for i in wanted.indicators))
        build.add(
            "line",
            title,
            data=rows,
            x=read.time,
            y=made,
            by=read.by if len(read.names) > 1 else None,
            title=title,
        )
    return build


SHOWN = {
    "macd": ["dif", "dea", "macd"],
    "kdj": ["k", "d", "j"],
    "rsi": ["rsi"],
    "boll": ["boll_upper", "boll_mid", "boll_lower"],
    "cci": ["cci"],
}


def flow(asked: Asked) -> StepBuilder | None:
    """Return steps that plot each day's amount as bars and the running total as a line, in the same
    chart.
    """
    chosen = asked.chosen(lambda view: bool(view.time)) if asked.wanted.has("flow") else None
    if chosen is None or asked.wanted.has(
        "how_much", "rank", "lowest", "mean", "median", "max", "min"
    ):
        return None
    view, columns = chosen
    build = StepBuilder()
    read = Read(asked, build, view, columns[:1])
    summed = build.add("cumulate", read.title, data=read.rows, value=columns[0], by=read.by)
    bars = build.add("bar", read.title, data=summed, x=read.time, y=columns[:1], title=read.title)
    line = build.add(
        "line",
        read.title,
        data=summed,
        x=read.time,
        y=[f"cumulative {columns[0]}"],
        title=read.title,
    )
    build.add("overlay", read.title, charts=[bars, line], title=read.title)
    return build


def returns(asked: Asked) -> StepBuilder | None:
    """Return steps that show returns over a period: the cumulative return as a line for each
    entity, or the total as a number if the request asks for it.
    """
    if not asked.wanted.has("returns"):
        return None
    chosen = asked.chosen(lambda view: bool(view.time) and view.price is not None)
    if chosen is None:
        return None
    view, _ = chosen
    price = str(view.price)
    build = StepBuilder()
    read = Read(asked, build, view, [price])
    daily = asked.time.grain == "day" and not asked.wanted.has("cumulative") and not asked.zh
    name = word("return" if daily else "cumulative return", asked.told)
    title = asked.title(name)
    made = build.add(
        "returns",
        title,
        data=read.rows,
        value=price,
        by=read.by,
        cumulative=None if not daily else False,
    )
    column = "return %" if daily else "cumulative return %"
    if asked.wanted.has("rank", "lowest", "mean", "median") and not read.names:
        return ranked_growth(asked, read, price)
    draw(asked, build, read, made, [column], title)
    return build


def growth(asked: Asked) -> StepBuilder | None:
    """Return steps that show, as ranked bars, how much each entity changed from its first value to
    its last.
    """
    if not asked.wanted.has("growth") or asked.wanted.has("yoy", "mom", "rolling", "cumulative"):
        return None
    chosen = asked.chosen(lambda view: bool(view.time))
    if chosen is None or (asked.time.is_point and asked.time.said):
        return None
    view, columns = chosen
    read = Read(asked, StepBuilder(), view, columns[:1])
    if (
        not asked.wanted.has("rank", "lowest", "compare", "members")
        and not asked.categories
        and len(read.names) < 2
    ):
        return None
    return ranked_growth(asked, read, columns[0])


def ranked_growth(asked: Asked, read: Read, column: str) -> StepBuilder | None:
    """Return steps that rank entities by their change from the first to the last value."""
    by = read.by or read.view.entity
    if by is None:
        return None
    build = StepBuilder()
    title = asked.title(column)
    _, _, where = asked.filters(read.view)
    rows = build.add(
        "read_series",
        title,
        source=read.view.uuid,
        time=read.view.time,
        columns=[column],
        by=by,
        entities=read.names,
        where=where,
        every=read.every,
        aggregate=read.aggregate(asked) if read.every else None,
        **asked.span(),
    )
    made = build.add("growth", title, data=rows, value=column, by=by)
    ascending = asked.wanted.has("lowest") and not asked.wanted.has("rank")
    ranked = build.add(
        "rank", title, data=made, by="growth %", descending=not ascending, n=asked.wanted.n
    )
    if asked.wanted.has("table") and not asked.wanted.has("draw"):
        build.add("show_table", title, data=ranked, title=title, save=asked.wanted.has("save"))
    else:
        build.add("bar", title, data=ranked, x=by, y=["growth %"], title=title)
    return build


def series(asked: Asked) -> StepBuilder | None:
    """Return steps that plot a column over time as lines, one for each entity. The values are
    unchanged or transformed.
    """
    wanted = asked.wanted
    chosen = asked.chosen(lambda view: bool(view.time))
    if chosen is None or (asked.time.is_point and asked.time.exact):
        return None
    made = wanted.has("rolling", "yoy", "mom", "cumulative")
    shown = (
        made
        or wanted.has("trend", "draw")
        or asked.time.grain
        or wanted.form in ("line", "bar", "scatter")
    )
    ranged = asked.time.start is not None and not asked.time.is_point
    if (
        not shown
        and not (
            ranged
            and (asked.entities or asked.metrics)
            and not wanted.has("how_much", "rank", "lowest", *HOW)
        )
        and not (wanted.has("compare") and ranged)
    ):
        return None
    view, columns = chosen
    build = StepBuilder()
    read = Read(asked, build, view, columns)
    rows, shown_columns = read.rows, list(columns)
    if wanted.has("yoy", "mom") and not any(
        c.lower().endswith(("_yoy", "_mom", "_qoq")) for c in columns
    ):
        grain = read.grain or "day"
        lag = LAG[grain].get("year", 1) if wanted.has("yoy") else 1
        rows = build.add("change", read.title, data=rows, value=columns[0], by=read.by, lag=lag)
        shown_columns = ["change %"]
    if wanted.has("cumulative"):
        rows = build.add("cumulate", read.title, data=rows, value=columns[0], by=read.by)
        shown_columns = [f"cumulative {columns[0]}"]
    if wanted.has("rolling") and wanted.window and not asked.time.is_point:
        rows = build.add(
            "rolling", read.title, data=rows, value=columns[0], by=read.by, window=wanted.window
        )
        shown_columns = [columns[0], f"mean of {wanted.window}"]
    draw(asked, build, read, rows, shown_columns, read.title)
    return build


def draw(
    asked: Asked, build: StepBuilder, read: Read, rows: str, columns: list[str], title: str
) -> None:
    """Add the steps that show a series: lines if it extends over time, bars and tables if the
    request asks for them, and numbers for a single point in time.
    """
    wanted = asked.wanted
    form = wanted.form if wanted.form in ("bar", "scatter") else "line"
    only_table = (
        wanted.has("table", "save") and not wanted.has("draw", "trend") and wanted.form is None
    )
    only_table = only_table and not BESIDES.search(asked.question)
    if not only_table:
        build.add(form, title, data=rows, x=read.time, y=columns, by=read.by, title=title)
    if wanted.has("table", "save"):
        build.add("show_table", title, data=rows, title=title, save=wanted.has("save"))
    if read.every is None or not wanted.has(*HOW):
        statistics(asked, build, rows, columns[-1], read.by)
