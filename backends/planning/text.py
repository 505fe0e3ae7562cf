"""The text of a request: its words, what stands for them, and the names of columns as words."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

import yaml

if TYPE_CHECKING:
    from backends.data.values import Profile

Script = Literal["en", "zh"]  # whose vocabulary reads a text: Chinese words for Japanese ones


CJK = re.compile(r"[\u3400-\u9fff\u3040-\u30ff]")


WORD = re.compile(
    r"[A-Za-z\u00c0-\u024f]+\d*(?:(?<=\d)\.\d+)?(?:['’][a-z]+)?|\d[\d,.]*\d|\d|[\u3400-\u9fff\u3040-\u30ff]+"
)


@dataclass(frozen=True)
class Word:
    """A word and where it stands."""

    text: str
    start: int
    end: int


class Question:
    """The text, normalised. language: whose vocabulary reads it."""

    def __init__(self, text: str) -> None:
        self.text = unicodedata.normalize("NFKC", text).strip()
        # the same length as the text, so that spans fit both
        self.lower = "".join(c.lower() if len(c.lower()) == 1 else c for c in self.text)
        self.language: Script = "zh" if CJK.search(self.text) else "en"

    def words(self) -> list[Word]:
        """Return the words in lower case."""
        return [Word(m[0], m.start(), m.end()) for m in WORD.finditer(self.lower)]


@dataclass(frozen=True)
class Thesaurus:
    """What words mean, whatever the table.

    stop: words that carry no condition; common: more such words, which may still name a column.
    concepts: a word → words of column names it may mean. abbreviations: a part of a column's name →
    the words it is short for. initials: a whole name → its words.
    """

    stop: frozenset[str]
    common: frozenset[str]
    concepts: dict[str, list[str]]
    abbreviations: dict[str, list[str]]
    initials: dict[str, list[str]]


@lru_cache
def lexicon(language: Script) -> Thesaurus:
    """Return the thesaurus of a language."""
    raw: dict[str, Any] = yaml.safe_load(
        (files("resources.planning") / f"{language}.yaml").read_text("utf-8")
    )
    concepts = {
        str(word).lower(): [str(v) for v in names] for word, names in raw["concepts"].items()
    }
    concepts = {stem(word): names for word, names in concepts.items()} | concepts
    stop, common = (frozenset(str(raw.get(key, "")).split()) for key in ("stop", "common"))
    return Thesaurus(
        stop,
        common,
        concepts,
        raw.get("abbreviations", {}),
        raw.get("initials", {}),
    )


@lru_cache
def glossary() -> dict[str, list[str]]:
    """Return English words of column names by the Chinese ones that mean them, the longest
    first.
    """
    raw: dict[str, str] = yaml.safe_load(
        (files("resources.language") / "glossary.yaml").read_text("utf-8")
    )
    return {
        word: meant.split() for word, meant in sorted(raw.items(), key=lambda item: -len(item[0]))
    }


SPACED = re.compile(
    r"(?<=\d)\s+(?=[年月日号季周天])|(?<=[年月第])\s+(?=[\d一二三四上下第])|(?<=[\d一二三四])\s+(?=季度|四半期)"
)


def tight(text: str) -> str:
    """Return a text without the blanks some put between figures and 年, 月 or 日."""
    return SPACED.sub("", text)


def in_english(words: list[Word]) -> list[Word]:
    """Return the Latin words of a Chinese question and what its Chinese ones may be called in
    English, in place.
    """
    made: list[Word] = []
    for word in words:
        if not CJK.search(word.text):
            made.append(word)
            continue
        text = word.text
        for chinese, english in glossary().items():
            while (at := text.find(chinese)) >= 0:
                start = word.start + at
                made += [Word(said, start, start + len(chinese)) for said in english]
                text = text.replace(chinese, "\0" * len(chinese), 1)
    return sorted(made, key=lambda w: w.start)


@lru_cache(maxsize=32768)
def stem(word: str) -> str:
    """Return an English word without the endings of plural and tense: bookings and booked are both
    book.
    """
    for endings in (
        (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("es", "e"), ("s", "")),
        (("ing", ""), ("ed", ""), ("e", "")),
    ):
        for ending, instead in endings:
            if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
                word = word[: -len(ending)] + instead
                break
    return word


def bare(name: str) -> str:
    """Return a column's name in lower case without what stands in brackets."""
    return re.sub(r"[(（\[].*?[)）\]]", "", name).strip().lower()


def name_words(name: str) -> list[str]:
    """Return the words of a column's name in lower case, its unit in brackets left out."""
    bare = re.sub(r"[(（\[][^)）\]]*[)）\]]", " ", unicodedata.normalize("NFKC", name))
    bare = re.sub("([kM])Wh", lambda m: f" {m[1].lower()}wh ", bare)
    split = re.sub(r"([a-z\d])([A-Z])", r"\1 \2", bare)
    return [
        w.lower()
        for w in re.findall(r"[A-Za-z\u00c0-\u024f]+|\d+|[\u3400-\u9fff\u3040-\u30ff]+", split)
    ]


# 1990-1, as a table with a year and a quarter writes it
YEAR_QUARTER = re.compile(r"(?<![\d.-])(?P<year>(?:18|19|20)\d\d)-(?P<q>[1-4])(?![\d.%-])")


def quarters_said(text: str, profiles: list[Profile]) -> str:
    """Return the question with "1990-1" said out as a quarter, if that is how these tables tell the
    time: a year and a quarter.
    """
    if not profiles or not all(
        {"year", "quarter"} <= {c.role for c in p.columns} for p in profiles
    ):
        return text
    chinese = CJK.search(text)
    return YEAR_QUARTER.sub(r"\g<year>年第\g<q>季度" if chinese else r"Q\g<q> \g<year>", text)
