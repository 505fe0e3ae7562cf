"""The text field: Enter sends, Shift+Enter breaks, # picks a widget, files become widgets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMimeData, Qt, Signal
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from app.ui.escape import keeps_escape

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QFocusEvent, QInputMethodEvent

LINES = 8
PROMPT = "Ask anything, # for a widget, or drop a file here"
PICKING = re.compile(r"(?:^|\s)#([^\s#]*)$")


class Editor(QPlainTextEdit):
    """The text field. Signals: sent(); files(paths); focused(bool); picking(what stands behind a #, or None).

    keys: asked first about each key; True if it has used it.
    """

    sent = Signal()
    files = Signal(list)
    focused = Signal(bool)
    picking = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.keys: Callable[[Qt.Key], bool] = lambda _: False
        self.is_picking = False
        self._composing = False
        self.setAccessibleName("Question")
        self.setPlaceholderText(PROMPT)
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.document().contentsChanged.connect(self._fit)
        self.textChanged.connect(self._look)
        self.cursorPositionChanged.connect(self._look)
        self._fit()

    def _fit(self) -> None:
        line = self.fontMetrics().lineSpacing()
        lines = max(1, min(LINES, self.document().size().toSize().height()))
        self.setFixedHeight(lines * line + 14)

    def _look(self) -> None:
        cursor = self.textCursor()
        found = PICKING.search(cursor.block().text()[: cursor.positionInBlock()])
        self.picking.emit(found[1] if found else None)

    def drop_picked(self) -> None:
        """Take the # and what stands behind it out again."""
        cursor = self.textCursor()
        found = PICKING.search(cursor.block().text()[: cursor.positionInBlock()])
        if found:
            move = QTextCursor.MoveOperation.Left
            cursor.movePosition(move, QTextCursor.MoveMode.KeepAnchor, len(found[1]) + 1)
            cursor.removeSelectedText()

    def event(self, event: QEvent) -> bool:
        """Keep Escape for the list of widgets while it is open; it stops the answer otherwise."""
        return keeps_escape(event, lambda: self.is_picking) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Send on Enter, unless an input method still composes."""
        if self.is_picking and self.keys(Qt.Key(event.key())):
            return
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            if not self._composing:
                self.sent.emit()
            return
        super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Remember whether an input method composes."""
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Take files as well as text."""
        return source.hasUrls() or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Attach files; insert text."""
        paths = [url.toLocalFile() for url in source.urls() if url.isLocalFile()]
        if paths:
            self.files.emit(paths)
        else:
            super().insertFromMimeData(source)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Tell the frame."""
        super().focusInEvent(event)
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Tell the frame."""
        super().focusOutEvent(event)
        self.picking.emit(None)
        self.focused.emit(False)
