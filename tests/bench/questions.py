"""Measure understanding on a folder of tables and questions: python -m tests.bench.questions FOLDER.

The folder holds tables/NAME.csv, tables.jsonl (table, title, language) and questions.jsonl (id, table,
language, kind, question, expected). It runs without a language model and without an embedder.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime as dt
import json
from collections import Counter
from pathlib import Path
from typing import Any

from backends.kernel import INTERFACES, KernelError, Profile, Result, Table, connect, profile, table_from_sql
from backends.understanding import NeedValues, Understanding, understand

OUTCOMES = ("right", "right in 3", "wrong flagged", "wrong unflagged", "asked back", "talk")
LABELLED = ("which_highest", "which_lowest", "group_highest", "group_lowest")


def same(got: Any, expected: Any) -> bool:
    """Tell whether two scalars agree: numbers within 0.5 %, text whatever its case."""
    try:
        return abs(float(got) - float(expected)) <= max(0.005 * abs(float(expected)), 1e-9)
    except (TypeError, ValueError):
        return str(got).strip().lower() == str(expected).strip().lower()


def agrees(result: Result, kind: str, expected: Any) -> bool:
    """Tell whether a result is the expected answer of a kind of question."""
    if isinstance(expected, dict):
        got = {str(r[0]): r[-1] for r in result.rows}
        return len(got) == len(expected) and all(same(got.get(str(k)), v) for k, v in expected.items())
    if isinstance(expected, list):
        columns = list(zip(*result.rows, strict=True)) if result.rows else []
        fits = (len(c) == len(expected) and all(map(same, *order(kind, c, expected))) for c in columns)
        return any(fits)
    if kind in LABELLED:
        first = result.rows[0] if result.rows else []
        return any(same(v, expected) for v in [result.label, *first])
    return same(result.value, expected)


def order(kind: str, got: Any, expected: list[Any]) -> tuple[list[Any], list[Any]]:
    """Return both lists, sorted where the order does not matter."""
    if kind == "top":
        return list(got), expected
    return sorted(got, key=str), sorted(expected, key=str)


async def read(question: str, table: Table, about: Profile, today: dt.date) -> Understanding:
    """Understand a question, finding values in large columns where that is asked for."""
    made = await understand(question, [about], embed=None, today=today)
    if isinstance(made, NeedValues):
        hits = INTERFACES["find_values"].run(table, {"source": about.source, "phrases": made.phrases})
        found: dict[str, list[str]] = {}
        for row in hits.rows:
            found.setdefault(str(row[1]), []).append(str(row[2]))
        made = await understand(question, [about], embed=None, today=today, found=found)
    assert isinstance(made, Understanding)
    return made


def outcome(made: Understanding, table: Table, asked: dict[str, Any]) -> str:
    """Say how a question went."""
    fits: list[bool] = []
    for reading in made.readings[:3]:
        try:
            result = INTERFACES[reading.interface].run(table, reading.arguments)
            fits.append(asked["kind"] != "foreign" and agrees(result, asked["kind"], asked["expected"]))
        except KernelError:
            fits.append(False)
    if made.decision in ("ask", "talk"):
        return "talk" if made.decision == "talk" else "asked back"
    if fits[:1] == [True]:
        return "right"
    if any(fits):
        return "right in 3"
    return "wrong flagged" if made.decision == "confirm" else "wrong unflagged"


def load(folder: Path) -> dict[str, tuple[Table, Profile]]:
    """Return the tables of a set and what is known of them, by name."""
    tables: dict[str, tuple[Table, Profile]] = {}
    for line in (folder / "tables.jsonl").read_text("utf-8").splitlines():
        about = json.loads(line)
        path = str(folder / "tables" / f"{about['table']}.csv")
        query = "SELECT * FROM read_csv(?, all_varchar = true)"
        table = table_from_sql(connect(), query, [path], source=about["table"], hash_=about["table"])
        tables[about["table"]] = (table, profile(table, about["title"]))
    return tables


def main() -> None:
    """Print the outcomes by kind and language."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("--failures", action="store_true")
    options.add_argument("--today", type=dt.date.fromisoformat, default=dt.date(2026, 6, 15))
    chosen = options.parse_args()
    tables = load(chosen.folder)
    counts: dict[str, Counter[str]] = {}
    for line in (chosen.folder / "questions.jsonl").read_text("utf-8").splitlines():
        asked = json.loads(line)
        table, about = tables[asked["table"]]
        made = asyncio.run(read(asked["question"], table, about, chosen.today))
        went = outcome(made, table, asked)
        for key in (f"{asked['language']} {asked['kind']}", f"{asked['language']} all"):
            if asked["kind"] != "foreign" or not key.endswith(" all"):
                counts.setdefault(key, Counter())[went] += 1
        if chosen.failures and went != "right":
            said = " · ".join(made.readings[0].words) if made.readings else "-"
            print(f"{asked['id']} {went}: {asked['question']} | {said} | ignored {made.ignored}")
    print(f"{'':24}" + "".join(f"{o:>17}" for o in (*OUTCOMES, "n")))
    for key, count in sorted(counts.items()):
        print(f"{key:24}" + "".join(f"{count[o]:17}" for o in OUTCOMES) + f"{count.total():17}")


if __name__ == "__main__":
    main()
