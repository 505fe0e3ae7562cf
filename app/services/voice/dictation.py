"""Dictation: turns speech into the text of a question, expecting the words in the attached tables.
A microphone that is opened in advance keeps the last moments of sound, so that the first word is
not lost.
"""

from __future__ import annotations

import asyncio
import math
import re
from array import array
from collections import deque
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from app.domain.errors import DeskpilotError, SoundError
from app.domain.sound import EAR_RATE, SAMPLE_BYTES
from app.services.voice.languages import LANGUAGES, WIDE, written

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable
    from pathlib import Path

    from app.domain.sound import LiveStep
    from app.services.ports import EarPort, LiveStreamPort, MicrophonePort, SoundCardPort, SoundPort
    from app.services.tasks import Tasks
    from app.services.voice.speech import ChoicesStore
    from backends.data.values import Profile


# maximum number of characters; the model receives them before the audio, and too many mislead a
# small model
LONGEST = 200
PARTS = re.compile(r"[_\W]+|(?<=[a-z])(?=[A-Z])")


def hotwords(profiles: Iterable[Profile]) -> str | None:
    """Return names as they are spoken, without duplicates, starting with those from the tables.
    Return None if there are none.
    """
    tables = list(profiles)
    names = [name for profile in tables for name in (profile.name, *profile.symbols)]
    names += [column.name for profile in tables for column in profile.columns]
    found: dict[str, str] = {}
    for name in names:
        said = " ".join(part for part in PARTS.split(name) if part)
        if said and not said.isdigit():
            found.setdefault(said.casefold(), said)
    made = ""
    for said in found.values():
        longer = f"{made}, {said}" if made else said
        if len(longer) > LONGEST:
            break
        made = longer
    return made or None


async def dictated(sound: SoundPort, recording: Path, model: str | None = None) -> str:
    """Return the text of a recording, with dates in digits.

    Raises: SoundError, also if the recording contains no speech; ServiceError.
    """
    heard: list[str] = []
    language = ""
    async with aclosing(sound.transcribe(recording, {"model": model} if model else {})) as steps:
        async for step in steps:
            heard.append(step.text)
            language = str((step.whole or {}).get("language", ""))
    text = as_written("".join(heard), language)
    if not text:
        raise SoundError(
            f"{recording.name} contains no speech.", "Speak closer to the microphone, or louder."
        )
    return text


def as_written(heard: str, language: str) -> str:
    """Return recognised text in written form, with dates in digits."""
    text = " ".join(heard.split())
    return written(language).apply(text) if language in LANGUAGES else text


class DictationTranscript:
    """Joins utterances as they are recognised."""

    def __init__(self) -> None:
        self._finals: list[str] = []
        self._committed = self._open = ""

    def take(self, step: LiveStep) -> bool:
        """Process a step, and return whether the text has changed."""
        if step.kind == "final":
            self._committed = self._open = ""
            if text := as_written(step.text, step.language):
                self._finals.append(text)
        elif step.kind == "partial":
            self._committed, self._open = step.committed, step.open
        return step.kind in ("final", "partial")

    @property
    def committed(self) -> str:
        """The words that will not change."""
        return joined([*self._finals, self._committed])

    @property
    def open(self) -> str:
        """The words that may change, with any space that separates them from the other words."""
        before = self.committed
        return joined([before, self._open])[len(before) :]

    @property
    def text(self) -> str:
        """All words."""
        return self.committed + self.open


def joined(parts: list[str]) -> str:
    """Return the joined texts, with a space between them if their script uses spaces."""
    made = ""
    for part in parts:
        part = part.strip()
        if (
            made
            and part
            and not (WIDE.match(made[-1]) or WIDE.match(part[0]) or made[-1] in "。！？，、")
        ):
            made += " "
        made += part
    return made


TASK = "dictation"
OPEN = EAR_RATE // 2 * SAMPLE_BYTES  # bytes during which a press may turn out to be a click
POST_ROLL = (
    int(0.16 * EAR_RATE) * SAMPLE_BYTES
)  # bytes recorded after the key is released, since the last sound has yet to arrive
MUTED = 2 * EAR_RATE * SAMPLE_BYTES  # bytes of complete silence; even a quiet room has some noise
FLOOR_DB = 60.0
SILENCE_MS = 800  # silence between sentences, after which the dictation continues


class Hearer(Protocol):
    """Receives events from a microphone."""

    def opened(self, microphone: str) -> None:
        """The user can speak now."""

    def level(self, level: float) -> None:
        """Show the sound level, from 0 to 1. Called fifty times a second."""

    def muted(self) -> None:
        """The microphone delivers complete silence."""

    def words(self, committed: str, open_: str) -> None:
        """Show the words so far: the final ones, and those that may change."""

    def failed(self, error: DeskpilotError) -> None:
        """The dictation ended or could not begin because of this error."""


class Listener(Hearer, Protocol):
    """Receives the events of a dictation. The last event is either `said` or `cancelled`. If the
    dictation failed, it comes after `failed`.
    """

    def said(self, text: str) -> None:
        """The final text, which is empty if there was no speech."""

    def cancelled(self) -> None:
        """The dictation was cancelled."""


@dataclass(frozen=True)
class DictationOptions:
    """How to listen."""

    microphone: str | None = None
    language: str | None = None
    hotwords: str | None = None

    def body(self, *, hold: bool) -> dict[str, Any]:
        """Return the options for the service. hold: whether everything is one utterance. Otherwise,
        each sentence is a separate utterance.
        """
        told: dict[str, Any] = {"endpointing": not hold, "silence_ms": SILENCE_MS}
        return told | {
            k: v for k, v in (("language", self.language), ("hotwords", self.hotwords)) if v
        }


@dataclass(eq=False)
class Key:
    """The state of the dictation key. kept: whether it was pressed and released quickly, so that
    dictation continues until the next press.
    """

    let_go: asyncio.Event
    kept: bool = False


class Dictation:
    """Runs one dictation at a time. A new one cancels the previous one."""

    def __init__(self, ear: EarPort, microphones: Standby, tasks: Tasks) -> None:
        self._ear, self._microphones, self._tasks = ear, microphones, tasks
        self._key = Key(asyncio.Event())

    def begin(self, wanted: DictationOptions, listener: Listener) -> asyncio.Task[None]:
        """Start a dictation. The service is contacted first, so that the microphone stays closed if
        a model is missing.
        """
        self._key = Key(asyncio.Event())
        return self._tasks.start(TASK, self._run(wanted, listener, self._key))

    @property
    def running(self) -> bool:
        """Return whether a dictation is running."""
        return self._tasks.running(TASK)

    def keep(self) -> None:
        """Continue sentence by sentence until `finish` is called. This has an effect only within
        the first half second.
        """
        self._key.kept = True

    def finish(self) -> None:
        """End the dictation and transcribe what was recorded."""
        self._key.let_go.set()

    def cancel(self) -> bool:
        """Cancel the dictation, and return whether there was one."""
        return self._tasks.cancel(TASK)

    async def _run(self, wanted: DictationOptions, listener: Listener, key: Key) -> None:
        transcript, failed = DictationTranscript(), list[DeskpilotError]()
        try:
            async with self._ear.listen(wanted.body(hold=True)) as stream:
                pumping = asyncio.create_task(
                    self._pump(stream, wanted, listener, key), name="microphone"
                )
                try:
                    await self._read(stream, transcript, listener)
                finally:
                    pumping.cancel()
                    ended = await asyncio.gather(pumping, return_exceptions=True)
                    failed += [one for one in ended if isinstance(one, DeskpilotError)]
        except asyncio.CancelledError:
            listener.cancelled()
            raise
        except DeskpilotError as error:
            failed.append(error)
        if failed:
            listener.failed(failed[0])
        listener.said(transcript.text)

    async def _read(
        self, stream: LiveStreamPort, transcript: DictationTranscript, listener: Listener
    ) -> None:
        async with aclosing(stream.steps()) as steps:
            async for step in steps:
                if transcript.take(step):
                    listener.words(transcript.committed, transcript.open)
                if step.kind == "ended":
                    return

    async def _pump(
        self, stream: LiveStreamPort, wanted: DictationOptions, listener: Listener, key: Key
    ) -> DeskpilotError | None:
        """Send the microphone's samples until the key is released. If this ends earlier, return the
        reason.

        Raises: SoundError if the stream was interrupted.
        """
        failed = None
        try:
            async with self._microphones.microphone(wanted.microphone) as microphone:
                listener.opened(microphone.name)
                await self._hand_on(microphone, stream, wanted, listener, key)
        except SoundError as error:
            failed = error
        await stream.end()
        return failed

    async def _hand_on(
        self,
        microphone: MicrophonePort,
        stream: LiveStreamPort,
        wanted: DictationOptions,
        listener: Listener,
        key: Key,
    ) -> None:
        held: bytes | None = b""  # until it is known whether the key is held or clicked
        left: int | None = None  # bytes still to be recorded after the key was released
        async with aclosing(watched(microphone.frames(), listener)) as frames:
            async for frame in frames:
                if left is None and key.let_go.is_set():
                    left = POST_ROLL + microphone.waiting
                if held is not None:
                    held += frame
                    if not (key.kept or left is not None or len(held) >= OPEN):
                        continue
                    if key.kept:
                        await stream.begin(wanted.body(hold=False))
                    await stream.send(held)
                    held = None
                else:
                    await stream.send(frame)
                if left is not None and (left := left - len(frame)) <= 0:
                    return


async def watched(
    frames: AsyncGenerator[bytes, None], listener: Hearer
) -> AsyncGenerator[bytes, None]:
    """Yield the microphone's samples, and report the sound level or silence."""
    nothing = 0
    async for frame in frames:
        listener.level(loudness(frame))
        if nothing >= 0:
            nothing = -1 if any(frame) else nothing + len(frame)
            if nothing >= MUTED:
                listener.muted()
                nothing = -1
        yield frame


def loudness(frame: bytes) -> float:
    """Return the loudness of samples, from 0 (silence) to 1 (full scale), on a scale whose steps
    sound equal to the ear.
    """
    samples = array("h", frame[: len(frame) // SAMPLE_BYTES * SAMPLE_BYTES])
    if not samples:
        return 0.0
    mean = math.sqrt(sum(sample * sample for sample in samples) / len(samples)) / 32768
    return max(0.0, 1 + 20 * math.log10(mean) / FLOOR_DB) if mean > 0 else 0.0


STANDBY_TASK = "standby"
PRE_ROLL = (
    int(0.4 * EAR_RATE) * SAMPLE_BYTES
)  # in bytes; nothing older is kept, and nothing leaves this process


class Standby:
    """Opens microphones. A microphone on standby is already open, and its most recent sound is
    returned first.
    """

    def __init__(self, card: SoundCardPort, tasks: Tasks, choices: ChoicesStore) -> None:
        self._card, self._tasks, self._choices = card, tasks, choices
        self._open: OpenMicrophone | None = None
        self._wanted = False

    @property
    def open(self) -> bool:
        """Return whether a microphone is on standby."""
        return self._open is not None

    def keep(self, wanted: bool) -> None:
        """Set whether to keep the chosen microphone open in advance. If it cannot be opened now, it
        is opened when needed.
        """
        self._wanted = wanted
        if not wanted:
            if self._open is None or not self._open.taken:  # a running dictation keeps it
                self._tasks.cancel(STANDBY_TASK)
        elif self._open is None or self._open.device != self._choices.now.microphone:
            self._tasks.start(STANDBY_TASK, self._stand_by(self._choices.now.microphone))

    @asynccontextmanager
    async def microphone(self, device: str | None) -> AsyncGenerator[MicrophonePort]:
        """Open a microphone, or use the one on standby.

        Raises: SoundError.
        """
        kept = self._open
        if kept is None or kept.device != device:
            async with self._card.microphone(device) as microphone:
                yield microphone
            return
        kept.taken = True
        try:
            yield kept
        finally:
            kept.taken = False
            self.keep(self._wanted)

    async def _stand_by(self, device: str | None) -> None:
        try:
            async with self._card.microphone(device) as microphone:
                self._open = kept = OpenMicrophone(device, microphone.name)
                async with aclosing(microphone.frames()) as frames:
                    async for frame in frames:
                        kept.add(frame)
        except SoundError as error:
            if self._open is not None:
                self._open.fail(error)
        finally:
            if self._open is not None:
                self._open.fail(SoundError("The microphone was closed.", "Press its button again."))
            self._open = None


class OpenMicrophone:
    """An open microphone. taken: whether it has a listener, in which case no sound is dropped."""

    def __init__(self, device: str | None, name: str) -> None:
        self.device, self.name = device, name
        self.taken = False
        self.waiting = 0
        self._frames: deque[bytes] = deque()
        self._more = asyncio.Event()
        self._failed: SoundError | None = None

    def add(self, frame: bytes) -> None:
        """Store samples."""
        self._frames.append(frame)
        self.waiting += len(frame)
        while not self.taken and self.waiting > PRE_ROLL:
            self.waiting -= len(self._frames.popleft())
        self._more.set()

    def fail(self, error: SoundError) -> None:
        """Handle the device being closed or unplugged."""
        self._failed = self._failed or error
        self._more.set()

    async def frames(self) -> AsyncGenerator[bytes, None]:
        """Yield the samples from the last moments, then new ones.

        Raises: SoundError.
        """
        while True:
            while not self._frames:
                if self._failed is not None:
                    raise self._failed
                self._more.clear()
                await self._more.wait()
            frame = self._frames.popleft()
            self.waiting -= len(frame)
            yield frame
