"""How loud it is, as a row of bars that follow the voice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QWidget

from app.ui.theme.tokens import LIGHT, Tokens
from app.ui.words import tr

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

BARS, WIDTH, GAP = 14, 3, 2
EVERY = 3  # levels to a bar: fifty come in a second


class Meter(QWidget):
    """Shows the last second of levels, 0 to 1, the newest at the right."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedSize(BARS * (WIDTH + GAP), 18)
        self.setAccessibleName(tr("Loudness"))
        self._tokens: Tokens = LIGHT
        self.levels = [0.0] * BARS
        self._taken: list[float] = []

    def set_tokens(self, tokens: Tokens) -> None:
        """Dress in a theme."""
        self._tokens = tokens
        self.update()

    def clear(self) -> None:
        """Begin anew."""
        self.levels = [0.0] * BARS
        self._taken.clear()
        self.update()

    def add(self, level: float) -> None:
        """Take the next level."""
        self._taken.append(level)
        if len(self._taken) == EVERY:
            self.levels = [*self.levels[1:], max(self._taken)]
            self._taken.clear()
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the bars."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for index, level in enumerate(self.levels):
            height = 3 + level * (self.height() - 3)
            colour = self._tokens.accent if level > 0.15 else self._tokens.hairline
            painter.setBrush(QColor(colour))
            bar = QRectF(index * (WIDTH + GAP), (self.height() - height) / 2, WIDTH, height)
            painter.drawRoundedRect(bar, 1.5, 1.5)
