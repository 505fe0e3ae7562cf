"""One utterance while it is spoken: partial transcripts, then the final one."""

from __future__ import annotations

import asyncio
import io
import time
import wave
from typing import TYPE_CHECKING, Any

from backends.service.live.agreement import Agreement
from backends.service.live.detector import RATE
from backends.service.live.endpointing import SAMPLE_BYTES

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Hear = Callable[[io.BytesIO], Awaitable[dict[str, Any]]]
    Send = Callable[[dict[str, Any]], Awaitable[None]]

LEAST_SECONDS = 0.5  # between the beginnings of two passes, in sound
COST = 2.0  # and as many times what the last pass took


class Utterance:
    """Collects sound, listens to it again and again, one pass at a time and the newest sound each.

    hear: writes down a WAV: `text` and `language`. begins: sample of the stream where the sound begins.
    """

    def __init__(self, number: int, begins: int, hear: Hear, send: Send, *, partials: bool) -> None:
        self._number, self._hear, self._send, self._partials = number, hear, send, partials
        self._begins = begins
        self._sound = bytearray()
        self._speech = 0  # bytes up to the last speech
        self._more = asyncio.Event()
        self._ended = asyncio.Event()
        self._paused = False
        self._interval = LEAST_SECONDS
        self._agreement = Agreement()
        self.passes = 0

    @property
    def samples(self) -> int:
        """How long it is until now."""
        return len(self._sound) // SAMPLE_BYTES

    def add(self, sound: bytes) -> None:
        """Take more sound."""
        self._sound += sound
        self._more.set()

    def pause(self, sample: int) -> None:
        """It is quiet since a sample: the pass that begins now may be the last, and no other is needed."""
        self._speech = self._bytes(sample)
        self._paused = True
        self._more.set()

    def resume(self) -> None:
        """It was no end."""
        self._paused = False

    def end(self, sample: int | None = None) -> None:
        """The utterance has ended, at a sample of the stream if not just now."""
        self._speech = len(self._sound) if sample is None else self._bytes(sample)
        self._ended.set()
        self._more.set()

    async def run(self) -> None:
        """Listen until the utterance has ended; sends partials and the final.

        Raises: FlexAIError, NoModel.
        """
        covered, last = 0, dict[str, Any]()
        while not (self._ended.is_set() and covered >= self._speech and last):
            if not self._due(covered):
                self._more.clear()
                await self._more.wait()
                continue
            taken = len(self._sound)
            began = time.perf_counter()
            heard = await self._pass(bytes(self._sound), taken)
            if heard is None:
                continue
            self._interval = max(LEAST_SECONDS, COST * (time.perf_counter() - began))
            covered, last = taken, heard
            if self._partials and not (self._ended.is_set() and covered >= self._speech):
                await self._partial(heard["text"])
        told = {"type": "final", "utterance": self._number, **last, "passes": self.passes}
        ends = self._begins + self._speech // SAMPLE_BYTES
        await self._send(told | {"start": self._begins / RATE, "end": ends / RATE})

    def _due(self, covered: int) -> bool:
        if self._ended.is_set():
            return True
        if self._paused:
            return covered < self._speech
        return self._partials and len(self._sound) - covered >= self._interval * RATE * SAMPLE_BYTES

    async def _pass(self, sound: bytes, taken: int) -> dict[str, Any] | None:
        """Return what a pass hears; None if the end came and the pass had not heard all of it."""
        self.passes += 1
        listening = asyncio.create_task(self._listen(sound), name="pass")
        ended = asyncio.create_task(self._ended.wait(), name="end of the utterance")
        already = self._ended.is_set()
        try:
            await asyncio.wait({listening, ended}, return_when=asyncio.FIRST_COMPLETED)
            if not already and not listening.done() and taken < self._speech:
                return None
            return await listening
        finally:
            for task in (listening, ended):
                task.cancel()
            await asyncio.gather(listening, ended, return_exceptions=True)

    async def _listen(self, sound: bytes) -> dict[str, Any]:
        return await self._hear(as_wav(sound))

    async def _partial(self, text: str) -> None:
        committed, open_ = self._agreement.add(text)
        told = {"type": "partial", "utterance": self._number, "committed": committed, "open": open_}
        await self._send(told)

    def _bytes(self, sample: int) -> int:
        return min(len(self._sound), max(0, sample - self._begins) * SAMPLE_BYTES)


def as_wav(sound: bytes) -> io.BytesIO:
    """Return 16-bit samples as a file."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(SAMPLE_BYTES)
        writer.setframerate(RATE)
        writer.writeframes(sound)
    file.seek(0)
    return file
