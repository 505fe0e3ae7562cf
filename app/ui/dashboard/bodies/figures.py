"""Key figures: the latest value of each of some columns, and its change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontInfo, QFontMetrics
from PySide6.QtWidgets import (
    QGridLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QVBoxLayout,
    QWidget,
)

from app.ui.controls.labels import ElidedLabel
from app.ui.dashboard.bodies.lines import shown
from app.ui.theme.i18n import tr
from app.ui.theme.style import Theme

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent, QResizeEvent

    from app.domain.dashboard import ColumnSeries


class Beside(QWidget):
    """A grid with as many columns as fit. least: the minimum width of a box. margin, spacing: the
    space around the boxes and between them. All are in pixels.
    """

    def __init__(
        self, least: int, margin: int, spacing: int, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.boxes: list[QWidget] = []
        self._least, self._across = least, 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(margin, 8, margin, 8)
        self._grid.setSpacing(spacing)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put as many boxes in a row as fit without becoming unreadable."""
        super().resizeEvent(event)
        self.arrange(min(max(event.size().width() // self._least, 1), max(len(self.boxes), 1)))

    def arrange(self, across: int) -> None:
        """Arrange the boxes in rows. across: the number of boxes in a row."""
        if across == self._across:
            return
        self._across = across
        for place, box in enumerate(self.boxes):
            self._grid.addWidget(box, place // across, place % across)
        for column in range(len(self.boxes)):
            self._grid.setColumnStretch(column, 1 if column < across else 0)


LEAST = 100  # minimum width of a figure, in pixels
SMALLEST = 11  # smallest text size of the figures when space is limited, in pixels


def fitting(font: QFont, text: str, room: int) -> QFont:
    """Return a smaller font, down to `SMALLEST`, in which a text fits. room: the width in
    pixels.
    """
    fitted = QFont(font)
    for pixels in range(QFontInfo(font).pixelSize(), SMALLEST - 1, -1):
        fitted.setPixelSize(pixels)
        if QFontMetrics(fitted).horizontalAdvance(text) <= room:
            break
    return fitted


class Number(QPushButton):
    """A value in the largest text size that fits, up to the size in the style sheet.

    beside: all the numbers in the tile, which share a text size.
    """

    def __init__(self, text: str, box: QWidget, beside: list[Number]) -> None:
        super().__init__(text, box)
        self._box, self._beside = box, beside
        beside.append(self)

    def minimumSizeHint(self) -> QSize:
        """Return a small size, because the text can shrink as well."""
        return QSize(24, super().minimumSizeHint().height())

    def fitting(self) -> QFont:
        """Return the font used for all the numbers in the tile."""
        fonts = [
            # this leaves room for the focus frame
            fitting(one.font(), one.text(), one._box.width() - 2)
            for one in self._beside
        ]
        return min(fonts, key=QFont.pixelSize)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the value; with the style sheet alone, its size would be fixed."""
        option, painter = QStyleOptionButton(), QStylePainter(self)
        self.initStyleOption(option)
        option.text = ""  # type: ignore[attr-defined]
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        painter.setFont(self.fitting())
        usual = self.palette().color(self.foregroundRole())
        painter.setPen(QColor(Theme.now.accent) if self.underMouse() else usual)
        sides = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(self.rect().adjusted(1, 0, 0, 0), int(sides), self.text())


class Figures(Beside):
    """The key figures of a table. Signals: picked(row, column) with the cell that a figure comes
    from.
    """

    picked = Signal(int, str)

    def __init__(
        self,
        series: list[ColumnSeries],
        titles: list[str],
        unit: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(LEAST, 12, 8, parent)
        self._numbers: list[Number] = []
        pairs = zip(series, titles, strict=True)
        self.boxes = [
            self._figure(one, title, one.unit or unit) for one, title in pairs if one.values
        ]
        self.arrange(max(len(self.boxes), 1))

    def _figure(self, series: ColumnSeries, title: str, unit: str) -> QWidget:
        value = f"{shown(series.values[-1])} {unit}".strip()
        box = QWidget(self)
        name, number, change = (
            ElidedLabel(title, box),
            Number(value, box, self._numbers),
            QLabel(changed(series), box),
        )
        name.setObjectName("muted")
        change.setObjectName("caption")
        number.setObjectName("figure")
        number.setCursor(Qt.CursorShape.PointingHandCursor)
        change_told = change.text() or tr("unchanged")
        number.setAccessibleName(f"{title}, {series.labels[-1]}: {value}, {change_told}")
        number.setToolTip(tr("{label}. Show the cell", label=series.labels[-1]))
        number.clicked.connect(lambda: self.picked.emit(series.rows[-1], series.name))
        column = QVBoxLayout(box)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addStretch(1)
        for part in (name, number, change):
            part.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            column.addWidget(part)
        column.addStretch(1)
        number.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        column.setAlignment(number, Qt.AlignmentFlag.AlignLeft)
        return box


def changed(series: ColumnSeries) -> str:
    """Return how the last value differs from the previous one; empty if it does not differ."""
    if len(series.values) < 2 or series.values[-1] == series.values[-2]:
        return ""
    step = round(series.values[-1] - series.values[-2], 10)
    return f"{'▲' if step > 0 else '▼'} {shown(abs(step))}"
