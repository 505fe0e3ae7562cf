"""The list of steps, with buttons to add, move, remove and undo, and the reason if one is not
available.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QListWidget,
    QPushButton,
    QToolButton,
    QVBoxLayout,
)

from app.ui.theme.i18n import tr
from app.ui.theme.icons import icon, icon_button

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent
    from PySide6.QtWidgets import QWidget

    from app.ui.theme.tokens import Tokens


ALT = Qt.KeyboardModifier.AltModifier


class StepList(QListWidget):
    """The list. Signals: add_wanted(), move_wanted(by), remove_wanted()."""

    add_wanted = Signal()
    move_wanted = Signal(int)
    remove_wanted = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move a step with Alt and an arrow key, add one with Insert, remove one with Delete."""
        key = event.key()
        if event.modifiers() & ALT and key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.move_wanted.emit(-1 if key == Qt.Key.Key_Up else 1)
        elif key == Qt.Key.Key_Insert:
            self.add_wanted.emit()
        elif key == Qt.Key.Key_Delete:
            self.remove_wanted.emit()
        else:
            super().keyPressEvent(event)


class StepSide(QFrame):
    """The list with its buttons. Signals: add_wanted(), move_wanted(by), remove_wanted(),
    undo_wanted().
    """

    add_wanted = Signal()
    move_wanted = Signal(int)
    remove_wanted = Signal()
    undo_wanted = Signal()

    def __init__(self, tokens: Tokens, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self.setFixedWidth(240)
        self.list = StepList(self)
        self.list.setAccessibleName(tr("Steps"))
        self.list.setAccessibleDescription(
            tr("Alt with an arrow key moves a step, Insert adds one after it, Delete removes it.")
        )
        self.list.setWordWrap(True)
        self.list.add_wanted.connect(self.add_wanted)
        self.list.move_wanted.connect(self.move_wanted)
        self.list.remove_wanted.connect(self.remove_wanted)
        self.add = QPushButton(tr("Add a step …"), self)
        self.add.setAutoDefault(False)
        self.add.setToolTip(tr("After the selected step (Insert)"))
        self.add.clicked.connect(self.add_wanted)
        self.up = self._tool("up", tr("Move up (Alt+Up)"), tokens)
        self.down = self._tool("down", tr("Move down (Alt+Down)"), tokens)
        self.remove = self._tool("trash", tr("Remove this step (Delete)"), tokens)
        self.up.clicked.connect(lambda: self.move_wanted.emit(-1))
        self.down.clicked.connect(lambda: self.move_wanted.emit(1))
        self.remove.clicked.connect(self.remove_wanted)
        self.undo = QPushButton(tr("Undo the last change"), self)
        self.undo.setObjectName("link")
        self.undo.setAutoDefault(False)
        self.undo.setToolTip(tr("Ctrl+Z"))
        self.undo.clicked.connect(self.undo_wanted)
        self.undo.hide()
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self.add, 1)
        for button in (self.up, self.down, self.remove):
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 14, 10, 12)
        column.setSpacing(6)
        column.addWidget(self.list, 1)
        column.addLayout(row)
        column.addWidget(self.undo, 0, Qt.AlignmentFlag.AlignLeft)

    def _tool(self, sign: str, name: str, tokens: Tokens) -> QToolButton:
        made = icon_button("tile", name, self, size=16)
        made.setIcon(icon(sign, tokens.muted, 16))
        made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return made

    def show_rows(self, texts: list[str], row: int) -> None:
        """Show the steps. row: the one to select."""
        self.list.blockSignals(True)
        self.list.clear()
        self.list.addItems(texts)
        self.list.setCurrentRow(row)
        self.list.blockSignals(False)

    def set_free(self, *, free: bool, row: int) -> None:
        """Enable the available actions of the selected step.

        free: False while the steps run; then no action is available.
        """
        count = self.list.count()
        self.add.setEnabled(free)
        self.up.setEnabled(free and row > 0)
        self.down.setEnabled(free and row < count - 1)
        self.remove.setEnabled(free and count > 1)
        self.undo.setEnabled(free)
