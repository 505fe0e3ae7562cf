"""The words of requests put together of parts, as resources/planning/vocabulary.yaml lists them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import yaml

from backends.planning.tables import plain


@dataclass(frozen=True)
class Derived:
    """A quantity that is made of columns: its names and its formula over words of columns' names."""

    names: tuple[str, ...]
    formula: str
    percent: bool


@dataclass(frozen=True)
class Vocabulary:
    """kinds: groups of words for one kind of thing. measures: word of a column's name → what it is called.
    fluff: words that restrict nothing; fluff_zh: the same, the longest first."""

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
    raw: dict[str, Any] = yaml.safe_load((files("resources.planning") / "vocabulary.yaml").read_text("utf-8"))
    derived = tuple(
        Derived(
            tuple(plain(str(n)) for n in one["names"]), plain(str(one["formula"])), bool(one.get("percent"))
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
    raw: dict[str, Any] = yaml.safe_load((files("resources.planning") / "vocabulary.yaml").read_text("utf-8"))
    return frozenset(str(raw[name]).split())
