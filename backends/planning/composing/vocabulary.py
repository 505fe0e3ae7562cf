"""The words of requests put together of parts, as resources/planning/vocabulary.yaml lists them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import yaml

from backends.planning.tables import plain
from backends.understanding.spans.text import CJK, glossary, lexicon, name_words, stem


@dataclass(frozen=True)
class Derived:
    """A quantity that is made of columns: its names and its formula over words of columns'
    names.
    """

    names: tuple[str, ...]
    formula: str
    percent: bool


@dataclass(frozen=True)
class Vocabulary:
    """kinds: groups of words for one kind of thing. measures: word of a column's name → what it is
    called.
    fluff: words that restrict nothing; fluff_zh: the same, the longest first.
    """

    kinds: tuple[frozenset[str], ...]
    measures: dict[str, tuple[str, ...]]
    derived: tuple[Derived, ...]
    fluff: frozenset[str]
    fluff_zh: tuple[str, ...]

    def same_kind(self, word: str) -> frozenset[str]:
        """Return all words for the kinds of thing a word names, itself included."""
        return frozenset({word}).union(*(group for group in self.kinds if word in group))


@lru_cache
def vocabulary() -> Vocabulary:
    """Return the vocabulary."""
    raw: dict[str, Any] = yaml.safe_load(
        (files("resources.planning") / "vocabulary.yaml").read_text("utf-8")
    )
    derived = tuple(
        Derived(
            tuple(plain(str(n)) for n in one["names"]),
            plain(str(one["formula"])),
            bool(one.get("percent")),
        )
        for one in raw["derived"]
    )
    zh = sorted(set(str(raw["fluff_zh"]).split()), key=len, reverse=True)
    return Vocabulary(
        tuple(frozenset(plain(str(w)) for w in group) for group in raw["kinds"]),
        {plain(str(k)): tuple(plain(str(p)) for p in v) for k, v in raw["measures"].items()},
        derived,
        frozenset(str(raw["fluff"]).split()),
        tuple(zh),
    )


@lru_cache
def listed(name: str) -> frozenset[str]:
    """Return a list of words by its name."""
    raw: dict[str, Any] = yaml.safe_load(
        (files("resources.planning") / "vocabulary.yaml").read_text("utf-8")
    )
    return frozenset(str(raw[name]).split())


Names = tuple[tuple[str, ...], ...]
COUNTED = re.compile(r"总?(?:人数|数量?|次数)|量|额")
LITTLE = frozenset({"of", "the", "no", "num", "number", "count"})


@lru_cache
def terms() -> dict[str, Names]:
    """Return the English names of columns by the Chinese words for them, each name as its words."""
    raw: dict[str, str] = yaml.safe_load(
        (files("resources.planning") / "terms.yaml").read_text("utf-8")
    )
    apart = {zh: (*((w,) for w in en), tuple(en)) for zh, en in glossary().items()}
    return apart | {
        zh: tuple(tuple(n.split()) for n in names.split(",")) for zh, names in raw.items()
    }


@lru_cache
def chinese() -> dict[str, frozenset[str]]:
    """Return the Chinese words by the stem of the one English word that says the same."""
    found: dict[str, set[str]] = {}
    for zh, names in terms().items():
        for name in names:
            if len(name) == 1:
                found.setdefault(stem(name[0]), set()).add(zh)
    return {word: frozenset(zh) for word, zh in found.items()}


@lru_cache(maxsize=512)
def heard(text: str) -> dict[int, list[tuple[int, Names]]]:
    """Return the Chinese words of a text that columns are called by: where each starts, where it
    ends, its names.
    """
    found: dict[int, list[tuple[int, Names]]] = {}
    for zh, names in terms().items():
        at = text.find(zh)
        while at >= 0:
            found.setdefault(at, []).append((at + len(zh), names))
            at = text.find(zh, at + 1)
    return found


@lru_cache(maxsize=4096)
def named_by(name: str) -> dict[str, str]:
    """Return the stems of the words of an English name, each with the one that stands there:
    quantity of qty; none of a Chinese name.
    """
    words = [w for w in name_words(name) if not w.isdigit() and w not in LITTLE]
    if CJK.search(name):
        return {}
    core = [w for w in words if w not in listed("units")] or words
    known = lexicon("en").abbreviations
    return {stem(said): stem(w) for w in core for said in (*known.get(w, ()), w)}


@lru_cache(maxsize=8192)
def compounds(name: str, text: str) -> tuple[tuple[str, float], ...]:
    """Return the Chinese words of a text, next to each other, that say all words of an English
    name: 新增病例 of New Cases.
    """
    meant = named_by(name)
    words = frozenset(meant.values())
    places = heard(text) if words else {}
    found: set[str] = set()

    def go_on(start: int, at: int, said: frozenset[str]) -> None:
        for end, names in places.get(at, ()):
            for one in names:
                more = frozenset(meant.get(stem(w), "") for w in one if w not in LITTLE)
                if not more <= words or more <= said:
                    continue
                if said | more == words:
                    tail = COUNTED.match(text, end)
                    found.update({text[start:end], text[start : tail.end() if tail else end]})
                else:
                    go_on(start, end + text.startswith("的", end), said | more)

    for start in places:
        go_on(start, start, frozenset())
    return tuple((zh, 1.15 if len(words) > 1 else 0.9) for zh in sorted(found))


@lru_cache(maxsize=4096)
def in_english(name: str) -> tuple[tuple[str, float], ...]:
    """Return what a column of a Chinese name may be called in English: new cases of 新增病例."""
    places = heard(name) if CJK.search(name) else {}
    found: dict[str, float] = {}

    def go_on(at: int, said: tuple[str, ...], parts: int) -> None:
        for end, names in places.get(at, ()):
            tail = COUNTED.match(name, end)
            whole = end == len(name) or (tail is not None and tail.end() == len(name))
            for one in names:
                if whole:
                    found[" ".join((*said, *one))] = 1.15
                elif parts < 3:
                    go_on(end + name.startswith("的", end), (*said, *one), parts + 1)

    go_on(0, (), 1)
    return tuple(
        (en, sure) for en, sure in found.items() if len(en) > 2 and en not in lexicon("en").stop
    )
