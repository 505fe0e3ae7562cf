"""Requests for rows as they stand: the latest news, what is known of somebody, members of a
group.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from backends.planning.asked import Asked, Builder
from backends.planning.tables import PRICES, Link, Place, View

if TYPE_CHECKING:
    from collections.abc import Iterator

NEWS = re.compile(r"新闻|消息|动态|快讯|\bnews\b|\bheadlines?\b", re.IGNORECASE)
NEWS_COLUMN = re.compile(r"title|headline|标题|news|新闻", re.IGNORECASE)
ABOUT_COLUMN = re.compile(
    r"introduction|description|business|about|profile|介绍|简介|主营", re.IGNORECASE
)
LATEST = 20


def news(asked: Asked) -> Builder | None:
    """The latest rows of a table of news, as a table."""
    view = next((v for v in asked.views if any(NEWS_COLUMN.search(c.name) for c in v.texts)), None)
    if view is None or not NEWS.search(asked.question) or not view.time:
        return None
    build = Builder()
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


def about(asked: Asked) -> Builder | None:
    """What a table says of somebody, as a table."""
    told = [v for v in asked.views if any(ABOUT_COLUMN.search(c.name) for c in v.texts)]
    view = next((v for v in told if any(e.of(v.uuid) for e in asked.entities)), None)
    if view is None or not asked.wanted.has("about"):
        return None
    by, names, where = asked.filters(view)
    build = Builder()
    conditions = [*where, *({"column": by, "op": "=", "value": name} for name in names[:1])]
    rows = build.add("read_rows", view.profile.name, source=view.uuid, where=conditions)
    build.add(
        "show_table", view.profile.name, data=rows, title=asked.title(view.profile.name, names)
    )
    return build


class Group:
    """A group a request names. view, place: where it stands. member: the column of its members.
    link: where more is known of them. where: further conditions on the members.
    """

    def __init__(
        self, asked: Asked, view: View, place: Place, member: str, link: Link | None
    ) -> None:
        self.view, self.place, self.member, self.link = view, place, member, link
        others = [e for e in asked.entities if place not in e.places and e.of(view.uuid)]
        held = [e.of(view.uuid)[0] for e in others]
        self.where = [
            {"column": p.column, "op": "=", "value": p.value} for p in held if p.column != member
        ]

    def members(self, asked: Asked, build: Builder) -> str:
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
    """Tell whether a table lists everything anew for each of its days."""
    column = view.profile.column(view.time[0]) if view.time else None
    started = column is not None and re.search(
        r"since|start|begin|from|join|任职|起始|成立", column.name, re.IGNORECASE
    )
    return column is not None and not started and column.distinct * 3 <= view.profile.rows


def groups(asked: Asked) -> Iterator[Group]:
    """Yield the groups a request may mean, those whose members are known elsewhere first."""
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
    """Tell whether a column names what its rows are about."""
    return not re.search(r"code|id$|desc|text|type|代码|编号|类型", column, re.IGNORECASE)


def named_in(asked: Asked, link: Link) -> bool:
    """Tell whether the request names one of the members itself: then it is about that one, not
    about all.
    """
    return any(
        p.source == link.source and p.column == link.column
        for e in asked.entities
        for p in e.places
    )


def members(asked: Asked) -> Builder | None:
    """The members of a group, listed or counted."""
    if not asked.wanted.has("members") or measured(asked):
        return None
    group = next(groups(asked), None)
    if group is None:
        return None
    build = Builder()
    rows = group.members(asked, build)
    name = asked.title(group.member, [group.place.value])
    if asked.wanted.has("count"):
        counted = build.add("combine", name, data=rows)
        build.add("read_value", name, data=counted, column="rows")
    build.add("show_table", name, data=rows, title=name, save=asked.wanted.has("save"))
    return build


def measured(asked: Asked) -> list[Any]:
    """Return the columns a request surely measures, and what it wants computed; none if it only
    wants names.
    """
    sure = [m.column for m in asked.metrics if m.score >= 1.0 and m.column.lower() not in PRICES]
    return sure + [c for c in asked.wanted.cues if c in ("returns", "growth", "mean", "median")]
