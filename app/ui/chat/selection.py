"""Select text across pieces and turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtGui import QAbstractTextDocumentLayout, QColor, QTextCursor

if TYPE_CHECKING:
    from app.ui.chat.pieces import Entry, Piece
    from app.ui.style.tokens import Tokens


@dataclass(frozen=True, order=True)
class Place:
    """A character: of which entry, of which piece, which one. Places are ordered as read."""

    entry: int
    piece: int
    character: int


END = 1 << 30


class Selection:
    """From one place to another."""

    def __init__(self) -> None:
        self._from: Place | None = None
        self._to: Place | None = None

    def clear(self) -> None:
        """Select nothing."""
        self._from = self._to = None

    def begin(self, place: Place | None) -> None:
        """Begin at a place."""
        self._from = self._to = place

    def extend(self, place: Place | None) -> None:
        """Reach to a place."""
        if place is not None and self._from is not None:
            self._to = place

    def all(self, entries: list[Entry]) -> None:
        """Select everything."""
        if entries:
            self._from, self._to = Place(0, 0, 0), Place(len(entries), 0, 0)

    def is_empty(self) -> bool:
        """Tell whether nothing is selected."""
        return self._from is None or self._from == self._to

    def _range(self, place: Place) -> tuple[int, int] | None:
        """Return the selected characters of a piece."""
        if self._from is None or self._to is None or self._from == self._to:
            return None
        first, last = min(self._from, self._to), max(self._from, self._to)
        here = (place.entry, place.piece)
        if here < (first.entry, first.piece) or here > (last.entry, last.piece):
            return None
        start = first.character if here == (first.entry, first.piece) else 0
        end = last.character if here == (last.entry, last.piece) else END
        return (start, end) if end > start else None

    def for_piece(
        self, place: Place, piece: Piece, tokens: Tokens
    ) -> list[QAbstractTextDocumentLayout.Selection]:
        """Return what of a piece is to be painted as selected."""
        cursor = self._cursor(place, piece)
        if cursor is None:
            return []
        made = QAbstractTextDocumentLayout.Selection()
        made.cursor = cursor
        made.format.setBackground(QColor(tokens.accent_soft))
        made.format.setForeground(QColor(tokens.text))  # without it list numbers vanish under a selection
        return [made]

    def _cursor(self, place: Place, piece: Piece) -> QTextCursor | None:
        span = self._range(place)
        if span is None or piece.document is None:
            return None
        last = piece.document.characterCount() - 1
        cursor = QTextCursor(piece.document)
        cursor.setPosition(min(span[0], last))
        cursor.setPosition(min(span[1], last), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def text(self, entries: list[Entry], tokens: Tokens) -> str:
        """Return the selected text; what was never shown is set first."""
        parts: list[str] = []
        for i, entry in enumerate(entries):
            if not entry.pieces and self._range(Place(i, 0, 0)):
                entry.rebuild(tokens)
            for j, piece in enumerate(entry.pieces):
                if piece.kind == "actions" or self._range(Place(i, j, 0)) is None:
                    continue
                if piece.document is None:
                    piece.lay_out(600, tokens)
                cursor = self._cursor(Place(i, j, 0), piece)
                if cursor is not None:
                    parts.append(cursor.selection().toPlainText().replace("\u2009", ""))
        return "\n".join(parts)
