"""Read one question about one table: spans first, then whole readings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.kernel import ColumnProfile, Condition, Profile
from backends.understanding.columns import Match, match_columns
from backends.understanding.coverage import Coverage, NeedValues, Understanding
from backends.understanding.parts import Parts, Reading
from backends.understanding.readings import generate
from backends.understanding.spans.linking import Link, find_links, numbered
from backends.understanding.spans.numbers import Comparison, find_comparisons, find_top
from backends.understanding.spans.periods import find_periods, hull, joined
from backends.understanding.spans.text import CJK, Question, lexicon
from backends.understanding.spans.when import conditions, resolve, time_columns

if TYPE_CHECKING:
    import datetime as dt

    from backends.kernel import Scalar
    from backends.understanding.columns import Embed
    from backends.understanding.spans.period_rules import Period

PARTS = [("month", r"\bmonth(ly|s)?\b|每月|逐月|各月|按月|月份"), ("quarter", r"\bquarter(ly|s)?\b|季度"),
         ("year", r"\byear(ly|s)?\b|\bannual(ly)?\b|每年|逐年|历年|各年|年份|哪一?年"), ("day", r"\bda(y|ily|ys)\b|每天|每日|哪一?天")]  # fmt: skip
ASKED = re.compile(
    r"\b(?:which|what|whose|how many|number of|count of|list (?:all |the )?|different|distinct|unique|top \w+|by|per)\s+((?:[a-z]+\s?){1,3})"
)
ASKED_ZH = re.compile(
    r"(?:哪一?[个位家种类只款天年月条部座场些]?|多少[个种类家位条天名]?|几[个种类家位条]|列出所?有?|不同的?|前[一二三四五六七八九十\d]+[个名位家大款种]?|每[个种家位]|各)的?([\u4e00-\u9fff]{1,6})"
)


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
    ) -> None:
        self.q = question
        self.profile = profile
        self.embed = embed
        self.today = today
        self.previous = previous
        self.found = found
        self.lexicon = lexicon(question.language)
        self.unplaced: list[str] = []

    async def read(self) -> Understanding | NeedValues:
        """Take spans, most certain first, then read what is left."""
        top = find_top(self.q)
        links = find_links(self.q, self.profile, self.found)
        comparisons = find_comparisons(self.q)
        periods = (
            [resolve(p, self.profile) for p in find_periods(self.q, self.today)]
            if time_columns(self.profile)
            else []
        )
        matches = await match_columns(self.q, self.profile, self.embed)
        parts = Parts(self.profile, self.operations(), matches, [], top=top, part=self.date_part())
        parts.asks_for = self.asked_for(matches)
        self.place_numbers(parts)
        self.place_links(parts, links)
        self.place_periods(parts, periods)
        self.place_comparisons(parts, comparisons)
        self.follow_up(parts)
        readings = [r for r in generate(parts) if r.score > 0.9][:4]
        coverage = Coverage(self.q, self.profile)
        ignored = coverage.ignored(matches) + self.unplaced
        needed = coverage.needed(ignored, asked=self.found is not None)
        if needed is not None:
            return needed
        return coverage.decide(readings, ignored, parts, self.unplaced, follows=self.previous is not None)

    def operations(self) -> dict[str, float]:
        """Return the operations the cues speak for, and looking up, which needs none."""
        masked = self.q.masked()
        found = {name: weight for name, (cue, weight) in self.lexicon.cues.items() if cue.search(masked)}
        if "share" in found and "change" in found:
            found.pop(
                "share" if re.search(r"change|grow|rise|rose|fell|drop|增|降|涨|跌", masked) else "change"
            )
        if "mean" in found and "sum" in found:
            found.pop("sum")
        found.setdefault("look_up", 2.0)
        return found

    def date_part(self) -> str | None:
        """Return the period the question groups time by."""
        masked = self.q.masked()
        return next((part for part, pattern in PARTS if re.search(pattern, masked)), None)

    def asked_for(self, matches: list[Match]) -> ColumnProfile | None:
        """Return the column whose values the question asks for: "which region", "how many cities"."""
        pattern = ASKED if self.q.language == "en" else ASKED_ZH
        for match in pattern.finditer(self.q.lower):
            start, end = match.span(1)
            near = [
                m for m in matches if m.score >= 0.6 and any(start <= w.start < end for i, w in enumerate(self.q.words()) if i in m.words)
            ]  # fmt: skip
            if near:
                return near[0].column
            # Chinese runs words together: "哪个城市总销售额" asks for the column its text begins with
            begins = [
                c for c in self.profile.columns if CJK.search(c.name) and match[1].startswith(c.name.lower())
            ]
            if begins:
                return max(begins, key=lambda c: len(c.name))
        masked = self.q.masked()
        for role, said in (
            ("quarter", r"\bwhich quarter|哪一?个?季度"),
            ("month", r"\bwhich month|哪一?个?月"),
        ):
            named = [c for c in self.profile.columns if c.role == role]
            if named and re.search(said, masked):
                return named[0]
        times = time_columns(self.profile)
        if (
            re.search(
                r"\bwhen\b|\bwhich (day|date|year|month|quarter)|什么时候|哪一?[天年月]|哪个季度|何时", masked
            )
            and times
        ):
            return times[0]
        if re.search(r"\bwho\b|谁|哪位", masked):
            names = [
                c
                for c in self.profile.columns
                if c.kind == "text" and re.search("name|person|player|员|姓名|名", c.name, re.I)
            ]
            return names[0] if names else None
        return None

    def place_numbers(self, parts: Parts) -> None:
        """Place "store 12" on a column of small whole numbers."""
        for column in self.profile.columns:
            if column.integer and column.values:
                hit = numbered(self.q, column)
                if hit is not None and hit[0] in column.values:
                    self.q.take(hit[1], hit[2], "VAL")
                    self.add(
                        parts,
                        [Condition(column=column.name, op="=", value=hit[0])],
                        f"{column.name} {hit[0]}",
                    )

    def place_links(self, parts: Parts, links: list[Link]) -> None:
        """Turn values into conditions; two of one column are alternatives, or two sides."""
        by_column: dict[str, list[Link]] = {}
        for link in links:
            free = [c for c in link.columns if c not in by_column or len(link.columns) == 1]
            by_column.setdefault((free or list(link.columns))[0], []).append(link)
        opposed = {"difference", "change"} & set(parts.operations)
        for column, group in by_column.items():
            kept = [link for link in group if not link.negated]
            values = list(dict.fromkeys(link.value for link in kept))
            if len(values) == 2 and opposed and not parts.sides:
                second, first = ([Condition(column=column, op="=", value=v)] for v in values)
                parts.sides = [first, second]
                parts.condition_words += [f"{values[0]} against {values[1]}"]
            elif values:
                op, value = ("=", values[0]) if len(values) == 1 else ("in", values)
                self.add(parts, [Condition(column=column, op=op, value=value)], " or ".join(map(str, values)))  # pyright: ignore[reportArgumentType]
            for link in group:
                if link.negated:
                    self.add(
                        parts, [Condition(column=column, op="!=", value=link.value)], f"not {link.value}"
                    )

    def place_periods(self, parts: Parts, periods: list[Period]) -> None:
        """Turn periods into conditions, or two of them into sides."""
        pairs = list(joined(self.q, periods))
        opposed = {"difference", "change"} & set(parts.operations)
        if opposed and len(periods) == 2 and not parts.sides:
            sides = [conditions(p, self.profile) for p in periods]
            if sides[0] is not None and sides[1] is not None:
                parts.sides = [sides[0], sides[1]]
                parts.condition_words.append(f"{periods[0].words} → {periods[1].words}")
                return
        if pairs:
            one, two = pairs[0]
            periods = [p for p in periods if p not in (one, two)] + [hull(one, two)]
        for period in periods:
            placed = conditions(period, self.profile)
            if placed is None:
                self.unplaced.append(self.q.text[period.start : period.end])
            else:
                self.add(parts, placed, period.words)

    def place_comparisons(self, parts: Parts, comparisons: list[Comparison]) -> None:
        """Give each comparison the measure that stands nearest to it."""
        for comparison in comparisons:
            said = self.q.text[comparison.start : comparison.end]
            near = [m for m in parts.matches if m.column.kind == "number" and m.score >= 0.45 and m.at >= 0]
            near.sort(
                key=lambda m: (
                    abs(m.at - comparison.start)
                    if m.at < comparison.start
                    else 1.5 * (m.at - comparison.start),
                    -m.score,
                )
            )
            measures = near or [m for m in parts.measures if m.score >= 0.25]
            sole = [m for m in parts.matches if m.column.role == "measure"]
            chosen = measures[0] if measures else sole[0] if len(sole) == 1 else None
            if chosen is None:
                self.unplaced.append(said)
                continue
            numbers: list[Scalar] = [int(n) if n.is_integer() else n for n in comparison.numbers]
            if comparison.op == "between":
                made = Condition(column=chosen.column.name, op="between", value=numbers)
            else:
                made = Condition(column=chosen.column.name, op=comparison.op, value=numbers[0])  # pyright: ignore[reportArgumentType]
            self.add(parts, [made], f"{chosen.column.name} {said}")

    def add(self, parts: Parts, made: list[Condition], words: str) -> None:
        """Add conditions and how they are shown."""
        parts.conditions = [*parts.conditions, *made]
        parts.condition_words.append(words)

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
