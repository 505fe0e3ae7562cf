"""Fields and their layout.

The module contains a button that opens a menu of values; a multi-line text field; a switch; a row
with a name, a description and buttons; and a layout that wraps its widgets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QActionGroup, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLayoutItem,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.ui.controls.labels import label

if TYPE_CHECKING:
    from PySide6.QtGui import QFocusEvent, QHideEvent, QPaintEvent


TRACK = QSize(36, 20)
FIELD_PX = 96  # about four lines
RING = 3  # in pixels: the space around a switch for its focus ring


class Chooser(QPushButton):
    """A button that shows the chosen value and opens a menu.

    Signals: chosen(value), only when the user makes a choice.
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
        """Offer values with their labels; a current value that is not among them is shown
        unchanged.
        """
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
    """A multi-line text field. Signals: left() when it loses the focus.

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
        """Report that the field has lost the focus."""
        super().focusOutEvent(event)
        self.left.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        """Report that the field has lost the focus, including when its window is closed."""
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


class ToolRow(QFrame):
    """A row with a picture, text and buttons; untrusted text is never treated as markup."""

    def __init__(self, name: str, picture: bytes, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("newsItem")  # this draws a thin line below the row
        self._title = name
        self.words = QVBoxLayout()
        self.words.setSpacing(3)
        self.say(name, "strong")
        self.buttons = QVBoxLayout()
        self.buttons.setSpacing(4)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 10, 0, 10)
        row.setSpacing(12)
        logo = QLabel(self)
        logo.setFixedSize(SIDE, SIDE)
        made = QPixmap()
        logo.setVisible(made.loadFromData(picture))
        if not made.isNull():
            kept = Qt.AspectRatioMode.KeepAspectRatio
            logo.setPixmap(
                made.scaled(SIDE, SIDE, kept, Qt.TransformationMode.SmoothTransformation)
            )
        row.addWidget(logo, alignment=Qt.AlignmentFlag.AlignTop)
        row.addLayout(self.words, 1)
        row.addLayout(self.buttons)
        row.setAlignment(self.buttons, Qt.AlignmentFlag.AlignTop)

    def say(self, text: str, name: str = "muted") -> QLabel:
        """Add a line of text, unless the text is empty."""
        made = label(text, name, self)
        made.setVisible(bool(text))
        self.words.addWidget(made)
        return made

    def button(self, text: str) -> QPushButton:
        """Add a button."""
        made = QPushButton(text, self)
        made.setObjectName("link")
        made.setAccessibleName(f"{text}: {self._title}")
        self.buttons.addWidget(made, alignment=Qt.AlignmentFlag.AlignRight)
        return made


SIDE = 40  # size of a logo, in pixels


GAP = 6


class FlowLayout(QLayout):
    """Lays widgets out from left to right, starting a new line when the current one is full."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []

    def addItem(self, item: QLayoutItem) -> None:
        """Add an item."""
        self._items.append(item)

    def count(self) -> int:
        """Return the number of items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return the item at an index; None if there is no such item."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Remove the item at an index and return it; None if there is no such item."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Return no directions, because the layout takes up no more space than it needs."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Return True, because the height depends on the width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the total height of the lines for a width."""
        return self._lay(QRect(0, 0, width, 0), place=False)

    def setGeometry(self, rect: QRect) -> None:
        """Place the items."""
        super().setGeometry(rect)
        self._lay(rect, place=True)

    def sizeHint(self) -> QSize:
        """Return the minimum size."""
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        """Return the size of the largest item, on a line of its own."""
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        margins = self.contentsMargins()
        return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def _lay(self, rect: QRect, *, place: bool) -> int:
        margins = self.contentsMargins()
        room = rect.marginsRemoved(margins)
        x, y, line = room.x(), room.y(), 0
        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint().boundedTo(QSize(room.width(), 10_000))
            if x > room.x() and x + size.width() > room.right() + 1:
                x, y, line = room.x(), y + line + GAP, 0
            if place:
                item.setGeometry(QRect(QPoint(x, y), size))
            x += size.width() + GAP
            line = max(line, size.height())
        return y + line + margins.bottom() - rect.y()
