"""Speech: an answer is spoken as it streams, or read aloud later. A single stop ends everything.
Voice settings are saved between sessions.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from app.domain.errors import DeskpilotError
from app.domain.events import Ended, Recalled, Status
from app.domain.settings import CHOICES
from app.domain.sound import RATE, SAMPLE_BYTES
from app.domain.stream import Chunk, Message
from app.services.voice.script import Script, SpokenPart

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.domain.conversation import Turn
    from app.domain.events import Item
    from app.domain.settings import Setting
    from app.services.conversation.turns import Turns
    from app.services.ports import LoudspeakerPort, SoundCardPort, SoundPort
    from app.services.settings import Settings
    from app.services.tasks import Tasks
    from app.services.voice.script import SpokenPart


AHEAD = 2  # number of utterances synthesised ahead of the one that is being played
DRY_SECONDS = (
    # waiting for a sentence ends when this many seconds of sound are left, beyond the time for
    # synthesis
    0.25
)
MOST_SECONDS = (
    # number of seconds that synthesis is initially assumed to take, since the first utterance waits
    # for the voice to be loaded
    0.6
)
LOOK_SECONDS = 0.1  # seconds between two checks of how much sound is left
TASK = "speech"


@dataclass(frozen=True)
class Manner:
    """How to speak: the voice's model (chosen by language if none is named), its speaker, and the
    speed (1 is the voice's own speed).
    """

    model: str | None = None
    voice: str | None = None
    speed: float = 1.0

    def body(self, piece: SpokenPart) -> dict[str, Any]:
        """Return the request body for the service's route."""
        told: dict[str, Any] = {"input": piece.said, "response_format": "pcm", "speed": self.speed}
        told["language"] = piece.language
        return told | {k: v for k, v in (("model", self.model), ("voice", self.voice)) if v}


class SpokenAnswer:
    """One answer that is being spoken.

    tell: called with each utterance when its sound starts to play. failed: why the answer cannot be
    spoken. heard_live: whether the answer is played now, in which case a sentence whose end is late
    is started early.
    """

    failed: DeskpilotError | None = None

    def __init__(
        self,
        sound: SoundPort,
        loudspeaker: LoudspeakerPort,
        manner: Manner,
        tell: Callable[[SpokenPart], None],
        *,
        heard_live: bool = True,
    ) -> None:
        self._sound, self._loudspeaker, self._manner, self._tell = sound, loudspeaker, manner, tell
        self._script = Script()
        self._pieces: asyncio.Queue[SpokenPart | None] = asyncio.Queue()
        self._made: asyncio.Queue[tuple[SpokenPart, bytes | None] | None] = asyncio.Queue()
        self._room = asyncio.Semaphore(1 + AHEAD)
        self._ends: list[
            tuple[int, int]
        ] = []  # number of bytes played by the end of an utterance, and its end in the answer
        self._heard_live = heard_live
        self._given = 0  # bytes of sound that have been produced
        self._takes = 0.0  # seconds from requesting an utterance to its first sound

    def item(self, item: Item) -> None:
        """Process an item of a turn. Text is spoken, and the end of a message becomes a pause.

        The source of the answer, reported in a step, is spoken before the answer.
        """
        if isinstance(item, Status):
            self._script.note(item.message)
        if isinstance(item, Recalled):
            self._take_back()
        if not isinstance(item, Chunk) or (item.role, item.type) != ("assistant", "message"):
            return
        if item.end:
            self._put(self._script.finish())
        elif item.content:
            self._put(self._script.feed(item.content))

    def _take_back(self) -> None:
        """Stop speaking the text so far, because it was a thought."""
        self._script, self._ends = Script(), []
        while not self._pieces.empty():
            self._pieces.get_nowait()

    def finish(self) -> None:
        """Report that the answer has ended, and speak the rest."""
        self._put(self._script.finish())
        self._pieces.put_nowait(None)

    @property
    def heard(self) -> int:
        """The number of characters of the answer that have been heard, in complete utterances."""
        return max(
            (end for played, end in self._ends if played <= self._loudspeaker.played), default=0
        )

    async def run(self) -> None:
        """Speak until the answer has ended and has been heard. If this is cancelled or fails, stop
        the sound immediately.
        """
        whole = False
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._make(), name="speech: make")
                group.create_task(self._play(), name="speech: play")
            whole = True
        except ExceptionGroup as errors:
            if not isinstance(errors.exceptions[0], DeskpilotError):
                raise
            self.failed = errors.exceptions[0]
        finally:
            if not whole:
                self._loudspeaker.silence()

    def _put(self, pieces: list[SpokenPart]) -> None:
        for piece in pieces:
            self._pieces.put_nowait(piece)

    async def _make(self) -> None:
        """Turn utterances into sound, at most `AHEAD` of them ahead of the one being played."""
        while (piece := await self._next()) is not None:
            await self._room.acquire()
            rest, asked, first = b"", time.perf_counter(), True
            async with aclosing(self._sound.speak(self._manner.body(piece))) as sounds:
                async for sound in sounds:
                    if first:
                        self._takes, first = time.perf_counter() - asked, False
                    self._given += len(sound)
                    rest += sound
                    whole = len(rest) - len(rest) % SAMPLE_BYTES
                    self._made.put_nowait((piece, rest[:whole]))
                    rest = rest[whole:]
            self._made.put_nowait((piece, None))
        self._made.put_nowait(None)

    async def _next(self) -> SpokenPart | None:
        """Return the next utterance. If the sound runs out in the meantime, return part of an
        incomplete sentence.
        """
        while True:
            try:
                async with asyncio.timeout(self._until_dry()):
                    return await self._pieces.get()
            except TimeoutError:
                self._put(self._script.hurry())

    def _until_dry(self) -> float | None:
        """Return how many seconds to wait for a sentence, or None to wait for as long as it
        takes."""
        if not self._heard_live or not self._given:
            return None
        left = (self._given - self._loudspeaker.played) / SAMPLE_BYTES / RATE
        return max(LOOK_SECONDS, left - DRY_SECONDS - min(MOST_SECONDS, 2 * self._takes))

    async def _play(self) -> None:
        given, playing = 0, None
        while (made := await self._made.get()) is not None:
            piece, sound = made
            if sound is None:
                self._ends.append((given, piece.end))
                self._room.release()
                continue
            if piece is not playing:
                playing = piece
                self._tell(piece)
            await self._loudspeaker.play(sound)
            given += len(sound)
        await self._loudspeaker.drained()


class Speech:
    """Speaks one answer at a time. A new one stops the previous one."""

    def __init__(self, sound: SoundPort, tasks: Tasks) -> None:
        self._sound = sound
        self._tasks = tasks
        self._loudspeaker: LoudspeakerPort | None = None
        self._stop_model: Callable[[], object] = _nothing

    def begin(
        self,
        loudspeaker: LoudspeakerPort,
        *,
        manner: Manner = Manner(),
        tell: Callable[[SpokenPart], None] = lambda _: None,
        stop_model: Callable[[], object] | None = None,
        heard_live: bool = True,
    ) -> tuple[SpokenAnswer, asyncio.Task[None]]:
        """Start speaking an answer that has yet to arrive. The task ends when the answer has been
        heard.

        stop_model: called by `stop`, so that a single stop ends the answer, too. heard_live:
        whether the answer is played now instead of being written to a file.
        """
        saying = SpokenAnswer(self._sound, loudspeaker, manner, tell, heard_live=heard_live)
        if self._loudspeaker is not None:
            self._loudspeaker.silence()
        self._loudspeaker, self._stop_model = loudspeaker, stop_model or _nothing
        return saying, self._tasks.start(TASK, saying.run())

    def stop(self) -> bool:
        """Stop immediately: first the sound, then the queue and the voice's model, then the
        answer's model.

        Return whether anything was being spoken.
        """
        if self._loudspeaker is not None:
            self._loudspeaker.silence()
        self._loudspeaker, stop_model, self._stop_model = None, self._stop_model, _nothing
        spoke = self._tasks.cancel(TASK)
        stop_model()
        return spoke


def _nothing() -> None:
    """Do nothing, because there is nothing to stop."""


class ReaderListener(Protocol):
    """Receives the events that occur while an answer is read aloud."""

    def reading(self, turn: Turn) -> None:
        """An answer is about to be spoken."""

    def spoken(self, turn: Turn, piece: SpokenPart) -> None:
        """This utterance is being spoken now."""

    def read(self, error: DeskpilotError | None) -> None:
        """The answer was spoken or stopped, or cannot be spoken because of this error."""


class AnswerReader:
    """Reads one answer at a time. turn: the turn whose answer is being read. always: whether each
    answer is read, regardless of the setting.
    """

    def __init__(
        self, speech: Speech, card: SoundCardPort, turns: Turns, choices: ChoicesStore
    ) -> None:
        self._speech, self._card, self._turns, self._choices = speech, card, turns, choices
        self._listeners: list[ReaderListener] = []
        self._saying: SpokenAnswer | None = None
        self.turn: Turn | None = None
        self.always = False
        turns.subscribe(self._on_item)

    def subscribe(self, listener: ReaderListener) -> None:
        """Register a listener for everything that is read aloud."""
        self._listeners.append(listener)

    def begin(self, turn: Turn) -> None:
        """Read an answer from its beginning. If it is still arriving, read it as it arrives."""
        self.stop()
        choices = self._choices.now
        saying, task = self._speech.begin(
            self._card.loudspeaker(choices.loudspeaker),
            manner=Manner(choices.voice, speed=choices.speed),
            tell=lambda piece: self._tell(saying, turn, piece),
            stop_model=lambda: self._turns.stop(turn.id),
        )
        self.turn, self._saying = turn, saying
        running = turn.state == "running"
        for item in turn.items:
            if isinstance(item, Status):
                saying.item(item)
            elif isinstance(item, Message) and isinstance(item.content, str):
                saying.item(Chunk(item.role, item.type, item.content))
                if not running or item is not turn.items[-1]:
                    saying.item(Chunk(item.role, item.type, end=True))
        if not running:
            saying.finish()
        task.add_done_callback(lambda done: self._on_done(saying, done))
        for listener in self._listeners:
            listener.reading(turn)

    def stop(self) -> None:
        """Stop the sound, the queue and the model immediately."""
        if self.turn is not None:
            self._speech.stop()
            self._forget(None)

    @property
    def heard(self) -> int:
        """The number of characters of the answer that have been heard."""
        return self._saying.heard if self._saying is not None else 0

    def _on_item(self, turn: Turn, item: Item) -> None:
        if self._saying is not None and self.turn is not None and self.turn.id == turn.id:
            if isinstance(item, Ended):
                self._saying.finish()
            else:
                self._saying.item(item)
        elif (self.always or self._choices.now.aloud) and isinstance(item, Chunk) and item.start:
            self.begin(turn)

    def _tell(self, saying: SpokenAnswer, turn: Turn, piece: SpokenPart) -> None:
        if saying is not self._saying:  # it was stopped, but its task has not noticed yet
            return
        for listener in self._listeners:
            listener.spoken(turn, piece)

    def _on_done(self, saying: SpokenAnswer, task: asyncio.Task[None]) -> None:
        if saying is self._saying:
            self._forget(None if task.cancelled() else saying.failed)

    def _forget(self, error: DeskpilotError | None) -> None:
        self.turn = self._saying = None
        for listener in self._listeners:
            listener.read(error)


UNNAMED = frozenset({"microphone", "loudspeaker", "language", "voice"})


@dataclass(frozen=True)
class VoiceChoices:
    """The user's voice settings. microphone, loudspeaker: their names, or None for the system's
    default. language: an ISO 639-1 code, or None to detect the language.

    names: whether the words of attached tables are expected. send: whether dictated text is sent
    immediately. aloud: whether answers are spoken as they arrive. interrupt: whether the user can
    interrupt Deskpilot in a hands-free conversation. Its own voice is then removed from the sound.
    chimes: whether tones signal that it is listening. ready: whether the microphone stays open
    while the window is in front, so that the first word is not lost. voice: the speech model, or
    None to use one for each language. speed: the speed of speech, where 1 is the voice's own speed.
    shortcut: the global dictation shortcut, or empty for none.
    """

    microphone: str | None = None
    loudspeaker: str | None = None
    language: str | None = None
    names: bool = True
    send: bool = False
    aloud: bool = False
    interrupt: bool = False
    chimes: bool = True
    ready: bool = False
    voice: str | None = None
    speed: float = 1.0
    shortcut: str = ""


class ChoicesStore:
    """Reads and writes the choices, which are stored as settings. now: the current choices."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.now = VoiceChoices()
        settings.subscribe(self._on_setting)

    async def load(self) -> VoiceChoices:
        """Read the choices.

        Raises: SetupError.
        """
        kept = {name: await self._settings.get(setting) for name, setting in CHOICES.items()}
        self.now = VoiceChoices(**{name: value_of(name, value) for name, value in kept.items()})
        return self.now

    async def change(self, **changed: Any) -> None:
        """Change the voice settings.

        Raises: SetupError.
        """
        for name, value in changed.items():
            await self._settings.put(CHOICES[name], "" if value is None else value)

    def _on_setting(self, setting: Setting[Any], value: Any) -> None:
        name = setting.key.removeprefix("voice.")
        if CHOICES.get(name) is setting:
            self.now = replace(self.now, **{name: value_of(name, value)})


def value_of(name: str, value: Any) -> Any:
    """Return a setting's value as a choice. An empty name becomes None."""
    return None if value == "" and name in UNNAMED else value
