"""Hands-free conversation: listen, ask, speak and listen again, with spoken consent and signal
tones. The loudspeaker's signal is the reference for echo cancellation, so that no headset is
needed.
"""

from __future__ import annotations

import asyncio
import math
import re
from array import array
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Literal, Protocol

from app.domain.errors import DeskpilotError
from app.domain.events import Ended, Item
from app.domain.sound import EAR_RATE, RATE, SAMPLE_BYTES
from app.services.consents import Consents
from app.services.conversation.recorder import cut
from app.services.voice.dictation import (
    Dictation,
    DictationTranscript,
    Hearer,
    Standby,
    joined,
    watched,
)
from app.services.voice.languages import LANGUAGES, table_of
from app.services.voice.speech import AnswerReader, ChoicesStore

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from contextlib import AbstractAsyncContextManager

    from app.domain.conversation import Turn
    from app.domain.sound import Device, LiveStep
    from app.services.consents import Consent
    from app.services.conversation.turns import Turns
    from app.services.ports import (
        EarPort,
        EchoPort,
        GlobalKeyPort,
        LiveStreamPort,
        LoudspeakerPort,
        MicrophonePort,
        SoundCardPort,
        SoundPort,
        StorePort,
    )
    from app.services.settings import Settings
    from app.services.tasks import Tasks
    from app.services.voice.dictation import DictationOptions
    from app.services.voice.script import SpokenPart
    from app.services.voice.speech import Speech


class Reference:
    """The sound card, with a record of the sound that its loudspeakers play.

    canceller: the echo canceller, which removes that sound from a microphone's signal.
    """

    def __init__(self, card: SoundCardPort, canceller: EchoPort) -> None:
        self._card, self._canceller = card, canceller
        self._open: list[ReferenceSpeaker] = []
        self._sound = bytearray()  # played but not yet recorded by the microphone
        self._heard = self._asked = (
            0  # samples from the microphone, and from the loudspeaker during the same time
        )

    def loudspeaker(self, device: str | None) -> LoudspeakerPort:
        """Return a loudspeaker whose sound is recorded as the reference."""
        made = ReferenceSpeaker(self._card.loudspeaker(device))
        self._open = [*(one for one in self._open if not one.ended), made]
        return made

    def microphone(self, device: str | None) -> AbstractAsyncContextManager[MicrophonePort]:
        """Open a microphone. Raises: SoundError on entering the block."""
        return self._card.microphone(device)

    async def microphones(self) -> list[Device]:
        """Return the connected microphones. Raises: SoundError."""
        return await self._card.microphones()

    async def loudspeakers(self) -> list[Device]:
        """Return the connected loudspeakers. Raises: SoundError."""
        return await self._card.loudspeakers()

    async def begin(self) -> None:
        """Start listening. Earlier sound from the loudspeaker is ignored."""
        await asyncio.to_thread(self._canceller.begin)
        for one in self._open:
            one.taken()
        self._sound.clear()
        self._heard = self._asked = 0

    def clean(self, heard: bytes) -> bytes:
        """Return a microphone's next samples without the sound that was played at the same time."""
        self._heard += len(heard) // SAMPLE_BYTES
        asked, self._asked = self._asked, self._heard * RATE // EAR_RATE
        for one in self._open:
            self._sound += one.taken()
        self._open = [one for one in self._open if not one.ended]
        size = (self._asked - asked) * SAMPLE_BYTES
        played = bytes(self._sound[:size])
        del self._sound[:size]
        return self._canceller.clean(heard, played + bytes(size - len(played)))


class ReferenceSpeaker:
    """A loudspeaker that records the samples that the system took from it. ended: whether it has
    stopped playing.
    """

    def __init__(self, loudspeaker: LoudspeakerPort) -> None:
        self._loudspeaker = loudspeaker
        self._given = bytearray()
        self._at = 0  # number of played bytes that have already been returned
        self.ended = False

    @property
    def played(self) -> int:
        """The number of bytes that have been played."""
        return self._loudspeaker.played

    async def play(self, sound: bytes) -> None:
        """Add samples. Raises: SoundError."""
        self._given += sound
        await self._loudspeaker.play(sound)

    async def drained(self) -> None:
        """Return when everything has been played. Raises: SoundError."""
        await self._loudspeaker.drained()
        self.ended = True

    def silence(self) -> None:
        """Stop the sound immediately."""
        self._loudspeaker.silence()
        self.ended = True

    def taken(self) -> bytes:
        """Return the samples that the system took since the last call."""
        at, self._at = self._at, self.played
        part = bytes(self._given[: self._at - at])
        del self._given[: self._at - at]
        return part


MARKS = re.compile(r"[^\w\s']+")


def asked_aloud(consent: Consent) -> str:
    """Return the question as it is spoken, and the possible replies."""
    if consent.safe:
        return f"{consent.question} Say yes or no."
    return f"{consent.question} A yes needs your hand, in the window; to refuse, say no."


def meant(text: str) -> bool | None:
    """Return True if a text is clearly a yes, False if it is clearly a no, and None otherwise."""
    said = " ".join(MARKS.sub(" ", text).casefold().split())
    for language in LANGUAGES:
        answers: dict[str, list[str]] = table_of(language)["answers"]
        if said in answers["refused"]:
            return False
        if said in answers["allowed"]:
            return True
    return None


Chime = Literal["listening", "heard", "ended"]
NOTES: dict[Chime, tuple[float, ...]] = {
    "listening": (660.0, 880.0),
    "heard": (880.0,),
    "ended": (880.0, 550.0),
}
NOTE_SECONDS, LOUDNESS = 0.08, 0.15


@cache
def chime(name: Chime) -> bytes:
    """Return a chime as 16-bit samples, in which each note fades in and out."""
    made = array("h")
    length = int(NOTE_SECONDS * RATE)
    for note in NOTES[name]:
        for at in range(length):
            swell = math.sin(math.pi * at / length) ** 2
            made.append(int(32767 * LOUDNESS * swell * math.sin(2 * math.pi * note * at / RATE)))
    return made.tobytes()


async def sounding(name: Chime) -> AsyncGenerator[bytes, None]:
    """Yield a chime."""
    yield chime(name)


TASK = "talk"
SILENCE_MS = 700  # the silence that ends a question
INTERRUPT_SECONDS = (
    # seconds of speech before it counts, in addition to the tenth of a second that recognition
    # needs; a cough is shorter
    0.3
)

State = Literal["listening", "thinking", "speaking"]
Begun = Callable[["Turn"], None]  # called with a question's turn, once it exists


class TalkListener(Hearer, Protocol):
    """Receives the events of a hands-free conversation. `ended` comes last."""

    def state(self, state: State) -> None:
        """Show the current state."""

    def asked(self, text: str, begun: Begun) -> None:
        """Ask this question, and call `begun` with its turn before it is answered."""

    def cut(self, turn: Turn) -> None:
        """An answer was interrupted, and is shortened to the part that was heard."""

    def ended(self) -> None:
        """The conversation is over."""


class Talk:
    """Runs one hands-free conversation at a time. Unless the user has enabled interruptions, it is
    half-duplex, which means that it does not listen while it speaks.
    """

    def __init__(
        self,
        outside: Outside,
        card: Reference,
        reader: AnswerReader,
        turns: Turns,
        tasks: Tasks,
        choices: ChoicesStore,
        store: StorePort,
    ) -> None:
        self._ear, self._card, self._sound = outside.ear, card, outside.sound
        self._reader = reader
        self._turns, self._tasks, self._choices, self._store = turns, tasks, choices, store
        self._listener: TalkListener | None = None
        self._cutting: dict[
            str, int
        ] = {}  # turns that were interrupted, and how much of each was heard
        turns.subscribe(self._on_item)
        reader.subscribe(self)

    def begin(self, wanted: DictationOptions, listener: TalkListener) -> asyncio.Task[None]:
        """Start a conversation. A missing model is reported before the microphone is opened."""
        return self._tasks.start(TASK, self._run(wanted, listener))

    def stop(self) -> bool:
        """End the conversation, and return whether there was one."""
        return self._tasks.cancel(TASK)

    @property
    def active(self) -> bool:
        """Return whether there is a conversation."""
        return self._listener is not None

    async def _run(self, wanted: DictationOptions, listener: TalkListener) -> None:
        self._reset(listener)
        body = wanted.body(hold=False) | {"silence_ms": SILENCE_MS}
        try:
            await self._warm(wanted.language or "en")
            await self._card.begin()
            async with (
                self._ear.listen(body) as stream,
                self._card.microphone(wanted.microphone) as microphone,
            ):
                listener.opened(microphone.name)
                await self._listen_again()
                pumping = asyncio.create_task(
                    self._pump(microphone, stream, listener), name="microphone"
                )
                reading = asyncio.create_task(self._read(stream), name="ear")
                try:
                    await asyncio.wait({pumping, reading}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    pumping.cancel()
                    reading.cancel()
                    ended = await asyncio.gather(pumping, reading, return_exceptions=True)
                for error in ended:
                    if isinstance(error, DeskpilotError):
                        raise error
        except DeskpilotError as error:
            listener.failed(error)
        finally:
            self._listener, self._reader.always = None, False
            self._leave()
            if self._timer is not None:
                self._timer.cancel()
            self._reader.stop()
            self._chime("ended")
            listener.ended()

    def _reset(self, listener: TalkListener) -> None:
        self._listener, self._reader.always = listener, True
        self._consents = (
            self._turns.consents or Consents()
        )  # without dashboards, consent is never requested
        self._leave = self._consents.subscribe(self._on_consent)
        self._state: State = "thinking"
        self._transcript = DictationTranscript()
        self._turn: Turn | None = None
        self._waiting = 0  # the number of the question whose turn has not begun yet, or 0
        self._asked = 0  # number of questions so far
        self._pending: list[str] = []
        self._speaking = 0  # the number of the utterance that the user is speaking, or 0
        self._ignored: set[int] = set()
        self._timer: asyncio.TimerHandle | None = None

    async def _warm(self, language: str) -> None:
        """Load the voice so that the first answer does not have to wait. If it is missing, report
        this now."""
        async with aclosing(self._spoken("ok", language)) as sounds:
            async for _ in sounds:
                pass

    def _spoken(self, text: str, language: str) -> AsyncGenerator[bytes, None]:
        body = {"input": text, "response_format": "pcm", "language": language}
        return self._sound.speak(
            body | ({"model": model} if (model := self._choices.now.voice) else {})
        )

    async def _pump(
        self, microphone: MicrophonePort, stream: LiveStreamPort, listener: TalkListener
    ) -> None:
        async with aclosing(watched(microphone.frames(), listener)) as frames:
            async for frame in frames:
                if self._choices.now.interrupt:
                    await stream.send(self._card.clean(frame))
                elif self._state == "listening":
                    await stream.send(frame)

    async def _read(self, stream: LiveStreamPort) -> None:
        async with aclosing(stream.steps()) as steps:
            async for step in steps:
                self._step(step)

    def _step(self, step: LiveStep) -> None:
        """Handle an event of speech recognition."""
        assert self._listener is not None
        if step.kind == "speech-start":
            self._speaking = step.utterance
            if self._state != "listening":
                loop = asyncio.get_running_loop()
                self._timer = loop.call_later(INTERRUPT_SECONDS, self._interrupt)
        elif step.kind == "speech-end":
            self._speaking = 0
            if self._state != "listening" and self._timer is not None:
                self._timer.cancel()
                self._ignored.add(step.utterance)
        elif step.kind in ("partial", "final") and step.utterance not in self._ignored:
            self._transcript.take(step)
            if self._state == "listening":
                self._listener.words(self._transcript.committed, self._transcript.open)
            if step.kind == "final":
                self._pending.append(self._transcript.text)
                self._transcript = DictationTranscript()
                if not self._speaking:
                    self._ask()

    def _ask(self) -> None:
        assert self._listener is not None
        text, self._pending = joined(self._pending), []
        if text and self._consents.now:
            allowed = meant(text)
            if allowed is None or not self._consents.answer(allowed, spoken=True):
                self._tasks.start("ask aloud", self._ask_aloud(self._consents.now))
        elif text:
            self._asked += 1
            self._waiting, self._turn = self._asked, None
            self._chime("heard")
            self._become("thinking")
            self._listener.asked(text, partial(self._begun, self._asked))

    def _begun(self, number: int, turn: Turn) -> None:
        if self._waiting == number:
            self._waiting, self._turn = 0, turn

    def _on_consent(self, consent: Consent | None) -> None:
        """Ask aloud for consent. Once the user has replied, the answer continues."""
        if consent is not None:
            self._tasks.start("ask aloud", self._ask_aloud(consent))
        elif self._state == "listening":
            self._become("thinking")

    async def _ask_aloud(self, consent: Consent) -> None:
        self._become("thinking")
        await self._sounded(self._spoken(asked_aloud(consent), "en"))
        if self._consents.now is consent:
            self._become("listening")

    def _interrupt(self) -> None:
        """Handle an interruption by the user: stop the sound, the queue and the model. The part of
        the answer that was heard is kept.
        """
        if self._listener is None or self._state == "listening":
            return
        turn, heard = self._turn, self._reader.heard
        self._waiting, self._turn = 0, None
        self._become("listening")
        if turn is not None and (turn.state == "running" or self._reader.turn is turn):
            running = turn.state == "running"
            self._cutting[turn.id] = heard
            self._reader.stop()
            self._turns.stop(turn.id)
            if not running:
                self._cut(turn)

    def _cut(self, turn: Turn) -> None:
        listener, heard = self._listener, self._cutting.pop(turn.id)

        async def work() -> None:
            await cut(turn, heard, self._store)
            if listener is not None:
                listener.cut(turn)

        self._tasks.start(f"cut {turn.id}", work())

    def _on_item(self, turn: Turn, item: Item) -> None:
        if turn.id in self._cutting:
            if isinstance(item, Ended):
                self._cut(turn)
            return
        if self._listener is not None and turn is self._turn and isinstance(item, Ended):
            self._answered()

    def reading(self, turn: Turn) -> None:
        """Note that an answer is about to be spoken."""
        if self._listener is not None and turn is self._turn:
            self._become("speaking")

    def spoken(self, turn: Turn, piece: SpokenPart) -> None:
        """Do nothing."""

    def read(self, error: DeskpilotError | None) -> None:
        """Note that an answer was spoken."""
        if self._listener is not None:
            if error is not None:
                self._listener.failed(error)
            self._answered()

    def _answered(self) -> None:
        """Listen again once the answer has ended and has been spoken."""
        turn = self._turn
        if turn is not None and turn.state != "running" and self._reader.turn is None:
            self._turn = None
            self._tasks.start("talk: listen again", self._listen_again())

    async def _listen_again(self) -> None:
        if self._choices.now.chimes:
            await self._sounded(sounding("listening"))
        self._become("listening")

    def _become(self, state: State) -> None:
        if self._listener is not None and state != self._state:
            self._state = state
            self._listener.state(state)

    def _chime(self, name: Chime) -> None:
        if self._choices.now.chimes:
            self._tasks.start("chime", self._sounded(sounding(name)))

    async def _sounded(self, sound: AsyncGenerator[bytes, None]) -> None:
        speaker = self._card.loudspeaker(self._choices.now.loudspeaker)
        try:
            async with aclosing(sound) as parts:
                async for part in parts:
                    await speaker.play(part)
            await speaker.drained()
        except DeskpilotError as error:
            if self._listener is not None:
                self._listener.failed(error)
        finally:
            speaker.silence()


@dataclass(frozen=True)
class Outside:
    """The parts of the machine and of the model service that voice features need."""

    card: SoundCardPort
    ear: EarPort
    sound: SoundPort
    key: GlobalKeyPort
    echo: EchoPort


@dataclass(frozen=True)
class LiveVoice:
    """Dictation, reading aloud and hands-free conversation, with the user's choices. key: the
    shortcut that starts dictation from any window.
    """

    card: SoundCardPort
    key: GlobalKeyPort
    choices: ChoicesStore
    standby: Standby
    dictation: Dictation
    reader: AnswerReader
    talk: Talk


def live_voice(
    outside: Outside,
    speech: Speech,
    turns: Turns,
    tasks: Tasks,
    store: StorePort,
    settings: Settings,
) -> LiveVoice:
    """Build the voice features."""
    choices, card = ChoicesStore(settings), Reference(outside.card, outside.echo)
    standby = Standby(outside.card, tasks, choices)
    reader = AnswerReader(speech, card, turns, choices)
    talk = Talk(outside, card, reader, turns, tasks, choices, store)
    dictation = Dictation(outside.ear, standby, tasks)
    return LiveVoice(outside.card, outside.key, choices, standby, dictation, reader, talk)
