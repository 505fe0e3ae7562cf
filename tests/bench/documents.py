"""A library of 10,000 files and 100,000 passages: reading, embedding, searching and resting.

    python -m tests.bench.documents [--files N] [--embed N] [--queries N] [--pairs N] [--small]

A seeded script writes the files. They are read into an index as the window does it; some of their
passages are embedded by the model service, beside sentence-transformers in the same run, turn
about; the vectors of the others are drawn by lot (a search costs the same whatever they are).
Searches run by words alone, by words and vectors, and as a question to a library (which looks at
the disk first), beside a plain loop over the same vectors with sentence-transformers for the query.
Ratios are peer / ours: above 1, ours is quicker; those of processor time count the model service
and its worker, and hold on a busy machine. Needs the starter embedder (deskpilot models pull
minilm-l6).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import shutil
import statistics
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil

from app.adapters.model_service.client import ServiceEmbedder
from app.adapters.model_service.process import ServiceProcess
from app.documents.index import Index
from app.documents.library import DocumentLibrary
from app.services.documents import BATCH, Documents
from app.services.tasks import Tasks
from backends.catalog import Catalog

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from app.domain.model import RetrievalModel

LIBRARY = "Bench"
WIDTH = 384  # numbers of a vector of the starter embedder
PASSAGES, SENTENCES, WORDS = 10, 9, 16  # of a file, of a passage, of a sentence
VOCABULARY = 40_000
COMMON = (
    "the of and to in a is that for it as was with be by on not he his but at are this have from or"
    " had an they which one you were all her she there would their we him been has when who will no"
)


class Writer:
    """Writes files of made-up words, as often as words are in a language (Zipf), and notes what can
    be asked about them.
    """

    def __init__(self, seed: int = 1) -> None:
        self._chance = np.random.default_rng(seed)
        letters = random.Random(seed)
        made: dict[str, None] = dict.fromkeys(COMMON.split())
        while len(made) < VOCABULARY:
            syllables = letters.randint(2, 4)
            word = "".join(
                letters.choice("bcdfghklmnprstvw") + letters.choice("aeiou")
                for _ in range(syllables)
            )
            made[word] = None
        self._words = np.array(list(made))
        weights = 1.0 / np.arange(3, VOCABULARY + 3)
        self._weights = np.cumsum(weights / weights.sum())
        self.questions: list[tuple[str, str]] = []  # and the name of the file that answers

    def write(self, folder: Path, files: int) -> None:
        """Write files, a hundred to a folder: text, and Markdown with headings."""
        for number in range(files):
            part = folder / f"part{number // 100:03}"
            part.mkdir(exist_ok=True)
            markdown = number % 3 == 0
            name = f"report-{number:05}.{'md' if markdown else 'txt'}"
            paragraphs = [self._paragraph() for _ in range(PASSAGES)]
            at = int(self._chance.integers(PASSAGES))
            subject, other = self._rare(), self._rare()
            fact = f" The {subject} of {other} costs {number + 1000} euros."
            paragraphs[at] += fact
            self.questions.append((f"What does the {subject} of {other} cost?", name))
            if markdown:
                paragraphs = [f"# {self._rare()}\n\n{text}" for text in paragraphs]
            (part / name).write_text("\n\n".join(paragraphs))

    def _rare(self) -> str:
        return str(self._words[int(self._chance.integers(2000, VOCABULARY))])

    def _paragraph(self) -> str:
        drawn = np.searchsorted(self._weights, self._chance.random(SENTENCES * WORDS))
        words = self._words[np.minimum(drawn, VOCABULARY - 1)].reshape(SENTENCES, WORDS)
        return " ".join(f"{' '.join(line).capitalize()}." for line in words)


def resident() -> float:
    """Return the MB this process holds."""
    return psutil.Process().memory_info().rss / 1e6


def spent() -> float:
    """Return the processor time of this process and those it started, in seconds."""
    found = 0.0
    own = psutil.Process()
    for process in (own, *own.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            found += times.user + times.system
    return found


def told(name: str, seconds: Sequence[float]) -> None:
    """Print the median and the 95th percentile."""
    ordered = sorted(1000 * one for one in seconds)
    p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    print(
        f"{name}: p50 {statistics.median(ordered):.0f} ms, p95 {p95:.0f} ms, {len(ordered)} times",
        flush=True,
    )


def ratio(name: str, theirs: Sequence[float], ours: Sequence[float]) -> None:
    """Print how much quicker ours is, pair by pair."""
    found = [a / b for a, b in zip(theirs, ours, strict=True)]
    print(
        f"{name}: {statistics.median(found):.2f}x"
        f" [{min(found):.2f} – {max(found):.2f}], {len(found)} pairs",
        flush=True,
    )


async def timed(work: Callable[[], Awaitable[Any]]) -> tuple[float, Any]:
    """Return the seconds some work takes, and what it returns."""
    begun = time.perf_counter()
    result = await work()
    return time.perf_counter() - begun, result


class Bench:
    """The steps of a run; each prints what it measured."""

    def __init__(self, documents: Documents, embedder: ServiceEmbedder, folder: Path) -> None:
        self._documents, self._embedder, self._folder = documents, embedder, folder

    async def read(self) -> None:
        """Read all files into the index."""
        await self._documents.add(self._folder, LIBRARY)
        before, processor = resident(), time.process_time()
        took, update = await timed(lambda: self._documents.update(LIBRARY))
        index = (await self._documents.library()).index
        _, passages = index.counts()
        size = sum(f.stat().st_size for f in self._folder.rglob("*.*")) / 1e6
        print(
            f"reading: {update.read} files, {passages} passages, {size:.0f} MB in {took:.0f} s:"
            f" {update.read / took:.0f} files/s, {passages / took:.0f} passages/s;"
            f" {time.process_time() - processor:.0f} s of processor time in the app,"
            f" {resident() - before:+.0f} MB, index {index.size() / 1e6:.0f} MB",
            flush=True,
        )
        took, update = await timed(lambda: self._documents.update(LIBRARY))
        assert update.read == 0
        print(f"looking again at {update.unchanged} files that did not change: {took:.2f} s")

    async def embed(self, model: RetrievalModel, peer: Any, count: int, pairs: int) -> None:
        """Embed passages by the service and by the peer, turn about."""
        index = (await self._documents.library()).index
        waiting = index.without_vectors(model.key, count)
        texts = [f"{about}\n{text}" for _, about, text in waiting]
        await self._embedder.embed(model.id, texts[:BATCH], asked=False)
        peer.encode(texts[:BATCH], show_progress_bar=False)
        each = max(BATCH, len(texts) // pairs // BATCH * BATCH)
        ours: list[float] = []
        theirs: list[float] = []
        ours_spent: list[float] = []
        theirs_spent: list[float] = []
        alike: list[float] = []
        for start in range(0, len(texts) - each + 1, each):
            some = texts[start : start + each]
            begun, before = time.perf_counter(), spent()
            raw = peer.encode(some, normalize_embeddings=True, show_progress_bar=False)
            theirs.append(time.perf_counter() - begun)
            theirs_spent.append(spent() - before)
            begun, before = time.perf_counter(), spent()
            made = [
                await self._embedder.embed(model.id, some[at : at + BATCH], asked=False)
                for at in range(0, len(some), BATCH)
            ]
            vectors = np.concatenate(made)
            rows = [
                (one, row.astype(np.float16).tobytes())
                for (one, _, _), row in zip(waiting[start : start + each], vectors, strict=True)
            ]
            index.put_vectors(model.key, rows)
            ours.append(time.perf_counter() - begun)
            ours_spent.append(spent() - before)
            alike.append(float(np.mean(np.sum(vectors * raw, axis=1))))
        done = each * len(ours)
        print(
            f"embedding: {done / sum(ours):.1f} passages/s with writing them, sentence-transformers"
            f" {done / sum(theirs):.1f}; cosine of both {statistics.mean(alike):.4f}"
        )
        print(
            f"embedding, passages a second of processor time: {done / sum(ours_spent):.1f},"
            f" sentence-transformers {done / sum(theirs_spent):.1f}"
        )
        ratio("embedding, sentence-transformers / ours", theirs, ours)
        ratio("the same in processor time", theirs_spent, ours_spent)

    async def draw_others(self, model: RetrievalModel) -> None:
        """Give passages without a vector one by lot."""
        index = (await self._documents.library()).index
        chance = np.random.default_rng(1)
        after = 0
        while waiting := index.without_vectors(model.key, 2000, after):
            after = waiting[-1][0]
            drawn = chance.standard_normal((len(waiting), WIDTH)).astype(np.float32)
            drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
            rows = drawn.astype(np.float16)
            index.put_vectors(
                model.key,
                [(one, row.tobytes()) for (one, _, _), row in zip(waiting, rows, strict=True)],
            )

    async def search(self, asked: Sequence[tuple[str, str]]) -> None:
        """Search for facts by words, print what it took and how often the right file came first."""
        seconds: list[float] = []
        processor: list[float] = []
        right = 0
        for question, file in asked:
            before = spent()
            took, found = await timed(lambda question=question: self._documents.find(question))
            seconds.append(took)
            processor.append(spent() - before)
            right += bool(found.hits) and found.hits[0].passage.path.endswith(file)
        told(f"search by words, right file first for {right} of {len(asked)}", seconds)
        told("the same in processor time", processor)

    async def search_both(self, model: RetrievalModel, peer: Any, asked: Sequence[str]) -> None:
        """Search by words and vectors, and by a plain loop over the same vectors, turn about."""
        library = await self._documents.library()
        begun, before = time.perf_counter(), resident()
        await self._documents.find("Load the vectors")
        print(
            f"first search, which loads the vectors: {time.perf_counter() - begun:.2f} s,"
            f" {resident() - before:+.0f} MB"
        )
        vectors = library.index.vectors(model.key)
        assert vectors is not None
        rows = list(vectors.matrix.astype(np.float32))
        ours: list[float] = []
        theirs: list[float] = []
        ours_spent: list[float] = []
        theirs_spent: list[float] = []
        for question in asked:
            begun, before = time.perf_counter(), spent()
            query = peer.encode([question], normalize_embeddings=True, show_progress_bar=False)[0]
            near = [float(row @ query) for row in rows]
            best = sorted(range(len(near)), key=lambda at: -near[at])[:8]
            library.index.passages([int(vectors.ids[at]) for at in best])
            theirs.append(time.perf_counter() - begun)
            theirs_spent.append(spent() - before)
            before = spent()
            took, _ = await timed(lambda question=question: self._documents.find(question))
            ours.append(took)
            ours_spent.append(spent() - before)
        told("search by words and vectors", ours)
        told("sentence-transformers and a plain loop", theirs)
        ratio("search, sentence-transformers and a plain loop / ours", theirs, ours)
        told("search by words and vectors, processor time", ours_spent)
        told("sentence-transformers and a plain loop, processor time", theirs_spent)
        ratio("the same in processor time", theirs_spent, ours_spent)

    async def ask(self, asked: Sequence[str]) -> None:
        """Search as a question to a library does, which looks at the disk first."""
        paths = await self._documents.roots(LIBRARY)
        seconds: list[float] = []
        for question in asked:
            took, _ = await timed(lambda question=question: self._documents.search(question, paths))
            seconds.append(took)
        told("a question to the library, files on the disk compared first", seconds)


async def main(options: argparse.Namespace) -> None:
    """Write, read, embed, search and rest; print each."""
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(options.threads)
    installed = Catalog().installed("minilm-l6")
    assert installed, "no embedder is on this machine: deskpilot models pull minilm-l6"
    with tempfile.TemporaryDirectory() as home:
        models = Path(home) / "home" / "models"
        models.mkdir(parents=True)
        (models / "minilm-l6").symlink_to(installed.folder)
        os.environ["DESKPILOT_HOME"] = str(Path(home) / "home")
        folder = Path(home) / "files"
        folder.mkdir()
        writer = Writer()
        writer.write(folder, options.files)
        questions = random.Random(2).sample(writer.questions, options.queries)
        words = [question for question, _ in questions]
        process, tasks = ServiceProcess(), Tasks()
        embedder = ServiceEmbedder(process)
        base = resident()

        def open_() -> Documents:
            path = Path(home) / "index.sqlite"
            return Documents(lambda: DocumentLibrary(Index(path)), embedder, tasks)

        documents = open_()
        bench = Bench(documents, embedder, folder)
        print(f"load {os.getloadavg()[0]:.1f}, {options.threads} threads", flush=True)
        try:
            await bench.read()
            await bench.search(questions)
            peer = SentenceTransformer(str(installed.folder), device="cpu", local_files_only=True)
            peer.max_seq_length = 256
            model = (await embedder.retrieval()).embedders[0]
            await bench.embed(model, peer, options.embed, options.pairs)
            await bench.draw_others(model)
            await bench.search_both(model, peer, words)
            await bench.ask(words)
            await rest(documents)
            await documents.aclose()
        finally:
            await tasks.aclose()
            await embedder.aclose()
            await process.aclose()
        await idle(Path(home) / "index.sqlite")
        print(f"this process before it opened the index: {base:.0f} MB")
        shutil.rmtree(folder)


async def rest(documents: Documents) -> None:
    """Print what leaving the vectors gives back."""
    before = resident()
    (await documents.library()).forget_vectors()
    print(f"vectors let go: {resident() - before:+.0f} MB")


async def idle(path: Path) -> None:
    """Print what an opened library costs while nobody asks: memory, and processor time."""
    code = (
        "import psutil, sys, time\n"
        "from pathlib import Path\n"
        "from app.documents.index import Index\n"
        "from app.documents.library import DocumentLibrary\n"
        "p = psutil.Process(); before = p.memory_info().rss\n"
        "library = DocumentLibrary(Index(Path(sys.argv[1])))\n"
        "library.index.libraries(), library.index.counts()\n"
        "begun = time.process_time(); time.sleep(2)\n"
        "print((p.memory_info().rss - before) / 1e6, time.process_time() - begun)\n"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, str(path), stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    memory, spent = map(float, out.split())
    print(f"idle library: {memory:+.0f} MB, {spent:.3f} s of processor time in 2 s")


def options() -> argparse.Namespace:
    """Return what was asked on the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--embed", type=int, default=1440, help="passages really embedded")
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--small", action="store_true", help="300 files, to try it out")
    found = parser.parse_args()
    if found.small:
        found.files, found.embed, found.queries = 300, 144, 12
    return found


if __name__ == "__main__":
    asyncio.run(main(options()))
