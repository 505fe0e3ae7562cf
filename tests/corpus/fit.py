"""Fit the weights of readings on the corpus: python -m tests.corpus.fit [FOLDER …].

Each folder holds tables.jsonl, questions.jsonl and tables/, as tests/bench/everyday.py describes
them. For each question the likeliest readings are computed and held against its answers; a query
that gives an answer counts as right. The weights make the right ones likely (a log-linear model
with a penalty on what differs from the weights of before), those of certainty tell how probable
the first reading is. Tables whose `part` is "test" are only measured, never fitted.

With --rules the weights of the rules alone are fitted, on all other tables, and written to
resources/language/weights.yaml. Without it those of rules and network together, for the questions
that the rules are not sure of; tables that the network has learnt (`tests.corpus.train`) are not
read, as what it says of them looks surer than it is. They are written to
weights_with_writer.yaml. From the same weights the same corpus gives the same file. With --measure
nothing is fitted.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime as dt
import pickle
import zlib
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import yaml
from scipy.optimize import minimize

from app.data.sources import Sources
from backends.data.compiler import run_query
from backends.data.errors import KernelError
from backends.query.normal import normal
from backends.query.parser import (
    RankedTable,
    Scored,
    annotated,
    aside,
    each_once,
    is_sure,
    rank,
    ranked_of,
    with_writer,
)
from backends.query.score import ALONE, WITH_WRITER, grounds, weights
from tests.bench.everyday import TODAY, fits, lines
from tests.bench.questions import starter_embedder

if TYPE_CHECKING:
    from collections.abc import Callable

    from backends.data.query import Query

HERE = Path(__file__).parent
WEIGHTS = HERE.parents[1] / "resources" / "language"
LEFT = -0.3
# what is never meant, however few examples show it: a count for "which", or for "how many litres"
NEVER = {
    "which counted": -2.0,
    "unit counted": -3.0,
    "other unit": -3.0,
    "much counted": -2.0,
    "given": -3.0,
    "many rows": -2.5,
}
READINGS = 30  # of a question that are computed
PENALTY = 0.02  # on the square of what a weight differs from before
WIKI = 0.3  # how much a question of WikiTableQuestions counts beside one that was written for this
TALKED = 20  # readings that share the whole when certainty is told


@dataclass
class Example:
    """A question with the features of its readings, the likeliest first, and which are right.

    sure: whether the rules alone are sure of the first one.
    """

    id: str
    language: str
    style: str
    part: str
    question: str
    features: list[dict[str, float]] = field(default_factory=list[dict[str, float]])
    right: list[bool] = field(default_factory=list[bool])
    unread: list[int] = field(default_factory=list[int])
    strange: list[int] = field(default_factory=list[int])
    sure: bool = False


def kept_back(folder: str, table: str) -> bool:
    """Return whether the network does not learn a table, so that weights can be fitted on it."""
    return zlib.crc32(f"{folder}/{table}".encode()) % 5 == 0


def collect(folder: Path, table: str, rules: bool = False) -> list[Example]:
    """Return the examples of one table of a folder.

    rules: whether the network takes no part.
    """
    about = next(one for one in lines(folder / "tables.jsonl") if one["table"] == table)
    source = Sources().add_file(folder / about.get("file", f"tables/{table}.csv"))
    profile = source.profile.model_copy(update={"name": about["title"]})
    today = dt.date.fromisoformat(about.get("today", TODAY))
    embed = in_order(starter_embedder())
    made: list[Example] = []
    foreign: list[dict[str, Any]] = [
        one | {"style": "foreign", "answers": []} for one in lines(folder / "foreign.jsonl")
    ]
    for one in [*lines(folder / "questions.jsonl"), *foreign]:
        if one["table"] != table:
            continue
        example = Example(
            f"{folder.name}/{one['id']}",
            one["language"],
            one.get("style", "everyday"),
            about.get("part", "train"),
            one["question"],
        )
        annotation = annotated(one["question"], profile, today, embed)
        ranked = rank(annotation)
        asked = RankedTable(None, annotation, ranked)
        best = each_once(ranked_of([asked]))
        example.sure = bool(best) and is_sure(best, asked, embed)
        if ranked and not rules and not example.sure:
            ranked = with_writer(annotation, ranked, embed) or ranked
        take(example, ranked, source.table, one["answers"])
        made.append(example)
    return made


def take(example: Example, ranked: list[Scored], table: Any, answers: list[Any]) -> None:
    """Put the likeliest readings into an example, each meaning once."""
    seen: set[Query] = set()
    for _, reading, frame, found in ranked:
        if len(example.features) == READINGS:
            break
        meant = normal(frame.query)
        if meant in seen:
            continue
        seen.add(meant)
        example.features.append(found)
        words, lacking = aside(reading, frame)
        example.unread.append(len(words))
        example.strange.append(lacking)
        example.right.append(is_right(frame.query, table, answers))


def is_right(query: Query, table: Any, answers: list[Any]) -> bool:
    """Tell whether a query gives an answer; a table of whole rows is none."""
    if not query.items:
        return False
    try:
        result = run_query(query, {query_source(query): table})
    except KernelError:
        return False
    return fits(result, answers)


def query_source(query: Query) -> str:
    """Return the table that a query reads."""
    source = query.source
    while not isinstance(source, str):
        source = source.source
    return source


def in_order(embed: Any) -> Callable[[list[str]], np.ndarray]:
    """Return an embedder that is called without waiting."""
    return lambda texts: asyncio.run(embed(texts))


def examples(folders: list[Path], cache: Path | None, rules: bool) -> list[Example]:
    """Return the examples of all tables, computed in two processes."""
    if cache and cache.is_file():
        return pickle.loads(cache.read_bytes())
    jobs = [
        (f, one["table"], rules)
        for f in folders
        for one in lines(f / "tables.jsonl")
        if rules or one.get("part") == "test" or kept_back(f.name, one["table"])
    ]
    with ProcessPoolExecutor(2) as pool:
        found = list(pool.map(collect, *zip(*jobs, strict=True)))
    made = [example for part in found for example in part]
    if cache:
        cache.write_bytes(pickle.dumps(made))
    return made


def fit(train: list[Example], before: dict[str, float]) -> dict[str, float]:
    """Return weights under which the right readings are the likeliest."""
    names = sorted(
        {n for e in train for f in e.features for n in f} | {k for k in before if k[:4] != "sure"}
    )
    place = {name: i for i, name in enumerate(names)}
    start = np.array([before.get(name, 0.0) for name in names])
    data: list[tuple[np.ndarray, np.ndarray, float]] = []
    for example in train:
        right = np.array(example.right)
        if not right.any() or right.all():
            continue
        matrix = np.zeros((len(right), len(names)))
        for row, found in enumerate(example.features):
            for name, value in found.items():
                matrix[row, place[name]] = value
        data.append((matrix, right, WIKI if example.style == "wiki" else 1.0))
    size = sum(counts for *_, counts in data)

    def loss(vector: np.ndarray) -> tuple[float, np.ndarray]:
        total, slope = 0.0, np.zeros_like(vector)
        for matrix, right, counts in data:
            scores = matrix @ vector
            likely = np.exp(scores - scores.max())
            every, good = likely.sum(), likely[right].sum()
            total -= counts * np.log(max(good / every, 1e-12))
            pull = (matrix.T @ likely) / every
            pull -= (matrix[right].T @ likely[right]) / max(good, 1e-300)
            slope += counts * pull
        gap = vector - start
        return total + PENALTY * size / 10 * float(gap @ gap), slope + PENALTY * len(data) / 5 * gap

    # what is left unread never speaks for a reading, however few examples there are
    bounds = [
        (None, LEFT) if name.startswith(("left ", "unknown")) else (None, NEVER.get(name))
        for name in names
    ]
    found = minimize(
        loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 300}
    )
    return {
        name: round(float(v), 2) for name, v in zip(names, found.x, strict=True) if abs(v) >= 0.005
    }


def ranked(example: Example, known: dict[str, float]) -> list[tuple[float, bool, int, int]]:
    """Return the scores of an example's readings, best first, whether each is right, and how many
    words it leaves unread, and of them strange ones."""
    told = [
        (sum(known.get(n, 0.0) * v for n, v in found.items()), right, left, odd)
        for found, right, left, odd in zip(
            example.features, example.right, example.unread, example.strange, strict=True
        )
    ]
    return sorted(told, key=lambda one: -one[0])


def grounded(example: Example, known: dict[str, float]) -> tuple[dict[str, float], bool]:
    """Return what the certainty of an example's first reading rests on, and whether it is right."""
    scores = [sum(known.get(n, 0.0) * v for n, v in found.items()) for found in example.features]
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    top = order[0]
    share = 1 / sum(np.exp(scores[i] - scores[top]) for i in order[:TALKED])
    on = grounds(
        scores[top], share, example.unread[top], example.strange[top], example.features[top]
    )
    return on, example.right[top]


def sureness(train: list[Example], known: dict[str, float]) -> dict[str, float]:
    """Return the weights of certainty: a logistic regression on the grounds of first readings."""
    told = [grounded(one, known) for one in train if one.features]
    names = sorted({name for on, _ in told for name in on})
    x = np.array([[on.get(name, 0.0) for name in names] for on, _ in told])
    y = np.array([float(right) for _, right in told])
    size = np.maximum(x.std(axis=0), 1e-6)
    size[names.index("sure")] = 1.0

    def loss(vector: np.ndarray) -> tuple[float, np.ndarray]:
        likely = 1 / (1 + np.exp(-((x / size) @ vector)))
        said = -np.sum(y * np.log(likely + 1e-12) + (1 - y) * np.log(1 - likely + 1e-12))
        return float(said + 0.5 * vector @ vector), (x / size).T @ (likely - y) + vector

    # what is left unread never makes a reading surer
    aside = tuple(f"sure {word}" for word in ("left", "un", "strange", "out"))
    bounds = [(None, 0.0) if name.startswith(aside) else (None, None) for name in names]
    fitted = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", bounds=bounds)
    found = fitted.x / size
    return {name: round(float(v), 2) for name, v in zip(names, found, strict=True)}


def report(made: list[Example], known: dict[str, float]) -> None:
    """Print how often the first reading is right, one of three, and any; by language, style and
    part. Questions that the rules are sure of keep their order.
    """
    groups: dict[str, list[Example]] = {}
    for one in made:
        if one.style == "foreign":
            continue
        groups.setdefault(f"{one.part} {one.language} {one.style}", []).append(one)
        groups.setdefault(f"{one.part} all", []).append(one)
    for name, held in sorted(groups.items()):
        told = [ranked(one, weights() if one.sure else known) for one in held]
        first = sum(bool(t) and t[0][1] for t in told)
        three = sum(any(right for _, right, *_ in t[:3]) for t in told)
        any_ = sum(any(right for _, right, *_ in t) for t in told)
        size = len(held)
        print(
            f"{name:24} {size:5}  first {100 * first / size:3.0f} %  of three"
            f" {100 * three / size:3.0f} %  any {100 * any_ / size:3.0f} %"
        )


def main() -> None:
    """Read the options, fit and measure."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folders", type=Path, nargs="*")
    options.add_argument("--measure", action="store_true", help="fit nothing")
    options.add_argument("--rules", action="store_true", help="the weights of the rules alone")
    options.add_argument("--cache", type=Path, help="keep the computed examples in this file")
    options.add_argument("--also", type=Path, nargs="*", default=[], help="such files of before")
    chosen = options.parse_args()
    folders = chosen.folders or (
        [] if chosen.also else sorted(f.parent for f in HERE.glob("*/tables.jsonl"))
    )
    made = examples(folders, chosen.cache, chosen.rules) if folders else []
    made += [example for file in chosen.also for example in pickle.loads(file.read_bytes())]
    name = ALONE if chosen.rules else WITH_WRITER
    known = weights(name)
    report(made, known)
    if chosen.measure:
        return
    train = [one for one in made if one.part == "train" and (chosen.rules or not one.sure)]
    fitted = fit([one for one in train if one.style != "foreign"], known)
    fitted |= sureness([one for one in train if one.style != "wiki"], fitted)
    print()
    report(made, fitted)
    (WEIGHTS / f"{name}.yaml").write_text(yaml.safe_dump(fitted, sort_keys=True), "utf-8")


if __name__ == "__main__":
    main()
