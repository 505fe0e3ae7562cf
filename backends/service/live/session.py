"""One live stream of sound: utterances found in it, one after another."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import BaseModel, Field

from backends.service.live.detector import RATE
from backends.service.live.endpointing import SAMPLE_BYTES, Endpointer, Mark
from backends.service.live.utterance import Utterance, as_wav

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from backends.service.live.utterance import Hear, Send

PRE_ROLL = int(0.4 * RATE)  # samples kept of what came before speech was noticed
LONGEST = 60 * RATE  # samples of an utterance; one that goes on is cut there


class Start(BaseModel):
    """How a stream is to be heard. endpointing: find ends by silence; without it the caller says `end`.

    hotwords: words to expect. language: ISO 639-1; found out if absent.
    """

    type: Literal["start"] = "start"
    model: str | None = None
    language: str | None = None
    hotwords: str | None = None
    partials: bool = True
    endpointing: bool = True
    silence_ms: int = Field(600, ge=200, le=5000)


class Session:
    """Takes sound and the caller's words; sends what is heard."""

    def __init__(self, wanted: Start, hear: Hear, send: Send) -> None:
        self._wanted, self._hear, self._send = wanted, hear, send
        self._endpointer = Endpointer(wanted.silence_ms)
        self._recent = bytearray()  # before an utterance
        self._rest = b""
        self._samples = 0
        self._utterance: Utterance | None = None
        self._number = 0
        self._open = True
        self._running: set[asyncio.Task[None]] = set()
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def load(self) -> None:
        """Load the model now, so that the first words do not wait for it: it hears a moment of silence."""
        self._run(self._silence(), "load the ear")

    async def sound(self, sound: bytes) -> None:
        """Take 16-bit samples, in any portions."""
        sound = self._rest + sound
        whole = len(sound) - len(sound) % SAMPLE_BYTES
        sound, self._rest = sound[:whole], sound[whole:]
        self._samples += whole // SAMPLE_BYTES
        if self._utterance is None:
            keep = PRE_ROLL * SAMPLE_BYTES + len(sound)
            self._recent = (self._recent + sound)[-keep:]
            if not self._wanted.endpointing and self._open:
                await self._begin()
        else:
            self._utterance.add(sound)
            if self._utterance.samples > LONGEST:
                await self._end(None)
                if self._endpointer.speaking:  # it goes on
                    await self._begin()
        if self._wanted.endpointing:
            for mark in self._endpointer.feed(np.frombuffer(sound, "<i2")):
                await self._mark(mark)

    async def end(self) -> None:
        """What was said until now is all: the caller let go of the key. Without endpointing, nothing follows.

        `ended` is sent behind the last final.
        """
        self._open = self._wanted.endpointing
        if self._utterance is not None:
            await self._end(None)
        self._endpointer = Endpointer(self._wanted.silence_ms)
        self._run(self._ended(set(self._running)), "all finals")

    async def cancel(self) -> None:
        """Drop what was said and stop the model."""
        self._utterance = None
        self._recent.clear()
        self._endpointer = Endpointer(self._wanted.silence_ms)
        await self.aclose()
        await self._send({"type": "cancelled"})

    async def finished(self) -> None:
        """Wait until all that was said has been written down."""
        if self._running:
            await asyncio.wait(self._running)

    async def aclose(self) -> None:
        """Stop what runs."""
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _mark(self, mark: Mark) -> None:
        if mark.kind == "start" and self._utterance is None:
            await self._begin()
        elif self._utterance is not None and mark.kind == "pause":
            self._utterance.pause(mark.at)
        elif self._utterance is not None and mark.kind == "resume":
            self._utterance.resume()
        elif self._utterance is not None and mark.kind == "end":
            await self._end(mark.at)

    async def _begin(self) -> None:
        self._number += 1
        begins = self._samples - len(self._recent) // SAMPLE_BYTES
        utterance = Utterance(
            self._number, begins, self._hear, self._send, partials=self._wanted.partials
        )
        utterance.add(bytes(self._recent))
        self._recent.clear()
        self._utterance = utterance
        await self._send({"type": "speech-start", "utterance": self._number, "at": begins / RATE})
        self._run(utterance.run(), f"utterance {self._number}")

    async def _end(self, at: int | None) -> None:
        assert self._utterance is not None
        utterance, self._utterance = self._utterance, None
        await self._send(
            {"type": "speech-end", "utterance": self._number, "at": (at or self._samples) / RATE}
        )
        utterance.end(at)

    async def _ended(self, before: set[asyncio.Task[None]]) -> None:
        if before:
            await asyncio.wait(before)
        if not self.failed.done():
            await self._send({"type": "ended"})

    async def _silence(self) -> None:
        await self._hear(as_wav(bytes(RATE // 5 * SAMPLE_BYTES)))

    def _run(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._running.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if (
            not task.cancelled()
            and (error := task.exception()) is not None
            and not self.failed.done()
        ):
            self.failed.set_exception(error)
