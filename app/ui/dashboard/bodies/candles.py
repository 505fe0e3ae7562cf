"""A candlestick chart with volumes. It describes the bar under the mouse; Ctrl and the mouse wheel
zoom the chart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.openbb.kinds import CANDLES
from app.ui.dashboard.bodies import WidgetView
from app.ui.dashboard.bodies.lines import shown, ticks
from app.ui.theme.i18n import tr
from app.ui.theme.tokens import LIGHT, Tokens

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import (
        QFocusEvent,
        QKeyEvent,
        QMouseEvent,
        QPaintEvent,
        QResizeEvent,
        QWheelEvent,
    )

TOP, BOTTOM, LEFT = 30, 24, 12  # pixels above (for a bar's details), below, and left
VOLUME, FEWEST, LEAST = (
    0.2,
    8,
    5,
)  # volumes' share of the height; minimum number of visible bars; initial pixels per bar
STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_PageUp: -20, Qt.Key.Key_PageDown: 20}


class CandleBody(QWidget):
    """A candlestick chart with the newest bar on the right.

    first, count: the first visible bar and the number of visible bars. at: the index of the bar
    being described; None for the last one.
    """

    def __init__(
        self, bars: list[dict[str, Any]], name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.tokens: Tokens = LIGHT
        self.bars = bars
        self.first, self.count = 0, len(bars)
        self.at: int | None = None
        self._held: tuple[float, int] | None = None
        self._chosen = False  # whether the user chose the number of visible bars
        self._right = 60
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(120)
        self.setObjectName("lines")
        self.setAccessibleName(tr("Candles of {name}", name=name))
        last = [tr("Last bar: {bar}", bar=told(bars[-1]))] if bars else []
        keys = tr("Arrow keys read each bar; + and - zoom.")
        self.setAccessibleDescription(" ".join([tr("%n bars.", "", len(bars)), *last, keys]))

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        self.tokens = tokens
        self.update()

    def seen(self) -> list[dict[str, Any]]:
        """Return the visible bars."""
        return self.bars[self.first : self.first + self.count]

    def look(self, count: int, around: float = 1.0) -> None:
        """Show a number of bars. around: a fraction of the width; the bar there stays in place."""
        self._chosen = True
        count = min(max(count, min(FEWEST, len(self.bars))), len(self.bars))
        middle = self.first + self.count * around
        self.count = count
        self._go(round(middle - count * around))

    def show_at(self, index: int | None) -> None:
        """Highlight a bar and scroll to it; None removes the highlight."""
        if index is not None:
            index = min(max(index, 0), len(self.bars) - 1)
            if not self.first <= index < self.first + self.count:
                self._go(index if index < self.first else index - self.count + 1)
        if index != self.at:
            self.at = index
            self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Until the user zooms, show as many of the latest bars as can be distinguished."""
        super().resizeEvent(event)
        if not self._chosen:
            self.count = max(
                min(int(self._box().width() // LEAST), len(self.bars)), min(FEWEST, len(self.bars))
            )
            self._go(len(self.bars))

    def _go(self, first: int) -> None:
        self.first = min(max(first, 0), len(self.bars) - self.count)
        self.update()

    def _box(self) -> QRectF:
        return QRectF(self.rect()).adjusted(LEFT, TOP, -self._right, -BOTTOM)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the scale, the volumes, the candles, and the details of the selected bar."""
        bars = self.seen()
        if not bars:
            return
        painter = QPainter(self)
        scale = ticks(min(b["low"] for b in bars), max(b["high"] for b in bars), 5)
        self._right = max(self.fontMetrics().horizontalAdvance(shown(t)) for t in scale) + 18
        box = self._box()
        prices = box.adjusted(0, 0, 0, -box.height() * VOLUME)
        self._paint_scale(painter, prices, scale, bars)
        wide = box.width() / len(bars)
        most = max((b.get("volume") or 0 for b in bars), default=0)
        span = (scale[-1] - scale[0]) or 1
        for n, bar in enumerate(bars):
            up = bar["close"] >= bar["open"]
            colour = QColor(self.tokens.accent if up else self.tokens.danger)
            middle, body = box.left() + (n + 0.5) * wide, max(wide * 0.64, 1.0)
            y = {
                k: prices.bottom() - (bar[k] - scale[0]) / span * prices.height()
                for k in ("open", "high", "low", "close")
            }
            painter.fillRect(
                QRectF(middle - 0.5, y["high"], 1, max(y["low"] - y["high"], 1)), colour
            )
            top, high = min(y["open"], y["close"]), max(abs(y["open"] - y["close"]), 1.0)
            painter.fillRect(QRectF(middle - body / 2, top, body, high), colour)
            if most and bar.get("volume"):
                faint = QColor(colour)
                faint.setAlpha(70)
                tall = bar["volume"] / most * box.height() * VOLUME * 0.85
                painter.fillRect(QRectF(middle - body / 2, box.bottom() - tall, body, tall), faint)
        self._paint_told(painter, box, wide)

    def _paint_scale(
        self, painter: QPainter, box: QRectF, scale: list[float], bars: list[dict[str, Any]]
    ) -> None:
        flags = Qt.AlignmentFlag
        for tick in scale:
            y = box.bottom() - (tick - scale[0]) / ((scale[-1] - scale[0]) or 1) * box.height()
            painter.setPen(QPen(QColor(self.tokens.hairline), 1))
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
            painter.setPen(QColor(self.tokens.faint))
            place = QRectF(box.right() + 8, y - 8, self._right, 16)
            painter.drawText(place, flags.AlignLeft | flags.AlignVCenter, shown(tick))
        foot = QRectF(box.left(), self.height() - BOTTOM + 4, box.width(), 16)
        painter.drawText(foot, flags.AlignLeft, str(bars[0]["time"]))
        painter.drawText(foot, flags.AlignRight, str(bars[-1]["time"]))

    def _paint_told(self, painter: QPainter, box: QRectF, wide: float) -> None:
        bar = self.bars[self.at if self.at is not None else self.first + self.count - 1]
        if self.at is not None and self.first <= self.at < self.first + self.count:
            x = box.left() + (self.at - self.first + 0.5) * wide
            painter.setPen(QPen(QColor(self.tokens.faint), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
        painter.setPen(QColor(self.tokens.muted))
        words = painter.fontMetrics().elidedText(
            told(bar), Qt.TextElideMode.ElideRight, self.width() - 2 * LEFT
        )
        painter.drawText(QRectF(LEFT, 6, self.width(), 18), Qt.AlignmentFlag.AlignLeft, words)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Describe the bar under the mouse or, while the button is held, drag the bars."""
        box, x = self._box(), event.position().x()
        if self._held is not None:
            self._go(self._held[1] - round((x - self._held[0]) / max(box.width(), 1) * self.count))
            return
        self.show_at(self.first + int((x - box.left()) / max(box.width(), 1) * self.count))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Start dragging the bars."""
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._held = (event.position().x(), self.first)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Stop dragging the bars."""
        super().mouseReleaseEvent(event)
        self._held = None

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom if Ctrl is held; otherwise scroll the dashboard."""
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
            return
        box = self._box()
        around = (event.position().x() - box.left()) / max(box.width(), 1)
        self.look(
            round(self.count * (0.8 if event.angleDelta().y() > 0 else 1.25)),
            min(max(around, 0), 1),
        )
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move from bar to bar with the arrow keys; zoom in and out with + and -."""
        key = Qt.Key(event.key())
        if key in STEPS:
            self.show_at((len(self.bars) - 1 if self.at is None else self.at) + STEPS[key])
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self.show_at(0 if key == Qt.Key.Key_Home else len(self.bars) - 1)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            self.look(round(self.count * (1.25 if key == Qt.Key.Key_Minus else 0.8)))
        else:
            super().keyPressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Describe the last bar again."""
        self.show_at(None)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Describe the last bar again."""
        super().focusOutEvent(event)
        self.show_at(None)


def told(bar: dict[str, Any]) -> str:
    """Return a description of a bar as text."""
    prices = "   ".join(
        f"{key[0].upper()} {shown(bar[key])}" for key in ("open", "high", "low", "close")
    )
    step = (bar["close"] - bar["open"]) / bar["open"] * 100 if bar["open"] else 0.0
    volume = (
        "   " + tr("Vol {volume}", volume=shown(float(bar["volume"]))) if bar.get("volume") else ""
    )
    return f"{bar['time']}   {prices}   {step:+.2f} %{volume}"


VIEW = WidgetView(
    CANDLES, lambda content, name: CandleBody(content.value, name), exports=("PNG", "SVG")
)
