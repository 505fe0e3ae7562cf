"""The line of code that runs now, marked in the newest code of its turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtGui import QAbstractTextDocumentLayout, QColor, QTextCursor, QTextFormat

from app.domain.code import LANGUAGES
from app.ui.chat.blocks.code import language_of

if TYPE_CHECKING:
    from app.domain.conversation import Turn
    from app.ui.chat.pieces import Entry


@dataclass(frozen=True)
class RunningLine:
    """Which line of which turn's code runs; none without a turn. line: counted from 1."""

    turn: Turn | None = None
    line: int | None = None

    def marks_of(self, place: int, entry: Entry) -> list[QAbstractTextDocumentLayout.Selection]:
        """Return the marks of one piece of a turn."""
        if self.turn is None or self.line is None or entry.turn.id != self.turn.id:
            return []
        code = [
            n
            for n, p in enumerate(entry.pieces)
            if p.kind == "code" and language_of(p.source) in LANGUAGES
        ]
        document = entry.pieces[place].document
        if not code or code[-1] != place or document is None:
            return []
        block = document.findBlockByNumber(self.line - 1)
        if not block.isValid():
            return []
        mark = QAbstractTextDocumentLayout.Selection()
        mark.cursor = QTextCursor(block)
        mark.format.setBackground(QColor(entry.tokens.flash))
        mark.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        return [mark]
