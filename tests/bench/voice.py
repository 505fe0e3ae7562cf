"""The voice loop through the real service: first sound, underruns, cancel, passes of the live ear.

    python -m tests.bench.voice [--pairs 9]

The voice is the tiny one with layers behind it that cost what a medium voice costs; the ear is the
tiny Whisper. Sound is played by a loudspeaker that takes as long as one does, then by a virtual
sound card, beside the starter model. Counts do not depend on the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from piper import PiperVoice
from websockets.asyncio.client import connect

from app.adapters.model_service.client import ServiceSound
from app.adapters.model_service.process import ServiceProcess
from app.domain.sound import RATE, SAMPLE_BYTES
from app.domain.stream import Chunk
from app.services.tasks import Tasks
from app.services.voice.speech import Manner, Speech
from backends.catalog import Catalog
from tests.bench import voice_card
from tests.bench.voice_engines import ANSWER, FIRST, burning, listening, show, sound_of
from tests.models.speech import SENTENCES, WHISPER, at_rate, spoken

BUFFER_SECONDS = 0.1  # what a device holds
WORDS_A_SECOND = 12.0  # of a small model on a laptop


@dataclass
class Loudspeaker:
    """Takes sound as fast as it is heard; counts the times it had none in the middle of an
    answer.
    """

    began: float = 0.0
    given: int = 0
    underruns: int = 0
    waited: float = 0.0
    ends: float = 0.0
    silent: bool = False
    first: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def played(self) -> int:
        return self.given

    async def play(self, sound: bytes) -> None:
        now = time.perf_counter()
        if not self.first.is_set():
            self.began = self.ends = now
            self.first.set()
        elif now > self.ends + 0.005:
            self.underruns += 1
            self.waited += now - self.ends
            self.ends = now
        self.given += len(sound)
        self.ends += len(sound) / SAMPLE_BYTES / RATE
        await asyncio.sleep(max(0.0, self.ends - now - BUFFER_SECONDS))

    async def drained(self) -> None:
        await asyncio.sleep(max(0.0, self.ends - time.perf_counter()))

    def silence(self) -> None:
        self.silent = True


def said(text: str) -> Chunk:
    return Chunk("assistant", "message", text)


async def first_sound(speech: Speech, manner: Manner, raw: Any, pairs: int) -> None:
    """From the first word of an answer that is there at once to sound, over raw Piper's first
    sentence.
    """
    ratios, raws = list[float](), list[float]()
    for _ in range(pairs + 1):
        loudspeaker, began = Loudspeaker(), time.perf_counter()
        saying, task = speech.begin(loudspeaker, manner=manner)
        saying.item(said(ANSWER))
        await loudspeaker.first.wait()
        ours = loudspeaker.began - began
        speech.stop()
        await asyncio.wait({task})
        begun = time.perf_counter()
        await asyncio.to_thread(lambda: next(iter(raw.synthesize(FIRST))))
        raws.append(time.perf_counter() - begun)
        ratios.append(ours / raws[-1])
    show(
        "first sound through the service / raw Piper's first sentence", ratios[1:], "target ≤ 0.35"
    )
    print(
        f"  {manner.model}: raw {statistics.median(raws) * 1000:.0f} ms; load"
        f" {os.getloadavg()[0]:.1f}"
    )


async def streamed(speech: Speech, manner: Manner, what: str, rate: float = WORDS_A_SECOND) -> None:
    """An answer that comes word by word: when its sound begins, and whether it ever stops.

    Where the words come slower than they are spoken, the voice waits for them: that is an underrun,
    too.
    """
    loudspeaker, began = Loudspeaker(), time.perf_counter()
    saying, task = speech.begin(loudspeaker, manner=manner)
    for word in ANSWER.split():
        saying.item(said(f"{word} "))
        await asyncio.sleep(1 / rate)
    last = time.perf_counter()
    saying.finish()
    await task
    lead = last - loudspeaker.began
    print(
        f"{what}: sound {lead:.2f} s before the last of {last - began:.2f} s of words; "
        f"underruns {loudspeaker.underruns}, {loudspeaker.waited * 1000:.0f} ms"
    )


async def cancelled(speech: Speech, manner: Manner, pairs: int) -> None:
    """From stop to silence, to an empty queue, to a voice that speaks again."""
    silence, queue, again = [], [], []
    for _ in range(pairs):
        loudspeaker = Loudspeaker()
        saying, task = speech.begin(loudspeaker, manner=manner)
        saying.item(said(ANSWER))
        await loudspeaker.first.wait()
        began = time.perf_counter()
        speech.stop()
        assert loudspeaker.silent
        silence.append((time.perf_counter() - began) * 1000)
        await asyncio.wait({task})
        queue.append((time.perf_counter() - began) * 1000)
        other = Loudspeaker()
        saying, task = speech.begin(other, manner=manner)
        saying.item(said("Yes. "))
        saying.finish()
        await other.first.wait()
        again.append((other.began - began) * 1000)
        await task
    show("stop to silence", silence, "", " ms")
    show("stop to an empty queue, the voice's model hung up on", queue, "", " ms")
    show("stop to the first sound of the next words (the voice is free)", again, "", " ms")


async def live(service: ServiceProcess) -> None:
    """Sentences spoken in real time: passes and partials of each, and how long the final takes."""
    address = await service.address()
    where = address.url.replace("http://", "ws://") + "/v1/audio/stream"
    passes, shown, waits, right = list[int](), list[int](), list[float](), 0
    async with connect(where, additional_headers=address.headers, proxy=None) as socket:
        await socket.send(json.dumps({"type": "start", "language": "en"}))
        await socket.recv()
        for text in SENTENCES[:8]:
            samples = at_rate(*spoken(text), 16000)
            sound = (np.concatenate([np.zeros(4800), samples, np.zeros(16000)]) * 30000).astype(
                "<i2"
            )
            began = time.perf_counter()
            speaking = asyncio.create_task(paced(socket, sound.tobytes()))
            told: dict[str, Any] = {"type": ""}
            shown.append(0)
            while told["type"] != "final":
                told = json.loads(await socket.recv())
                shown[-1] += told["type"] == "partial"
            waits.append(time.perf_counter() - began - (4800 + len(samples)) / 16000)
            await speaking
            passes.append(told["passes"])
            right += told["text"] == text
    over = max(made - partials for made, partials in zip(passes, shown, strict=True))
    print(
        f"live: encoder passes of 8 utterances {passes}, partials shown {shown}: "
        f"at most {over} more than partials (target: 1)"
    )
    print(
        f"  final {statistics.median(waits):.2f} s behind the last sound of it; an end takes 0.6 s"
        " of silence"
    )
    print(f"  understood {right} of 8")


async def paced(socket: Any, sound: bytes) -> None:
    """Send sound as fast as it is spoken."""
    began = time.perf_counter()
    for at in range(0, len(sound), 640):
        await socket.send(sound[at : at + 640])
        await asyncio.sleep(max(0.0, began + (at + 640) / 32000 - time.perf_counter()))


async def run(folder: Path, pairs: int) -> None:
    voices = {"costly-voice": folder / "decoding.onnx"}
    if (joe := Catalog().installed("piper-en-joe")) is not None:
        voices["piper-en-joe"] = Path(joe.credentials["model_path"])
    service, tasks = ServiceProcess(), Tasks()
    sound = ServiceSound(service)
    speech, manner = Speech(sound, tasks), Manner("costly-voice")
    try:
        for name, path in voices.items():
            await first_sound(speech, Manner(name), PiperVoice.load(path), pairs)
        await streamed(speech, manner, "idle machine")
        with burning(os.cpu_count() or 2):
            await streamed(speech, manner, "every core busy besides")
            await streamed(speech, manner, "the same, the words all there", 1e6)
        await cancelled(speech, manner, pairs)
        await live(service)
    finally:
        await tasks.aclose()
        await sound.aclose()
        await service.aclose()


def main() -> None:
    """Print the figures: of the ear beside the raw library, of the service, of a sound card."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=9)
    pairs = parser.parse_args().pairs
    listening("tiny model", WHISPER, {"one utterance of 2 s": sound_of(SENTENCES[1:2], 0.2)}, pairs)
    with tempfile.TemporaryDirectory() as folder:
        voice_card.furnish(Path(folder))
        asyncio.run(run(Path(folder), pairs))
        asyncio.run(voice_card.run(Path(folder), rounds=5))


if __name__ == "__main__":
    main()
