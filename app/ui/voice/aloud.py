"""Answers read aloud in one window: while they come, or again, the sentence that is spoken marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.domain.events import Ended
from app.domain.stream import Chunk, Message
from app.services.voice.speech import Manner

if TYPE_CHECKING:
    import asyncio

    from app.domain.conversation import Turn
    from app.domain.errors import DeskpilotError
    from app.domain.events import Item
    from app.services.deskpilot import Deskpilot
    from app.services.voice.script import Piece
    from app.services.voice.speech import Saying
    from app.ui.window import Window


class Aloud(QObject):
    """Signals: begun() when an answer is about to be spoken; ended(why it cannot be, or None) when it was.

    turn: the one being read.
    """

    begun = Signal()
    ended = Signal(object)

    def __init__(self, window: Window, deskpilot: Deskpilot) -> None:
        super().__init__(window)
        self._window = window
        self._deskpilot = deskpilot
        self._saying: Saying | None = None
        self.turn: Turn | None = None
        deskpilot.turns.subscribe(self._on_item)

    def read(self, turn: Turn) -> None:
        """Read an answer from its beginning; one that is still coming, as it comes."""
        self.stop()
        choices = self._deskpilot.choices.now
        saying, task = self._deskpilot.speech.begin(
            self._deskpilot.card.loudspeaker(choices.loudspeaker),
            manner=Manner(choices.voice, speed=choices.speed),
            tell=lambda piece: self._mark(turn, piece),
            stop_model=lambda: self._deskpilot.turns.stop(turn.id),
        )
        self.turn, self._saying = turn, saying
        running = turn.state == "running"
        said = [item for item in turn.items if isinstance(item, Message) and isinstance(item.content, str)]
        for message in said:
            saying.item(Chunk(message.role, message.type, message.content))
            if not running or message is not turn.items[-1]:
                saying.item(Chunk(message.role, message.type, end=True))
        if not running:
            saying.finish()
        task.add_done_callback(lambda done: self._on_done(saying, done))
        self.begun.emit()

    def stop(self) -> None:
        """Be silent: sound, queue and model, at once."""
        if self.turn is not None:
            self._deskpilot.speech.stop()
            self._forget(None)

    def _on_item(self, turn: Turn, item: Item) -> None:
        if self._saying is not None and self.turn is not None and self.turn.id == turn.id:
            if isinstance(item, Ended):
                self._saying.finish()
            else:
                self._saying.item(item)
        elif self._deskpilot.choices.now.aloud and isinstance(item, Chunk) and item.start:
            self.read(turn)

    def _mark(self, turn: Turn, piece: Piece) -> None:
        self._window.view.mark_spoken(turn, piece.start, piece.end)

    def _on_done(self, saying: Saying, task: asyncio.Task[None]) -> None:
        if saying is self._saying:
            self._forget(None if task.cancelled() else saying.failed)

    def _forget(self, error: DeskpilotError | None) -> None:
        self.turn = self._saying = None
        self._window.view.mark_spoken(None, 0, 0)
        self.ended.emit(error)
