"""A tile: a card, and the edges by which it is resized."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.ui.style.tokens import LIGHT, Tokens

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QEnterEvent, QMouseEvent, QPaintEvent, QResizeEvent

    from app.ui.dashboard.card import Card

OVERHANG = 10  # pixels beyond the card, in the gap between tiles, that belong to its edges
INSIDE, CORNER = 2, 12


class Tile(QWidget):
    """Signals: stretched(size in pixels the card should have), let_go() at the end of that."""

    stretched = Signal(QSize)
    let_go = Signal()

    def __init__(self, card: Card, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.card = card
        card.setParent(self)
        self.grips = [
            Grip(self, right, bottom) for right, bottom in ((True, False), (False, True), (True, True))
        ]

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the card and its edges."""
        w, h = event.size().width() - OVERHANG, event.size().height() - OVERHANG
        self.card.setGeometry(0, 0, w, h)
        side, edge = INSIDE + OVERHANG, CORNER + OVERHANG
        right, bottom, corner = self.grips
        right.setGeometry(w - INSIDE, CORNER, side, h - 2 * CORNER)
        bottom.setGeometry(CORNER, h - INSIDE, w - 2 * CORNER, side)
        corner.setGeometry(w - CORNER, h - CORNER, edge, edge)

    def set_tokens(self, tokens: Tokens) -> None:
        """Dress in a theme."""
        for grip in self.grips:
            grip.tokens = tokens
            grip.update()


class Grip(QWidget):
    """An edge or corner that is drawn while the mouse is on it."""

    def __init__(self, tile: Tile, right: bool, bottom: bool) -> None:
        super().__init__(tile)
        self.tokens: Tokens = LIGHT
        self._tile, self._right, self._bottom = tile, right, bottom
        self._start: tuple[QPoint, QSize] | None = None
        self._hot = False
        shapes = Qt.CursorShape
        self.setCursor(
            shapes.SizeFDiagCursor
            if right and bottom
            else shapes.SizeHorCursor
            if right
            else shapes.SizeVerCursor
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._start = (event.globalPosition().toPoint(), self._tile.card.size())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Stretch the tile with the hand."""
        if self._start is not None:
            point, size = self._start
            moved = event.globalPosition().toPoint() - point
            by = QSize(moved.x() if self._right else 0, moved.y() if self._bottom else 0)
            self._tile.stretched.emit(size + by)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go."""
        if self._start is not None:
            self._start = None
            self._tile.let_go.emit()
        self.update()

    def enterEvent(self, event: QEnterEvent) -> None:
        """Be seen."""
        self._hot = True
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Fade."""
        self._hot = False
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the edge in the accent's colour."""
        if not self._hot and self._start is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self.tokens.accent), 2, c=Qt.PenCapStyle.RoundCap))
        w, h = self.width(), self.height()
        if self._right and self._bottom:
            painter.drawArc(QRect(-CORNER + 1, -CORNER + 1, 2 * CORNER - 2, 2 * CORNER - 2), 0, -90 * 16)
        elif self._right:
            painter.drawLine(1, h // 2 - 16, 1, h // 2 + 16)
        else:
            painter.drawLine(w // 2 - 16, 1, w // 2 + 16, 1)
