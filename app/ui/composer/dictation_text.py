"""Dictated text in the text field: black once it is final, grey while it may still change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor

from app.services.voice.clauses import WIDE

if TYPE_CHECKING:
    from PySide6.QtWidgets import QPlainTextEdit

    from app.ui.theme.tokens import Tokens


class DictationText:
    """The part of the text field, at the cursor, that is rewritten during dictation.

    Undo removes it in a single step. Until the first word is recognised, the user can type as
    usual.
    """

    def __init__(self, editor: QPlainTextEdit, tokens: Tokens) -> None:
        self._editor = editor
        self._grey = QTextCharFormat()
        self._grey.setForeground(QColor(tokens.faint))
        self._start = self._end = 0
        self._placed = self._glued = self._begun = False

    def _place(self) -> None:
        """Start the dictated text at the cursor; the field is read-only until the text is final."""
        editor, cursor = self._editor, self._editor.textCursor()
        self._placed = True
        self._start = self._end = cursor.selectionEnd()
        cursor.setPosition(self._start)
        editor.setTextCursor(cursor)
        before = editor.toPlainText()[: self._start][-1:]
        self._glued = bool(before) and not before.isspace() and not WIDE.match(before)
        editor.setReadOnly(True)

    def show(self, committed: str, open_: str) -> None:
        """Show the transcript so far."""
        if committed or open_ or self._placed:
            self._write([(committed, QTextCharFormat()), (open_, self._grey)])

    def settle(self, text: str) -> None:
        """Write the final dictated text."""
        if text or self._placed:
            self._write([(text, QTextCharFormat())])
        self._editor.setReadOnly(False)

    def _write(self, parts: list[tuple[str, QTextCharFormat]]) -> None:
        if not self._placed:
            self._place()
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
