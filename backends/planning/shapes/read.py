"""The first step of a request over time: columns read in the rhythm that was asked for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backends.planning.asked import Asked, Builder
    from backends.planning.tables import View
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
    """A series in the making. by: its entity column, if there are several or any; every: how it was
    made regular.
    """

    def __init__(
        self, asked: Asked, build: Builder, view: View, columns: list[str], *, whole: bool = False
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
            self.every = None  # a rate is not made of other rates
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
        """Return how one value is made of a period's: prices end a period, amounts add up, rates
        are averaged.
        """
        if how := next((h for h in HOW if asked.wanted.has(h)), None):
            return how
        if self.columns[0] == self.view.price:
            return "last"
        column = self.view.profile.column(self.columns[0])
        return "sum" if column is not None and column.additive else "mean"


def forecast_span(asked: Asked) -> dict[str, str]:
    """Return what a forecast is made from: all until today, or until the day it is to start at."""
    start, end = asked.time.start, asked.time.end or asked.today
    if start is not None and BEGIN.search(asked.time.said):
        start, end = None, start
    if start is None or asked.time.is_point:
        return {"end": end.isoformat()}
    return {"start": start.isoformat(), "end": end.isoformat()}


def finer(one: Grain, other: Grain) -> bool:
    """Tell whether one grain is finer than another."""
    return list(LAG).index(one) < list(LAG).index(other)


def repeated(view: View, by: str | None) -> bool:
    """Tell whether a table has several rows for one entity at one time."""
    points = 1
    for name in [*view.time, *([by] if by else [])]:
        column = view.profile.column(name)
        points *= column.distinct if column else 1
    return view.profile.rows > points
