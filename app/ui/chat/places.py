"""Positions in a conversation: the text that was found, and the sentence being spoken."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtGui import QAbstractTextDocumentLayout, QColor, QTextCursor, QTextDocument

from app.domain.stream import Message

if TYPE_CHECKING:
    from app.domain.conversation import Turn
    from app.ui.chat.piece import Piece
    from app.ui.chat.turn import TurnEntry
    from app.ui.theme.tokens import Tokens


SEARCHED = ("question", "text", "code", "table")
MARKED = 200  # maximum number of matches in a document; one letter can occur ten thousand times


def count_in(turn: Turn, words: str) -> int:
    """Return how many times a text occurs in a turn, ignoring case."""
    said = [i.content for i in turn.items if isinstance(i, Message) and isinstance(i.content, str)]
    return sum(text.casefold().count(words.casefold()) for text in (turn.question, *said))


def places_in(entry: TurnEntry, words: str) -> list[tuple[int, int, int]]:
    """Return the matches of a text in a turn that has been laid out.

    Each match is the index of a piece, its first character, and the character after its last.
    """
    return [
        (number, cursor.selectionStart(), cursor.selectionEnd())
        for number, piece in enumerate(entry.pieces)
        for cursor in cursors_in(piece, words)
    ]


def cursors_in(piece: Piece, words: str) -> list[QTextCursor]:
    """Return the matches of a text in a piece's document, as selections."""
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
    """Return the highlights to paint for the matches of a text in a piece."""
    made: list[QAbstractTextDocumentLayout.Selection] = []
    for cursor in cursors_in(piece, words):
        mark = QAbstractTextDocumentLayout.Selection()
        mark.cursor = cursor
        mark.format.setBackground(QColor(tokens.flash))
        mark.format.setForeground(QColor(tokens.text))
        made.append(mark)
    return made


ADDRESS = re.compile(r"\]\([^)\n]*\)")
OPENS, CLOSES = (
    "([{「『（【《“‘\"'",
    ".,;:!?…。，！？；：)]}」』）】》”’\"'",
)  # characters that belong to the adjacent word


class SpokenRange:
    """The part of an answer that is being spoken. turn: None if nothing is spoken. start, end:
    character positions in its Markdown.
    """

    def __init__(self, turn: Turn | None = None, start: int = 0, end: int = 0) -> None:
        self.turn = turn
        self._start, self._end = start, end

    def selections(
        self, pieces: list[Piece], number: int, tokens: Tokens
    ) -> list[QAbstractTextDocumentLayout.Selection]:
        """Return the highlights to paint for the spoken part of a piece."""
        piece = pieces[number]
        if self.turn is None or piece.document is None:
            return []
        span = self.within(pieces, number)
        if span is None:
            return []
        made = QAbstractTextDocumentLayout.Selection()
        made.cursor = QTextCursor(piece.document)
        made.cursor.setPosition(span[0])
        made.cursor.setPosition(span[1], QTextCursor.MoveMode.KeepAnchor)
        made.format.setBackground(QColor(tokens.flash))
        return [made]

    def within(self, pieces: list[Piece], number: int) -> tuple[int, int] | None:
        """Return the start and end of the spoken part in a piece's document; None if no part of the
        document is being spoken.
        """
        assert self.turn is not None
        answer, at = self.turn.answer(), 0
        for piece in pieces[:number]:
            if is_source(piece) and (begins := answer.find(piece.source, at)) >= 0:
                at = begins + len(piece.source)
        piece = pieces[number]
        begins = answer.find(piece.source, at) if is_source(piece) else -1
        if begins < 0 or piece.document is None:
            return None
        start, end = max(0, self._start - begins), min(len(piece.source), self._end - begins)
        if start >= end:
            return None
        if piece.kind != "text":
            return 0, piece.document.characterCount() - 1
        return find(piece.document.toPlainText(), piece.source, start, end)


def is_source(piece: Piece) -> bool:
    """Return whether a piece shows Markdown from the answer."""
    return piece.kind in ("text", "code", "table")


def find(shown: str, source: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the position of a part of the Markdown in its rendered text; None if it is not found.

    Only letters and digits are compared. If there are several matches, the one at the nearest
    relative position is returned.
    """
    places = [place for place, character in enumerate(shown) if character.isalnum()]
    letters = "".join(shown[place] for place in places)
    wanted, before = bare(source[start:end]), len(bare(source[:start]))
    found = [m.start() for m in re.finditer(f"(?={re.escape(wanted)})", letters)] if wanted else []
    if not found:
        return None
    nearest = min(found, key=lambda at: abs(at - before))
    first, last = places[nearest], places[nearest + len(wanted) - 1] + 1
    while last < len(shown) and shown[last] in CLOSES:
        last += 1
    while first and shown[first - 1] in OPENS:
        first -= 1
    return first, last


def bare(source: str) -> str:
    """Return the letters and digits that Markdown displays."""
    return "".join(character for character in ADDRESS.sub("]", source) if character.isalnum())
