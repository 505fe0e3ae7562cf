"""Make a question set of WikiTableQuestions: python -m tests.corpus.wikitables CHECKOUT FOLDER.

CHECKOUT is a copy of the data set's repository (Pasupat and Liang 2015, CC BY-SA 4.0), which is
fetched and not kept here. A random part of the split's training tables becomes `train`, of its
development tables `test`; the tables that its authors keep unseen are never read.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

NUMBER = re.compile(r"-?[\d,]+(\.\d+)?")
TODAY = "2014-06-15"  # about when the tables were taken


def answer_of(text: str) -> Any:
    """Return a target as an answer: a number, a text, or a list of several."""
    parts = [part.replace("\\p", "|") for part in text.split("|")]
    values = [
        float(part.replace(",", "")) if NUMBER.fullmatch(part) else part.strip() for part in parts
    ]
    return values[0] if len(values) == 1 else values


def plain_csv(source: Path, target: Path) -> None:
    """Write a table as CSV files usually are: a quote within a cell stands twice."""
    text = source.read_text("utf-8").replace("\\\\", "\\").replace('\\"', '""')
    rows = [[cell.replace("\\n", " ") for cell in row] for row in csv.reader(text.splitlines())]
    with target.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


def main() -> None:
    """Read the options and write the set."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("checkout", type=Path)
    options.add_argument("folder", type=Path)
    options.add_argument("--split", type=int, default=1)
    options.add_argument("--train", type=int, default=300, help="tables")
    options.add_argument("--test", type=int, default=150, help="tables")
    options.add_argument("--seed", type=int, default=0)
    chosen = options.parse_args()
    (chosen.folder / "tables").mkdir(parents=True, exist_ok=True)
    tables: list[dict[str, Any]] = []
    questions: list[dict[str, Any]] = []
    for part, name, size in (("train", "train", chosen.train), ("test", "dev", chosen.test)):
        path = chosen.checkout / "data" / f"random-split-{chosen.split}-{name}.tsv"
        by: dict[str, list[list[str]]] = defaultdict(list)
        for line in path.read_text("utf-8").splitlines()[1:]:
            by[line.split("\t")[2]].append(line.split("\t"))
        for context in random.Random(chosen.seed).sample(sorted(by), min(size, len(by))):
            table = context.removeprefix("csv/").removesuffix(".csv").replace("-csv/", "-")
            plain_csv(chosen.checkout / context, chosen.folder / "tables" / f"{table}.csv")
            about = {"table": table, "file": f"tables/{table}.csv", "title": table}
            tables.append(about | {"language": "en", "today": TODAY, "part": part})
            for number, question, _, target in by[context]:
                asked = {"id": number, "table": table, "language": "en", "style": "wiki"}
                questions.append(
                    asked | {"kind": "wiki", "question": question, "answers": [answer_of(target)]}
                )
    for file, objects in (("tables", tables), ("questions", questions)):
        text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects)
        (chosen.folder / f"{file}.jsonl").write_text(text, "utf-8")
    print(f"{len(tables)} tables, {len(questions)} questions")


if __name__ == "__main__":
    main()
