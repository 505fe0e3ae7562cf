"""A line chart over time, painted without Plotly so that it is fast and small."""

from __future__ import annotations

from math import ceil, floor, isfinite, log10
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from app.ui.theme.i18n import tr
from app.ui.theme.tokens import LIGHT, Tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPaintEvent

    from app.domain.dashboard import ColumnSeries


STEPS = (1, 2, 2.5, 5, 10)
LARGE = ((1e12, "T"), (1e9, "B"), (1e6, "M"))


def ticks(low: float, high: float, most: int = 4) -> list[float]:
    """Return at least two evenly spaced round numbers that cover the range from low to high."""
    if not (isfinite(low) and isfinite(high)):
        return [0.0, 1.0]
    if high <= low:
        low, high = (low - 1, high + 1) if low else (0.0, 1.0)
    rough = (high - low) / (most - 1)
    scale = 10.0 ** floor(log10(rough))
    step = next(s * scale for s in STEPS if s * scale >= rough * 0.999)
    first = floor(low / step)
    last = max(ceil(high / step), first + 1)
    return [round(n * step, 12) for n in range(first, last + 1)]


def shown(value: float) -> str:
    """Return a number in at most about seven characters, such as 12,990.3, 0.12 or 1.5 M."""
    for size, letter in LARGE:
        if abs(value) >= size:
            return f"{value / size:,.4g} {letter}"
    digits = (
        0
        if float(value).is_integer()
        else 1
        if abs(value) >= 1000
        else 2
        if abs(value) >= 0.1
        else 4
    )
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


LEFT, RIGHT, TOP = 12, 16, 12
BELOW, LINE = 6, 16  # pixels: distance from the axis to its labels; minimum height of a text line
KEY_STEPS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_PageUp: -10,
    Qt.Key.Key_PageDown: 10,
}


class LineChart(QWidget):
    """A line chart. Signals: picked(row, column) with the cell that a point comes from."""

    picked = Signal(int, str)

    def __init__(self, series: ColumnSeries, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tokens: Tokens = LIGHT
        self.series = series
        self.at: int | None = None
        self._ticks = ticks(min(series.values, default=0), max(series.values, default=1))
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(56)
        self.setAccessibleName(tr("Chart of {name}", name=series.name))
        self.setAccessibleDescription(told(series))
        self.setObjectName("lines")

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        self.tokens = tokens
        self.update()

    def point(self, index: int) -> QPointF:
        """Return the position of a value."""
        return self._points([index])[0]

    def _points(self, places: Iterable[int]) -> list[QPointF]:
        box, low, high = self._box(), self._ticks[0], self._ticks[-1]
        step, scale, values = (
            box.width() / max(len(self.series.values) - 1, 1),
            high - low,
            self.series.values,
        )
        left, bottom, height = box.left(), box.bottom(), box.height()
        return [
            QPointF(left + i * step, bottom - (values[i] - low) / scale * height) for i in places
        ]

    def _box(self) -> QRectF:
        wide = max(self.fontMetrics().horizontalAdvance(shown(t)) for t in self._ticks)
        bottom = BELOW + self._line() + 4
        return QRectF(self.rect()).adjusted(LEFT + wide + 8, TOP, -RIGHT, -bottom)

    def _line(self) -> int:
        """Return the height of a line of text."""
        return max(LINE, self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the scale, the line, and the value under the mouse."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_scale(painter)
        painter.setPen(QPen(QColor(self.tokens.accent), 2, j=Qt.PenJoinStyle.RoundJoin))
        painter.drawPolyline(QPolygonF(self._points(range(len(self.series.values)))))
        if self.at is not None:
            self._paint_value(painter, self.at)

    def _paint_scale(self, painter: QPainter) -> None:
        box, labels, line = self._box(), self.series.labels, self._line()
        for tick in self._ticks:
            y = (
                box.bottom()
                - (tick - self._ticks[0]) / (self._ticks[-1] - self._ticks[0]) * box.height()
            )
            painter.setPen(QPen(QColor(self.tokens.hairline), 1))
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
            painter.setPen(QColor(self.tokens.faint))
            side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            beside = QRectF(LEFT, y - line / 2, box.left() - 8 - LEFT, line)
            painter.drawText(beside, side, shown(tick))
        sides = Qt.AlignmentFlag
        for label, side in ((labels[:1], sides.AlignLeft), (labels[-1:], sides.AlignRight)):
            below = QRectF(box.left(), box.bottom() + BELOW, box.width(), line)
            painter.drawText(below, side, "".join(label))

    def _paint_value(self, painter: QPainter, index: int) -> None:
        box, point, tokens = self._box(), self.point(index), self.tokens
        painter.setPen(QPen(QColor(tokens.faint), 1))
        painter.drawLine(QPointF(point.x(), box.top()), QPointF(point.x(), box.bottom()))
        painter.setPen(QPen(QColor(tokens.card), 2))
        painter.setBrush(QColor(tokens.accent))
        painter.drawEllipse(point, 5, 5)
        label, value = self.series.labels[index], shown(self.series.values[index])
        text = f"{label}   {value} {self.series.unit}".strip()
        wide = self.fontMetrics().horizontalAdvance(text) + 16
        left = min(max(point.x() - wide / 2, box.left()), box.right() - wide)
        above = point.y() > box.top() + box.height() / 2
        high = self._line() + 6
        flag = QRectF(left, box.top() if above else box.bottom() - high - 4, wide, high)
        painter.setPen(QPen(QColor(tokens.hairline), 1))
        painter.setBrush(QColor(tokens.card))
        painter.drawRoundedRect(flag, 6, 6)
        painter.setPen(QColor(tokens.text))
        painter.drawText(flag, Qt.AlignmentFlag.AlignCenter, text)

    def show_at(self, index: int | None) -> None:
        """Show the value at an index; None hides it."""
        if index is not None:
            index = min(max(index, 0), len(self.series.values) - 1)
        if index != self.at:
            self.at = index
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show the value under the mouse."""
        box = self._box()
        across = (event.position().x() - box.left()) / max(box.width(), 1)
        self.show_at(round(across * (len(self.series.values) - 1)))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Show the table cell of the value."""
        super().mousePressEvent(event)
        self.mouseMoveEvent(event)
        self._pick()

    def leaveEvent(self, event: QEvent) -> None:
        """Hide the value."""
        self.show_at(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move along the line with the arrow keys; Enter shows the table cell."""
        last = len(self.series.values) - 1
        key = Qt.Key(event.key())
        if key in KEY_STEPS:
            self.show_at((last if self.at is None else self.at) + KEY_STEPS[key])
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self.show_at(0 if key == Qt.Key.Key_Home else last)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._pick()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the value."""
        super().focusOutEvent(event)
        self.show_at(None)

    def _pick(self) -> None:
        if self.at is not None:
            self.picked.emit(self.series.rows[self.at], self.series.name)


def told(series: ColumnSeries) -> str:
    """Return a description of the line as text."""
    if not series.values:
        return tr("No values")
    low, high = shown(min(series.values)), shown(max(series.values))
    return tr(
        "From {first} to {end}, between {low} and {high}; last {last}. Use the arrow keys to "
        "read each value; press Enter to show its cell.",
        first=series.labels[0],
        end=series.labels[-1],
        low=low,
        high=high,
        last=shown(series.values[-1]),
    )
