"""Read one question about one table: spans first, then whole readings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.data.values import Condition, Profile
from backends.understanding.asking import settle
from backends.understanding.coverage import HOW_TO, Coverage, NeedValues, Understanding
from backends.understanding.matching import Match, Nearness, match_columns
from backends.understanding.operations import (
    MUCH,
    Parts,
    Reading,
    Template,
    operations,
    prefer,
    said_as,
)
from backends.understanding.placing import (
    place_columns,
    place_comparisons,
    place_flags,
    place_links,
    place_periods,
)
from backends.understanding.readings import generate
from backends.understanding.readings.cells import find_between
from backends.understanding.readings.compare import carried, only_differs
from backends.understanding.spans.flags import find_flags, find_numbered
from backends.understanding.spans.numbers import find_comparisons, find_top
from backends.understanding.spans.periods import find_periods, resolve, time_columns
from backends.understanding.spans.text import CJK, Question, name_words
from backends.understanding.values import find_links, of_things

if TYPE_CHECKING:
    import datetime as dt

    from backends.understanding.matching import Embed
    from backends.understanding.spans.periods import Period

PARTS = [
    ("month", r"\bmonth(ly|s)?\b|每个?月|各个?月|逐月|各月|按月|月份"),
    ("quarter", r"\bquarter(ly|s)?\b|季度"),
    ("year", r"\byear(ly|s)?\b|\bannual(ly)?\b|每一?年|逐年|历年|各年|年份|哪一?年"),
    ("day", r"\bda(y|ily|ys)\b|每天|每日|哪一?天"),
]


MONTHLY = re.compile(
    r"\b(?:monthly|(?:per|a|each|every) month|(?:per|a)"
    r" year|annual(?:ly)?|yearly)\b|每月|月(?=[租薪费])"
)
LEADS = re.compile(r"(?:and|what about|how about|only|but|那|那么|那?在|再|换成|also|then)\b|那")
PLAIN = {"look_up", "list", "group"}  # operations that need no cue
CUE_NAMES = {"plot", "chart", "record", "history"}  # columns called as what one asks for
AVERAGED = re.compile(r"\b(?:avg|average|mean)\b|平均|人均|均[值价分]", re.IGNORECASE)


def spelt_out(name: str) -> list[str]:
    """Return the words of a column's name, short ones of time written out: `visits_last_90d` →
    visits last 90 days.
    """
    short = {
        "d": "days",
        "day": "days",
        "wk": "week",
        "wks": "weeks",
        "w": "weeks",
        "mo": "months",
        "mth": "months",
        "yr": "year",
    }
    words = name_words(name)
    singular = any(w in ("last", "this", "previous") for w in words) and not any(
        w.isdigit() for w in words
    )
    return [
        {"mo": "month", "mth": "month"}.get(w, short.get(w, w)) if singular else short.get(w, w)
        for w in words
    ]


def by_the_month(matches: list[Match]) -> bool:
    """Tell whether the question speaks of a column that counts by the month: a monthly fee."""
    named = [m for m in matches if m.column.role == "measure" and m.score >= 0.6]
    return any(
        re.search("month|pcm|annual|yearly|月[租薪费]|年[薪费]", m.column.name, re.IGNORECASE)
        for m in named
    )


def how_much(parts: Parts) -> None:
    """Let a question for how much there was of something add it up: "how much rain fell"."""
    said = parts.operations.keys() - {"difference", "change", "list", "group", "look_up"}
    if not parts.sides and MUCH.search(parts.said) and not said:
        parts.operations["sum"] = 2.0


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
        timed = bool(time_columns(self.profile)) or any(
            c.role == "year" for c in self.profile.columns
        )
        links = find_links(self.q, self.profile, self.found)
        periods = self.outside_names(find_periods(self.q, self.today))
        top = find_top(self.q)
        flags = find_flags(self.q, self.profile) + find_numbered(self.q, self.profile)
        comparisons = find_comparisons(self.q, years=timed)
        periods += (
            self.outside_names(find_periods(self.q, self.today, bare_years=True)) if timed else []
        )
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
            part=self.date_part(matches),
        )
        settle(self.q, self.profile, self.near, parts)
        if (between := find_between(self.q, parts)) is not None:
            parts.between, parts.operations["between"] = between, 7.0
            parts.asks_for, parts.unknown, parts.guessed = None, "", False
        place_flags(parts, flags)
        place_links(self.q, parts, links)
        unplaced = place_periods(self.q, parts, periods) + place_comparisons(
            self.q, parts, comparisons
        )
        place_columns(self.q, parts)
        how_much(parts)
        follows = self.follows(parts)
        if (carried_on := self.carried_on(parts, unplaced)) is not None:
            return carried_on
        self.follow_up(parts)
        made = [of_things(one, self.profile) for one in generate(parts)]
        said = said_as(parts.said)
        chosen = prefer(made, said, self.templates)
        readings = [r.model_copy(update={"template": said}) for r in made if r.score > 0.9][:4]
        coverage = Coverage(self.q, self.profile, self.near)
        ignored = coverage.ignored(matches) + unplaced
        needed = coverage.needed(ignored, asked=self.found is not None)
        if needed is not None:
            return needed
        if chosen and not unplaced:
            return Understanding(readings=readings, decision="answer", language=self.q.spoken)
        decided = coverage.decide(
            readings, ignored, parts, unplaced, follows=self.previous is not None
        )
        return self.no_talk(decided, coverage) if follows else decided

    def no_talk(self, decided: Understanding, coverage: Coverage) -> Understanding:
        """Return how a follow-up was understood, asked back instead of a talk that makes numbers
        up.
        """
        if decided.decision != "talk" or HOW_TO.search(self.q.lower):
            return decided
        back = coverage.ask_back(decided.ignored, "")
        return decided.model_copy(update={"decision": "ask", "back": back})

    def follows(self, parts: Parts) -> bool:
        """Tell whether the question says only what is different from the one before."""
        return self.previous is not None and (
            only_differs(self.q.masked())
            or bool(
                LEADS.match(self.q.lower) and (parts.conditions or parts.operations.keys() - PLAIN)
            )
        )

    def carried_on(self, parts: Parts, unplaced: list[str]) -> Understanding | None:
        """Return the reading before under the values or the period this question names, and nothing
        else.
        """
        if self.previous is None or unplaced or not only_differs(self.q.masked()):
            return None
        reading = carried(parts, self.previous)
        if reading is None:
            return None
        return Understanding(readings=[reading], decision="answer", language=self.q.spoken)

    def outside_names(self, periods: list[Period]) -> list[Period]:
        """Return the periods without those that are part of a column's name: "visits last month" of
        `Visits last month`.
        """
        kept: list[Period] = []
        for period in periods:
            said = name_words(
                re.sub(r"\b(?:the|in|over|during)\b", " ", self.q.lower[period.start : period.end])
            )
            names = [spelt_out(c.name) for c in self.profile.columns if c.role == "measure"]
            if said and any(
                said == n[i : i + len(said)] and len(n) > len(said)
                for n in names
                for i in range(len(n))
            ):
                self.q.give_back(period.start, period.end)
            else:
                kept.append(period)
        return kept

    def operations(self, matches: list[Match]) -> dict[str, float]:
        """Return the operations said, those left out that only the name of a column says: "average
        price".
        """
        found = operations(self.q)
        masked = self.q.masked().replace("-", " ")
        if by_the_month(matches) and MONTHLY.search(masked):
            found = operations(Question(MONTHLY.sub(" ", masked)))
        for match in matches[:3]:
            name = " ".join(name_words(match.column.name))
            if (
                match.score >= (0.6 if CJK.search(name) else 0.95)
                and (" " in name or not name.isascii() or name in CUE_NAMES)
                and name in masked
            ):
                less = operations(Question(masked.replace(name, " ")))
                if less.keys() - {"look_up", "list"} or name in CUE_NAMES:
                    found = less
        for name in ("人均", "平均", "总"):  # a word of a column's name is no cue
            inside = [m for m in matches if m.score >= 0.4 and name in m.column.name]
            if inside and name in masked:
                rest = operations(Question(masked.replace(name, " ")))
                found = {k: v for k, v in found.items() if k in rest}
        measured = next((m for m in matches if m.column.role == "measure"), None)
        averaged = measured is not None and AVERAGED.search(measured.column.name)
        if averaged and {"highest", "lowest"} & found.keys():
            found.pop("mean", None)  # the "highest average price" of a column of average prices
        return found

    def date_part(self, matches: list[Match]) -> str | None:
        """Return the period the question groups time by."""
        masked = self.q.masked()
        if by_the_month(matches):
            masked = MONTHLY.sub(" ", masked)  # the "monthly fee", the rent "per month"
        return next((part for part, pattern in PARTS if re.search(pattern, masked)), None)

    def follow_up(self, parts: Parts) -> None:
        """Carry on from the question before: what this one says wins, the rest stays."""
        if self.previous is None or not LEADS.match(self.q.lower):
            return
        before = self.previous.slots
        mine = {c.column for c in parts.conditions}
        kept = [
            Condition.model_validate(c) for c in before.get("where", []) if c["column"] not in mine
        ]
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
