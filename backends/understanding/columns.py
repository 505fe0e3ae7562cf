"""Which columns the words of a question mean."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

import numpy as np

from backends.understanding.spans.text import CJK, Question, Word, lexicon, name_words, stem

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from backends.kernel import ColumnProfile, Profile

    Embed = Callable[[list[str]], Awaitable[np.ndarray]]

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


@dataclass
class Match:
    """How well a column fits the question: a score from 0 to about 1, and the words that say so."""

    column: ColumnProfile
    score: float
    words: set[int] = field(default_factory=set[int])
    at: int = -1


async def match_columns(question: Question, profile: Profile, embed: Embed | None) -> list[Match]:
    """Return every column with its score, best first."""
    words = question.words()
    near = await similarities(words, profile, embed, question)
    matches = [lexical(words, column, question) for column in profile.columns]
    for match, cosine in zip(matches, near, strict=True):
        match.score = match.score + 0.35 * max(0.0, cosine - 0.25)
    return sorted(matches, key=lambda m: -m.score)


async def similarities(
    words: list[Word], profile: Profile, embed: Embed | None, question: Question
) -> list[float]:
    """Return, for each column, the best cosine of a phrase of the question with its name."""
    stop = lexicon("en").stop
    content = [
        w.text for w in words if w.text not in stop and not CJK.search(w.text) and not w.text[0].isdigit()
    ]
    if embed is None or not content or question.language != "en":
        return [0.0] * len(profile.columns)
    phrases = [" ".join(content[i : i + n]) for n in (1, 2, 3) for i in range(len(content) - n + 1)]
    names = [" ".join(name_words(c.name)) or c.name for c in profile.columns]
    vectors = await embed(phrases + names)
    table = vectors[: len(phrases)] @ vectors[len(phrases) :].T
    return [float(v) for v in table.max(axis=0)]


def lexical(words: list[Word], column: ColumnProfile, question: Question) -> Match:
    """Score a column by the words of its name."""
    name = name_words(column.name)
    if CJK.search(column.name):
        return characters(words, column)
    if question.language == "zh":
        latin = Question(" ".join(w.text for w in words if not CJK.search(w.text)))
        said = lexical(latin.words(), column, latin) if latin.text else Match(column, 0.0)
        if said.score >= 0.5:
            at = {w.text: i for i, w in enumerate(words)}
            used = {at[w.text] for i, w in enumerate(latin.words()) if i in said.words and w.text in at}
            return Match(column, said.score, used, min((words[i].start for i in used), default=-1))
        return characters(words, column)
    concepts = lexicon("en").concepts
    used: set[int] = set()
    got, total = 0.0, 0.0
    for part in name:
        weight = 0.5 if part in GENERIC else 1.0
        best, at = 0.0, -1
        for i, word in enumerate(words):
            score = alike(word.text, part)
            if score < 0.75 and any(alike(part, meant) >= 0.9 for meant in concepts.get(word.text, [])):
                score = 0.7
            if score > best:
                best, at = score, i
        total += weight
        got += weight * best
        if best >= 0.6:
            used.add(at)
    score = got / (0.6 * total + 0.4) if total else 0.0
    composed = compose("".join(name), words)
    if composed and score < 0.95:
        score, used = 0.95, composed
    if column.unit and any(stem(w.text) == column.unit.lower() for w in words):
        score += 0.2
    at = min((words[i].start for i in used), default=-1)
    return Match(column, score, used, at)


def alike(word: str, part: str) -> float:
    """Return how much a word of the question is a word of a name: 1 the same, down to 0."""
    if word == part or stem(word) == stem(part):
        return 1.0
    short, long = sorted((stem(word), stem(part)), key=len)
    if len(short) >= 3 and long.startswith(short):
        return 0.85
    if len(word) >= 5 and word[0] == part[:1] and SequenceMatcher(None, word, part).ratio() >= 0.84:
        return 0.9
    if len(part) >= 3 and len(word) >= 5 and word[0] == part[0] and is_abbreviation(part, word):
        return 0.8
    return 0.0


def is_abbreviation(short: str, word: str) -> bool:
    """Tell whether `short` is `word` without its vowels, or without some of its letters: qty, dept, govt."""
    letters = iter(word)
    return len(short) <= 5 and all(c in letters for c in short) and not re.search(r"[aeiou]{2}", short)


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
    name = re.sub(r"[(（\[].*?[)）\]]", "", column.name).strip().lower()
    best, used, at = 0.0, set[int](), -1
    for i, word in enumerate(words):
        score = 0.0
        if name and name in word.text:
            score = 1.0 + 0.02 * len(name)
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
            if said in word.text and any(m in name if CJK.search(m) else name.startswith(m) for m in meant):
                score = max(score, 0.65)
        if score > best:
            best, used, at = score, {i}, word.start
    return Match(column, best, used, at)
