"""The text field. Enter sends, Shift+Enter starts a new line, #, @ and / open the picker, and
dropped files become widgets.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6 import QtCore
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from app.ui.controls.drops import copied
from app.ui.controls.keys import keeps_escape
from app.ui.theme.i18n import mark, tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QEvent, QMimeData
    from PySide6.QtGui import QDropEvent, QFocusEvent, QInputMethodEvent, QKeyEvent, QResizeEvent

LINES = 8
LONG = 4_000  # characters: a pasted text longer than this becomes an attachment
PROMPT = mark("Ask anything, # for a widget, @ for a copilot, / for a command")
PICKING = r"(?:^|(?<=\s))([#@])([^\s#@]*)$"
CALLING = r"^(/)(\S*)$"


class TextEditor(QPlainTextEdit):
    """The text field.

    Signals: sent(); files(paths); pasted(a long text); focused(bool); picking((mark, the text after
    it), or None).

    keys: a function that receives each key first and returns True if it used the key. edit_wanted:
    a function that is called when Up is pressed in an empty field.
    """

    sent = Signal()
    files = Signal(list)
    pasted = Signal(str)
    focused = Signal(bool)
    picking = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.keys: Callable[[QtCore.Qt.Key], bool] = lambda _: False
        self.is_picking = False
        self._composing = False
        self.setAccessibleName(tr("Question"))
        self.setAccessibleDescription(tr(PROMPT))
        self.edit_wanted: Callable[[], object] = lambda: None
        self.setTabChangesFocus(True)
        self.textChanged.connect(self._fit)
        self.textChanged.connect(self._look)
        self.cursorPositionChanged.connect(self._look)
        self._fit()

    def changeEvent(self, event: QtCore.QEvent) -> None:
        """Adjust the height when the font size changes."""
        super().changeEvent(event)
        if event.type() == QtCore.QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        """Adjust the height to the text, up to eight lines; some scripts need taller lines."""
        line, text = self.fontMetrics().lineSpacing(), self.toPlainText()
        if not text:  # for an empty field, the modules below need not be loaded
            self.setFixedHeight(line + 14)
            return
        from app.ui.controls.labels import fit_editor

        fit_editor(self, text)
        height, block = 0.0, self.document().begin()
        while block.isValid() and height < LINES * line:
            height += max(line, self.blockBoundingRect(block).height())
            block = block.next()
        self.setFixedHeight(int(min(max(height, line), LINES * line)) + 14)

    def setPlainText(self, text: str) -> None:
        """Set the text; words can be of any length."""
        from app.ui.controls.labels import fit_editor, is_endless

        if is_endless(text):
            fit_editor(self, text)
        super().setPlainText(text)

    def _look(self) -> None:
        found = self._found()
        self.picking.emit((found[1], found[2]) if found else None)

    def look_again(self) -> None:
        """Offer the choices again, because more may now be available."""
        if self.hasFocus():
            self._look()

    def _found(self) -> re.Match[str] | None:
        """Return the mark (#, @ or /) before the cursor and the text after it; / counts only at the
        start of the text.
        """
        cursor = self.textCursor()
        before = cursor.block().text()[: cursor.positionInBlock()]
        return re.search(PICKING, before) or (
            re.match(CALLING, before) if cursor.blockNumber() == 0 else None
        )

    def put_picked(self, text: str = "") -> None:
        """Replace the mark and the text after it with the picked choice."""
        from PySide6.QtGui import QTextCursor

        if (found := self._found()) is not None:
            cursor, move = self.textCursor(), QTextCursor.MoveOperation.Left
            cursor.movePosition(move, QTextCursor.MoveMode.KeepAnchor, len(found[2]) + 1)
            cursor.insertText(text)

    def event(self, event: QEvent) -> bool:
        """Handle Escape here while the picker is open; at other times it stops the answer."""
        return keeps_escape(event, lambda: self.is_picking) or super().event(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Pick a choice with Tab while the picker is open; otherwise move the focus out of the
        field.
        """
        return (
            forward and self.is_picking and self.keys(QtCore.Qt.Key.Key_Tab)
        ) or super().focusNextPrevChild(forward)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Send on Enter, unless an input method is still composing text."""
        if self.is_picking and self.keys(QtCore.Qt.Key(event.key())):
            return
        held = QtCore.Qt.KeyboardModifier.ControlModifier | QtCore.Qt.KeyboardModifier.ShiftModifier
        if (
            event.key() == QtCore.Qt.Key.Key_V and event.modifiers() == held
        ):  # paste as plain text, whatever its length
            from PySide6.QtGui import QGuiApplication

            if not self.isReadOnly():
                self.insertPlainText(QGuiApplication.clipboard().text())
            return
        enter = event.key() in (QtCore.Qt.Key.Key_Return, QtCore.Qt.Key.Key_Enter)
        if enter and not event.modifiers() & QtCore.Qt.KeyboardModifier.ShiftModifier:
            if not self._composing:
                self.sent.emit()
            return
        if event.key() == QtCore.Qt.Key.Key_Up and not self.toPlainText():
            self.edit_wanted()
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the placeholder only if it fits on one line."""
        super().resizeEvent(event)
        text, metrics = tr(PROMPT), self.fontMetrics()
        room = self.viewport().width() - 2 * int(self.document().documentMargin())
        if metrics.horizontalAdvance(text) > room:
            text = metrics.elidedText(text, QtCore.Qt.TextElideMode.ElideRight, room)
        self.setPlaceholderText(text)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Record whether an input method is composing text."""
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def settle(self) -> None:
        """Commit the input method's text so that the send button also sends it."""
        from PySide6.QtGui import QGuiApplication, QInputMethodEvent
        from PySide6.QtWidgets import QApplication

        QGuiApplication.inputMethod().commit()
        if self._composing:  # if the input method did not respond
            done = QInputMethodEvent("", [])
            done.setCommitString(self.textCursor().block().layout().preeditAreaText())
            QApplication.sendEvent(self, done)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Accept both files and text."""
        return source.hasUrls() or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Attach files and long texts; insert short texts."""
        from app.ui.controls.labels import fit_editor, is_endless

        short = source.hasText() and len(source.text()) <= LONG
        if short and is_endless(source.text()):
            fit_editor(self, source.text())
        paths = [url.toLocalFile() for url in source.urls() if url.isLocalFile()]
        if paths:
            self.files.emit(paths)
        elif source.hasText() and len(source.text()) > LONG:
            self.pasted.emit(source.text())
        else:
            super().insertFromMimeData(source)

    def dropEvent(self, event: QDropEvent) -> None:
        """Accept dropped files as copies; leave dropped text to the field."""
        super().dropEvent(event)
        if event.mimeData().hasUrls():
            copied(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Report the focus, so that the frame around the field is updated."""
        super().focusInEvent(event)
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Report the loss of focus, so that the frame is updated."""
        super().focusOutEvent(event)
        self.picking.emit(None)
        self.focused.emit(False)
