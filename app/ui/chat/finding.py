"""Find words in what a conversation shows: how often each turn says them, and where in its documents they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QAbstractTextDocumentLayout, QColor, QTextCursor, QTextDocument

from app.domain.stream import Message

if TYPE_CHECKING:
    from app.domain.conversation import Turn
    from app.ui.chat.growing.piece import Piece
    from app.ui.chat.pieces import Entry
    from app.ui.style.tokens import Tokens

SEARCHED = ("question", "text", "code", "table")
MARKED = 200  # of one document; a word of one letter may stand there ten thousand times


def count_in(turn: Turn, words: str) -> int:
    """Return how often a turn says words, case aside."""
    said = [i.content for i in turn.items if isinstance(i, Message) and isinstance(i.content, str)]
    return sum(text.casefold().count(words.casefold()) for text in (turn.question, *said))


def places_in(entry: Entry, words: str) -> list[tuple[int, int, int]]:
    """Return where words stand in a turn that was laid out: the piece, the first character, and past the last."""
    return [
        (number, cursor.selectionStart(), cursor.selectionEnd())
        for number, piece in enumerate(entry.pieces)
        for cursor in cursors_in(piece, words)
    ]


def cursors_in(piece: Piece, words: str) -> list[QTextCursor]:
    """Return the words in a piece's document, as selections."""
    made: list[QTextCursor] = []
    if piece.document is None or piece.kind not in SEARCHED or not words:
        return made
    cursor = QTextCursor(piece.document)
    while len(made) < MARKED:
        cursor = QTextDocument.find(piece.document, words, cursor)
        if cursor.isNull():
            break
        made.append(QTextCursor(cursor))
    return made


def marks_of(
    piece: Piece, words: str, tokens: Tokens
) -> list[QAbstractTextDocumentLayout.Selection]:
    """Return the words in a piece as they are to be painted."""
    made: list[QAbstractTextDocumentLayout.Selection] = []
    for cursor in cursors_in(piece, words):
        mark = QAbstractTextDocumentLayout.Selection()
        mark.cursor = cursor
        mark.format.setBackground(QColor(tokens.flash))
        mark.format.setForeground(QColor(tokens.text))
        made.append(mark)
    return made
