"""Tell when a window is closed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject

if TYPE_CHECKING:
    import asyncio

    from PySide6.QtWidgets import QWidget


class CloseWatch(QObject):
    """Sets an event when the window it watches closes."""

    def __init__(self, window: QWidget, closed: asyncio.Event) -> None:
        super().__init__(window)
        self._closed = closed
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """See the close event pass."""
        if event.type() == QEvent.Type.Close:
            self._closed.set()
        return super().eventFilter(watched, event)
