"""Find words in the open conversation: from place to place, forwards and back. Not a widget, so it may await."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.ui.chat.finding import count_in

if TYPE_CHECKING:
    from app.services.tasks import Do
    from app.ui.session.session import Session


class Finding:
    """Joins the line one finds with to the conversation. do: starts named work and tells its errors."""

    def __init__(self, session: Session, do: Do) -> None:
        self._session, self._do = session, do
        self._places: list[tuple[int, int]] = []  # the turn's row, and which of its places
        self._at = -1
        self._words = ""

    def begin(self, words: str = "") -> None:
        """Show the line, with words to find if some are given."""
        bar = self._session.window.finder
        if not bar.property("joined"):
            bar.setProperty("joined", True)
            bar.wanted.connect(lambda text: self._do("find", self._find(text)))
            bar.stepped.connect(self.step)
            bar.closed.connect(self._leave)
        bar.begin(words)

    async def _find(self, text: str) -> None:
        turns, self._words = list(self._session.turns), text.strip()
        if self._words:
            await self._session.deskpilot.history.read(turns)
        counts = [count_in(turn, self._words) if self._words else 0 for turn in turns]
        self._places = [
            (row, number) for row, count in enumerate(counts) for number in range(count)
        ]
        self._at = -1
        self._session.window.view.mark_found(self._words)
        if self._places:
            self.step(-1)  # the newest is what one most likely looks for
        else:
            self._session.window.finder.tell(0, 0)

    def step(self, by: int) -> None:
        """Show the next place, or the one before; round the ends."""
        if not self._places:
            return
        first = len(self._places) - 1 if by < 0 else 0
        self._at = first if self._at < 0 else (self._at + by) % len(self._places)
        row, number = self._places[self._at]
        self._session.window.view.show_found(row, number)
        self._session.window.finder.tell(self._at + 1, len(self._places))

    def _leave(self) -> None:
        self._places, self._words = [], ""
        self._session.window.view.mark_found("")
        self._session.window.view.setFocus()
