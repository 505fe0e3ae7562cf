"""Measure the parser on a folder of tables and questions: python -m tests.bench.questions
FOLDER.

The folder holds tables/NAME.csv, tables.jsonl (table, title, language) and questions.jsonl (id,
table, language, kind, question, expected, conditions). It runs without a language model, with the
starter embedder or, with --without-embedder, without one. No question set is part of the project:
one is spent once anybody has looked at its failures.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime as dt
import json
import re
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from backends.catalog import Catalog
from backends.copilot.queries import has_unlisted, phrases_of, with_values
from backends.data.compiler import run_query
from backends.data.errors import KernelError
from backends.data.interfaces import INTERFACES
from backends.data.periods import days_of
from backends.data.profile import profile
from backends.data.table import Table, connect, table_from_sql
from backends.data.values import Profile, Result
from backends.flexai.entities import ModelType
from backends.flexai.models import TextEmbeddingModel
from backends.flexai.registry import load_providers
from backends.query.candidate import Candidate
from backends.query.decide import Decided, decide
from backends.query.describe import describe
from backends.query.parser import parse

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Embed = Callable[[list[str]], Awaitable[np.ndarray]]

DAY = re.compile(r"\d{4}-\d\d-\d\d")
DAYS = (
    "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%d-%m-%Y", "%m-%d-%Y", "%d %b %Y", "%d %B %Y", "%b %d, %Y",
    "%B %d, %Y", "%d-%b-%Y", "%d-%b-%y", "%d/%m/%y", "%m/%d/%y", "~%d %b %Y", "%b ~%d, %Y", "%B ~%d, %Y", "%Y年~%m月~%d日", "%Y/~%m/~%d",
    "~%m/~%d/%Y", "~%d %B %Y", "%Y.~%m.~%d", "~%d/~%m/%Y", "%a %d %b %Y",
)  # fmt: skip
OUTCOMES = (
    "right",
    "right asked",
    "in 3",
    "in 3 flagged",
    "in 3 asked",
    "flagged",
    "wrong",
    "asked",
    "talk",
)
PLAIN = ("lookup", "count", "sum", "mean", "highest", "lowest", "which_highest", "which_lowest")
LABELLED = ("which_highest", "which_lowest", "group_highest", "group_lowest")


def same(got: Any, expected: Any) -> bool:
    """Tell whether two scalars agree: numbers within 0.5 %, days however written, text whatever its
    case.
    """
    if isinstance(got, str) and DAY.match(got):
        return got == str(expected) or any(written(got, form) == str(expected) for form in DAYS)
    if (
        isinstance(expected, str)
        and isinstance(got, str)
        and (days := days_of(got))
        and days == days_of(expected)
    ):
        return True
    if isinstance(expected, str) and isinstance(got, (int, float)):
        expected = re.sub(r"[^\d.-]", "", expected) or expected  # "€1,598" as the file has it
    try:
        return abs(float(got) - float(expected)) <= max(0.005 * abs(float(expected)), 1e-9)
    except (TypeError, ValueError):
        return str(got).strip().lower() == str(expected).strip().lower()


def written(day: str, form: str) -> str:
    """Return an ISO day in another form; `~` stands before a part without its leading zero."""
    made = dt.date.fromisoformat(day[:10]).strftime(form)
    return re.sub("~0?", "", made)


def agrees(result: Result, kind: str, expected: Any) -> bool:
    """Tell whether a result is the expected answer of a kind of question."""
    if isinstance(expected, dict):
        rest = [(r[0], r[-1]) for r in result.rows]
        for key, value in expected.items():
            fit = next(
                (
                    r
                    for r in rest
                    if (same(r[0], key) or str(r[0]) == str(key)) and same(r[1], value)
                ),
                None,
            )
            if fit is None:
                return False
            rest.remove(fit)
        return not rest
    if isinstance(expected, list):
        columns = list(zip(*result.rows, strict=True)) if result.rows else []
        fits = (
            len(c) == len(expected) and all(map(same, *order(kind, c, expected))) for c in columns
        )
        return any(fits)
    if kind in LABELLED:
        first = result.rows[0] if result.rows else []
        return any(same(v, expected) for v in [result.label, *first])
    if result.interface == "list_rows" and len(result.rows) == 1 and len(result.columns) == 1:
        return same(result.rows[0][0], expected)
    return same(result.value, expected)


def order(kind: str, got: Any, expected: list[Any]) -> tuple[list[Any], list[Any]]:
    """Return both lists, sorted where the order does not matter."""
    if kind == "top":
        return list(got), expected
    return sorted(got, key=str), sorted(expected, key=str)


def starter_embedder() -> Embed:
    """Return the starter embedder; a text asked for twice is embedded once."""
    installed = Catalog().installed("minilm-l6")
    assert installed is not None, "the starter embedder is missing: deskpilot models pull minilm-l6"
    model = load_providers().model("onnxruntime", ModelType.TEXT_EMBEDDING)
    assert isinstance(model, TextEmbeddingModel)
    known: dict[str, list[float]] = {}

    async def embed(texts: list[str]) -> np.ndarray:
        new = [t for t in dict.fromkeys(texts) if t not in known]
        result = model.invoke(installed.entry.model, installed.credentials, new)
        known.update(zip(new, result.embeddings, strict=True))
        return np.array([known[t] for t in texts], dtype=np.float32)

    return embed


async def read(
    question: str, table: Table, about: Profile, today: dt.date, embed: Embed | None
) -> Decided:
    """Read a question as the copilot does, finding values in large columns where that is asked
    for.
    """
    loop = asyncio.get_running_loop()

    async def embedded(texts: list[str]) -> np.ndarray:
        assert embed is not None
        return await embed(texts)

    def near(texts: list[str]) -> np.ndarray:
        return asyncio.run_coroutine_threadsafe(embedded(texts), loop).result()

    def parsed() -> list[Candidate]:
        return parse(question, [about], today=today, embed=near if embed is not None else None)

    candidates = await asyncio.to_thread(parsed)
    if has_unlisted(about) and (phrases := phrases_of(question, candidates)):
        asked = {"source": about.source, "phrases": phrases}
        found: dict[str, list[str]] = {}
        for row in INTERFACES["find_values"].run(table, asked).rows:
            found.setdefault(str(row[1]), []).append(str(row[2]))
        about = with_values(about, found)
        candidates = await asyncio.to_thread(parsed)
    return decide(candidates, None)


def outcome(made: Decided, table: Table, asked: dict[str, Any]) -> str:
    """Say how a question went."""
    fits: list[bool] = []
    for candidate in made.candidates[:3]:
        try:
            result = run_query(candidate.query, {table.source: table})
            fits.append(
                asked["kind"] != "foreign" and agrees(result, asked["kind"], asked["expected"])
            )
        except KernelError:
            fits.append(False)
    if made.decision == "none":
        return "talk"
    first, some = fits[:1] == [True], any(fits)
    if made.decision == "ask":
        return "right asked" if first else "in 3 asked" if some else "asked"
    if first:
        return "right"
    flagged = made.decision == "confirm"
    return ("in 3 flagged" if flagged else "in 3") if some else "flagged" if flagged else "wrong"


def load(folder: Path) -> dict[str, tuple[Table, Profile]]:
    """Return the tables of a set and what is known of them, by name."""
    tables: dict[str, tuple[Table, Profile]] = {}
    for line in (folder / "tables.jsonl").read_text("utf-8").splitlines():
        about = json.loads(line)
        path = str(folder / "tables" / f"{about['table']}.csv")
        query = "SELECT * FROM read_csv(?, all_varchar = true)"
        table = table_from_sql(
            connect(), query, [path], source=about["table"], hash_=about["table"]
        )
        tables[about["table"]] = (table, profile(table, about["title"]))
    return tables


def main() -> None:
    """Print the outcomes by kind and language."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("--failures", action="store_true")
    options.add_argument("--today", type=dt.date.fromisoformat, default=dt.date(2026, 6, 15))
    options.add_argument("--without-embedder", action="store_true")
    chosen = options.parse_args()
    embed = None if chosen.without_embedder else starter_embedder()
    seconds: list[float] = []
    tables = load(chosen.folder)
    counts: dict[str, Counter[str]] = {}
    for line in (chosen.folder / "questions.jsonl").read_text("utf-8").splitlines():
        asked = json.loads(line)
        table, about = tables[asked["table"]]
        start = time.perf_counter()
        made = asyncio.run(read(asked["question"], table, about, chosen.today, embed))
        seconds.append(time.perf_counter() - start)
        went = outcome(made, table, asked)
        plain = asked["kind"] in PLAIN and asked["conditions"] <= 1
        kinds = (
            [asked["kind"]]
            if asked["kind"] == "foreign"
            else [asked["kind"], "all", *["plain"] * plain]
        )
        for kind in kinds:
            counts.setdefault(f"{asked['language']} {kind}", Counter())[went] += 1
        if chosen.failures and went != "right":
            first = made.candidates[0] if made.candidates else None
            said = " · ".join(describe(first.query, "en")) if first is not None else "-"
            left = first.unread if first is not None else ()
            print(f"{asked['id']} [{asked['kind']}] {went}: {asked['question']} | {said} | {left}")
    print(f"{'':20}" + "".join(f"{o:>13}" for o in (*OUTCOMES, "n")))
    for key, count in sorted(counts.items()):
        print(f"{key:20}" + "".join(f"{count[o]:13}" for o in OUTCOMES) + f"{count.total():13}")
    seconds.sort()
    print(f"seconds a question: median {seconds[len(seconds) // 2]:.3f}, longest {seconds[-1]:.3f}")


if __name__ == "__main__":
    main()
