"""The bar for finding text in the open conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QWidget

from app.ui.controls.keys import keeps_escape
from app.ui.theme.i18n import tr
from app.ui.theme.icons import icon, icon_button

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent

    from app.ui.theme.tokens import Tokens


class FindField(QLineEdit):
    """The field for the text to find. Signals: stepped(1 or -1), left()."""

    stepped = Signal(int)
    left = Signal()

    def event(self, event: QEvent) -> bool:
        """Handle Escape here, to leave the search."""
        return keeps_escape(event) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the next or previous match, or leave the search."""
        key = event.key()
        back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down, Qt.Key.Key_Up):
            self.stepped.emit(-1 if back or key == Qt.Key.Key_Up else 1)
        elif key == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)


class FindBar(QFrame):
    """The bar with the field and its buttons. Signals: wanted(text), stepped(1 or -1), closed()."""

    wanted = Signal(str)
    stepped = Signal(int)
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.field = FindField(self)
        self.field.setPlaceholderText(tr("Find in this chat"))
        self.field.setAccessibleName(tr("Find in this chat"))
        self.field.setMaximumWidth(320)
        self.count = QLabel(self)
        self.count.setObjectName("caption")
        self.count.setMinimumWidth(70)
        self._buttons = {
            "up": icon_button(
                "tile", tr("Previous (Shift+Enter)"), self, lambda: self.stepped.emit(-1), 16
            ),
            "down": icon_button("tile", tr("Next (Enter)"), self, lambda: self.stepped.emit(1), 16),
            "close": icon_button("tile", tr("Close (Esc)"), self, self.leave, 16),
        }
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 10, 0, 0)
        row.setSpacing(4)
        row.addStretch(1)
        for part in (self.field, self.count, *self._buttons.values()):
            row.addWidget(part)
        row.addStretch(1)
        self.field.textChanged.connect(self.wanted)
        self.field.stepped.connect(self.stepped)
        self.field.left.connect(self.leave)
        self.hide()

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        for name, button in self._buttons.items():
            button.setIcon(icon(name, tokens.muted, 16))

    def begin(self, text: str = "") -> None:
        """Show the bar. text: the text to find. If it is empty, the field keeps its text."""
        self.show()
        self.field.setText(text or self.field.text())
        self.field.setFocus()
        self.field.selectAll()
        self.wanted.emit(self.field.text())

    def leave(self) -> None:
        """Hide the bar."""
        self.hide()
        self.closed.emit()

    def tell(self, at: int, of: int) -> None:
        """Show the number of the current match, counted from 1, and the number of matches."""
        said = (
            tr("{at} of {of:,}", at=at, of=of)
            if of
            else (tr("Not found") if self.field.text().strip() else "")
        )
        self.count.setText(said)
