"""Fit what speaks for a sentence as an answer: the WEIGHTS of app/documents/evidence.py.

    python -m tests.bench.evidence NAME=FILE … [--folder FOLDER] [--answers QUESTIONS INDEX]

FILE is JSON as SQuAD has it (CMRC 2018, DRCD, XQuAD, JSQuAD): of every third question the paragraph
that answers is taken away, so that it has no answer. --folder takes a folder as
tests/corpus/documents, --answers the QUESTIONS and the INDEX of tests.bench.document_answers; their
questions count three times. Prints, over five parts of which each is
judged by a fit of the others, how often the best sentence is the right one, and for some
probabilities how often it is given, right, and refused where there is no answer; then the weights.
"""

from __future__ import annotations

import argparse
import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from app.documents.evidence import SAID, TOGETHER, WEIGHTS, read_candidates, read_question
from app.documents.index import Index
from app.documents.library import DocumentLibrary
from app.documents.search import names_of
from tests.bench.document_answers import holds
from tests.bench.retrieval import Set, fill

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.documents.index import IndexedPassage

HITS, PARTS, RIDGE = 8, 5, 0.1


@dataclass(frozen=True)
class Example:
    """A question: the signs of each candidate, a row each, and which are right. foreign: nothing
    answers it.
    """

    set: str
    question: str
    signs: np.ndarray
    right: np.ndarray
    foreign: bool
    weight: float = 1.0


def example(
    name: str,
    index: Index,
    question: str,
    passages: list[IndexedPassage],
    answers: Callable[[IndexedPassage, str], bool],
    *,
    foreign: bool,
    weight: float = 1.0,
) -> Example | None:
    """Return a question as an example; None if nothing was found."""
    asked = read_question(question, index.frequency, index.counts()[1])
    signs: list[tuple[float, ...]] = []
    right: list[bool] = []
    for rank, one in enumerate(passages):
        for candidate in read_candidates(asked, names_of(one), one.text, rank):
            signs.append(candidate.signs)
            part = one.text[candidate.start : candidate.end]
            right.append(not foreign and answers(one, part))
    if not signs:
        return None
    raw = np.array(signs)
    behind = raw[:, [SAID]] - raw[:, SAID].max()
    rows = np.hstack([np.ones((len(raw), 1)), raw, behind])
    return Example(name, question, rows, np.array(right), foreign, weight)


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


def from_texts(folder: Path) -> list[Example]:
    """Return the questions of a folder: questions.jsonl, and texts."""
    lines = (folder / "questions.jsonl").read_text("utf-8").splitlines()
    library = DocumentLibrary(Index(None))
    library.add(folder / "texts")
    library.update()
    try:
        return from_library(library, [json.loads(line) for line in lines])
    finally:
        library.close()


def from_library(library: DocumentLibrary, questions: list[dict[str, Any]]) -> list[Example]:
    """Return the questions about the documents of a library."""
    made: list[Example | None] = []
    index = library.index
    for one in questions:
        found = [hit.passage for hit in library.rank(one["question"])[:HITS]]

        def answers(passage: IndexedPassage, part: str, one: dict[str, Any] = one) -> bool:
            there = (Path(passage.path).name, passage.page) == (one["document"], one["page"])
            return there and holds(part, one["answer"])

        foreign = one["document"] is None
        made.append(
            example("folder", index, one["question"], found, answers, foreign=foreign, weight=3.0)
        )
    return [one for one in made if one is not None]


def fit(examples: list[Example]) -> np.ndarray:
    """Return the weights of a logistic regression, by Newton's method.

    The weight of two sentences quoted together stays as it is: two hold an answer more often than
    one, however little they are asked for, and a fit would quote ever more.
    """
    whole = np.vstack([one.signs for one in examples])
    right = np.concatenate([one.right for one in examples]).astype(float)
    each = np.concatenate([np.full(len(one.right), one.weight) for one in examples])
    kept = 1 + TOGETHER  # behind the constant
    signs = np.delete(whole, kept, axis=1)
    known = whole[:, kept] * WEIGHTS[kept]
    weights = np.zeros(signs.shape[1])
    for _ in range(30):
        likely = 1 / (1 + np.exp(-(signs @ weights + known)))
        slope = signs.T @ (each * (right - likely)) - RIDGE * weights
        bend = signs.T @ (signs * (each * likely * (1 - likely))[:, None])
        weights += np.linalg.solve(bend + RIDGE * np.eye(len(weights)), slope)
    return np.insert(weights, kept, WEIGHTS[kept])


def judged(one: Example, weights: np.ndarray) -> tuple[float, bool]:
    """Return the probability of the best candidate, and whether it is right."""
    likely = 1 / (1 + np.exp(-one.signs @ weights))
    best = int(likely.argmax())
    return float(likely[best]), bool(one.right[best])


def told(name: str, results: list[tuple[Example, float, bool]]) -> None:
    """Print how well some questions are judged."""
    answerable = [(p, right) for one, p, right in results if not one.foreign]
    foreign = [p for one, p, _ in results if one.foreign]
    line = f"{name}: best sentence right {sum(r for _, r in answerable) / len(answerable):.3f}"
    for bound in (0.4, 0.5, 0.55, 0.6, 0.65, 0.7):
        given = [right for p, right in answerable if p >= bound]
        line += (
            f" | {bound}: answered right {sum(given) / len(answerable):.2f},"
            f" of those given {sum(given) / max(len(given), 1):.2f},"
            f" refused {sum(p < bound for p in foreign) / max(len(foreign), 1):.2f}"
        )
    print(line, flush=True)


def main(options: argparse.Namespace) -> None:
    """Fit, and print."""
    examples: list[Example] = []
    for named in options.sets:
        name, _, place = named.partition("=")
        examples += from_squad(name, Path(place), options.limit)
    for questions, index in options.answers:
        asked = json.loads(questions.read_text("utf-8"))
        examples += from_library(DocumentLibrary(Index(index)), asked)
    for folder in options.folder:
        examples += from_texts(folder)
    random.Random(1).shuffle(examples)
    results: list[tuple[Example, float, bool]] = []
    for part in range(PARTS):
        others = [one for at, one in enumerate(examples) if at % PARTS != part]
        weights = fit(others)
        results += [(one, *judged(one, weights)) for one in examples[part::PARTS]]
    for name in dict.fromkeys(one.set for one in examples):
        told(name, [one for one in results if one[0].set == name])
    told("all", results)
    now = [(one, *judged(one, np.array(WEIGHTS))) for one in examples]
    told("all, with the weights of now", now)
    if options.verbose:
        for one, p, right in sorted(results, key=lambda found: (found[0].foreign, -found[1])):
            if one.set == "folder" and (one.foreign or not right or p < 0.6):
                kind = "foreign" if one.foreign else "right" if right else "wrong"
                print(f"{kind} {p:.2f} {one.question}")
    print("WEIGHTS = (" + ", ".join(f"{one:.2f}" for one in fit(examples)) + ")")


def arguments() -> argparse.Namespace:
    """Return what was asked on the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--answers", nargs=2, type=Path, action="append", default=[])
    parser.add_argument("--folder", type=Path, action="append", default=[])
    parser.add_argument("--limit", type=int, default=150, help="questions of a set")
    parser.add_argument("--verbose", action="store_true", help="print what went wrong in folders")
    return parser.parse_args()


if __name__ == "__main__":
    main(arguments())
