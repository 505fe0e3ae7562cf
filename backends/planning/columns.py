"""Which columns a request speaks of: by name, by what is measured, by money, by nearness in
meaning.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from backends.planning.text import (
    CJK,
    Question,
    Word,
    bare,
    in_english,
    lexicon,
    name_words,
    stem,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from backends.data.values import ColumnProfile, Profile

Embed = Callable[[list[str]], Awaitable[np.ndarray]]

SAID: dict[str, str] = {
    word: unit
    for unit, words in {
        "kg": "kg kilo kilos kilogram kilograms 公斤 千克",
        "g": "g gram grams 克",
        "t": "t ton tons tonne tonnes 吨",
        "kt": "kt kilotonne kilotonnes kilotons",
        "lb": "lb lbs",
        "km": "km kilometre kilometres kilometer kilometers 公里 千米",
        "mi": "mi mile miles",
        "m": "m metre metres meter meters 米",
        "cm": "cm centimetre centimetres 厘米",
        "mm": "mm millimetre millimetres 毫米",
        "m2": "m2 m² ㎡ sqm 平方米 平米 平",
        "m3": "m3 m³ 立方米 方",
        "l": "l litre litres liter liters 升",
        "kwh": "kwh 度电 千瓦时",
        "eur": "eur euro euros €",
        "usd": "usd dollar dollars bucks $ 美元",
        "gbp": "gbp pound pounds quid £",
        "cny": "cny rmb yuan 元 块 块钱 ¥",
        "万元": "万元 万",
        "亿元": "亿元 亿",
        "h": "h hour hours hrs hr 小时 钟头 个小时",
        "min": "min mins minute minutes 分钟",
        "s": "s sec secs second seconds 秒",
        "d": "d day days 天",
        "°c": "°c c celsius degrees degree ℃ 度 摄氏度",
        "kcal": "kcal calories 千卡 大卡",
        "ha": "ha hectare hectares 公顷",
        "mw": "mw megawatt megawatts",
        "kn": "kn knot knots",
        "pcm": "pcm",
    }.items()
    for word in words.split()
}


MONEY = {"eur", "usd", "gbp", "cny", "万元", "亿元", "jpy"}


SIZED = re.compile(r"^(?:m|k|mn|bn)(?= ?(?:usd|eur|gbp)$)")


TRAILING = re.compile(
    r"(?:[\s_(（\[]|(?<=[\u4e00-\u9fff]))([a-z°℃㎡£€$¥²³/0-9]+|[\u4e00-\u9fff]{1,3})[)）\]]?\s*$"
)


def unit_said(word: str) -> str | None:
    """Return the unit a word of a question means."""
    return SAID.get(word.lower())


def unit_held(column: ColumnProfile) -> str | None:
    """Return the unit of a column, in the same spelling as `unit_said`."""
    own = (column.unit or "").lower().replace(" ", "")
    found = SAID.get(own) or SAID.get(SIZED.sub("", own))
    if found or column.role != "measure":
        return found
    front = re.match(
        r"(kwh|mwh|kg|km|mins|hours|hrs|litres|tonnes)(?=[_ A-Z])", column.name, re.IGNORECASE
    )
    if front:
        return SAID.get(front[1].lower())
    match = TRAILING.search(column.name.lower())
    return (SAID.get(match[1]) or SAID.get(SIZED.sub("", match[1]))) if match else None


def is_money(column: ColumnProfile) -> bool:
    """Return whether a column counts money."""
    return unit_held(column) in MONEY or bool(
        re.search(
            r"amount|amt|revenue|price|cost|fee|salary|total|paid|fare|income|wage|金额|费|价|薪|工资|收入|额$",
            column.name,
            re.I,
        )
    )


def is_sum_of_money(column: ColumnProfile) -> bool:
    """Return whether a column surely counts money: by its unit, or a name that means
    nothing else.
    """
    return unit_held(column) in MONEY or bool(
        re.search(
            r"amount|amt|revenue|price|cost|salary|wage|fare|takings|turnover|rent|donation",
            column.name,
            re.I,
        )
    )


GENERIC = {
    "total",
    "average",
    "avg",
    "mean",
    "number",
    "num",
    "count",
    "value",
    "amount",
    "rate",
    "name",
    "type",
    "id",
    "date",
    "unit",
    "of",
    "the",
    "per",
    "in",
    "is",
    "数",
    "名",
    "日期",
    "时间",
}


UNITS = {
    "c",
    "f",
    "kg",
    "g",
    "km",
    "m",
    "cm",
    "mm",
    "mi",
    "kwh",
    "mwh",
    "min",
    "h",
    "s",
    "ms",
    "usd",
    "eur",
    "gbp",
    "cny",
    "jpy",
    "pct",
    "pcm",
    "kn",
    "t",
    "kt",
    "lb",
    "l",
    "musd",
    "meur",
    "mgbp",
    "kusd",
    "keur",
    "kgbp",
    "ml",
    "mb",
    "gb",
    "ha",
    "kmh",
    "mph",
    "m2",
    "m3",
    "sqm",
}


@dataclass
class Match:
    """How well a column fits the question: a score from 0 to about 1, the words that say so, and
    where.
    """

    column: ColumnProfile
    score: float
    words: set[int] = field(default_factory=set[int])
    places: list[int] = field(default_factory=list[int])

    @property
    def weak(self) -> bool:
        """Whether the column is little more than a guess."""
        return self.score < GUESS


GUESS = 0.42  # the score from which on a column was spoken of


class Nearness:
    """Cosines between the phrases of a question and the names in a table; all zero without an
    embedder.
    """

    def __init__(self) -> None:
        self._columns: dict[str, float] = {}
        self._words: dict[str, float] = {}
        self._subject: dict[str, float] = {}
        self._pairs: dict[tuple[str, str], float] = {}

    def pair(self, word: str, column: str) -> float:
        """Return how near a word is to a column's name."""
        return self._pairs.get((word, column), 0.0)

    def column(self, name: str) -> float:
        """Return how near a column's name is to the nearest phrase: a cosine."""
        return self._columns.get(name, 0.0)

    def word(self, text: str) -> float:
        """Return how near a word is to the nearest name of the table: its title, a column.

        Not a value: a word near to one is a condition that nothing took.
        """
        return self._words.get(text, 0.0)

    def subject(self, text: str) -> float:
        """Return how near a word is to what a row is: the table's title and the names of its
        ids.
        """
        return self._subject.get(text, 0.0)

    @classmethod
    async def of(cls, question: Question, profile: Profile, embed: Embed | None) -> Nearness:
        """Embed what is needed, in one call."""
        made = cls()
        words = content(question.words())
        if embed is None or not words or question.language != "en":
            return made
        phrases = [" ".join(words[i : i + n]) for n in (1, 2, 3) for i in range(len(words) - n + 1)]
        names = [spoken(c) for c in profile.columns]
        subjects = [s for s in (" ".join(name_words(profile.name)), *subject_words(profile)) if s]
        vectors = await embed([*phrases, *names, *subjects])
        table = vectors[: len(phrases)] @ vectors[len(phrases) :].T
        for column, cosine in zip(profile.columns, table[:, : len(names)].max(axis=0), strict=True):
            made._columns[column.name] = float(cosine)
        about = table[:, len(names) : len(names) + len(subjects)]
        for i, word in enumerate(words):
            made._words[word] = float(table[i].max())
            made._pairs |= {
                (word, c.name): float(v) for c, v in zip(profile.columns, table[i], strict=False)
            }
            made._subject[word] = float(about[i].max()) if subjects else 0.0
        return made


def content(words: list[Word]) -> list[str]:
    """Return the words that may mean something of the table, each once."""
    stop = lexicon("en").stop
    kept = [
        w.text
        for w in words
        if w.text not in stop and not CJK.search(w.text) and not w.text[0].isdigit()
    ]
    return list(dict.fromkeys(kept))


def spoken(column: ColumnProfile) -> str:
    """Return a column's name as one would say it."""
    short = lexicon("en").abbreviations
    return " ".join(short.get(w, [w])[0] for w in name_words(column.name)) or column.name


def subject_words(profile: Profile) -> list[str]:
    """Return what a row is called: the words of the title, and of the ids but their "id"."""
    ids = [
        c for c in profile.columns if c.role == "identifier" or c.name == profile.columns[0].name
    ]
    said = [w for c in ids for w in name_words(c.name)]
    small = {
        "id",
        "no",
        "nr",
        "number",
        "code",
        "ref",
        "name",
        "date",
        "key",
        "year",
        "month",
        "quarter",
        "day",
        "week",
        "time",
        "the",
        "of",
        "and",
        "data",
        "log",
        "list",
    }
    return list(
        dict.fromkeys(
            w for w in [*name_words(profile.name), *said] if w not in small and not w.isdigit()
        )
    )


SUPERLATIVES = ("最高", "最低", "最大", "最小", "最多", "最少")  # 收益率最高 names no 最高价


COUNTED = re.compile(r"(?:多少|几)个?([\u3400-\u9fffa-z°]{1,3})")


def characters(words: list[Word], column: ColumnProfile) -> Match:
    """Score a column with a Chinese name: whole name, then shared character pairs, then
    concepts.
    """
    concepts = lexicon("zh").concepts
    name = bare(column.name)
    best, used, at = 0.0, set[int](), list[int]()
    for i, word in enumerate(words):
        score, place = 0.0, 0
        if name and name in word.text:
            score, place = 1.0 + 0.02 * len(name), word.text.index(name)
        elif len(name) >= 2:
            shared = max(
                (
                    n
                    for n in range(len(name), 1, -1)
                    if any(p in word.text and p not in SUPERLATIVES for p in parts(name, n))
                ),
                default=0,
            )
            core = re.sub("(?<=..)(?:日期|时间)$", "", name)
            score = 0.9 * shared / len(name) if shared >= 2 else 0.0
            if core != name and core in word.text:
                score, place = 0.75, word.text.index(core)  # 入职最早 is by 入职日期
        for said, meant in concepts.items():
            if said not in word.text or any(
                len(o) > len(said) and said in o and o in word.text for o in concepts
            ):
                continue
            fits = [
                k
                for k, m in enumerate(meant)
                if (m in name if CJK.search(m) else name.startswith(m))
            ]
            near = 0.68 - 0.02 * fits[0] if fits and said in word.text else 0.0
            if near > score:
                score, place = near, word.text.index(said)
        if score > best:
            best, used, at = score, {i}, [word.start + place]
    held = unit_held(column)
    for i, word in enumerate(words if held else ()):
        said = COUNTED.search(word.text)
        if said and any(unit_said(said[1][:size]) == held for size in (3, 2, 1)):
            return Match(column, best + 0.45, used | {i}, [*at, word.start + said.start()])
    return Match(column, best, used, at)


def parts(name: str, size: int) -> list[str]:
    """Return the parts of a name that are so many characters long."""
    return [name[k : k + size] for k in range(len(name) - size + 1)]


def named(column: ColumnProfile) -> list[list[str]]:
    """Return the words of a column's name, each with what it may be short for; its unit left
    out.
    """
    words = name_words(column.name)
    if len(words) > 1 and column.unit and len(words[-1]) <= 3 and words[-1] in UNITS:
        words = words[:-1]
    if len(words) == 1 and words[0] in lexicon("en").initials:
        return [[word] for word in lexicon("en").initials[words[0]]]
    short = lexicon("en").abbreviations
    return [[word, *short.get(word, [])] for word in words]


def weight_of(word: str, name: list[list[str]], subject: set[str], *, by_concept: bool) -> float:
    """Return how much a word of a name tells: little if it is small, general, or what every row
    is.
    """
    if len(name) == 1:
        return 1.0
    if word in lexicon("en").stop or word in UNITS:
        return 0.2
    if stem(word) in subject:
        return 0.3
    return 0.5 if word in GENERIC and not by_concept else 1.0


def means(word: str, meanings: list[str]) -> float:
    """Return how much a word of the question says one of a name's words, or a concept of it: 0 to
    1.
    """
    score = max(alike(word, meaning) for meaning in meanings)
    if score >= 0.75:
        return score
    concepts = lexicon("en").concepts
    meant = concepts.get(word) or concepts.get(stem(word)) or []
    for place, concept in enumerate(meant):
        if any(alike(part, concept) >= 0.9 for part in meanings):
            return max(score, 0.74 - 0.02 * place)
    return score


def alike(word: str, part: str) -> float:
    """Return how much a word of the question is a word of a name: 1 the same, down to 0."""
    if word == part or stem(word) == stem(part):
        return 1.0
    short, long = sorted((stem(word), stem(part)), key=len)
    if len(short) >= 3 and long.startswith(short):
        return 0.85
    if len(short) >= 6 and short[:5] == long[:5]:
        return 0.8  # resolve and resolution, produce and production
    if len(word) >= 5 and word[0] == part[:1] and SequenceMatcher(None, word, part).ratio() >= 0.84:
        return 0.9
    if len(part) >= 3 and len(word) >= 5 and word[0] == part[0] and is_abbreviation(part, word):
        return 0.8
    return 0.0


def is_abbreviation(short: str, word: str) -> bool:
    """Return whether `short` is `word` without its vowels or some of its letters: qty,
    hrs, mgmt.
    """
    letters = iter(word)
    return (
        len(short) <= 5
        and not re.search(r"[aeiou]", short[1:])
        and all(c in letters for c in short)
    )


def compose(name: str, words: list[Word]) -> set[int]:
    """Return the words whose beginnings make up a name in order: real + gdp, t + bil + rate, c + p
    + i.

    At least two words take part, and words between them may only be small ones.
    """
    stop = lexicon("en").stop

    def fit(rest: str, at: int) -> list[int] | None:
        if not rest:
            return []
        for i in range(at, min(at + 3, len(words))):
            if i > at and any(words[j].text not in stop for j in range(at, i)):
                return None
            word = words[i].text
            for size in range(min(len(word), len(rest)), 0, -1):
                if rest.startswith(word[:size]):
                    tail = fit(rest[size:], i + 1)
                    if tail is not None:
                        return [i, *tail]
        return None

    for start in range(len(words)):
        if words[start].text in stop:
            continue
        found = fit(name, start)
        if found and len(found) >= 2 and all(words[i].text not in stop for i in found):
            return set(found)
    return set()


MUCH = {
    "much",
    "money",
    "spent",
    "spend",
    "spending",
    "cost",
    "costs",
    "pay",
    "paid",
    "charge",
    "charged",
    "earn",
    "earned",
    "worth",
    "expensive",
    "cheap",
    "cheapest",
    "priciest",
    "pricey",
    "costly",
    "costliest",
    "dearest",
    "generous",
    "given",
    "raised",
    "donated",
    "donation",
    "paying",
    "pays",
    "brings",
    "cash",
}


def the_only_money(
    matches: list[Match], words: list[Word], question: Question, subject: set[str]
) -> None:
    """Raise the one column of money where money is spoken of, or a number of what a row is: "the
    average donation".
    """
    able = [m for m in matches if m.column.role == "measure" and is_sum_of_money(m.column)]
    best = max((m.score for m in matches if m.column.role == "measure"), default=0.0)
    if len(able) != 1 or question.language == "zh":
        return
    plain = bool({"total", "amount", "sum", "takings"} & set(name_words(able[0].column.name)))
    if NOT_MONEY.search(question.lower):
        return
    money = [
        w for w in words if w.text in MUCH or stem(w.text) in MUCH or (plain and w.text in INCOME)
    ]
    rows = [
        w for one, w in pairwise(words) if OF_ROWS.fullmatch(one.text) and stem(w.text) in subject
    ]
    rows = [
        w
        for w in rows
        if not any(
            stem(w.text) == stem(n)
            for m in matches
            if m.column.role == "measure"
            for n in name_words(m.column.name)
        )
    ]
    rows = rows if best < GUESS else []
    if money or rows:
        able[0].score = max(able[0].score, 0.66)
        able[0].places = able[0].places or [(money or rows)[0].start]
        able[0].words |= {i for i, w in enumerate(words) if w in (money or rows)}


NOT_MONEY = re.compile(
    r"\bweighs?\b|\bhow much (?!money|cash|altogether|overall|more|less|in"
    r" total|the|our|each|per|a\b|an\b|to\b|for\b|it\b)(?!(?:do|does|did|is|are|was|were|has|have|had|will|we|i|they|he|she|you)\b)[a-z]{3,}"
)


INCOME = {"revenue", "takings", "turnover", "income", "earnings", "sales", "value"}


OF_ROWS = re.compile(
    "average|avg|mean|median|typical|largest|biggest|smallest|total|highest|lowest|single"
)


async def match_columns(question: Question, profile: Profile, near: Nearness) -> list[Match]:
    """Return every column with its score, best first."""
    words = question.words()
    subject = {stem(s) for s in subject_words(profile)}
    matches = [lexical(words, column, question, subject) for column in profile.columns]
    if question.language == "en":
        heads_of_compounds(matches, words)
    matches = [outdone(m, matches) for m in matches]
    the_only_money(matches, words, question, subject)
    beside = [m.end() for m in NEXT.finditer(question.lower)]
    for match in matches:
        if any(
            SMALL.fullmatch(question.lower[end:p])
            for p in match.places
            for end in beside
            if p >= end
        ):
            match.score += 0.15
        match.score += 0.45 * max(0.0, near.column(match.column.name) - 0.25)
    return sorted(matches, key=lambda m: -m.score)


def heads_of_compounds(matches: list[Match], words: list[Word]) -> None:
    """Lower the measure only meant by the first of two neighbouring words: the "floor area" is an
    area.
    """
    able = [m for m in matches if m.column.role == "measure" and m.words]
    for one in able:
        for two in able:
            after = {
                i + 1
                for i in one.words
                if i + 1 < len(words) and words[i].end + 1 == words[i + 1].start
            }
            literal = {stem(words[i].text) for i in one.words} <= {
                stem(w) for w in name_words(one.column.name)
            }
            if (
                literal
                and two.score >= 0.6
                and after & two.words
                and not one.words & two.words
                and len(one.words) == 1
            ):
                one.score -= 0.6


def outdone(match: Match, matches: list[Match]) -> Match:
    """Return a measure as a guess if all the words that mean it mean another one far better: cups
    sold, pastries sold.
    """
    better = any(
        o.column.role == "measure" and match.words < o.words and o.score >= match.score + 0.5
        for o in matches
    )
    if match.column.role == "measure" and match.words and better:
        return replace(match, score=min(match.score, GUESS - 0.01))
    return match


# a measure said right behind what is to be done with it counts more than one said elsewhere
NEXT = re.compile(
    r"\b(?:highest|lowest|largest|smallest|biggest|most|least|fewest|average|mean|median|total|sum"
    r" of|maximum|minimum)\b"
)


SMALL = re.compile(
    r" (?:(?:the|of|all|our|daily|monthly|yearly|annual|quarterly|total|average|number of) )*"
)


def lexical(
    words: list[Word], column: ColumnProfile, question: Question, subject: set[str]
) -> Match:
    """Score a column by the words of its name; subject: the stems of what a row is called."""
    if CJK.search(column.name):
        return characters(words, column)
    if question.language == "zh":
        said = columns_spoken(in_english(words), column, subject)
        return said if said.score >= 0.5 else characters(words, column)
    return columns_spoken(words, column, subject)


def columns_spoken(words: list[Word], column: ColumnProfile, subject: set[str]) -> Match:
    """Score a column with an English name by English words."""
    used: set[int] = set()
    got, total = 0.0, 0.0
    whole = column.name.lower()
    name = [[whole]] if any(w.text == whole for w in words) else named(column)
    exact = {
        i for i, w in enumerate(words) if any(alike(w.text, m) >= 0.75 for ms in name for m in ms)
    }
    for meanings in name:
        best, at = 0.0, -1
        for i, word in enumerate(words):
            score = means(word.text, meanings)
            if score < 0.75 and i in exact and word.text in ("price", "prices"):
                continue  # the "price" of `Cost Price` does not say its "cost", too
            if score > best:
                best, at = score, i
        weight = weight_of(meanings[0], name, subject, by_concept=0 < best < 0.75)
        total += weight
        got += weight * best
        if best >= 0.6:
            used.add(at)
    score = got / (0.6 * total + 0.4) if total else 0.0
    further = {
        i
        for i, w in enumerate(words)
        if i not in used
        for ms in name
        for m in ms[1:]
        if alike(w.text, m) >= 0.9
    }
    if used and further and len(name) == 1:
        score, used = score + 0.1, used | further  # "minimum temperature" of `tmin`
    composed = compose("".join(m[0] for m in name), words)
    if composed and score < 0.95:
        score, used = 0.95, composed
    score, used = with_unit(score, used, words, column)
    return Match(column, score, used, [words[i].start for i in sorted(used)])


def with_unit(
    score: float, used: set[int], words: list[Word], column: ColumnProfile
) -> tuple[float, set[int]]:
    """Return a score raised, and the words that did it, where the question says the unit of a
    column, or money.
    """
    held = unit_held(column)
    said = {i for i, w in enumerate(words) if held and unit_said(w.text) == held}
    if said:
        behind = {
            i
            for i in said
            if i and words[i - 1].text in ("in", "of") and words[i - 1].end + 1 == words[i].start
        }
        return (
            score + (0.75 if behind else 0.45),
            used | said,
        )  # "the largest harvest in tonnes" asks for tonnes
    if column.role == "measure" and is_money(column) and any(w.text in MUCH for w in words):
        return score + 0.25, used
    return score, used


SHARE_PRICE = re.compile(r"股票价格|股价")


CLOSES = ("收盘价", "收盘", "終値", "终值")


CANDLES = (("开盘", "始値"), ("最高", "高値"), ("最低", "安値"))  # what stands beside a close


CHANGE = re.compile(
    r"(?P<base>.*[^_\s])[_\s]?(?P<against>yoy|同比|环比|mom)(?:[(（]?%[)）]?)?", re.IGNORECASE
)


GROWTH = {
    "同比": (
        r"[\s_]+(?:year[- ]on[-"
        r" ]year[\s_]+)?growth(?:[\s_]+rates?)?(?![a-z])|(?:的)?(?:同比)?(?:增长率|增长速度|增速|增幅)(?:同比)?"
    ),
    "环比": r"(?:的)?环比(?:增长率|增长速度|增速|增幅)",
}


def columns_said(text: str, profiles: Iterable[Profile]) -> str:
    """Return a question with the names of columns in the place of what is said for them by rule."""
    for profile in profiles:
        names = [column.name for column in profile.columns]
        close = closing(names)
        if close is not None and not any(SHARE_PRICE.search(name) for name in names):
            text = SHARE_PRICE.sub(close, text)
        for name in names:
            text = growth_said(text, name)
    return text


def closing(names: list[str]) -> str | None:
    """Return the column of closing prices of a table of candles in Chinese or Japanese."""
    if not all(any(word in name for name in names for word in words) for words in CANDLES):
        return None
    return next((name for close in CLOSES for name in names if name == close), None)


def growth_said(text: str, name: str) -> str:
    """Return a question in which "X growth" is the column that holds it: GDP增速 is GDP同比, "GDP
    growth" gdp_yoy.
    """
    match = CHANGE.fullmatch(name)
    if match is None or name in text:
        return text
    against = "环比" if match["against"].lower() in ("环比", "mom") else "同比"
    form = rf"(?<![A-Za-z]){re.escape(match['base'])}(?:{GROWTH[against]})"
    return re.sub(form, lambda _: name, text, flags=re.IGNORECASE)
