"""Code in a conversation as the window shows it: the line that runs, and the pages it made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.domain.events import CallResult, Ended
from app.domain.stream import Chunk, Message
from app.services.functions.generated import widget_of
from app.ui.words import tr

if TYPE_CHECKING:
    from app.domain.conversation import Turn
    from app.domain.events import Item
    from app.services.deskpilot import Deskpilot
    from app.services.tasks import Do
    from app.ui.main.window import Window


class Coding(QObject):
    """Shows what code does."""

    def __init__(self, window: Window, deskpilot: Deskpilot, do: Do) -> None:
        super().__init__(window)
        self._window, self._deskpilot, self._do = window, deskpilot, do
        deskpilot.turns.subscribe(self._on_item)

    def _on_item(self, turn: Turn, item: Item) -> None:
        """Mark the line that runs; none once the code has ended."""
        if isinstance(item, Chunk) and item.format == "active_line":
            number = str(item.content or "")
            self._window.view.mark_line(turn, int(number) if number.isdigit() else None)
        elif isinstance(item, CallResult | Ended):
            self._window.view.mark_line(None, None)

    def show_page(self, turn: Turn, index: int) -> None:
        """Put a page that code made on the dashboard."""
        self._do(f"show {turn.id} {index}", self._show(turn, index))

    async def _show(self, turn: Turn, index: int) -> None:
        item = turn.items[index] if index < len(turn.items) else None
        if not isinstance(item, Message):
            return
        deskpilot = self._deskpilot
        told = {"widget_type": "html", "name": tr("Page"), "data": item.content}
        made = await widget_of(told, deskpilot.live.folder)
        deskpilot.dashboard.send_to(made.uuid, deskpilot.dashboard.current)
        await deskpilot.widgets.add(made)
        self._window.dashboard.show()
        self._window.dashboard.show_card(made.uuid)
