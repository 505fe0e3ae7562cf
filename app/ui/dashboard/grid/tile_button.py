"""A button of a tile's title bar, which is painted only while somebody is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QToolButton

if TYPE_CHECKING:
    from PySide6.QtGui import QFocusEvent, QPaintEvent
    from PySide6.QtWidgets import QWidget


class TileButton(QToolButton):
    """A button of a title bar; a quiet one is painted only while it is hot. sign: its icon's name.

    Signals: focus_moved().
    """

    focus_moved = Signal()

    def __init__(self, sign: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.sign, self.hot = sign, False
        self.setIconSize(QSize(16, 16))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Tell the bar."""
        super().focusInEvent(event)
        self.focus_moved.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Tell the bar."""
        super().focusOutEvent(event)
        self.focus_moved.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint it, or leave its place empty."""
        if self.hot or self.objectName() != "tile":
            super().paintEvent(event)
