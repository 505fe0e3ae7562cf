"""Understand a question about tables, or say that one does not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel

from backends.kernel import ColumnProfile, Condition, Profile
from backends.understanding.columns import GENERIC, Match, match_columns
from backends.understanding.linking import Link, find_links, numbered
from backends.understanding.numbers import Comparison, find_comparisons, find_top
from backends.understanding.periods import Period, find_periods, hull, joined
from backends.understanding.readings import Parts, Reading, generate
from backends.understanding.text import CJK, Language, Question, lexicon, name_words, stem
from backends.understanding.when import OutsideData, conditions, resolve, time_columns

if TYPE_CHECKING:
    import datetime as dt

    from backends.kernel import Scalar
    from backends.understanding.columns import Embed

MARGIN = 0.35
PARTS = [("month", r"\bmonth(ly|s)?\b|每月|逐月|各月|按月|月份"), ("quarter", r"\bquarter(ly|s)?\b|季度"),
         ("year", r"\byear(ly|s)?\b|\bannual(ly)?\b|每年|逐年|历年|各年|年份|哪一?年"), ("day", r"\bda(y|ily|ys)\b|每天|每日|哪一?天")]  # fmt: skip
ASKED = re.compile(
    r"\b(?:which|what|whose|how many|number of|count of|list (?:all |the )?|different|distinct|unique|top \w+|by|per)\s+((?:[a-z]+\s?){1,3})"
)
ASKED_ZH = re.compile(
    r"(?:哪一?[个位家种类只款天年月条部座场些]?|多少[个种类家位条天名]?|几[个种类家位条]|列出所?有?|不同的?|前[一二三四五六七八九十\d]+[个名位家大款种]?|每[个种家位]|各)的?([\u4e00-\u9fff]{1,6})"
)


class Understanding(BaseModel):
    """What a question was taken to mean.

    readings: the likeliest first, at most four. ignored: words that filled no slot.
    decision: `answer` and show the reading; `confirm`: answer, and say what was ignored; `ask` back
    with `back`; `talk`: it is not about the data.
    """

    readings: list[Reading] = []
    ignored: list[str] = []
    decision: Literal["answer", "confirm", "ask", "talk"]
    back: str | None = None
    language: Language = "en"


class NeedValues(BaseModel):
    """Phrases to be looked up in columns too large to list, before the question can be understood."""

    source: str
    phrases: list[str]


async def understand(
    question: str,
    profiles: list[Profile],
    *,
    embed: Embed | None,
    today: dt.date,
    previous: Reading | None = None,
    found: dict[str, list[str]] | None = None,
) -> Understanding | NeedValues:
    """Understand a question about one of the tables.

    embed: texts → float32 (texts, dimensions), L2-normalised; None does without.
    previous: the reading of the question before, whose slots a follow-up carries on.
    found: values the terminal found for the phrases of a NeedValues, by column.
    """
    best: Understanding | NeedValues | None = None
    for profile in profiles:
        one = await understand_one(question, profile, embed, today, previous, found)
        if best is None or rank(one) > rank(best):
            best = one
    return best or Understanding(decision="talk", language=Question(question).language)


def rank(result: Understanding | NeedValues) -> tuple[int, float]:
    """Order results of several tables: understood before asked back before talk, then by score."""
    if isinstance(result, NeedValues):
        return (2, 0.0)
    order = {"answer": 4, "confirm": 3, "ask": 1, "talk": 0}[result.decision]
    return (order, (result.readings[0].score if result.readings else 0.0) - len(result.ignored))


async def understand_one(
    text: str,
    profile: Profile,
    embed: Embed | None,
    today: dt.date,
    previous: Reading | None,
    found: dict[str, list[str]] | None,
) -> Understanding | NeedValues:
    """Understand a question about one table."""
    question = Question(text)
    try:
        return await Reader(question, profile, embed, today, previous, found).read()
    except OutsideData as error:
        told = {
            "en": f"{profile.name} holds nothing for {error.words}: it covers {error.held}. Which period do you mean?",
            "zh": f"{profile.name} 没有 {error.words} 的数据，它的范围是 {error.held}。您指的是哪个时期？",
        }[question.language]
        return Understanding(decision="ask", back=told, language=question.language)


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
        ignored = self.ignored(matches, parts) + self.unplaced
        needed = self.needed(ignored)
        if needed is not None:
            return needed
        return self.decide(readings, ignored, parts)

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
        masked = self.q.masked()
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

    def ignored(self, matches: list[Match], parts: Parts) -> list[str]:
        """Return the content words that filled no slot."""
        words = self.q.words()
        used = {i for m in matches if m.score >= 0.4 for i in m.words}
        known = (
            set(name_words(self.profile.name))
            | set(name_words(self.profile.description))
            | {s.lower() for s in self.profile.symbols}
        )
        known |= {stem(w) for w in known}
        left: list[str] = []
        for i, word in enumerate(words):
            if CJK.search(word.text):
                left += self.ignored_characters(word.text, matches)
            elif not (
                i in used
                or word.text in self.lexicon.stop
                or word.text in known
                or stem(word.text) in known
                or self.is_cue(word.text)
            ):
                left.append(self.q.text[word.start : word.end])
        return left

    def is_cue(self, word: str) -> bool:
        """Tell whether a word is an operation's, a concept's that some column means, or a time unit's."""
        if any(cue.search(word) for cue, _ in self.lexicon.cues.values()) or any(
            re.search(p, word) for _, p in PARTS
        ):
            return True
        if word in GENERIC or word in ("time", "percent", "percentage", "quarter", "quarters"):
            return True
        meant = self.lexicon.concepts.get(word, [])
        names = {w for c in self.profile.columns for w in name_words(c.name)}
        return any(m in names for m in meant) or len(word) == 1

    def ignored_characters(self, text: str, matches: list[Match]) -> list[str]:
        """Return what is left of Chinese text when names, concepts, cues and small words are taken out."""
        for match in matches:
            name = re.sub(r"[(（\[].*?[)）\]]", "", match.column.name).lower()
            for size in range(len(name), 1, -1):
                for k in range(len(name) - size + 1):
                    text = text.replace(name[k : k + size], " ")
        names = [self.profile.name, self.profile.description]
        for size in (4, 3, 2):
            for name in names:
                for k in range(len(name) - size + 1):
                    text = text.replace(name[k : k + size].lower(), " ")
        for cue, _ in self.lexicon.cues.values():
            text = cue.sub(" ", text)
        for word in sorted([*self.lexicon.concepts, *self.lexicon.stop], key=len, reverse=True):
            text = text.replace(word, " ")
        return [w for w in text.split() if w]

    def needed(self, ignored: list[str]) -> NeedValues | None:
        """Ask for values if words are left and some column has more values than the profile lists."""
        large = [c for c in self.profile.columns if c.kind == "text" and not c.complete and c.distinct]
        if self.found is not None or not large or not ignored:
            return None
        return NeedValues(source=self.profile.source, phrases=phrases(self.q, ignored))

    def decide(self, readings: list[Reading], ignored: list[str], parts: Parts) -> Understanding:
        """Choose between answering, asking back and talking."""
        zh = self.q.language == "zh"
        best = max((m.score for m in parts.matches if m.words), default=0.0)
        anchored = best >= 0.6 or bool(parts.conditions) or self.previous is not None
        names = [w for w in ignored if w[:1].isupper() or w[:1].isdigit()]
        if not readings or not anchored:
            return Understanding(decision="talk", ignored=ignored, language=self.q.language)
        weak = len(ignored) >= 2 and best < 0.85
        if names or self.unplaced or weak or (zh and ignored):
            said = "、".join(ignored) if zh else ", ".join(ignored)
            back = (
                f"我不明白“{said}”在 {self.profile.name} 里指什么。您的意思是下面哪一种？"
                if zh
                else f"I do not find “{said}” in {self.profile.name}. Do you mean one of these?"
            )
            decision = "ask" if names or self.unplaced or zh else "talk"
            return Understanding(
                readings=readings, ignored=ignored, decision=decision, back=back, language=self.q.language
            )
        close = len(readings) > 1 and readings[0].score - readings[1].score < MARGIN
        decision = "confirm" if ignored or close else "answer"
        return Understanding(readings=readings, ignored=ignored, decision=decision, language=self.q.language)


def phrases(question: Question, ignored: list[str]) -> list[str]:
    """Return what to look for in large columns: runs of unexplained words, longest first."""
    text = question.text
    runs = re.findall("|".join(re.escape(w) for w in ignored), text)
    joined_runs = [
        m[0].strip()
        for m in re.finditer("(?:(?:" + "|".join(re.escape(w) for w in ignored) + r")[ \-']?)+", text)
    ]
    return list(dict.fromkeys([*joined_runs, *runs]))[:20]
