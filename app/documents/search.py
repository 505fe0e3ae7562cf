"""Search: the passages that answer a question, and whether they do."""

from __future__ import annotations

import re
import threading
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.documents.passages import spans_of
from app.documents.terms import CJK, content_terms, index_text, match_expression, pairs, quote

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np

    from app.documents.index import Index, IndexedPassage

CANDIDATES = 50  # of words and of vectors, that are joined
RANK = 60  # reciprocal rank fusion: 1 / (RANK + place)
EXACT = 0.03  # added for each number or id of the question that a passage holds as written
EVIDENCE = 0.5  # of the weight of a question's terms that its best passages hold, at least
ABSENT = 0.5  # the weight of a word that occurs nowhere; the rarest that occurs has 0.5, too
DATED = 0.3  # of the mean weight of a term, for a number where the question wants one
SHORT = 40  # characters of a quote, below which the sentence behind it goes along
# Questions whose answer is a number or a day.
WANTS_NUMBER = re.compile(
    r"\b(how (?:many|much|long|old|far|high|often)|when|what"
    r" (?:date|day|year|time|price|percentage))\b"
    r"|多少|多久|多长|几|何时|哪(?:天|年|日)|いつ|いくら|何(?:日|年|月|時|人|件|回)",
    re.IGNORECASE,
)
NUMBER = re.compile(
    r"\d|[一二三四五六七八九十百千万]+(?:个|年|月|日|天|元|份|人|か月|円)"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|hundred)\b",
    re.IGNORECASE,
)
ID = re.compile(r"[^\W_]*\d[^\W_]*(?:[./:-][^\W_]+)*")


@dataclass(frozen=True)
class Embedder:
    """What turns texts into vectors.

    name: of the model, with its revision. languages: those it was trained on; `*` is any.
    embed_query: a unit vector, float32.
    """

    name: str
    languages: frozenset[str]
    embed_query: Callable[[str], np.ndarray]


@dataclass(frozen=True)
class Hit:
    """A passage that was found.

    score: comparable within one search, higher is better. quote: the part of it that says most of
    what is asked, and how much of the question's weight that part holds, 0 to about 1.
    """

    passage: IndexedPassage
    score: float
    quote: str = ""
    said: float = 0.0


@dataclass(frozen=True)
class Found:
    """What a search found, best first.

    missing: content words of the question that occur in none of the best passages. answered:
    whether the passages are evidence enough for an answer.
    """

    hits: tuple[Hit, ...]
    missing: tuple[str, ...]
    answered: bool


class Search:
    """Finds passages by their words and, where an embedder is there, by their meaning."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._lock = threading.Lock()
        self._loaded: tuple[str, tuple[int, int]] | None = None
        self._ids: np.ndarray | None = None
        self._matrix: np.ndarray | None = None

    def find(
        self,
        question: str,
        limit: int = 8,
        *,
        hashes: Sequence[str] | None = None,
        embedder: Embedder | None = None,
    ) -> Found:
        """Return up to `limit` passages for a question.

        hashes: search only in files of these contents.
        """
        expression = match_expression(question)
        by_words = self._index.find_words(expression, CANDIDATES, hashes) if expression else []
        scores: dict[int, float] = {}
        for place, (one, _) in enumerate(by_words):
            scores[one] = scores.get(one, 0.0) + 1 / (RANK + place)
        weight = vector_weight(question, embedder)
        if embedder is not None and weight > 0:
            for place, one in enumerate(self._nearest(question, embedder, hashes)):
                scores[one] = scores.get(one, 0.0) + weight / (RANK + place)
        ids = sorted(scores, key=lambda one: -scores[one])[: 2 * CANDIDATES]
        exact = [term.lower() for term in ID.findall(unicodedata.normalize("NFKC", question))]
        hits = [
            Hit(passage, scores[passage.id] + EXACT * exact_matches(exact, passage.text))
            for passage in self._index.passages(ids)
        ]
        hits.sort(key=lambda hit: -hit.score)
        missing, answered = self.check_evidence(question, [hit.passage for hit in hits[:5]])
        weights = self._weights(content_terms(question))
        quoted = [self._quote(hit, weights, question) for hit in hits[:limit]]
        return Found(tuple(quoted), missing, answered)

    def _weights(self, terms: list[str]) -> dict[str, float]:
        """Return how much each term of a question says: the rarer in the index, the more."""
        weights: dict[str, float] = {}
        for term in terms:
            frequency = self._index.frequency(expression_of(term))
            # A word that occurs nowhere is likely another word for a common one that does.
            weights[term] = 1.0 / (1.0 + frequency**0.5) if frequency else ABSENT
        return weights

    def _quote(self, hit: Hit, weights: dict[str, float], question: str) -> Hit:
        """Return a hit with the sentence that says most of what is asked."""
        text = hit.passage.text
        total = sum(weights.values()) or 1.0
        bonus = DATED * total / max(len(weights), 1) if WANTS_NUMBER.search(question) else 0.0
        best, best_span = -1.0, (0, len(text))
        for start, end in spans_of(text):
            words = stem_set(text[start:end])
            score = sum(weight * covered(term, words) for term, weight in weights.items())
            if NUMBER.search(text[start:end]):
                score += bonus
            if score > best:
                best, best_span = score, (start, end)
        start, end = best_span
        if end - start < SHORT:
            behind = [last for first, last in spans_of(text) if first == end]
            end = behind[0] if behind else end
        return Hit(hit.passage, hit.score, text[start:end].strip(), max(best, 0.0) / total)

    def check_evidence(
        self, question: str, passages: list[IndexedPassage]
    ) -> tuple[tuple[str, ...], bool]:
        """Return the words of a question that passages lack, and whether they are evidence for it.

        A name or number that the passages lack refutes them; other words count by how rare they
        are in the index, and half of their weight must be there.
        """
        terms = content_terms(question)
        if not terms or not passages:
            return tuple(terms), False
        whole = stem_set(" ".join(f"{p.path} {p.title} {p.heading} {p.text}" for p in passages))
        total, held = 0.0, 0.0
        missing: list[str] = []
        refuted = False
        for position, (term, weight) in enumerate(self._weights(terms).items()):
            share = covered(term, whole)
            total += weight
            held += weight * share
            if share < 0.5:
                missing.append(term)
                refuted = refuted or is_name(term, first=position == 0, question=question)
        return tuple(missing), not refuted and held >= EVIDENCE * total

    def _nearest(
        self, question: str, embedder: Embedder, hashes: Sequence[str] | None
    ) -> list[int]:
        """Return the passages nearest in meaning, nearest first."""
        import numpy as np

        with self._lock:
            version = (embedder.name, self._index.vector_version(embedder.name))
            if self._loaded != version:
                rows = self._index.vectors(embedder.name)
                self._ids = np.array([one for one, _ in rows], dtype=np.int64)
                # float32: numpy multiplies float16 twelve times as slowly
                joined = np.frombuffer(b"".join(v for _, v in rows), dtype=np.float16)
                self._matrix = joined.reshape(len(rows), -1).astype(np.float32) if rows else None
                self._loaded = version
            ids, matrix = self._ids, self._matrix
        if ids is None or matrix is None:
            return []
        near = matrix @ embedder.embed_query(question)
        count = min(len(ids), CANDIDATES if hashes is None else len(ids))
        best = np.argpartition(-near, count - 1)[:count]
        ordered = [int(ids[i]) for i in best[np.argsort(-near[best])]]
        if hashes is None:
            return ordered
        wanted = set(hashes)
        kept: list[int] = []
        for at in range(0, len(ordered), 200):
            part = self._index.passages(ordered[at : at + 200])
            kept += [p.id for p in part if p.hash in wanted]
            if len(kept) >= CANDIDATES:
                break
        return kept[:CANDIDATES]


def vector_weight(question: str, embedder: Embedder | None) -> float:
    """Return how much vectors count beside words: nothing for a script the embedder does not
    know.
    """
    if embedder is None:
        return 0.0
    wide = len(re.findall(CJK, question))
    if wide * 2 > len(re.sub(r"\s", "", question)) and "*" not in embedder.languages:
        return 1.0 if embedder.languages & {"zh", "ja", "ko"} else 0.0
    return 1.0


def exact_matches(terms: list[str], text: str) -> int:
    """Return how many numbers and ids a text holds exactly as they are written."""
    lowered = unicodedata.normalize("NFKC", text).lower()
    return sum(bool(re.search(rf"(?<![\w.]){re.escape(term)}(?!\.?\w)", lowered)) for term in terms)


def expression_of(term: str) -> str:
    """Return the FTS5 expression of one content term."""
    if re.fullmatch(f"{CJK}+", term):
        return " AND ".join(quote(pair) for pair in pairs(term))
    return quote(" ".join(re.split(r"[./:-]", term)))


def stem_set(text: str) -> frozenset[str]:
    """Return the words of a text as they are compared: lower case, without common endings."""
    return frozenset(stem(word) for word in re.findall(r"[^\W_]+", index_text(text)))


def stem(word: str) -> str:
    """Return a word without the endings of inflection."""
    word = word.lower()
    if re.search(CJK, word) or len(word) < 4 or any(c.isdigit() for c in word):
        return word
    word = re.sub(r"(ies|ied)$", "y", word)
    word = re.sub(r"(?<=[^s])(es|s|ed|ing|ly|er|ers|ion|ions|ment|al)$", "", word)
    return word.rstrip("e")


def covered(term: str, words: frozenset[str]) -> float:
    """Return how much of a term stands among words: 0 to 1."""
    if re.fullmatch(f"{CJK}+", term):
        parts = pairs(term)
        return sum(part in words for part in parts) / len(parts)
    parts = re.split(r"[./:-]", term)
    return sum(stem(part) in words for part in parts) / len(parts)


def is_name(term: str, *, first: bool, question: str) -> bool:
    """Tell whether a term is a name or a number: written large within a sentence, or with
    digits.
    """
    if any(c.isdigit() for c in term):
        return True
    starts = question.lstrip().startswith(term)
    return term[:1].isupper() and not (first and starts)
