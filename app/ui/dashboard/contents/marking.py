"""Marks the words of a quote in a text that is shown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtGui import QColor, QTextCursor
from PySide6.QtWidgets import QTextEdit

if TYPE_CHECKING:
    from PySide6.QtWidgets import QTextBrowser

    from app.ui.style.tokens import Tokens


def place_of(text: str, quote: str, start: int = 0) -> tuple[int, int] | None:
    """Return where the words of a quote stand in a text, whatever signs and white space separate them."""
    words = re.findall(r"\w+", quote)
    if not words:
        return None
    pattern = re.compile(r"[\W_]{0,12}".join(map(re.escape, words)))
    found = pattern.search(text, start) or pattern.search(text)
    return found.span() if found else None


def mark_quote(body: QTextBrowser, quote: str, tokens: Tokens, start: int = 0) -> bool:
    """Mark a quote and bring it into view; tell whether it is there.

    start: where in the text it is looked for first.
    """
    document = body.document()
    found = place_of(document.toPlainText(), quote, start)
    if found is None:
        body.setExtraSelections([])
        return False
    cursor = QTextCursor(document)
    cursor.setPosition(found[0])
    shown = QTextCursor(cursor)
    cursor.setPosition(found[1], QTextCursor.MoveMode.KeepAnchor)
    selection = QTextEdit.ExtraSelection()
    selection.cursor = cursor  # pyright: ignore[reportAttributeAccessIssue]
    selection.format.setBackground(QColor(tokens.accent_soft))  # pyright: ignore[reportAttributeAccessIssue]
    body.setExtraSelections([selection])
    body.setTextCursor(shown)
    bar = body.verticalScrollBar()
    bar.setValue(bar.value() + body.cursorRect().top() - body.viewport().height() // 3)
    return True
