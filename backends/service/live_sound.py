"""Live audio: find utterances with Silero's detector, and send partial and final transcripts."""

from __future__ import annotations

import asyncio
import io
import math
import re
import time
import wave
from collections import deque
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import BaseModel, Field

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from onnxruntime import InferenceSession


RATE = 16000  # samples per second
WINDOW = 512  # samples in a window: 32 ms
CONTEXT = 64  # samples before the window that the detector also needs
MEMORY = (1, 1, 128)


class Detector:
    """Analyses a stream window by window, and keeps its state. Analysing a window takes a quarter
    of a millisecond.
    """

    def __init__(self) -> None:
        self._session = silero()
        self._short = self._long = np.zeros(MEMORY, np.float32)
        self._before = np.zeros(CONTEXT, np.float32)

    def hear(self, window: np.ndarray) -> float:
        """Return the probability, from 0 to 1, that the next window is speech. window: float32,
        shape (512,), values from -1 to 1.
        """
        given = np.concatenate((self._before, window))[np.newaxis]
        self._before = window[-CONTEXT:]
        told = self._session.run(None, {"input": given, "h": self._short, "c": self._long})
        likely, self._short, self._long = (np.asarray(part) for part in told)
        return float(likely.reshape(-1)[0])


@cache
def silero() -> InferenceSession:
    """Load the detector once for all streams, because loading takes a moment, mostly to load its
    runtime.
    """
    from onnxruntime import (
        InferenceSession,
        SessionOptions,  # pyright: ignore[reportAttributeAccessIssue]
    )

    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return InferenceSession(str(model_file()), options, providers=["CPUExecutionProvider"])


def model_file() -> Path:
    """Return the path of faster-whisper's model file, without loading that large library."""
    found = find_spec("faster_whisper")
    assert found is not None
    assert found.origin is not None
    return next((Path(found.origin).parent / "assets").glob("silero_vad*.onnx"))


SAMPLE_BYTES = 2  # 16 bits, one channel
BEGINS, STAYS = 0.5, 0.35  # minimum probabilities for speech to start and to continue
QUIETEST = 10**-5.2  # power, -52 dB of full scale; anything quieter is not speech
START_WINDOWS, START_WITHIN = 2, 5  # this many speech windows out of this many start an utterance
# number of windows that are added before the detected start of speech, since its first consonant
# may be just a hiss
ONSET = 2
PAUSE_WINDOWS = 5  # 160 ms of silence: the utterance may have ended, so the last pass can start

Kind = Literal["start", "pause", "resume", "end"]


@dataclass(frozen=True)
class SpeechMark:
    """A detected event. at: the sample at which speech starts, pauses, resumes or ends."""

    kind: Kind
    at: int


class Endpointer:
    """Receives samples in portions of any size, and reports where speech starts, pauses, resumes
    and ends.

    silence_ms: how long a silence must be to count as an end.
    """

    def __init__(self, silence_ms: int = 600) -> None:
        self._silence = max(PAUSE_WINDOWS + 1, math.ceil(silence_ms * RATE / 1000 / WINDOW))
        self._detector = Detector()
        self._rest = np.zeros(0, np.int16)
        self._recent: deque[bool] = deque(maxlen=START_WITHIN)
        self._windows = 0
        self._quiet = 0
        self.speaking = False

    def feed(self, samples: np.ndarray) -> list[SpeechMark]:
        """Return the marks found in the next int16 samples."""
        samples = np.concatenate((self._rest, samples))
        whole = len(samples) // WINDOW * WINDOW
        self._rest = samples[whole:]
        windows = samples[:whole].astype(np.float32).reshape(-1, WINDOW) / 32768
        return [mark for window in windows if (mark := self._window(window)) is not None]

    def _window(self, window: np.ndarray) -> SpeechMark | None:
        self._windows += 1
        likely = self._detector.hear(window)
        speech = (
            likely >= (STAYS if self.speaking else BEGINS) and float((window**2).mean()) > QUIETEST
        )
        if not self.speaking:
            self._recent.append(speech)
            if sum(self._recent) < START_WINDOWS:
                return None
            begun = self._windows - len(self._recent) + self._recent.index(True)
            self.speaking, self._quiet = True, 0
            self._recent.clear()
            return SpeechMark("start", max(0, begun - ONSET) * WINDOW)
        before, self._quiet = self._quiet, 0 if speech else self._quiet + 1
        if speech and before >= PAUSE_WINDOWS:
            return SpeechMark("resume", (self._windows - 1) * WINDOW)
        last = (self._windows - self._quiet) * WINDOW
        if self._quiet == PAUSE_WINDOWS:
            return SpeechMark("pause", last)
        if self._quiet < self._silence:
            return None
        self.speaking = False
        return SpeechMark("end", last)


PART = re.compile(r"\s*(?:[\u3040-\u30ff\u3400-\u9fff]|[^\s\u3040-\u30ff\u3400-\u9fff]+)")


class Agreement:
    """Commits words when two consecutive hypotheses agree on them. Committed words never change.

    The last word of a hypothesis stays open, since the sound may have ended within it.
    """

    def __init__(self) -> None:
        self._before: list[str] = []
        self._committed: list[str] = []

    def add(self, hypothesis: str) -> tuple[str, str]:
        """Return the newly committed words, and the rest of this hypothesis."""
        parts = PART.findall(hypothesis.strip())
        same = 0
        for old, new in zip(self._before[:-1], parts[:-1], strict=False):
            if plain(old) != plain(new):
                break
            same += 1
        if same > len(self._committed):
            kept = len(self._committed)
            self._committed += parts[kept:same]
        self._before = parts
        return "".join(self._committed), "".join(parts[len(self._committed) :])


def plain(part: str) -> str:
    """Return a word in the form used for comparison, since its capitals and punctuation may still
    change.
    """
    return part.strip().strip(".,;:!?…。，！？、").casefold()


if TYPE_CHECKING:
    Hear = Callable[[io.BytesIO], Awaitable[dict[str, Any]]]
    Send = Callable[[dict[str, Any]], Awaitable[None]]

LEAST_SECONDS = 0.5  # minimum duration of sound between the starts of two passes
COST = 2.0  # and at least this multiple of the duration of the last pass


class Utterance:
    """Collects sound and transcribes it repeatedly, one pass at a time, each with the latest sound.

    hear: transcribes a WAV file and returns `text` and `language`. begins: the sample of the stream
    at which the sound starts.
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
        """Return its length so far, in samples."""
        return len(self._sound) // SAMPLE_BYTES

    def add(self, sound: bytes) -> None:
        """Add more sound."""
        self._sound += sound
        self._more.set()

    def pause(self, sample: int) -> None:
        """Note that it is quiet from a given sample on. The pass that starts now may be the last
        one needed.
        """
        self._speech = self._bytes(sample)
        self._paused = True
        self._more.set()

    def resume(self) -> None:
        """Note that speech continues after a pause."""
        self._paused = False

    def end(self, sample: int | None = None) -> None:
        """End the utterance at a sample of the stream, if one is given, or else now."""
        self._speech = len(self._sound) if sample is None else self._bytes(sample)
        self._ended.set()
        self._more.set()

    async def run(self) -> None:
        """Transcribe until the utterance has ended, sending partial transcripts and the final one.

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
        """Return the transcript from a pass, or None if the utterance ended with sound that the
        pass did not include.
        """
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
    """Return 16-bit samples as a WAV file."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(SAMPLE_BYTES)
        writer.setframerate(RATE)
        writer.writeframes(sound)
    file.seek(0)
    return file


PRE_ROLL = int(0.4 * RATE)  # samples kept from before speech was noticed
LONGEST = 60 * RATE  # maximum number of samples in an utterance; a longer one is cut there


class Start(BaseModel):
    """Options for an audio stream. endpointing: whether to detect the end of an utterance by
    silence. Otherwise, the caller sends `end`.

    hotwords: words to expect. language: an ISO 639-1 code. It is detected if absent.
    """

    type: Literal["start"] = "start"
    model: str | None = None
    language: str | None = None
    hotwords: str | None = None
    partials: bool = True
    endpointing: bool = True
    silence_ms: int = Field(600, ge=200, le=5000)


class SoundSession:
    """Receives sound and the caller's messages, and sends transcripts."""

    def __init__(self, wanted: Start, hear: Hear, send: Send) -> None:
        self._wanted, self._hear, self._send = wanted, hear, send
        self._endpointer = Endpointer(wanted.silence_ms)
        self._recent = bytearray()  # sound before an utterance
        self._rest = b""
        self._samples = 0
        self._utterance: Utterance | None = None
        self._number = 0
        self._open = True
        self._running: set[asyncio.Task[None]] = set()
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def load(self) -> None:
        """Load the model now by transcribing a moment of silence, so that the first words do not
        have to wait for it.
        """
        self._run(self._silence(), "load the ear")

    async def sound(self, sound: bytes) -> None:
        """Add 16-bit samples in portions of any size."""
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
                if self._endpointer.speaking:  # the utterance continues
                    await self._begin()
        if self._wanted.endpointing:
            for mark in self._endpointer.feed(np.frombuffer(sound, "<i2")):
                await self._mark(mark)

    async def end(self) -> None:
        """End the utterance because the speaker released the key. Without endpointing, later sound
        does not start another utterance.

        `ended` is sent after the last final transcript.
        """
        self._open = self._wanted.endpointing
        if self._utterance is not None:
            await self._end(None)
        self._endpointer = Endpointer(self._wanted.silence_ms)
        self._run(self._ended(set(self._running)), "all finals")

    async def cancel(self) -> None:
        """Discard the sound so far and stop the model."""
        self._utterance = None
        self._recent.clear()
        self._endpointer = Endpointer(self._wanted.silence_ms)
        await self.aclose()
        await self._send({"type": "cancelled"})

    async def finished(self) -> None:
        """Wait until all sound has been transcribed."""
        if self._running:
            await asyncio.wait(self._running)

    async def aclose(self) -> None:
        """Stop all running work."""
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _mark(self, mark: SpeechMark) -> None:
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
