"""Search by meaning among 10,000 messages: what a search costs, and how quickly messages are read
for it.

    python -m tests.bench.meaning [MESSAGES]

The vectors of most messages are drawn by lot (a search costs the same whatever they are); 200 texts
are really read. Needs the starter embedder (deskpilot models pull minilm-l6).
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from app.adapters.model_service.client import ServiceEmbedder
from app.adapters.model_service.process import ServiceProcess
from app.adapters.store.store import Store
from app.domain.conversation import Turn
from app.domain.events import Ended
from app.domain.semantic_search import parts_of
from app.domain.stream import Message
from app.services.conversation.semantic_search import SemanticSearch, as_kept
from app.services.tasks import Tasks

GATE_MS, WIDTH, SEARCHES, READ = 50, 384, 15, 60
TOPICS = (
    "sourdough bread",
    "exchange rates",
    "a leaking tap",
    "bird migration",
    "tax returns",
    "hiking boots",
    "cell walls",
)


def turns(count: int) -> list[Turn]:
    """Return turns of about the length people write."""
    made: list[Turn] = []
    for number in range(count):
        topic = TOPICS[number % len(TOPICS)]
        answer = f"About {topic}: " + f"remark {number} on {topic}. " * 12
        items = [Message("assistant", "message", answer), Ended("done")]
        made.append(
            Turn(
                f"t{number}",
                "",
                made[-1].id if made else None,
                f"Tell me of {topic}, {number}",
                "done",
                1.0,
                items,
            )
        )
    return made


async def main(messages: int) -> None:
    """Fill a store, search it, and print what it took."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["DESKPILOT_HOME"] = home
        store, process, tasks = (
            await Store.open(Path(home) / "deskpilot.sqlite"),
            ServiceProcess(),
            Tasks(),
        )
        embedder = ServiceEmbedder(process)
        meaning = SemanticSearch(store.meanings, embedder, tasks)
        await store.add_conversation("Many", 1.0, turns(messages // 2))
        model = await embedder.model()
        assert model, "no embedder is on this machine: deskpilot models pull minilm-l6"
        chance = np.random.default_rng(1)
        for told in (await store.meanings.unread(model, None, 1 << 30))[READ:]:
            rows = chance.normal(size=(len(parts := parts_of(told)), WIDTH)).astype(np.float32)
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
            kept = as_kept(rows)
            await store.meanings.put(
                model,
                told,
                [type(p)(p.text_id, p.start, p.end, v) for p, v in zip(parts, kept, strict=True)],
            )
        await embedder.embed(model, ["warm"], asked=True)
        began = time.perf_counter()
        await meaning.read_new()
        took = time.perf_counter() - began
        print(f"read: {READ} turns in {took:.1f} s, {READ * 2 / took:.0f} messages a second")
        first = await timed(meaning, "how do I bake a loaf")
        rest = [await timed(meaning, f"currency {n}") for n in range(SEARCHES)]
        ours = time.process_time()
        for number in range(SEARCHES):
            await meaning.search(f"rates {number}")
        ours = (time.process_time() - ours) * 1000 / SEARCHES
        print(
            f"of each search {ours:.1f} ms of computing in this process; the rest is the embedder's"
        )
        count, of = await store.meanings.count(model)
        print(
            f"search among {of * 2:,} messages ({count * 2:,} read): first {first:.0f} ms, then"
            f" median {statistics.median(rest):.1f} ms [{min(rest):.1f}-{max(rest):.1f}]; gate"
            f" {GATE_MS} ms"
        )
        await tasks.aclose()
        await embedder.aclose()
        await process.aclose()
        await store.aclose()


async def timed(meaning: SemanticSearch, wanted: str) -> float:
    """Return the milliseconds of one search."""
    began = time.perf_counter()
    await meaning.search(wanted)
    return (time.perf_counter() - began) * 1000


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
