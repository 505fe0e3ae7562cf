"""How much a word of a question says a word of a column's name."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from backends.understanding.matching.match import GENERIC, UNITS
from backends.understanding.spans.text import Word, lexicon, name_words, stem

if TYPE_CHECKING:
    from backends.data.values import ColumnProfile


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
    """Tell whether `short` is `word` without its vowels or some of its letters: qty, hrs, mgmt."""
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
