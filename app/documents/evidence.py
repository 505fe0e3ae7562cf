"""Evidence: which sentence of a passage answers a question, and how likely it does."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from operator import mul
from typing import TYPE_CHECKING

import yaml

from app.documents.passages import spans_of
from app.documents.terms import (
    KANA,
    RUN,
    common_runs,
    common_words,
    is_light,
    language_of,
    pairs,
    stem,
    stem_set,
    terms_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

SHORT = 40  # characters of a sentence, below which the one behind it goes along
ABSENT = 0.7  # of the weight of the rarest word, for one that occurs nowhere
KATAKANA_WORD = 1.5  # pairs that a word in katakana counts for, however long it is
HANGING = 0.5  # of its weight has a pair of characters one of which is kana or a particle
LIKELY = 0.6  # from this probability on, a part of a passage is an answer
SAID = 5  # the sign of a candidate that is compared with the best one of all
# Of a constant, of the signs of a candidate and of the distance to the best one, as
# tests/bench/evidence.py finds them.
WEIGHTS = (-7.18, 0.91, 1.05, -4.48, -2.18, 3.06, 2.63, 1.08, -4.15, 1.33, 0.97, 2.93)
KANA_ONLY = re.compile(r"[\u3040-\u309f]+")
# What numbers a section or a page is no answer: "5.1.2 Clean it", "§ 12 Boats".
NUMBERING = re.compile(r"(?m)^\s*(?:§\s*)?\d+(?:\.\d+)*[.)]?(?=\s)|^\s*\d{1,4}\s*$|§\s*\d+")
KATAKANA = re.compile(r"[\u30a1-\u30ff]{3,}")


@dataclass(frozen=True)
class AnswerKind:
    """A kind of answer: the words that ask for it, and its form."""

    name: str
    asks: re.Pattern[str]
    holds: re.Pattern[str]


@cache
def answer_kinds() -> tuple[AnswerKind, ...]:
    """Return the kinds of answers, the more particular first."""
    raw = yaml.safe_load(
        files("resources").joinpath("documents", "answers.yaml").read_text("utf-8")
    )
    return tuple(
        AnswerKind(
            name,
            re.compile("|".join(one["asks"]), re.IGNORECASE),
            re.compile("|".join(one["holds"]), 0 if one.get("case") else re.IGNORECASE),
        )
        for name, one in raw.items()
    )


@dataclass(frozen=True)
class DocumentQuestion:
    """What a question asks.

    units: what an answer speaks of, each with its weight: stems of words, ids, pairs of Chinese,
    Japanese and Korean characters. names: those of them that are names or numbers. kind: of answer
    that is wanted.
    """

    units: Mapping[str, float]
    names: frozenset[str]
    kind: AnswerKind | None

    @property
    def everything(self) -> frozenset[str]:
        """All units."""
        return frozenset(self.units)

    def share(self, some: frozenset[str], whole: frozenset[str]) -> float:
        """Return the weight of some units as a share of that of others; 0.5 if those have none."""
        total = sum(self.units[unit] for unit in whole)
        return sum(self.units[unit] for unit in some) / total if total else 0.5


@dataclass(frozen=True)
class AnswerSentence:
    """A part of a passage that may answer. start, end: its place in the passage.

    signs: what speaks for and against it, each 0 to 1: the share of the question's plain words it
    and its neighbours say, and its passage says; of its names that the passage lacks; whether an
    answer of the wanted kind is missing; how early the passage was found; the share of what no
    heading says that it says, and its passage says; how few words the question has; how much it
    says that the question does not; whether it holds a number or an id of the question. refuted: its passage lacks such a number or
    id, so it speaks of another year, section or part.
    """

    start: int
    end: int
    signs: tuple[float, ...]
    refuted: bool = False


def read_question(
    question: str, frequency: Callable[[str], int], passages: int
) -> DocumentQuestion:
    """Return the analysis of a question.

    frequency: returns in how many passages an FTS5 expression occurs. passages: how many there are.
    """
    plain = unicodedata.normalize("NFKC", question)
    units: dict[str, float] = {}
    names: set[str] = set()
    common = common_words()[language_of(plain)]
    rarest = weight_of(1, passages)
    first = True
    for term in terms_of(plain):
        if RUN.fullmatch(term):
            units |= pairs_asked(term, frequency, passages)
            continue
        known_first, first = first, False
        if term.lower() in common or (len(term) == 1 and not term.isdigit()):
            continue
        parts = re.split(r"[./:-]", term)
        count = frequency('"' + " ".join(parts) + '"')
        weight = weight_of(count, passages) if count else ABSENT * rarest
        for part in parts if not any(map(str.isdigit, term)) else [term]:
            unit = stem(part)
            units[unit] = weight / (len(parts) if unit != term else 1)
            if is_name(term, first=known_first, question=plain):
                names.add(unit)
    kind = next((one for one in answer_kinds() if one.asks.search(plain)), None)
    return DocumentQuestion(units, frozenset(names), kind)


def weight_of(count: int, passages: int) -> float:
    """Return the weight of a word that occurs in some of all passages."""
    return math.log(1 + (passages + 1) / (count + 0.5))


def pairs_asked(run: str, frequency: Callable[[str], int], passages: int) -> dict[str, float]:
    """Return the pairs of characters of a run that an answer speaks of, with their weights.

    A pair that no document holds counts as missing only if it is likely a word: none of its
    characters is light, and its neighbours do not stand in the documents, as those of a pair across
    two words do.
    """
    if len(run) == 1:
        return {} if is_light(run) else {run: ABSENT * weight_of(1, passages)}
    cut = common_cut(run)
    found = pairs(cut)
    counts = [0 if " " in one else frequency(f'"{one}"') for one in found]
    units: dict[str, float] = {}
    rarest = weight_of(1, passages)
    for one in re.findall(r"(?<![^ ])[^ ](?![^ ])", cut):
        if not is_light(one):
            units[one] = ABSENT * rarest
    for at, (pair, count) in enumerate(zip(found, counts, strict=True)):
        if " " in pair or KANA_ONLY.fullmatch(pair):
            continue
        light = any(map(is_light, pair))
        if count:
            units[pair] = weight_of(count, passages) * (HANGING if light else 1.0)
            continue
        beside = counts[max(0, at - 1) : at] + counts[at + 1 : at + 2]
        if not light and not (len(beside) == 2 and all(beside)):
            units[pair] = ABSENT * rarest
    for word in KATAKANA.findall(cut):
        inside = [one for one in pairs(word) if one in units]
        for one in inside:
            units[one] *= KATAKANA_WORD / max(len(inside), KATAKANA_WORD)
    return units


def common_cut(run: str) -> str:
    """Return a run of characters with blanks for those that are too common."""
    language = "ja" if KANA.search(run) else "zh"
    return common_runs(language).sub(lambda found: " " * len(found[0]), run)


def is_name(term: str, *, first: bool, question: str) -> bool:
    """Return whether a term is a name or a number: written large within a sentence, or
    with digits.
    """
    if any(c.isdigit() for c in term):
        return True
    if language_of(question) == "de":
        return False  # every noun is written large
    starts = question.lstrip().startswith(term)
    return term[:1].isupper() and not (first and starts)


def held(asked: DocumentQuestion, text: str) -> frozenset[str]:
    """Return the units of a question that occur in a text; an id must occur whole."""
    stems = stem_set(text)
    plain = unicodedata.normalize("NFKC", text).lower()
    return frozenset(
        unit
        for unit in asked.units
        if unit in stems
        or (len(unit) == 1 and not unit.isascii() and unit in plain)
        or (any(map(str.isdigit, unit)) and is_written(unit.lower(), plain))
    )


def is_written(term: str, plain: str) -> bool:
    """Return whether a number or id occurs in a text of small letters exactly as written."""
    return re.search(rf"(?<![\w.]){re.escape(term)}(?!\.?\w)", plain) is not None


def holds_answer(asked: DocumentQuestion, text: str) -> bool:
    """Return whether a sentence has the form of an answer of the wanted kind."""
    assert asked.kind is not None
    plain = NUMBERING.sub(" ", unicodedata.normalize("NFKC", text))
    for name in asked.names:
        if any(map(str.isdigit, name)):
            plain = re.sub(rf"(?<!\d){re.escape(name)}(?!\d)", " ", plain, flags=re.IGNORECASE)
        elif asked.kind.name == "person":
            plain = re.sub(rf"\b{re.escape(name)}\w*", " ", plain, flags=re.IGNORECASE)
    return asked.kind.holds.search(plain) is not None


def parts_of(text: str, names: str) -> list[tuple[int, int]]:
    """Return the spans of the sentences of a passage; a short one is joined with the next, except a
    heading and the end of a paragraph.
    """
    spans = spans_of(text)
    headings = {line.strip() for line in names.splitlines()}
    made: list[tuple[int, int]] = []
    for at, (start, end) in enumerate(spans):
        part = text[start:end]
        whole = part.count("\n\n") or part.strip("#* \n") in headings or at + 1 == len(spans)
        joined = len(part.strip()) < SHORT and not whole
        made.append((start, spans[at + 1][1] if joined else end))
    return made


def read_candidates(
    asked: DocumentQuestion, names: str, text: str, rank: int
) -> list[AnswerSentence]:
    """Return the parts of a passage that may answer, with the evidence for each.

    names: of the file, the title and the heading. rank: of the passage in the search, from 0.
    """
    in_names = held(asked, names)
    in_passage = held(asked, text) | in_names
    # What a name or a heading says picks the passage; a sentence has to say the rest.
    rest = frozenset(asked.units) - in_names or asked.everything
    plain = frozenset(asked.units) - asked.names or asked.everything
    ids = {unit for unit in asked.names if any(map(str.isdigit, unit))}
    names_missing = asked.share(asked.names - in_passage, asked.everything)
    singles = [held(asked, text[start:end]) for start, end in spans_of(text)]
    made: list[AnswerSentence] = []
    for at, (start, end) in enumerate(parts_of(text, names)):
        part = text[start:end]
        said = held(asked, part)
        near = said.union(*singles[max(0, at - 1) : at + 2])
        new = sum(len(one) > 1 and one not in asked.units for one in stem_set(part))
        signs = (
            asked.share(plain & near, plain),
            asked.share(plain & in_passage, plain),
            names_missing,
            float(asked.kind is not None and not holds_answer(asked, part)),
            1 / (1 + rank),
            asked.share(rest & said, rest),
            asked.share(rest & in_passage, rest),
            1 / (1 + len(asked.units)),
            min(1.0, new / 4),
            float(not ids.isdisjoint(said)),
        )
        made.append(AnswerSentence(start, end, signs, not ids <= in_passage))
    return made


def probabilities(candidates: Sequence[AnswerSentence]) -> list[float]:
    """Return how likely each of the candidates of one question answers it."""
    best = max((one.signs[SAID] for one in candidates), default=0.0)
    return [0.0 if one.refuted else probability(one, best) for one in candidates]


def probability(candidate: AnswerSentence, best: float) -> float:
    """Return the probability that a candidate answers, by its signs. best: the highest value of
    any.
    """
    signs = (1.0, *candidate.signs, candidate.signs[SAID] - best)
    return 1 / (1 + math.exp(-sum(map(mul, WEIGHTS, signs))))
