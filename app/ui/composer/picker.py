"""The list that opens above the composer when #, @ or / is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.ui.theme.i18n import tr
from app.ui.theme.style import scaled
from app.ui.theme.tokens import LIGHT, Tokens

if TYPE_CHECKING:
    from PySide6.QtCore import QModelIndex, QPersistentModelIndex

    from app.ui.composer.choice import PickerItem

    Index = QModelIndex | QPersistentModelIndex

ROW_PX, MOST, WIDTH = 34, 8, 360
EDGE, GAP = 5, 10  # in pixels: the space around the rows, and between a name and the text after it
BEHIND = int(Qt.ItemDataRole.UserRole) + 1
IN_USE = BEHIND + 1


class Picker(QListWidget):
    """The list of choices. Signals: picked(key)."""

    picked = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.inside = parent.mapFromGlobal
        self.setObjectName("picker")
        self.setAccessibleName(tr("Choices"))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setItemDelegate(PickerDelegate(self))
        self.itemClicked.connect(self._pick)
        self.hide()

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        delegate = self.itemDelegate()
        assert isinstance(delegate, PickerDelegate)
        delegate.tokens = tokens

    def offer(self, choices: list[PickerItem], typed: str, above: QPoint) -> bool:
        """Show the choices that match the typed text, above a point in the parent.

        Return whether any choice matches.
        """
        self.clear()
        named = [choice for choice in choices if typed.lower() in choice.name.lower()]
        # A command can also be found by its description, in the language of the window.
        does = [
            choice
            for choice in choices
            if choice.name[:1] == "/" and typed.lower() in choice.behind.lower()
        ]
        for choice in dict.fromkeys([*named, *does]):
            item = QListWidgetItem(choice.name, self)
            item.setData(Qt.ItemDataRole.UserRole, choice.key)
            item.setData(BEHIND, choice.behind)
            item.setData(IN_USE, choice.in_use)
            spoken = f"{choice.name}, {choice.behind}" if choice.behind else choice.name
            item.setData(Qt.ItemDataRole.AccessibleTextRole, spoken)
        shown = min(self.count(), MOST)
        height = shown * scaled(ROW_PX) + 2 * EDGE
        self.setGeometry(above.x(), above.y() - height - 6, WIDTH, height)
        self.setCurrentRow(0)
        self.setVisible(shown > 0)
        self.raise_()
        return shown > 0

    def key(self, key: Qt.Key) -> bool:
        """Handle a key; return whether it was used."""
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            step = 1 if key == Qt.Key.Key_Down else -1
            self.setCurrentRow((self.currentRow() + step) % self.count())
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab):
            self._pick(self.currentItem())
        elif key == Qt.Key.Key_Escape:
            self.hide()
        else:
            return False
        return True

    def _pick(self, item: QListWidgetItem) -> None:
        self.hide()
        self.picked.emit(item.data(Qt.ItemDataRole.UserRole))


class PickerDelegate(QStyledItemDelegate):
    """Paints the name of a choice and the text after it."""

    tokens: Tokens = LIGHT

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of a row."""
        return QSize(0, scaled(ROW_PX))

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Shorten the name to leave room for the text after it."""
        super().initStyleOption(option, index)
        metrics, rest = option.fontMetrics, behind(index)  # pyright: ignore[reportAttributeAccessIssue]
        room = option.rect.width() - metrics.horizontalAdvance(rest) - 2 * GAP - 12  # pyright: ignore[reportAttributeAccessIssue]
        option.text = metrics.elidedText(index.data(), Qt.TextElideMode.ElideRight, room)  # pyright: ignore[reportAttributeAccessIssue]

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one row."""
        super().paint(painter, option, index)
        painter.setPen(QColor(self.tokens.accent if index.data(IN_USE) else self.tokens.faint))
        box = option.rect.adjusted(0, 0, -GAP, 0)  # pyright: ignore[reportAttributeAccessIssue]
        side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(box, side, behind(index))


def behind(index: Index) -> str:
    """Return the text after a name."""
    return index.data(BEHIND)
