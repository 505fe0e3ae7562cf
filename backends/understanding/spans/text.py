"""The text of a question, mended where a word is misspelled."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

import yaml

from backends.understanding.asking.japanese import Spoken, spoken
from backends.understanding.spans.numbers import WORDS

if TYPE_CHECKING:
    from backends.data.values import Profile


Language = Literal["en", "zh"]
CJK = re.compile(r"[\u3400-\u9fff\u3040-\u30ff]")
WORD = re.compile(
    r"[A-Za-z\u00c0-\u024f]+\d*(?:(?<=\d)\.\d+)?(?:['’][a-z]+)?|\d[\d,.]*\d|\d|[\u3400-\u9fff\u3040-\u30ff]+"
)


# "haven't" as it is typed, the apostrophe left out or not
NOT = r"(?:[a-z]+n['’]t|(?:have|has|had|do|does|did|is|are|was|were|could|would|should)nt|cannot|cant|wont)"
CODE = re.compile(
    r"(?<![\w.,-])(?:[A-Za-z]{1,6}[-_/]\d[\w-]*|[A-Za-z]{1,4}\d{3,}[\w-]*|#\d+|0\d{2,}(?![\d.,]))"
)


@dataclass(frozen=True)
class Span:
    """A stretch of the question that something explains; `mark` stands for it when the rest is
    read.
    """

    start: int
    end: int
    mark: str


@dataclass(frozen=True)
class Word:
    """A word and where it stands."""

    text: str
    start: int
    end: int


class Question:
    """The text, normalised, and the spans taken from it so far.

    language: whose lexicon reads it. spoken: the language it was asked in, and is answered in.
    """

    def __init__(self, text: str, spoken_in: Spoken | None = None) -> None:
        self.spoken: Spoken = spoken_in or spoken(text)
        self.text = unicodedata.normalize("NFKC", text).strip()
        # the same length as the text, so that spans fit both
        self.lower = "".join(c.lower() if len(c.lower()) == 1 else c for c in self.text)
        self.language: Language = "zh" if CJK.search(self.text) else "en"
        self.spans: list[Span] = []

    def free(self, start: int, end: int) -> bool:
        """Tell whether nothing was taken of a stretch."""
        return all(end <= s.start or start >= s.end for s in self.spans)

    def in_code(self, start: int, end: int) -> bool:
        """Tell whether a stretch touches a code such as EXP-2026-0200, whose digits are no
        number.
        """
        return any(m.start() < end and start < m.end() for m in CODE.finditer(self.text))

    def take(self, start: int, end: int, mark: str) -> None:
        """Mark a stretch as explained."""
        self.spans.append(Span(start, end, mark))

    def give_back(self, start: int, end: int) -> None:
        """Make a stretch that was taken free again."""
        self.spans = [s for s in self.spans if (s.start, s.end) != (start, end)]

    def masked(self) -> str:
        """Return the text in lower case with a mark in place of each span."""
        made, at = "", 0
        for span in sorted(self.spans, key=lambda s: s.start):
            if span.start >= at:
                made += self.lower[at : span.start] + f" {span.mark} "
                at = span.end
        return re.sub(r"\s+", " ", made + self.lower[at:]).strip()

    def words(self) -> list[Word]:
        """Return the words nothing was taken of, in lower case."""
        found: list[Word] = []
        for match in WORD.finditer(self.lower):
            if self.free(match.start(), match.end()):
                found.append(Word(match[0], match.start(), match.end()))
            elif CJK.match(match[0]):
                found += self._free_parts(match.start(), match.end())
        return found

    def _free_parts(self, start: int, end: int) -> list[Word]:
        parts: list[Word] = []
        at = start
        for i in range(start, end + 1):
            if i == end or not self.free(i, i + 1):
                if i > at:
                    parts.append(Word(self.lower[at:i], at, i))
                at = i + 1
        return parts


@dataclass(frozen=True)
class Lexicon:
    """What words mean, whatever the table.

    stop: words that carry no condition; common: more such words, which may still name a column.
    cues: operation → (pattern, weight). concepts: a word → words of column names it may mean.
    abbreviations: a part of a column's name → the words it is short for. initials: a whole name →
    its words.
    phrases: several words → the one that says it.
    """

    stop: frozenset[str]
    common: frozenset[str]
    cues: dict[str, tuple[re.Pattern[str], float]]
    concepts: dict[str, list[str]]
    abbreviations: dict[str, list[str]]
    initials: dict[str, list[str]]
    phrases: dict[str, str]


@lru_cache
def lexicon(language: Language) -> Lexicon:
    """Return the lexicon of a language."""
    raw: dict[str, Any] = yaml.safe_load(
        (files("resources.understanding") / f"{language}.yaml").read_text("utf-8")
    )
    cues = {
        name: (re.compile(pattern), float(weight))
        for name, (pattern, weight) in raw["cues"].items()
    }
    concepts = {
        str(word).lower(): [str(v) for v in names] for word, names in raw["concepts"].items()
    }
    concepts = {stem(word): names for word, names in concepts.items()} | concepts
    stop, common = (frozenset(str(raw.get(key, "")).split()) for key in ("stop", "common"))
    return Lexicon(
        stop,
        common,
        cues,
        concepts,
        raw.get("abbreviations", {}),
        raw.get("initials", {}),
        raw.get("phrases", {}),
    )


@lru_cache
def glossary() -> dict[str, list[str]]:
    """Return English words of column names by the Chinese ones that mean them, the longest
    first.
    """
    raw: dict[str, str] = yaml.safe_load(
        (files("resources.understanding") / "glossary.yaml").read_text("utf-8")
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


CUES = (
    "average median highest lowest total number percentage different distinct between cheapest"
    " expensive largest smallest people number customers orders received submissions payment"
    " members visitors employees products quantity price amount cost difference recent recently"
    " latest maximum minimum share list without before after during january february march april"
    " june july august september october november december quarter month year"
)
SHORTHAND = {
    "ppl": "people",
    "avg": "average",
    "whats": "what is",
    "hows": "how is",
    "w/o": "without",
    "b/w": "between",
}
SQUARED = re.compile(r"\b(square|cubic) met(?:re|er)s?\b", re.IGNORECASE)
HALVES = re.compile(
    r"\b(\d+|one|two|three|four|five|six|seven|eight|nine|ten) and a half\b", re.IGNORECASE
)
SPELLING_WORD = re.compile(r"[A-Za-z]{4,}")
# 1990-1, as a table with a year and a quarter writes it
YEAR_QUARTER = re.compile(r"(?<![\d.-])(?P<year>(?:18|19|20)\d\d)-(?P<q>[1-4])(?![\d.%-])")


def mend(text: str, profile: Profile) -> str:
    """Return the question with a word that is one slip away from a known one put right.

    A slip: a letter too many, missing, wrong, or two swapped; two slips in ten letters and more.
    Only words that are no common ones are touched, and only if one known word is near.
    """
    if CJK.search(text):
        return text
    text = SQUARED.sub(lambda m: "m2" if m[1].lower() == "square" else "m3", text)
    text = HALVES.sub(lambda m: f"{WORDS.get(m[1].lower(), m[1])}.5", text)
    names = [c.name.lower().replace("_", " ") for c in profile.columns]
    for phrase, meant in lexicon("en").phrases.items():
        if not any(phrase in name for name in names):
            text = re.sub(rf"\b{phrase}\b", meant, text, flags=re.IGNORECASE)
    known = vocabulary(profile)
    concepts = lexicon("en").concepts
    common = (
        lexicon("en").stop
        | lexicon("en").common
        | concepts.keys()
        | {w for ws in concepts.values() for w in ws}
    )

    def put_right(match: re.Match[str]) -> str:
        said = match[0]
        word = said.lower()
        if word in SHORTHAND:
            return SHORTHAND[word]
        if (
            word in known
            or word in common
            or stem(word) in known
            or stem(word) in common
            or len(word) < 4
        ):
            return said
        limit = 2 if len(word) >= 10 else 1
        near = {
            k
            for k in known
            if k[0] == word[0] and abs(len(k) - len(word)) <= limit and slips(word, k) <= limit
        }
        near = {k for k in near if len(k) >= 5 and stem(k) != stem(word)}
        return near.pop() if len(near) == 1 else said

    return SPELLING_WORD.sub(put_right, text)


def vocabulary(profile: Profile) -> set[str]:
    """Return the words a question about a table may be spelt by."""
    words = set(CUES.split())
    short = lexicon("en").abbreviations
    for column in profile.columns:
        for word in name_words(column.name):
            words |= {word, *short.get(word, [])}
        if column.kind == "text" and column.role == "category":
            words |= {
                w.lower()
                for v in column.values
                for w in re.findall(r"[A-Za-z]+", str(v))
                if w.islower() or column.distinct <= 12
            }
    words |= set(name_words(profile.name))
    return {w for w in words if len(w) >= 4 and w.isascii()}


def slips(one: str, two: str) -> int:
    """Return the number of letters to add, drop, change or swap with the next, between two
    words.
    """
    before: list[int] = []
    row = list(range(len(two) + 1))
    for i, a in enumerate(one, 1):
        last, before, row = before, row, [i]
        for j, b in enumerate(two, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == two[j - 2] and one[i - 2] == b:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]


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
