"""Fit what speaks for a sentence as an answer: the WEIGHTS of app/documents/evidence.py.

    python -m tests.bench.evidence NAME=FILE … [--folder FOLDER] [--answers QUESTIONS INDEX]

FILE is JSON as SQuAD has it (CMRC 2018, DRCD, XQuAD, JSQuAD): of every third question the paragraph
that answers is taken away, so that it has no answer. --folder takes a folder as
tests/corpus/documents, --answers the QUESTIONS and the INDEX of tests.bench.document_answers; their
questions count three times. Every third question of one of these sets is asked of the documents of
each other one, where nothing answers it. Prints for each of these sets, judged by a fit of all
others, how often the best sentence is the right one, and for some probabilities how many answers
are given, right and wrong, and how many questions are answered that nothing answers; then the
weights.
"""

from __future__ import annotations

import argparse
import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from app.documents.evidence import (
    TOGETHER,
    WEIGHTS,
    AnswerSentence,
    best_signs,
    probabilities,
    read_question,
    weighed_signs,
)
from app.documents.index import Index
from app.documents.library import DocumentLibrary
from app.documents.search import DocumentSearch
from tests.bench.document_answers import holds
from tests.bench.retrieval import Set, fill

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.documents.index import IndexedPassage

HITS, RIDGE = 6, 1.0
CROSS = 3  # every third question of another set is asked as well
BOUNDS = (0.3, 0.35, 0.4, 0.42, 0.45, 0.5, 0.55)


@dataclass(frozen=True)
class Example:
    """A question: its candidates, and which are right. foreign: nothing answers it. other: the set
    it was written for, if its documents are not those of this one.
    """

    set: str
    question: str
    candidates: list[AnswerSentence]
    right: list[bool]
    foreign: bool
    weight: float = 1.0
    other: str = ""


def example(
    name: str,
    index: Index,
    question: str,
    passages: list[IndexedPassage],
    answers: Callable[[IndexedPassage, str], bool],
    *,
    foreign: bool,
    weight: float = 1.0,
    other: str = "",
) -> Example | None:
    """Return a question as an example; None if nothing was found."""
    asked = read_question(question, index.frequency, index.counts()[1])
    search = DocumentSearch(index)
    candidates: list[AnswerSentence] = []
    right: list[bool] = []
    for rank, one in enumerate(passages):
        for candidate in search.candidates(asked, one, rank):
            candidates.append(candidate)
            part = one.text[candidate.start : candidate.end]
            right.append(not foreign and answers(one, part))
    if not candidates:
        return None
    return Example(name, question, candidates, right, foreign, weight, other)


def from_squad(name: str, path: Path, limit: int) -> list[Example]:
    """Return questions of a set as SQuAD has it."""
    texts: dict[str, tuple[str, str]] = {}
    known: dict[str, str] = {}
    asked: list[tuple[str, str, str]] = []
    for article in json.loads(path.read_text("utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            words = paragraph["context"].split("[SEP]")[-1].strip()
            one = known.setdefault(words, f"t{len(known)}")
            texts[one] = ("", words)
            for each in paragraph["qas"]:
                answer = each["answers"][0]["text"] if each["answers"] else ""
                if answer and answer in words:
                    asked.append((each["question"], one, answer))
    random.Random(5).shuffle(asked)
    index = Index(None)
    fill(index, Set(texts, []))
    library = DocumentLibrary(index)
    made: list[Example | None] = []
    for number, (question, one, answer) in enumerate(asked[:limit]):
        foreign = number % 3 == 0
        found = [hit.passage for hit in library.rank(question)[: HITS + 4]]
        if foreign:
            found = [passage for passage in found if Path(passage.path).stem != one]

        def answers(
            passage: IndexedPassage, part: str, one: str = one, answer: str = answer
        ) -> bool:
            return Path(passage.path).stem == one and answer in part

        made.append(example(name, index, question, found[:HITS], answers, foreign=foreign))
    return [one for one in made if one is not None]


@dataclass(frozen=True)
class Questions:
    """A set of questions about the documents of a library."""

    name: str
    library: DocumentLibrary
    asked: list[dict[str, Any]]


def from_folder(folder: Path) -> Questions:
    """Return the questions of a folder: questions.jsonl, and texts."""
    lines = (folder / "questions.jsonl").read_text("utf-8").splitlines()
    library = DocumentLibrary(Index(None))
    library.add(folder / "texts")
    library.update()
    return Questions(folder.name, library, [json.loads(line) for line in lines])


def from_answers(questions: Path, index: Path) -> Questions:
    """Return questions as tests.bench.document_answers has them. index: what it kept."""
    asked = json.loads(questions.read_text("utf-8"))
    return Questions(questions.parent.name, DocumentLibrary(Index(index)), asked)


def from_library(made: Questions, asked: list[dict[str, Any]], other: str = "") -> list[Example]:
    """Return questions about the documents of a set. other: the set they were written for, if it is
    another one.
    """
    examples: list[Example | None] = []
    for one in asked:
        found = [hit.passage for hit in made.library.rank(one["question"])[:HITS]]

        def answers(passage: IndexedPassage, part: str, one: dict[str, Any] = one) -> bool:
            there = (Path(passage.path).name, passage.page) == (one["document"], one["page"])
            return there and holds(part, one["answer"])

        examples.append(
            example(
                made.name,
                made.library.index,
                one["question"],
                found,
                answers,
                foreign=bool(other) or one["document"] is None,
                weight=1.5 if other else 3.0,
                other=other,
            )
        )
    return [one for one in examples if one is not None]


def fit(examples: list[Example]) -> np.ndarray:
    """Return the weights of a logistic regression, by Newton's method.

    The weight of two sentences quoted together stays as it is: two hold an answer more often than
    one, however little they are asked for, and a fit would quote ever more.
    """
    rows: list[tuple[float, ...]] = []
    right: list[bool] = []
    each: list[float] = []
    for one in examples:
        best = best_signs(one.candidates)
        for candidate, answers in zip(one.candidates, one.right, strict=True):
            if not candidate.refuted:
                rows.append(weighed_signs(candidate, best))
                right.append(answers)
                each.append(one.weight)
    whole, wanted, counts = np.array(rows), np.array(right, dtype=float), np.array(each)
    kept = 1 + TOGETHER  # behind the constant
    signs = np.delete(whole, kept, axis=1)
    known = whole[:, kept] * WEIGHTS[kept]
    weights = np.zeros(signs.shape[1])
    for _ in range(30):
        likely = 1 / (1 + np.exp(-(signs @ weights + known)))
        slope = signs.T @ (counts * (wanted - likely)) - RIDGE * weights
        bend = signs.T @ (signs * (counts * likely * (1 - likely))[:, None])
        weights += np.linalg.solve(bend + RIDGE * np.eye(len(weights)), slope)
    return np.insert(weights, kept, WEIGHTS[kept])


def judged(one: Example, weights: Sequence[float]) -> tuple[float, bool]:
    """Return the probability of the best candidate, and whether it is right."""
    likely = probabilities(one.candidates, weights)
    best = likely.index(max(likely))
    return likely[best], one.right[best]


def told(name: str, results: list[tuple[Example, float, bool]]) -> None:
    """Print how well some questions are judged."""
    answerable = [(p, right) for one, p, right in results if not one.foreign]
    foreign = [p for one, p, _ in results if one.foreign and not one.other]
    cross = [p for one, p, _ in results if one.other]
    line = (
        f"{name}: {len(answerable)} questions, best sentence right {sum(r for _, r in answerable)};"
        f" {len(foreign)} foreign, {len(cross)} of other sets"
    )
    for bound in BOUNDS:
        given = [right for p, right in answerable if p >= bound]
        line += (
            f" | {bound}: right {sum(given)}, wrong {len(given) - sum(given)},"
            f" foreign {sum(p >= bound for p in foreign)}, other {sum(p >= bound for p in cross)}"
        )
    print(line, flush=True)


def main(options: argparse.Namespace) -> None:
    """Fit, and print."""
    examples: list[Example] = []
    for named in options.sets:
        name, _, place = named.partition("=")
        examples += from_squad(name, Path(place), options.limit)
    own = [from_answers(questions, index) for questions, index in options.answers]
    own += [from_folder(folder) for folder in options.folder]
    for made in own:
        examples += from_library(made, made.asked)
        for other in own:
            if other is not made:
                examples += from_library(made, other.asked[::CROSS], other.name)
    whole: list[tuple[Example, float, bool]] = []
    for made in own:
        weights = fit([one for one in examples if made.name not in (one.set, one.other)]).tolist()
        results = [(one, *judged(one, weights)) for one in examples if one.set == made.name]
        told(made.name, results)
        whole += results
        if options.verbose:
            for one, p, right in sorted(results, key=lambda found: (found[0].foreign, -found[1])):
                kind = "foreign" if one.foreign else "right" if right else "wrong"
                print(f"{kind} {p:.2f} {one.question}")
    if whole:
        told("all, each by a fit of the others", whole)
    print("WEIGHTS = (" + ", ".join(f"{one:.2f}" for one in fit(examples)) + ")")


def arguments() -> argparse.Namespace:
    """Return what was asked on the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--answers", nargs=2, type=Path, action="append", default=[])
    parser.add_argument("--folder", type=Path, action="append", default=[])
    parser.add_argument("--limit", type=int, default=150, help="questions of a set")
    parser.add_argument(
        "--verbose", action="store_true", help="print each question of a set of your own"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main(arguments())
