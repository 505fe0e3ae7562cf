"""The command palette: all commands, and chats that contain the typed text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.ui.controls.keys import keeps_escape
from app.ui.theme.i18n import tr
from app.ui.theme.style import scaled
from app.ui.theme.tokens import LIGHT, RADIUS, Tokens

if TYPE_CHECKING:
    from PySide6.QtCore import QModelIndex, QPersistentModelIndex
    from PySide6.QtGui import QAction, QFocusEvent

    Index = QModelIndex | QPersistentModelIndex

WIDTH, ROW, ROWS, TOP, SIDE = 520, 34, 10, 72, 12
KEY = int(Qt.ItemDataRole.UserRole)
ACTION = KEY + 1


class PaletteField(QLineEdit):
    """The input field; Up and Down move through the list."""

    def __init__(self, palette: Palette) -> None:
        super().__init__(palette)
        self._palette = palette

    def event(self, event: QEvent) -> bool:
        """Handle Escape here to close the palette; elsewhere it stops the answer."""
        return keeps_escape(event) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move through the list, run the selected command, or leave the palette."""
        key = event.key()
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._palette.step(1 if key == Qt.Key.Key_Down else -1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._palette.run()
        elif key == Qt.Key.Key_Escape:
            self._palette.leave()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Close the palette when something else gets the focus."""
        super().focusOutEvent(event)
        if event.reason() not in (
            Qt.FocusReason.PopupFocusReason,
            Qt.FocusReason.ActiveWindowFocusReason,
        ):
            self._palette.hide()


class Palette(QFrame):
    """The palette, shown on top of the window. Signals: typed(words) to find chats."""

    typed = Signal(str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("popup")
        self._actions: list[QAction] = []
        self._found: list[QAction] = []
        self._chats: list[QAction] = []
        self._before: QWidget | None = None
        self.field = PaletteField(self)
        self.field.setPlaceholderText(tr("Search commands, settings and chats"))
        self.field.setAccessibleName(tr("All commands"))
        self.list = QListWidget(self)
        self.list.setAccessibleName(tr("Commands"))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._row = CommandDelegate(self.list)
        self.list.setItemDelegate(self._row)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(6)
        column.addWidget(self.field)
        column.addWidget(self.list)
        self.field.textChanged.connect(self._fill)
        self.list.itemClicked.connect(lambda _: self.run())
        self.hide()

    def begin(self, actions: list[QAction], found: list[QAction], tokens: Tokens) -> None:
        """Offer actions; the focus returns to its previous place afterwards. found: actions that
        are offered only once the user types.
        """
        self._actions, self._found, self._row.tokens = actions, found, tokens
        self._before = QApplication.focusWidget()
        self.field.clear()
        self._fill("")
        room = self.window().size()
        width = min(WIDTH, room.width() - 2 * SIDE)
        height = self.field.sizeHint().height() + scaled(ROW) * ROWS + 36
        self.setGeometry(
            (room.width() - width) // 2, TOP, width, min(height, room.height() - TOP - SIDE)
        )
        self.show()
        self.raise_()
        self.field.setFocus()

    def step(self, by: int) -> None:
        """Select the next or previous command, wrapping around at the ends."""
        if self.list.count():
            self.list.setCurrentRow((self.list.currentRow() + by) % self.list.count())

    def run(self) -> None:
        """Run the selected command after the focus has returned to its previous place."""
        chosen = [item.data(ACTION) for item in self.list.selectedItems()]
        if chosen:
            self.leave()
            QTimer.singleShot(0, chosen[0].trigger)

    def show_chats(self, typed: str, chats: list[QAction]) -> None:
        """Offer, below the other results, the chats found for a text, unless the input has
        changed.
        """
        for old in self._chats:
            old.deleteLater()
        self._chats = chats
        if typed == self.field.text().strip() and chats:
            if self.list.count() == 1 and self.list.item(0).data(ACTION) is None:
                self.list.clear()
            for chat in chats:
                self._add(chat, tr("Chat"))
            if self.list.currentRow() < 0:
                self.list.setCurrentRow(0)

    def leave(self) -> None:
        """Close the palette and return the focus."""
        self.hide()
        if self._before is not None and self._before.isVisible():
            self._before.setFocus()

    def _fill(self, typed: str) -> None:
        self.list.clear()
        every = [*self._actions, *(self._found if typed.strip() else [])]
        for text in fitting(typed, [action.text() for action in every]):
            action = next(a for a in every if a.text() == text)
            self._add(action, action.shortcut().toString(QKeySequence.SequenceFormat.NativeText))
        if typed.strip():
            self.typed.emit(typed.strip())
        if not self.list.count():
            item = QListWidgetItem(tr("No matching command"), self.list)
            item.setFlags(Qt.ItemFlag.NoItemFlags)
            return
        self.list.setCurrentRow(0)

    def _add(self, action: QAction, behind: str) -> None:
        text = action.text()
        item = QListWidgetItem(text, self.list)
        item.setData(KEY, behind)
        item.setData(ACTION, action)
        item.setToolTip(action.toolTip() if action.toolTip() != text else "")
        item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{text}, {behind}" if behind else text)


class CommandDelegate(QStyledItemDelegate):
    """Paints a command and its shortcut."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.tokens: Tokens = LIGHT

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of a row."""
        return QSize(0, scaled(ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row."""
        rect: QRect = option.rect  # pyright: ignore[reportAttributeAccessIssue]
        state = option.state  # pyright: ignore[reportAttributeAccessIssue]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            chosen = bool(state & QStyle.StateFlag.State_Selected)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self.tokens.accent_soft if chosen else self.tokens.own))
            painter.drawRoundedRect(rect, RADIUS, RADIUS)
        line = rect.adjusted(SIDE, 0, -SIDE, 0)
        key = str(index.data(KEY) or "")
        enabled = bool(index.flags() & Qt.ItemFlag.ItemIsEnabled)
        painter.setPen(QColor(self.tokens.muted))
        painter.drawText(
            line, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), key
        )
        line.setRight(line.right() - painter.fontMetrics().horizontalAdvance(key) - SIDE)
        painter.setPen(QColor(self.tokens.text if enabled else self.tokens.muted))
        text = painter.fontMetrics().elidedText(
            index.data(), Qt.TextElideMode.ElideRight, line.width()
        )
        painter.drawText(
            line, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), text
        )
        painter.restore()


def fitting(typed: str, texts: list[str]) -> list[str]:
    """Return the texts that match the input: first matches at the start, then matches by word, then
    matches by letters.
    """
    wanted = typed.casefold().split()
    ranked = [(rank(wanted, text.casefold()), n) for n, text in enumerate(texts)]
    return [texts[n] for _, n in sorted((best, n) for best, n in ranked if best is not None)]


def rank(wanted: list[str], text: str) -> int | None:
    """Return how well words match a text, where 0 is the best; None if they do not match."""
    if text.startswith(" ".join(wanted)):
        return 0
    if all(any(part.startswith(word) for part in text.split()) for word in wanted):
        return 1
    if all(word in text for word in wanted):
        return 2
    letters = iter(text)
    return 3 if all(letter in letters for letter in "".join(wanted)) else None
