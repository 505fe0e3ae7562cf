"""Search: finds the passages most relevant to a question and decides whether they answer it."""

from __future__ import annotations

import re
import threading
import unicodedata
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.documents.evidence import (
    CLOSE,
    LIKELY,
    held,
    is_written,
    opening_lines,
    probabilities,
    read_candidates,
    read_question,
    running_lines,
)
from app.documents.terms import (
    CJK,
    content_terms,
    index_text,
    language_of,
    match_expression,
    pairs,
    quote,
    stem,
    stem_set,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np

    from app.documents.evidence import AnswerSentence, DocumentQuestion
    from app.documents.index import Index, IndexedPassage, Vectors, WordMatch

CANDIDATES = 50  # number of keyword results, and of vector results, that are merged
RERANKED = 24  # number of best results that a reranker reorders
# number of float16 rows converted to float32 at a time; few enough to stay in the processor's cache
ROWS = 256
# words that occur in a larger share of the passages find nothing that rarer words do not also find
FREQUENT = 0.25
LARGE = 5000  # number of passages at which such words start to be left out of a search
ALIKE = 0.7  # share of words in common from which one passage counts as derived from the other
# share of the score of a page's best other passage that is added to a passage's keyword score
SUPPORT = 0.2
RANK = 60  # for reciprocal rank fusion: 1 / (RANK + rank)
# If at most FEW_KNOWN of a question's content words occur in any document, the documents are in
# another language. Keywords then find little, so the vectors of an embedder for all languages weigh
# OTHER_LANGUAGE times as much.
FEW_KNOWN, OTHER_LANGUAGE = 0.2, 10.0
EXACT = 0.03  # added for each number or id of the question that a passage contains as written
BESIDE = 2  # pages before and after a page whose headers and footers are compared with its own
MISSING = 0.5  # a word is missing if a larger share of its character pairs than this occurs nowhere
# Languages that do not use Latin, Chinese, Japanese or Korean script.
OTHER_SCRIPTS = "ru uk bg sr mk be el ar fa ur he hi bn mr ne ta te ml kn th ka hy"
LETTER = rf"(?:(?!{CJK})[^\W_])"
ID = re.compile(rf"{LETTER}*\d{LETTER}*(?:[./:-]{LETTER}+)*")


@dataclass(frozen=True)
class Embedder:
    """Turns texts into vectors.

    name: the model's name, including everything that its vectors depend on, such as the revision
    and prefixes. languages: the languages on which it was trained. `*` stands for any language.
    embed_query: returns a float32 unit vector.
    """

    name: str
    languages: frozenset[str]
    embed_query: Callable[[str], np.ndarray]


@dataclass(frozen=True)
class Hit:
    """A passage that was found.

    score: comparable within one search, where higher is better. quote: the part of the passage that
    most likely answers the question. said: the probability that it does. rival: another part of the
    passage that may also be the answer, or empty if none comes close. same: other places with the
    same words. differing: files with nearly the same passage, but with other numbers or a few
    different words.
    """

    passage: IndexedPassage
    score: float
    quote: str = ""
    said: float = 0.0
    rival: str = ""
    same: tuple[IndexedPassage, ...] = ()
    differing: tuple[str, ...] = ()


@dataclass(frozen=True)
class FoundPassages:
    """The results of a search, best first.

    missing: content words of the question that occur in no document. answered: whether a quote is
    likely enough to be the answer.
    """

    hits: tuple[Hit, ...]
    missing: tuple[str, ...]
    answered: bool


class DocumentSearch:
    """Finds passages by keyword and, if there is an embedder, also by meaning."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._lock = threading.Lock()
        # embedder, number of rows, number of the newest row
        self._loaded: tuple[str, int, int] | None = None
        self._vectors: Vectors | None = None

    def find(
        self,
        question: str,
        limit: int = 8,
        *,
        hashes: Sequence[str] | None = None,
        embedder: Embedder | None = None,
    ) -> FoundPassages:
        """Return up to `limit` passages for a question.

        hashes: search only files with these content hashes.
        """
        return self.judge(question, self.rank(question, hashes=hashes, embedder=embedder), limit)

    def rank(
        self,
        question: str,
        *,
        hashes: Sequence[str] | None = None,
        embedder: Embedder | None = None,
    ) -> list[Hit]:
        """Return the passages found by keyword and by vector, best first.

        hashes: search only files with these content hashes.
        """
        within = None if hashes is None else self._index.contents(hashes)
        expression = self._expression(question)
        by_words = self._index.find_words(expression, CANDIDATES, within) if expression else []
        places = {one: place for place, one in enumerate(supported(by_words))}
        scores = {one: 1 / (RANK + place) for one, place in places.items()}
        weight = vector_weight(question, embedder)
        if embedder is not None and weight > 0:
            if "*" in embedder.languages and self._known_share(question) <= FEW_KNOWN:
                weight *= OTHER_LANGUAGE
            nearest, known = self._nearest(question, embedder, within, list(places))
            for place, one in enumerate(nearest):
                scores[one] = scores.get(one, 0.0) + weight / (RANK + place)
            for one in places.keys() - known:
                # Passages without a vector would rank behind those with one, so their keyword rank
                # counts twice.
                scores[one] += weight / (RANK + places[one])
        ids = sorted(scores, key=lambda one: -scores[one])[: 2 * CANDIDATES]
        exact = exact_terms(question)
        hits = [
            Hit(passage, scores[passage.id] + EXACT * exact_matches(exact, place_and_text(passage)))
            for passage in self._index.passages(ids)
        ]
        return sorted(hits, key=lambda hit: -hit.score)

    def judge(self, question: str, hits: Sequence[Hit], limit: int) -> FoundPassages:
        """Return the best passages, each place only once, with the part of each that most likely
        answers the question.
        """
        kept = compared(hits, limit)
        asked = read_question(question, self._index.frequency, self._index.counts()[1])
        read = [self.candidates(asked, hit.passage, rank) for rank, hit in enumerate(kept)]
        likely = iter(probabilities([one for candidates in read for one in candidates]))
        told: list[Hit] = []
        for hit, candidates in zip(kept, read, strict=True):
            scores = [next(likely) for _ in candidates]
            if scores:
                said = max(scores)
                best = candidates[scores.index(said)]
                text = hit.passage.text
                apart = [
                    (score, one)
                    for score, one in zip(scores, candidates, strict=True)
                    if (one.end <= best.start or one.start >= best.end)
                    and score >= max(LIKELY, CLOSE * said)
                ]
                rival = max(apart, key=lambda one: one[0])[1] if apart else None
                hit = replace(
                    hit,
                    quote=text[best.start : best.end].strip(),
                    said=said,
                    rival=text[rival.start : rival.end].strip() if rival is not None else "",
                )
            told.append(hit)
        answered = bool(asked.units) and any(hit.said >= LIKELY for hit in told)
        found = "\n".join(place_and_text(hit.passage) for hit in hits[:5])
        # A passage that contains the word may rank too low to be among these, so ask the index.
        missing = tuple(
            term
            for term in missing_terms(question, found, held(asked, found) & asked.ways.keys())
            if not self._is_known(term)
        )
        return FoundPassages(tuple(told), missing, answered)

    def _known_share(self, question: str) -> float:
        """Return the share of a question's content words that occur in any document, from 0 to 1.
        It is small if the documents are in another language.
        """
        terms = content_terms(question)
        return sum(map(self._is_known, terms)) / len(terms) if terms else 1.0

    def _is_known(self, term: str) -> bool:
        """Return whether any document contains a term or, if the term is a run of Chinese or
        Japanese characters, at least half of its pairs of adjacent characters. The index cannot
        find a single such character, which therefore counts as known.
        """
        if not re.fullmatch(f"{CJK}+", term):
            return self._index.frequency(quote(" ".join(re.split(r"[./:-]", term))), 1) > 0
        if len(term) == 1:
            return True
        parts = pairs(term)
        known = sum(self._index.frequency(quote(part), 1) for part in parts)
        return known >= MISSING * len(parts)

    def candidates(
        self, asked: DocumentQuestion, passage: IndexedPassage, rank: int
    ) -> list[AnswerSentence]:
        """Return the parts of a passage that may answer the question. rank: the passage's rank,
        counted from 0."""
        numbers = {1, *range(passage.page - BESIDE, passage.page + BESIDE + 1)}
        pages = {
            number: text
            for number in numbers
            if (text := self._index.page_text(passage.hash, number)) is not None
        }
        return read_candidates(
            asked,
            names_of(passage),
            passage.text,
            rank,
            opening=opening_lines(pages.get(1, "")),
            running=running_lines(pages, passage.page) if passage.page in pages else frozenset(),
        )

    def forget_vectors(self) -> None:
        """Release the vectors, which take up 77 MB for 100,000 passages. The next search loads them
        again.
        """
        with self._lock:
            self._loaded = self._vectors = None

    def _expression(self, question: str) -> str:
        """Return the full-text query. In a large index, very common words are left out if there are
        rarer ones, because they take a long time to count and contribute nothing.
        """
        expression = match_expression(question)
        _, passages = self._index.counts()
        if passages < LARGE:
            return expression
        most = int(FREQUENT * passages)
        wanted = re.findall(r'"(?:[^"]|"")*"', expression)
        rarer = [part for part in wanted if self._index.frequency(part, most) < most]
        return " OR ".join(rarer or wanted)

    def _nearest(
        self,
        question: str,
        embedder: Embedder,
        within: frozenset[int] | None,
        candidates: Sequence[int],
    ) -> tuple[list[int], set[int]]:
        """Return the passages closest in meaning, closest first, and which candidates have a
        vector.

        within: the ids of the contents to search, or None for all.
        """
        import numpy as np

        vectors = self._load(embedder.name)
        if vectors is None:
            return [], set()
        ids = vectors.ids
        known = {int(one) for one in np.asarray(candidates)[np.isin(candidates, ids)]}
        near = similarities(vectors.matrix, embedder.embed_query(question))
        rows = np.arange(len(ids))
        if within is not None:
            rows = np.flatnonzero(np.isin(vectors.contents, list(within)))
            near = near[rows]
        count = min(len(rows), CANDIDATES)
        if not count:
            return [], known
        best = np.argpartition(-near, count - 1)[:count]
        return [int(ids[rows[i]]) for i in best[np.argsort(-near[best], kind="stable")]], known

    def _load(self, embedder: str) -> Vectors | None:
        """Return all vectors of an embedder. Only new ones are read from the index."""
        import numpy as np

        from app.documents.index import Vectors

        with self._lock:
            old, loaded = self._vectors, self._loaded
            count, last = self._index.vector_version(embedder)
            if loaded == (embedder, count, last):
                return old
            self._vectors = None
            if old is not None and loaded is not None and loaded[0] == embedder:
                added, _ = self._index.vector_version(embedder, old.last)
                new = self._index.vectors(embedder, old.last)
                if new is not None and loaded[1] + added == count:  # nothing was removed
                    old = Vectors(
                        np.concatenate((old.ids, new.ids)),
                        np.concatenate((old.contents, new.contents)),
                        np.concatenate((old.matrix, new.matrix)),
                        new.last,
                    )
                    self._vectors, self._loaded = old, (embedder, count, last)
                    return old
            del old
            self._vectors = self._index.vectors(embedder)
            self._loaded = (embedder, count, last)
            return self._vectors


def supported(matches: Sequence[WordMatch]) -> list[int]:
    """Return the ids of passages found by keyword, best first. A page's other passages add to the
    score of each, because the answer to a question is often spread over two of them.
    """
    pages: dict[tuple[int, int], list[float]] = {}
    for one in matches:  # the best passage of a page comes first
        pages.setdefault((one.content, one.page), []).append(one.score)

    def score(one: WordMatch) -> float:
        best = pages[one.content, one.page]
        beside = best[1:2] if one.score == best[0] else best[:1]
        return one.score + SUPPORT * sum(beside)

    return [one.id for one in sorted(matches, key=lambda one: -score(one))]


def similarities(matrix: np.ndarray, query: np.ndarray) -> np.ndarray:
    """Return the product of each row of a float16 matrix with a float32 vector, as float32.

    NumPy multiplies float16 twelve times more slowly than float32, and a float32 copy would take up
    twice the memory. Therefore, a few rows are converted at a time.
    """
    import numpy as np

    near = np.empty(len(matrix), dtype=np.float32)
    part = np.empty((ROWS, matrix.shape[1]), dtype=np.float32)
    for start in range(0, len(matrix), ROWS):
        rows = matrix[start : start + ROWS]
        np.copyto(part[: len(rows)], rows)
        np.dot(part[: len(rows)], query, out=near[start : start + len(rows)])
    return near


def compared(hits: Sequence[Hit], limit: int) -> list[Hit]:
    """Return the first hits. If the same words occur in several places, they form one hit. Each of
    several nearly identical hits lists the files of the others.
    """
    kept: list[Hit] = []
    words: list[tuple[frozenset[str], tuple[str, ...]]] = []
    for hit in hits:
        text = hit.passage.text.casefold()
        tokens = tuple(re.findall(r"[^\W_]+", text))
        plain = frozenset(token for token in re.findall(r"[^\W\d_]+", index_text(text)))
        same = next((at for at, (_, other) in enumerate(words) if other == tokens), None)
        if same is not None:
            kept[same] = replace(kept[same], same=(*kept[same].same, hit.passage))
            continue
        if len(kept) == limit:
            continue
        for at, (other, _) in enumerate(words):
            if kept[at].passage.hash == hit.passage.hash or not is_alike(plain, other):
                continue
            kept[at] = replace(kept[at], differing=(*kept[at].differing, hit.passage.path))
            hit = replace(hit, differing=(*hit.differing, kept[at].passage.path))
        kept.append(hit)
        words.append((plain, tokens))
    return kept


def is_alike(some: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether two sets of words are nearly the same."""
    return bool(some) and len(some & others) >= ALIKE * len(some | others)


def names_of(passage: IndexedPassage) -> str:
    """Return the names above a passage: file, title and heading."""
    name = re.sub(r"[_\s-]+", " ", Path(passage.path).stem)
    return f"{name}\n{passage.title}\n{passage.heading}"


def place_and_text(passage: IndexedPassage) -> str:
    """Return the text of a passage with the names above it."""
    return f"{names_of(passage)}\n{passage.text}"


def exact_terms(question: str) -> list[str]:
    """Return the numbers and ids in a question, in lower case."""
    return [term.lower() for term in ID.findall(unicodedata.normalize("NFKC", question))]


def reordered(question: str, hits: Sequence[Hit], scores: Sequence[float]) -> list[Hit]:
    """Return hits in the order of a reranker's scores, which are given for the first hits only.
    Hits with exact numbers and ids still come first, and hits without a score come last.
    """
    exact = exact_terms(question)
    order = sorted(range(len(scores)), key=lambda at: -scores[at])
    best = [
        replace(
            hits[at],
            score=2 / (RANK + place)
            + EXACT * exact_matches(exact, place_and_text(hits[at].passage)),
        )
        for place, at in enumerate(order)
    ]
    return [*sorted(best, key=lambda hit: -hit.score), *hits[len(scores) :]]


def vector_weight(question: str, embedder: Embedder | None) -> float:
    """Return the weight of vectors relative to keywords, which is 0 for a language that the
    embedder does not support.
    """
    return 1.0 if embedder is not None and knows_question(question, embedder.languages) else 0.0


def knows_question(question: str, languages: frozenset[str]) -> bool:
    """Return whether a model for some languages understands a question.

    For Spanish questions, an English model finds texts on other subjects: nDCG@10 on XQuAD falls
    from 0.94 to 0.82 when its vectors are used.
    """
    if not knows_script(question, languages):
        return False
    return "*" in languages or is_wide(question) or language_of(question) in languages


def knows_script(text: str, languages: frozenset[str]) -> bool:
    """Return whether a model for some languages supports the script of most letters in a text.

    languages: ISO 639-1 codes, or `*` for any language. All models are assumed to support Latin
    letters.
    """
    if "*" in languages:
        return True
    letters = re.sub(r"[\W\d_]", "", text)
    if is_wide(text):
        return bool(languages & {"zh", "ja", "ko"})
    other = len(re.sub(rf"[\u0000-\u024f\u1e00-\u1eff]|{CJK}", "", letters))
    return other * 2 <= len(letters) or bool(languages.intersection(OTHER_SCRIPTS.split()))


def is_wide(text: str) -> bool:
    """Return whether most letters in a text are Chinese, Japanese or Korean."""
    letters = re.sub(r"[\W\d_]", "", text)
    return len(re.findall(CJK, letters)) * 2 > len(letters)


def exact_matches(terms: list[str], text: str) -> int:
    """Return how many numbers and ids occur in a text exactly as written."""
    lowered = unicodedata.normalize("NFKC", text).lower()
    return sum(is_written(term, lowered) for term in terms)


def missing_terms(question: str, text: str, otherwise: frozenset[str]) -> tuple[str, ...]:
    """Return the words of a question that a text lacks. otherwise: the units of the question that
    the text expresses in other words.
    """
    whole = stem_set(text)
    return tuple(
        term
        for term in content_terms(question)
        if stands(term, text, whole) < MISSING and otherwise.isdisjoint((*stem_set(term), term))
    )


def covered(term: str, words: frozenset[str]) -> float:
    """Return how much of a term occurs among some words, from 0 to 1."""
    if re.fullmatch(CJK, term):
        return float(any(term in word for word in words))
    if re.fullmatch(f"{CJK}+", term):
        parts = pairs(term)
        return sum(part in words for part in parts) / len(parts)
    parts = re.split(r"[./:-]", term)
    return sum(stem(part) in words for part in parts) / len(parts)


def stands(term: str, text: str, words: frozenset[str]) -> float:
    """Return how much of a term, from 0 to 1, occurs in a text with the given words. An id occurs
    either as a whole or not at all.
    """
    if any(c.isdigit() for c in term) and re.search(r"[./:-]", term):
        return float(exact_matches([term.lower()], text))
    return covered(term, words)
