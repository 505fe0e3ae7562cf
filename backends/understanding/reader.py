"""Read one question about one table: spans first, then whole readings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.kernel import Condition, Profile
from backends.understanding.asking import settle
from backends.understanding.beside import place_columns
from backends.understanding.coverage import Coverage, NeedValues, Understanding
from backends.understanding.matching.columns import Match, match_columns
from backends.understanding.matching.nearness import Nearness
from backends.understanding.operations import operations
from backends.understanding.parts import Parts, Reading
from backends.understanding.placing import (
    place_comparisons,
    place_flags,
    place_links,
    place_periods,
)
from backends.understanding.readings import generate
from backends.understanding.spans.flags import find_flags, find_numbered
from backends.understanding.spans.linking import find_links
from backends.understanding.spans.numbers import find_comparisons, find_top
from backends.understanding.spans.periods import find_periods
from backends.understanding.spans.text import Question, name_words
from backends.understanding.spans.when import resolve, time_columns
from backends.understanding.templates import Template, prefer, said_as

if TYPE_CHECKING:
    import datetime as dt

    from backends.understanding.matching.nearness import Embed

PARTS = [("month", r"\bmonth(ly|s)?\b|每月|逐月|各月|按月|月份"), ("quarter", r"\bquarter(ly|s)?\b|季度"),
         ("year", r"\byear(ly|s)?\b|\bannual(ly)?\b|每年|逐年|历年|各年|年份|哪一?年"), ("day", r"\bda(y|ily|ys)\b|每天|每日|哪一?天")]  # fmt: skip


class Reader:
    """Reads one question about one table; made for one use."""

    def __init__(
        self,
        question: Question,
        profile: Profile,
        embed: Embed | None,
        today: dt.date,
        previous: Reading | None,
        found: dict[str, list[str]] | None,
        templates: list[Template],
    ) -> None:
        self.q = question
        self.profile = profile
        self.embed = embed
        self.today = today
        self.previous = previous
        self.found = found
        self.templates = templates
        self.near = Nearness()

    async def read(self) -> Understanding | NeedValues:
        """Take spans, most certain first, then read what is left."""
        timed = bool(time_columns(self.profile)) or any(c.role == "year" for c in self.profile.columns)
        links = find_links(self.q, self.profile, self.found)
        periods = find_periods(self.q, self.today)
        top = find_top(self.q)
        flags = find_flags(self.q, self.profile) + find_numbered(self.q, self.profile)
        comparisons = find_comparisons(self.q, years=timed)
        periods += find_periods(self.q, self.today, bare_years=True) if timed else []
        periods = [resolve(p, self.profile) for p in sorted(periods, key=lambda p: p.start)]
        self.near = await Nearness.of(self.q, self.profile, self.embed)
        matches = await match_columns(self.q, self.profile, self.near)
        parts = Parts(
            self.profile,
            self.q.lower,
            self.q.masked(),
            self.operations(matches),
            matches,
            top=top,
            part=self.date_part(),
        )
        settle(self.q, self.profile, self.near, parts)
        place_flags(parts, flags)
        place_links(self.q, parts, links)
        unplaced = place_periods(self.q, parts, periods) + place_comparisons(self.q, parts, comparisons)
        place_columns(self.q, parts)
        self.follow_up(parts)
        made = generate(parts)
        said = said_as(parts.said)
        chosen = prefer(made, said, self.templates)
        readings = [r.model_copy(update={"template": said}) for r in made if r.score > 0.9][:4]
        coverage = Coverage(self.q, self.profile, self.near)
        ignored = coverage.ignored(matches) + unplaced
        needed = coverage.needed(ignored, asked=self.found is not None)
        if needed is not None:
            return needed
        if chosen and not unplaced:
            return Understanding(readings=readings, decision="answer", language=self.q.language)
        return coverage.decide(readings, ignored, parts, unplaced, follows=self.previous is not None)

    def operations(self, matches: list[Match]) -> dict[str, float]:
        """Return the operations said, those left out that only the name of a column says: "average price"."""
        found = operations(self.q)
        masked = self.q.masked().replace("-", " ")
        for match in matches[:3]:
            name = " ".join(name_words(match.column.name))
            if match.score >= 0.95 and (" " in name or not name.isascii()) and name in masked:
                less = operations(Question(masked.replace(name, " ")))
                if less.keys() - {"look_up", "list"}:
                    found = less
        return found

    def date_part(self) -> str | None:
        """Return the period the question groups time by."""
        masked = self.q.masked()
        return next((part for part, pattern in PARTS if re.search(pattern, masked)), None)

    def follow_up(self, parts: Parts) -> None:
        """Carry on from the question before: what this one says wins, the rest stays."""
        if self.previous is None or not re.match(
            r"^(and|what about|how about|only|but|那|那么|那?在|再|换成|also|then)\b|^那|^and\b", self.q.lower
        ):
            return
        before = self.previous.slots
        mine = {c.column for c in parts.conditions}
        kept = [Condition.model_validate(c) for c in before.get("where", []) if c["column"] not in mine]
        times = {c.name for c in time_columns(self.profile)}
        if mine & times:
            kept = [c for c in kept if c.column not in times]
        parts.conditions = [*kept, *parts.conditions]
        parts.condition_words += [f"{c.column} {c.value}" for c in kept]
        cued = set(parts.operations) - {"look_up", "list", "group"}
        if not cued:
            name = str(before.get("interface"))
            name = str(before.get("direction", "highest")) if name == "extreme" else name
            parts.operations = {name: 5.0}
            parts.top = before.get("n") if before.get("interface") == "extreme" else parts.top
        column = before.get("column") or next(iter(before.get("columns", [])), None)
        for match in parts.matches:
            if match.column.name == column and not any(
                m.score >= 0.6 for m in parts.matches if m.column.role == "measure"
            ):
                match.score = max(match.score, 0.9)
        parts.matches.sort(key=lambda m: -m.score)
        by = before.get("by")
        if isinstance(by, str) and parts.asks_for is None:
            parts.asks_for = self.profile.column(by)
