"""Reads answers aloud through the loudspeaker: while they come, or again afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from app.domain.events import Ended, Status
from app.domain.stream import Chunk, Message
from app.services.voice.speech import Manner

if TYPE_CHECKING:
    import asyncio

    from app.domain.conversation import Turn
    from app.domain.errors import DeskpilotError
    from app.domain.events import Item
    from app.services.conversation.turns import Turns
    from app.services.ports import SoundCardPort
    from app.services.voice.choices import ChoicesStore
    from app.services.voice.script import Piece
    from app.services.voice.speech import Saying, Speech


class ReaderListener(Protocol):
    """Who is told of what is read."""

    def reading(self, turn: Turn) -> None:
        """An answer is about to be spoken."""

    def spoken(self, turn: Turn, piece: Piece) -> None:
        """This is being spoken now."""

    def read(self, error: DeskpilotError | None) -> None:
        """It was spoken, or stopped, or cannot be spoken for this reason."""


class Reader:
    """Reads one answer at a time. turn: the one being read. always: each answer is read, whatever
    was chosen.
    """

    def __init__(
        self, speech: Speech, card: SoundCardPort, turns: Turns, choices: ChoicesStore
    ) -> None:
        self._speech, self._card, self._turns, self._choices = speech, card, turns, choices
        self._listeners: list[ReaderListener] = []
        self._saying: Saying | None = None
        self.turn: Turn | None = None
        self.always = False
        turns.subscribe(self._on_item)

    def subscribe(self, listener: ReaderListener) -> None:
        """Tell a listener of all that is read from now on."""
        self._listeners.append(listener)

    def begin(self, turn: Turn) -> None:
        """Read an answer from its beginning; one that is still coming, as it comes."""
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
        """Be silent: sound, queue and model, at once."""
        if self.turn is not None:
            self._speech.stop()
            self._forget(None)

    @property
    def heard(self) -> int:
        """How many characters of the answer have been heard."""
        return self._saying.heard if self._saying is not None else 0

    def _on_item(self, turn: Turn, item: Item) -> None:
        if self._saying is not None and self.turn is not None and self.turn.id == turn.id:
            if isinstance(item, Ended):
                self._saying.finish()
            else:
                self._saying.item(item)
        elif (self.always or self._choices.now.aloud) and isinstance(item, Chunk) and item.start:
            self.begin(turn)

    def _tell(self, saying: Saying, turn: Turn, piece: Piece) -> None:
        if saying is not self._saying:  # it was stopped, and its task does not know yet
            return
        for listener in self._listeners:
            listener.spoken(turn, piece)

    def _on_done(self, saying: Saying, task: asyncio.Task[None]) -> None:
        if saying is self._saying:
            self._forget(None if task.cancelled() else saying.failed)

    def _forget(self, error: DeskpilotError | None) -> None:
        self.turn = self._saying = None
        for listener in self._listeners:
            listener.read(error)
