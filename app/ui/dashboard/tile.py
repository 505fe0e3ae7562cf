"""The frame of a tile, and the edges that resize it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QRegion
from PySide6.QtWidgets import QWidget

from app.ui.theme.tokens import LIGHT, RADIUS_CARD, Tokens

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QEnterEvent, QMouseEvent, QPaintEvent, QPixmap, QResizeEvent

    from app.ui.dashboard.card import Card

OVERHANG = 10  # pixels outside the card, in the gap between tiles, that belong to its edges
INSIDE, CORNER = 2, 12


class TileFrame(QWidget):
    """The frame of a tile.

    Signals: stretched(the size in pixels the card should have) while it is resized, let_go() at the
    end.
    """

    stretched = Signal(QSize)
    let_go = Signal()

    def __init__(self, card: Card, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.card = card
        self._cover: CardPicture | None = None
        card.setParent(self)
        self.grips = [
            Grip(self, right, bottom)
            for right, bottom in ((True, False), (False, True), (True, True))
        ]

    def cover(self) -> bool:
        """Show a picture in place of the card, so that the tile moves without repainting its cells.

        Return whether a picture had to be taken.
        """
        if self._cover is not None or callable(
            getattr(self.card.body, "page", None)
        ):  # a web view paints itself
            return False
        self._cover = CardPicture(self.card.grab(), self)
        self._cover.setGeometry(self.card.geometry())
        self._cover.stackUnder(self.grips[0])
        self._cover.show()
        return True

    def uncover(self) -> None:
        """Show the card itself again."""
        if self._cover is not None:
            self._cover.hide()
            self._cover.deleteLater()
            self._cover = None

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the card and its edges."""
        self.uncover()
        w, h = event.size().width() - OVERHANG, event.size().height() - OVERHANG
        self.card.setGeometry(0, 0, w, h)
        side, edge = INSIDE + OVERHANG, CORNER + OVERHANG
        right, bottom, corner = self.grips
        right.setGeometry(w - INSIDE, CORNER, side, h - 2 * CORNER)
        bottom.setGeometry(CORNER, h - INSIDE, w - 2 * CORNER, side)
        corner.setGeometry(w - CORNER, h - CORNER, edge, edge)

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        for grip in self.grips:
            grip.tokens = tokens
            grip.update()


class CardPicture(QWidget):
    """A picture of a card, which covers the card."""

    def __init__(self, picture: QPixmap, tile: TileFrame) -> None:
        super().__init__(tile)
        self._picture = picture
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the corners rounded."""
        shape = QPainterPath()
        shape.addRoundedRect(QRectF(self.rect()), RADIUS_CARD, RADIUS_CARD)
        self.setMask(QRegion(shape.toFillPolygon().toPolygon()))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the picture."""
        QPainter(self).drawPixmap(0, 0, self._picture)


class Grip(QWidget):
    """An edge or corner that is painted while the mouse is over it."""

    def __init__(self, tile: TileFrame, right: bool, bottom: bool) -> None:
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
        """Start resizing."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._start = (event.globalPosition().toPoint(), self._tile.card.size())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Resize the tile with the mouse."""
        if self._start is not None:
            point, size = self._start
            moved = event.globalPosition().toPoint() - point
            by = QSize(moved.x() if self._right else 0, moved.y() if self._bottom else 0)
            self._tile.stretched.emit(size + by)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Stop resizing."""
        if self._start is not None:
            self._start = None
            self._tile.let_go.emit()
        self.update()

    def enterEvent(self, event: QEnterEvent) -> None:
        """Become visible."""
        self._hot = True
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Become invisible."""
        self._hot = False
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the edge in the accent colour."""
        if not self._hot and self._start is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self.tokens.accent), 2, c=Qt.PenCapStyle.RoundCap))
        w, h = self.width(), self.height()
        if self._right and self._bottom:
            painter.drawArc(
                QRect(-CORNER + 1, -CORNER + 1, 2 * CORNER - 2, 2 * CORNER - 2), 0, -90 * 16
            )
        elif self._right:
            painter.drawLine(1, h // 2 - 16, 1, h // 2 + 16)
        else:
            painter.drawLine(w // 2 - 16, 1, w // 2 + 16, 1)
