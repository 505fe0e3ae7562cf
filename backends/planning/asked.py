"""All that was read of a request: its days, entities, columns and wishes; and the steps that are
made of it.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from backends.data.workflow.step import Step
from backends.planning.cues import Wanted, read_cues, without
from backends.planning.tables import (
    Entity,
    Link,
    Metric,
    View,
    find_categories,
    find_entities,
    find_links,
    find_metrics,
    plain,
)
from backends.planning.telling.words import BETWEEN
from backends.planning.times import Time, read_time
from backends.understanding.spans.text import CJK

if TYPE_CHECKING:
    from collections.abc import Callable

    from backends.data.values import Profile
    from backends.understanding.matching.nearness import Embed

Language = Literal["en", "zh", "ja"]
BARE = re.compile(  # the second day leaves its year to the first
    r"((?:19|20)\d\d年|今年|去年)(\d{1,2})月(\d{1,2})[日号]?(到|至|-|~|—)(\d{1,2})月(\d{1,2})[日号]?"
)
PRICE_SAID = re.compile(
    r"股价|价格|净值|指数|点位|走势|\bprices?\b|\bquotes?\b|\bcourse\b|\bvalue\b", re.IGNORECASE
)


@dataclass
class Asked:
    """A request, read. rest: its words without days and entities; masked: without columns, too.
    categories: columns of text it names. told: the language its answer is told in.
    """

    question: str
    language: str
    today: dt.date
    views: list[View]
    time: Time
    wanted: Wanted
    entities: list[Entity]
    metrics: list[Metric]
    categories: list[Metric]
    rest: str
    links: list[Link] = field(default_factory=list[Link])
    masked: str = ""
    told: Language = "en"

    def view(self, uuid: str) -> View:
        """Return a table by its uuid."""
        return next(view for view in self.views if view.uuid == uuid)

    @property
    def zh(self) -> bool:
        """Whether it was asked in Chinese."""
        return self.language == "zh"

    def chosen(
        self, fits: Callable[[View], bool] = lambda view: True
    ) -> tuple[View, list[str]] | None:
        """Return the table a request is about and the columns it measures; None if it names none.

        The table that has most of the named entities wins, then the surest column. Where no column
        is named but a price is spoken of, it is the close, or a fund's value.
        """
        best: tuple[float, View, list[str]] | None = None
        for view in self.views:
            if not fits(view):
                continue
            named = [m for m in self.metrics if m.source == view.uuid]
            covered = sum(1 for e in self.entities if e.of(view.uuid))
            priced = view.price is not None and bool(
                PRICE_SAID.search(self.question)
                or self.wanted.has("returns", "growth", "candles")
                or covered
            )
            score = named[0].score if named else (0.9 if priced else 0.0)
            if not score:
                continue
            sure = [m for m in named if m.score >= 1.0]
            of_price = priced and view.price and not sure and self.wanted.has("returns", "growth")
            columns = distinct(named) if named and not of_price else [str(view.price)]
            total = score + 0.8 * covered - 0.001 * self.views.index(view)
            if best is None or total > best[0]:
                best = (total, view, columns)
        return (best[1], best[2]) if best else None

    def filters(self, view: View) -> tuple[str | None, list[Any], list[dict[str, Any]]]:
        """Return the column that names entities, those that are named, and further conditions, for
        one table.
        """
        held: dict[str, list[Any]] = {}
        for entity in self.entities:
            places = sorted(entity.of(view.uuid), key=lambda p: p.column != view.entity)
            if places:
                held.setdefault(places[0].column, []).append(places[0].value)
        category = next((c.column for c in self.categories if c.source == view.uuid), None)
        if category and category not in held:
            by: str | None = category
        elif len(held) == 1 or view.entity in held:
            by = view.entity if view.entity in held else next(iter(held))
        else:
            by = max(held, key=lambda c: len(held[c])) if held else None
        where = [
            {
                "column": column,
                "op": "in" if len(values) > 1 else "=",
                "value": values if len(values) > 1 else values[0],
            }
            for column, values in held.items()
            if column != by
        ]
        return by, held.get(by, []) if by else [], where

    def span(self) -> dict[str, str]:
        """Return the range of days as arguments."""
        made = {"start": self.time.start, "end": self.time.end}
        return {key: day.isoformat() for key, day in made.items() if day is not None}

    def at(self, view: View) -> dict[str, str]:
        """Return the point in time of a cross-section as arguments: the end of a range, not before
        its begin.

        A range from the begin of a quarter to a day or two before its end means its report.
        """
        if self.time.end is None or not view.time:
            return {}
        end = self.time.end
        for day in (end + dt.timedelta(days=n) for n in range(3)):
            first = dt.date(day.year, day.month - (day.month - 1) % 3, 1)
            if (
                view.grain == "quarter"
                and self.time.start == first
                and (day + dt.timedelta(days=1)).day == 1
                and day.month % 3 == 0
            ):
                end = day
        since = (
            {"since": self.time.start.isoformat()}
            if self.time.start and self.time.start < end
            else {}
        )
        return {"at": end.isoformat(), **since}

    def days(self) -> str:
        """Return the range of days in words."""
        if self.time.start is None or self.time.end is None:
            return ""
        if self.time.is_point:
            return self.time.end.isoformat()
        return f"{self.time.start.isoformat()} – {self.time.end.isoformat()}"

    def title(self, what: str, names: list[Any] | None = None) -> str:
        """Return what a chart or table is called."""
        said = (
            [str(p.value) for e in self.entities for p in e.places[:1]]
            if names is None
            else [str(n) for n in names]
        )
        joined = BETWEEN[self.told].join(said[:4]) + ("…" if len(said) > 4 else "")
        return " · ".join(part for part in (joined, what, self.days()) if part)


def distinct(metrics: list[Metric]) -> list[str]:
    """Return the columns that stand at different places of a request, surest first: of those at one
    place the surest.
    """
    kept: list[Metric] = []
    for metric in metrics:
        sure = metric.score >= 1.0 or metric.score >= 0.85 * metrics[0].score
        if sure and all(other.at != metric.at for other in kept):
            kept.append(metric)
    return [metric.column for metric in sorted(kept[:4], key=lambda m: m.at)]


class Builder:
    """Steps in the making; each gets the name of its result."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def add(self, interface: str, about: str, /, **arguments: Any) -> str:
        """Add a step and return the name of its result; arguments that are None are left out."""
        name = f"result{len(self.steps) + 1}"
        given = {
            key: value for key, value in arguments.items() if value is not None and value != []
        }
        self.steps.append(Step(id=name, interface=interface, arguments=given, description=about))
        return name


async def read_request(
    question: str, profiles: list[Profile], now: dt.datetime, embed: Embed | None
) -> Asked:
    """Read a request about some tables.

    now: what "today" is; before a source's day is over, its today is yesterday.
    """
    views = [View(profile) for profile in profiles]
    entities, rest = find_entities(question, views)
    today = today_of([v for v in views if any(e.of(v.uuid) for e in entities)] or views, now)
    wanted, rest = read_cues(rest)
    time, rest = read_time(BARE.sub(r"\1\2月\3日\4\1\5月\6日", rest), today)
    if wanted.has("report") and time.end is not None and not time.exact:
        time = time.model_copy(update={"start": time.end, "exact": True})
    metrics = await find_metrics(rest, views, embed)
    masked = plain(rest)
    for metric in metrics:
        masked = masked[: metric.at] + "#" * metric.size + masked[metric.at + metric.size :]
    wanted = without(wanted, masked)
    categories = await find_categories(rest, views, embed)
    return Asked(
        question,
        "zh" if CJK.search(question) else "en",
        today,
        views,
        time,
        wanted,
        entities,
        metrics,
        categories,
        plain(rest),
        find_links(views),
        masked,
        "zh" if CJK.search(question) else "en",
    )


def today_of(views: list[View], now: dt.datetime) -> dt.date:
    """Return the day that counts as today: yesterday until every source's day is over."""
    return min((view.profile.today(now) for view in views), default=now.date())
