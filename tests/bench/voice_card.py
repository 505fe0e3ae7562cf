"""Sound through a sound card, a virtual one: underruns, and from cancel to silence, to an empty
queue, to a stopped model.

    python -m tests.bench.voice_card [--rounds 5]

The loudspeaker is recorded, so silence is what nobody hears any more. The model is the starter
model, telling a long story; it has stopped when its process computes no more.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil

from app.adapters.system.sound_card import Loudspeaker
from app.bootstrap import build
from app.domain.events import Ended
from app.domain.stream import Chunk
from app.services.conversation.turns import offer_for
from app.services.deskpilot import Deskpilot
from backends.catalog import Catalog
from backends.paths import models_folder
from tests.bench.voice_engines import ANSWER, CHANNELS, LAYERS, burning, show
from tests.models.decoding_voice import decoding_voice
from tests.models.speech import WHISPER
from tests.virtual_sound import RATE, VirtualSound

LOUD, LOADED = 0.02, 2  # processes that burn for each core under load
IDLE_SECONDS = 0.1  # without computing: the model has stopped


async def underruns(deskpilot: Deskpilot, what: str) -> None:
    """An answer that is there at once, spoken by a voice that costs what a medium one does."""
    card: Any = deskpilot.voice.card
    speaker: Loudspeaker = card.loudspeaker(None)
    saying, task = deskpilot.speech.begin(speaker)
    saying.item(Chunk("assistant", "message", ANSWER))
    saying.finish()
    began = time.perf_counter()
    await task
    took, sound = time.perf_counter() - began, speaker.played / 2 / 24000
    print(
        f"{what}: {speaker.starved} periods of 20 ms without sound in {sound:.1f} s of speech"
        f" ({took:.1f} s)"
    )


async def stopped(deskpilot: Deskpilot, virtual: VirtualSound, rounds: int) -> None:
    """Stop a story that is spoken while it comes."""
    figures: dict[str, list[float]] = {"silence": [], "an empty queue": [], "a stopped model": []}
    for _ in range(rounds):
        ended = asyncio.Event()
        deskpilot.turns.subscribe(
            lambda _, item, e=ended: e.set() if isinstance(item, Ended) else None
        )
        conversation = await deskpilot.history.begin("story")
        question = "Write a very long story about the sea."
        turn = deskpilot.turns.new_turn(conversation.id, question, None)
        since = virtual.now()
        deskpilot.turns.ask([], turn, deskpilot.copilots.local, offer_for(deskpilot.widgets, []))
        while np.abs(virtual.heard(since)).max(initial=0) < LOUD:
            await asyncio.sleep(0.02)
        at, began = virtual.now(), time.perf_counter()
        worker = psutil.Process(await process_of(deskpilot, "smollm2-135m"))
        at, began = virtual.now(), time.perf_counter()
        deskpilot.voice.reader.stop()
        while [t for t in asyncio.all_tasks() if t.get_name().startswith("speech")]:
            await asyncio.sleep(0)
        figures["an empty queue"].append((time.perf_counter() - began) * 1000)
        figures["a stopped model"].append((await idle_since(worker) - began) * 1000)
        await ended.wait()
        while virtual.now() < at + RATE:
            await asyncio.sleep(0.05)
        late = np.flatnonzero(np.abs(virtual.heard(at)) > LOUD)
        figures["silence"].append(late[-1] / RATE * 1000 if len(late) else 0.0)
    for what, values in figures.items():
        show(f"stop to {what}", values, "target ≤ 100", " ms")


async def process_of(deskpilot: Deskpilot, model: str) -> int:
    """Return the process a model runs in."""
    address = await deskpilot.service.address()
    async with httpx.AsyncClient(trust_env=False) as client:
        told = await client.get(address.url + "/v1/manage/models", headers=address.headers)
    return next(loaded["pid"] for loaded in told.json()["loaded"] if loaded["id"] == model)


async def idle_since(process: psutil.Process) -> float:
    """Return when a process last computed."""
    last, before = time.perf_counter(), sum(process.cpu_times()[:2])
    while time.perf_counter() - last < IDLE_SECONDS:
        await asyncio.sleep(0.005)
        now = sum(process.cpu_times()[:2])
        if now > before:
            last, before = time.perf_counter(), now
    return last


async def run(folder: Path, rounds: int) -> None:
    """Print the figures; the models are those that DESKPILOT_MODELS names."""
    virtual = VirtualSound(folder)
    virtual.start()
    try:
        async with build(None) as deskpilot:
            deskpilot.voice.reader.always = True
            await underruns(deskpilot, "idle machine, the first loads the voice")
            await underruns(deskpilot, "idle machine")
            with burning(LOADED * (os.cpu_count() or 2)):
                await underruns(deskpilot, "twice the load on every core")
            await stopped(deskpilot, virtual, rounds)
    finally:
        virtual.stop()


def furnish(folder: Path) -> None:
    """Make a home and models for a bench, and let the environment name them; Joe is among them if
    he is here.
    """
    here = models_folder()
    os.environ["DESKPILOT_HOME"] = str(folder / "home")
    os.environ["DESKPILOT_MODELS"] = str(folder / "models")
    catalog = Catalog(folder / "models")
    catalog.add(Path(WHISPER["model_path"]), "tiny-whisper", link=True)
    catalog.add(decoding_voice(folder, LAYERS, CHANNELS), "costly-voice", link=True)
    for name in ("smollm2-135m", "piper-en-joe"):
        if (here / name).exists():
            (folder / "models" / name).symlink_to(here / name, target_is_directory=True)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        furnish(Path(folder))
        asyncio.run(run(Path(folder), rounds))


if __name__ == "__main__":
    main()
