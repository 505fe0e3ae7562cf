"""How well search finds the right text in public sets: nDCG@10 by words, and with vectors.

    python -m tests.bench.retrieval NAME=FILE … [--embed] [--limit N]

FILE is JSON as SQuAD has it (CMRC 2018, DRCD, XQuAD, JSQuAD), whose paragraphs are searched for its
questions; or a folder with corpus.csv (doc_id, title, abstract), claims.csv (id, claim) and
qrels.tsv (query-id, corpus-id, score), as made from SciFact. --embed takes the starter embedder
(deskpilot models pull minilm-l6).
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import math
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.adapters.model_service.client import ServiceEmbedder
from app.adapters.model_service.process import ServiceProcess
from app.documents.index import Index
from app.documents.library import DocumentLibrary
from app.documents.passages import DocumentPage, DocumentText
from app.services.documents import Documents
from app.services.tasks import Tasks

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT, BEST = "/set", 10
csv.field_size_limit(sys.maxsize)


@dataclass(frozen=True)
class Set:
    """Texts by id, each a title and words; questions with the ids of the texts that answer."""

    texts: dict[str, tuple[str, str]]
    questions: list[tuple[str, frozenset[str]]]


def read_set(path: Path) -> Set:
    """Read a set, whatever its form."""
    return read_scifact(path) if path.is_dir() else read_squad(path)


def read_squad(path: Path) -> Set:
    """Read a set as SQuAD has it."""
    texts: dict[str, tuple[str, str]] = {}
    known: dict[str, str] = {}
    questions: list[tuple[str, frozenset[str]]] = []
    for article in json.loads(path.read_text("utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            words = paragraph["context"].split("[SEP]")[-1].strip()
            one = known.setdefault(words, f"t{len(known)}")
            texts[one] = ("", words)
            questions += [(q["question"], frozenset([one])) for q in paragraph["qas"]]
    return Set(texts, questions)


def read_scifact(folder: Path) -> Set:
    """Read abstracts, claims and which abstracts a claim is about."""
    with (folder / "corpus.csv").open(encoding="utf-8", newline="") as file:
        texts = {
            row["doc_id"]: (row["title"], re.sub(r"'\s*\n\s*'|^\['|'\]$", " ", row["abstract"]))
            for row in csv.DictReader(file)
        }
    with (folder / "claims.csv").open(encoding="utf-8", newline="") as file:
        claims = {row["id"]: row["claim"] for row in csv.DictReader(file)}
    right: dict[str, set[str]] = {}
    with (folder / "qrels.tsv").open(encoding="utf-8") as file:
        for query, text, _ in list(csv.reader(file, delimiter="\t"))[1:]:
            right.setdefault(query, set()).add(text)
    return Set(texts, [(claims[query], frozenset(found)) for query, found in right.items()])


def fill(index: Index, made: Set) -> None:
    """Put the texts into an index, each as a document of a page."""
    index.add_root("Set", ROOT)
    for one in made.texts:
        index.note_file("Set", ROOT, f"{ROOT}/{one}.txt", 1, 1)
    for file in index.files():
        title, words = made.texts[Path(file.path).stem]
        index.put_content(
            file.id, "", file.path, DocumentText("text", (DocumentPage(1, words),), title)
        )


def gain(found: Sequence[str], right: frozenset[str]) -> float:
    """Return nDCG of the first ten."""
    made = sum(1 / math.log2(place + 2) for place, one in enumerate(found[:BEST]) if one in right)
    return made / sum(1 / math.log2(place + 2) for place in range(min(len(right), BEST)))


async def measure(name: str, made: Set, limit: int, *, embed: bool) -> None:
    """Print how well one set is found."""
    index = Index(None)
    fill(index, made)
    process, tasks = ServiceProcess(), Tasks()
    embedder = ServiceEmbedder(process)
    documents = Documents(lambda: DocumentLibrary(index), embedder, tasks)
    asked = made.questions[:: max(1, len(made.questions) // limit)] if limit else made.questions
    try:
        for step in ("words", "words and vectors") if embed else ("words",):
            if step != "words":
                await documents.embed_new(lambda done, of: told(f"{done} of {of} embedded"))
            gains: list[float] = []
            seconds: list[float] = []
            for question, right in asked:
                begun = time.perf_counter()
                vector = await documents._embedder_for(question)
                hits = (await documents.library()).rank(question, embedder=vector)
                seconds.append(time.perf_counter() - begun)
                order = list(dict.fromkeys(Path(hit.passage.path).stem for hit in hits))
                gains.append(gain(order, right))
            print(
                f"{name}, {step}: nDCG@10 {sum(gains) / len(gains):.3f}, {len(gains)} questions,"
                f" {len(made.texts)} texts, {1000 * sorted(seconds)[len(seconds) // 2]:.0f} ms",
                flush=True,
            )
    finally:
        await tasks.aclose()
        await documents.aclose()
        await embedder.aclose()
        await process.aclose()


def told(text: str) -> None:
    """Print how far it is, on a terminal."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr)


async def main(options: argparse.Namespace) -> None:
    """Measure one set after the other."""
    for named in options.sets:
        name, _, place = named.partition("=")
        made = await asyncio.to_thread(read_set, Path(place))
        await measure(name, made, options.limit, embed=options.embed)


def arguments() -> argparse.Namespace:
    """Return what was asked on the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--embed", action="store_true")
    parser.add_argument("--limit", type=int, default=0, help="questions of a set; all if 0")
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main(arguments()))
