"""Search by meaning among 10,000 messages: what a search costs, how quickly messages are read for
it, and how far apart from chance is what it finds.

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
from app.services.conversation.semantic_search import (
    SemanticSearch,
    as_kept,
    by_chance,
    neutral_sentences,
)
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

CHATS = (
    "How many appointments were no-shows?\n42 appointments were no-shows.",
    "and Dr. Nair?\nDr. Priya Nair had 15 no-shows.",
    "When must ramipril not be given?\nRamipril must not be given during pregnancy.",
    "At what temperature are vaccines kept?\nVaccines are kept between 2 and 8 degrees Celsius.",
    "Which medicines expire before March 2026?\nInsulin glargine, Ramipril, Bisoprolol.",
    "What is the total salary per department as a pie chart?",
    "Write a birthday greeting for a colleague\nHappy birthday! We wish you all the best.",
    "How did unemployment develop since 1990?\nUnemployment fell from 5.6 % to 4.1 %.",
    "Translate this letter into French\nChère Madame, nous vous remercions de votre lettre.",
    "How do I remove a stain of red wine?\nSalt and cold water, quickly.",
    "Explain how a heat pump works\nIt moves heat from outside into the house with a compressor.",
    "What should we pack for the hiking trip?\nBoots, rain jacket, water, map.",
)
SOME = (
    "patients who did not come",
    "missed visits",
    "blood pressure pill during pregnancy",
    "fridge for immunisation",
    "drugs out of date",
    "wages of each team",
    "congratulations",
    "joblessness",
    "French version of a text",
    "cleaning clothes",
    "heating a home",
    "walking in the mountains equipment",
    "medication",
    "jobless rate over time",
)
NONE = (
    "xylophone",
    "quantum computing",
    "volcano eruption",
    "guitar chords",
    "football results",
    "mortgage",
    "knitting pattern",
    "dinosaur",
    "wedding cake",
    "submarine",
    "tax return",
    "chess opening",
)


async def tell_apart(embedder: ServiceEmbedder, model: str) -> None:
    """Print how far above neutral sentences the nearest chat is, for searches of which a chat is
    about the same, and for others.
    """
    parts = [part for chat in CHATS for part in chat.split("\n")]
    rows = await embedder.embed(model, parts, asked=False)
    neutral = await embedder.embed(model, neutral_sentences()["latin"], asked=False)
    for name, searches in (("of something", SOME), ("of nothing", NONE)):
        above, found = list[float](), 0
        for asked in await embedder.embed(model, list(searches), asked=True):
            near, best = neutral @ asked, float((rows @ asked).max())
            above.append(float((best - near.mean()) / near.std()))
            found += best > by_chance(neutral, asked)
        print(
            f"{len(searches)} searches {name}: the nearest is {min(above):.1f} to {max(above):.1f}"
            f" deviations above chance; {found} find something"
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
        await tell_apart(embedder, model)
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
