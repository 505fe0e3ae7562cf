"""The text field: Enter sends, Shift+Enter breaks, # picks a widget, @ a copilot, / a skill, files become widgets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMimeData, Qt, Signal
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QKeyEvent, QPainter, QPalette, QTextCursor
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QWidget

from app.ui.escape import keeps_escape
from app.ui.style.long_words import fit_editor, is_endless
from app.ui.words import mark, tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QFocusEvent, QPaintEvent

LINES = 8
PROMPT = mark("Ask anything, # for a widget, @ for a copilot, or drop a file here")
PICKING = re.compile(r"(?:^|(?<=\s))([#@])([^\s#@]*)$")
CALLING = re.compile(r"^(/)(\S*)$")


class Editor(QPlainTextEdit):
    """The text field. Signals: sent(); files(paths); focused(bool); picking((mark, what stands behind it), or None).

    keys: asked first about each key; True if it has used it. edit_wanted: what Up does in an empty field.
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
        self.setAccessibleName(tr("Question"))
        self.setAccessibleDescription(tr(PROMPT))
        self.edit_wanted: Callable[[], object] = lambda: None
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.document().contentsChanged.connect(self._fit)
        self.textChanged.connect(self._look)
        self.cursorPositionChanged.connect(self._look)
        self._fit()

    def _fit(self) -> None:
        """Be as high as what is typed, up to eight lines; lines in other scripts may be higher than ours."""
        fit_editor(self, self.toPlainText())
        line, height, block = self.fontMetrics().lineSpacing(), 0.0, self.document().begin()
        while block.isValid() and height < LINES * line:
            height += max(line, self.blockBoundingRect(block).height())
            block = block.next()
        self.setFixedHeight(int(min(max(height, line), LINES * line)) + 14)

    def setPlainText(self, text: str) -> None:
        """Show a text, however long its words are."""
        if is_endless(text):
            fit_editor(self, text)
        super().setPlainText(text)

    def _look(self) -> None:
        found = self._found()
        self.picking.emit((found[1], found[2]) if found else None)

    def look_again(self) -> None:
        """Offer anew what can be picked: there may be more of it now."""
        if self.hasFocus():
            self._look()

    def _found(self) -> re.Match[str] | None:
        """Return the mark before the cursor and what stands behind it; a / only where the question begins."""
        cursor = self.textCursor()
        before = cursor.block().text()[: cursor.positionInBlock()]
        return PICKING.search(before) or (CALLING.match(before) if cursor.blockNumber() == 0 else None)

    def put_picked(self, text: str = "") -> None:
        """Put text in the place of a mark and what stands behind it."""
        if (found := self._found()) is not None:
            cursor, move = self.textCursor(), QTextCursor.MoveOperation.Left
            cursor.movePosition(move, QTextCursor.MoveMode.KeepAnchor, len(found[2]) + 1)
            cursor.insertText(text)

    def event(self, event: QEvent) -> bool:
        """Keep Escape for the list of widgets while it is open; it stops the answer otherwise."""
        return keeps_escape(event, lambda: self.is_picking) or super().event(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Pick with Tab while a list is open; leave the field otherwise."""
        return (forward and self.is_picking and self.keys(Qt.Key.Key_Tab)) or super().focusNextPrevChild(
            forward
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Send on Enter, unless an input method still composes."""
        if self.is_picking and self.keys(Qt.Key(event.key())):
            return
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            if not self._composing:
                self.sent.emit()
            return
        if event.key() == Qt.Key.Key_Up and not self.toPlainText():
            self.edit_wanted()
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what can be asked while nothing is typed, on one line: Qt's own wraps where it is narrow."""
        super().paintEvent(event)
        if self.toPlainText() or self._composing:
            return
        painter = QPainter(self.viewport())
        painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
        at = self.cursorRect()
        room = self.viewport().width() - at.left() - int(self.document().documentMargin())
        text = self.fontMetrics().elidedText(tr(PROMPT), Qt.TextElideMode.ElideRight, room)
        painter.drawText(at.left(), at.top() + self.fontMetrics().ascent(), text)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Remember whether an input method composes."""
        self._composing = bool(event.preeditString())
        self.viewport().update()
        super().inputMethodEvent(event)

    def settle(self) -> None:
        """Type what an input method still composes: it goes along with what is sent by a press of the button."""
        QGuiApplication.inputMethod().commit()
        if self._composing:  # the method did not answer
            done = QInputMethodEvent("", [])
            done.setCommitString(self.textCursor().block().layout().preeditAreaText())
            QApplication.sendEvent(self, done)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Take files as well as text."""
        return source.hasUrls() or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Attach files; insert text."""
        if source.hasText() and is_endless(source.text()):
            fit_editor(self, source.text())
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
