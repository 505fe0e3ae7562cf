"""Words in the text field that are still being said: black where they stay, grey where they may
change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor

from app.services.voice.clauses import WIDE

if TYPE_CHECKING:
    from PySide6.QtWidgets import QPlainTextEdit

    from app.ui.theme.tokens import Tokens


class Dictated:
    """A stretch of the text field, at its cursor, that is written anew as it is heard. One step to
    undo.
    """

    def __init__(self, editor: QPlainTextEdit, tokens: Tokens) -> None:
        self._editor = editor
        self._grey = QTextCharFormat()
        self._grey.setForeground(QColor(tokens.faint))
        cursor = editor.textCursor()
        self._start = self._end = cursor.selectionEnd()
        cursor.setPosition(self._start)
        editor.setTextCursor(cursor)
        before = editor.toPlainText()[: self._start][-1:]
        self._glued = bool(before) and not before.isspace() and not WIDE.match(before)
        self._begun = False
        editor.setReadOnly(True)

    def show(self, committed: str, open_: str) -> None:
        """Write what is heard so far."""
        self._write([(committed, QTextCharFormat()), (open_, self._grey)])

    def settle(self, text: str) -> None:
        """Write what was said, for good."""
        self._write([(text, QTextCharFormat())])
        self._editor.setReadOnly(False)

    def _write(self, parts: list[tuple[str, QTextCharFormat]]) -> None:
        cursor = QTextCursor(self._editor.document())
        if self._begun:
            cursor.joinPreviousEditBlock()
        else:
            cursor.beginEditBlock()
        cursor.setPosition(self._start)
        cursor.setPosition(self._end, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        said = "".join(text for text, _ in parts)
        if said and self._glued:
            cursor.insertText(" ", QTextCharFormat())
        for text, form in parts:
            cursor.insertText(text, form)
        cursor.endEditBlock()
        self._begun = True
        self._end = cursor.position()
        self._editor.setTextCursor(cursor)
        self._editor.ensureCursorVisible()
