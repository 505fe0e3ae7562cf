"""Fields: a choice with a menu, a text of several lines, a switch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QActionGroup, QPainter, QPalette
from PySide6.QtWidgets import QCheckBox, QMenu, QPlainTextEdit, QPushButton, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QFocusEvent, QHideEvent, QPaintEvent


TRACK = QSize(36, 20)
FIELD_PX = 96  # about four lines
RING = 3  # pixels around a switch that has the focus


class Chooser(QPushButton):
    """A button that shows the chosen value and opens a menu.

    Signals: chosen(value), only when the user chooses.
    """

    chosen = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self.setAccessibleName(name)
        self._options: list[tuple[str, str]] = []
        self.offered: list[tuple[str, str]] = []
        self.value = ""
        self.choices = QMenu(self)
        self.setMenu(self.choices)

    def set_options(self, options: list[tuple[str, str]], value: str) -> None:
        """Offer values with their labels; a current value that is not offered is shown as it is."""
        self.offered = options
        self._options = options if value in dict(options) else [*options, (value, value)]
        self.choices.clear()
        group = QActionGroup(self.choices)
        for one, words in self._options:
            action = self.choices.addAction(words)
            action.setCheckable(True)
            action.triggered.connect(lambda _=False, one=one: self._choose(one))
            group.addAction(action)
        self.set_value(value)

    def set_value(self, value: str) -> None:
        """Show a value."""
        self.value = value
        label = dict(self._options).get(value, value)
        self.setText(f"{label}  ▾")
        self.setAccessibleName(f"{self._name}: {label}")
        for action, (one, _) in zip(self.choices.actions(), self._options, strict=True):
            action.setChecked(one == value)

    def _choose(self, value: str) -> None:
        self.set_value(value)
        self.chosen.emit(value)


class TextField(QPlainTextEdit):
    """A text field of several lines. Signals: left() when it loses the focus.

    most: the maximum length in characters.
    """

    left = Signal()

    def __init__(self, most: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._most = most
        self.setTabChangesFocus(True)
        self.setFixedHeight(FIELD_PX)
        self.textChanged.connect(self._cut)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Report that the field was left."""
        super().focusOutEvent(event)
        self.left.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        """Report that the field was left, including when its window is closed."""
        super().hideEvent(event)
        self.left.emit()

    def _cut(self) -> None:
        if len(self.toPlainText()) > self._most:
            cursor = self.textCursor()
            cursor.setPosition(self._most)
            cursor.movePosition(cursor.MoveOperation.End, cursor.MoveMode.KeepAnchor)
            cursor.removeSelectedText()


class Switch(QCheckBox):
    """A check box that looks like a switch."""

    def sizeHint(self) -> QSize:
        """Leave room for the focus ring."""
        return TRACK + QSize(2 * RING, 2 * RING)

    def hitButton(self, pos: QPoint) -> bool:
        """Accept a press anywhere on the switch."""
        return self.rect().contains(pos)

    def paintEvent(self, _: QPaintEvent) -> None:
        """Draw the track and the knob."""
        colours = self.palette()
        on = colours.color(QPalette.ColorRole.Link)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        track = QRectF(RING, RING, TRACK.width(), TRACK.height())
        if self.hasFocus():
            painter.setPen(on)
            painter.drawRoundedRect(track.adjusted(-2.5, -2.5, 2.5, 2.5), 12, 12)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(
            on if self.isChecked() else colours.color(QPalette.ColorRole.PlaceholderText)
        )
        painter.drawRoundedRect(track, 10, 10)
        painter.setBrush(colours.color(QPalette.ColorRole.Base))
        left = track.right() - 18 if self.isChecked() else track.left() + 2
        painter.drawEllipse(QRectF(left, track.top() + 2, 16, 16))
        painter.end()
