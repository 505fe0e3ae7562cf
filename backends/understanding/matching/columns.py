"""Which columns the words of a question mean."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from backends.understanding.matching.nearness import subject_words
from backends.understanding.spans.text import CJK, Question, Word, bare, lexicon, name_words, stem
from backends.understanding.spans.units import is_money, unit_held, unit_said

if TYPE_CHECKING:
    from backends.kernel import ColumnProfile, Profile
    from backends.understanding.matching.nearness import Nearness

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
}
UNITS = {
    "c", "f", "kg", "g", "km", "m", "cm", "mm", "mi", "kwh", "mwh", "min", "h", "s", "ms", "usd", "eur", "gbp", "cny", "jpy",
    "pct", "pcm", "kn", "t", "kt", "lb", "l", "musd", "meur", "mgbp", "kusd", "keur", "kgbp", "ml", "mb", "gb", "ha", "kmh", "mph", "m2", "m3", "sqm",
}  # fmt: skip


@dataclass
class Match:
    """How well a column fits the question: a score from 0 to about 1, the words that say so, and where."""

    column: ColumnProfile
    score: float
    words: set[int] = field(default_factory=set[int])
    places: list[int] = field(default_factory=list[int])

    @property
    def weak(self) -> bool:
        """Whether the column is little more than a guess."""
        return self.score < GUESS


async def match_columns(question: Question, profile: Profile, near: Nearness) -> list[Match]:
    """Return every column with its score, best first."""
    words = question.words()
    subject = {stem(s) for s in subject_words(profile)}
    matches = [lexical(words, column, question, subject) for column in profile.columns]
    beside = [m.end() for m in NEXT.finditer(question.lower)]
    for match in matches:
        if any(SMALL.fullmatch(question.lower[end:p]) for p in match.places for end in beside if p >= end):
            match.score += 0.15
        match.score += 0.45 * max(0.0, near.column(match.column.name) - 0.25)
    return sorted(matches, key=lambda m: -m.score)


COUNTED = re.compile(r"(?:多少|几)个?([\u3400-\u9fffa-z°]{1,3})")
GUESS = 0.42  # the score from which on a column was spoken of
# a measure said right behind what is to be done with it counts more than one said elsewhere
NEXT = re.compile(
    r"\b(?:highest|lowest|largest|smallest|biggest|most|least|fewest|average|mean|median|total|sum of|maximum|minimum)\b"
)
SMALL = re.compile(r" (?:(?:the|of|all|our|daily|monthly|yearly|annual|quarterly|total|average|number of) )*")


def named(column: ColumnProfile) -> list[list[str]]:
    """Return the words of a column's name, each with what it may be short for; its unit left out."""
    words = name_words(column.name)
    if len(words) > 1 and column.unit and len(words[-1]) <= 3 and words[-1] in UNITS:
        words = words[:-1]
    if len(words) == 1 and words[0] in lexicon("en").initials:
        return [[word] for word in lexicon("en").initials[words[0]]]
    short = lexicon("en").abbreviations
    return [[word, *short.get(word, [])] for word in words]


def lexical(words: list[Word], column: ColumnProfile, question: Question, subject: set[str]) -> Match:
    """Score a column by the words of its name; subject: the stems of what a row is called."""
    if CJK.search(column.name):
        return characters(words, column)
    if question.language == "zh":
        latin = Question(" ".join(w.text for w in words if not CJK.search(w.text)))
        said = lexical(latin.words(), column, latin, subject) if latin.text else Match(column, 0.0)
        if said.score >= 0.5:
            at = {w.text: i for i, w in enumerate(words)}
            used = {at[w.text] for i, w in enumerate(latin.words()) if i in said.words and w.text in at}
            return Match(column, said.score, used, [words[i].start for i in sorted(used)])
        return characters(words, column)
    used: set[int] = set()
    got, total = 0.0, 0.0
    whole = column.name.lower()
    name = [[whole]] if any(w.text == whole for w in words) else named(column)
    for meanings in name:
        best, at = 0.0, -1
        for i, word in enumerate(words):
            score = means(word.text, meanings)
            if score > best:
                best, at = score, i
        weight = weight_of(meanings[0], name, subject, by_concept=0 < best < 0.75)
        total += weight
        got += weight * best
        if best >= 0.6:
            used.add(at)
    score = got / (0.6 * total + 0.4) if total else 0.0
    composed = compose("".join(m[0] for m in name), words)
    if composed and score < 0.95:
        score, used = 0.95, composed
    score, used = with_unit(score, used, words, column)
    return Match(column, score, used, [words[i].start for i in sorted(used)])


def with_unit(
    score: float, used: set[int], words: list[Word], column: ColumnProfile
) -> tuple[float, set[int]]:
    """Return a score raised, and the words that did it, where the question says the unit of a column, or money."""
    held = unit_held(column)
    said = {i for i, w in enumerate(words) if held and unit_said(w.text) == held}
    if said:
        return score + 0.45, used | said
    if column.role == "measure" and is_money(column) and any(w.text in MUCH for w in words):
        return score + 0.25, used
    return score, used


def weight_of(word: str, name: list[list[str]], subject: set[str], *, by_concept: bool) -> float:
    """Return how much a word of a name tells: little if it is small, general, or what every row is."""
    if len(name) == 1:
        return 1.0
    if word in lexicon("en").stop or word in UNITS:
        return 0.2
    if stem(word) in subject:
        return 0.3
    return 0.5 if word in GENERIC and not by_concept else 1.0


def means(word: str, meanings: list[str]) -> float:
    """Return how much a word of the question says one of a name's words, or a concept of it: 0 to 1."""
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
    """Tell whether `short` is `word` without its vowels or some of its letters: qty, hrs, mgmt."""
    letters = iter(word)
    return len(short) <= 5 and not re.search(r"[aeiou]", short[1:]) and all(c in letters for c in short)


def compose(name: str, words: list[Word]) -> set[int]:
    """Return the words whose beginnings make up a name in order: real + gdp, t + bil + rate, c + p + i.

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


def characters(words: list[Word], column: ColumnProfile) -> Match:
    """Score a column with a Chinese name: whole name, then shared character pairs, then concepts."""
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
                    if any(name[k : k + n] in word.text for k in range(len(name) - n + 1))
                ),
                default=0,
            )
            score = 0.9 * shared / len(name) if shared >= 2 else 0.0
        for said, meant in concepts.items():
            fits = [k for k, m in enumerate(meant) if (m in name if CJK.search(m) else name.startswith(m))]
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
