"""Select text across pieces and turns."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QAbstractTextDocumentLayout, QColor, QTextCursor

from app.ui.chat.blocks.inline import text_of
from app.ui.chat.blocks.markdown import parser
from app.ui.chat.tables import as_csv, as_html, as_tabs, texts_of

if TYPE_CHECKING:
    from app.ui.chat.flow import Flow
    from app.ui.chat.paragraph import Moved
    from app.ui.chat.piece import Piece
    from app.ui.theme.tokens import Tokens


@dataclass(frozen=True, order=True)
class Place:
    """A character: of which entry, of which piece, which one. Places are ordered as read."""

    entry: int
    piece: int
    character: int


END = 1 << 30
SHOWN = 100  # turns that are laid out to be copied
CHROME = ("actions", "state")


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

    def follow(self, entry: int, moved: list[Moved]) -> None:
        """Stay on the same characters of a turn whose pieces were cut or joined."""
        for one in moved:
            self._from, self._to = (
                Place(entry, *one.place(place.piece, place.character))
                if place is not None and place.entry == entry and place.piece != END
                else place
                for place in (self._from, self._to)
            )

    def all(self, entries: int) -> None:
        """Select everything."""
        if entries:
            self._from, self._to = Place(0, 0, 0), Place(entries - 1, END, END)

    def word(self, place: Place, piece: Piece) -> None:
        """Select the word at a place."""
        if piece.document is not None:
            cursor = QTextCursor(piece.document)
            cursor.setPosition(min(place.character, piece.document.characterCount() - 1))
            cursor.select(QTextCursor.SelectionType.WordUnderCursor)
            self._from = Place(place.entry, place.piece, cursor.selectionStart())
            self._to = Place(place.entry, place.piece, cursor.selectionEnd())

    @property
    def end(self) -> Place | None:
        """The end that moves; None before anything was pressed."""
        return self._to

    def is_empty(self) -> bool:
        """Tell whether nothing is selected."""
        return self._from == self._to

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
        made.format.setForeground(
            QColor(tokens.text)
        )  # without it list numbers vanish under a selection
        return [made]

    def _cursor(self, place: Place, piece: Piece) -> QTextCursor | None:
        span = self._range(place)
        if span is None or piece.document is None or piece.kind in CHROME:
            return None
        last = piece.document.characterCount() - 1
        cursor = QTextCursor(piece.document)
        cursor.setPosition(min(span[0], last))
        cursor.setPosition(min(span[1], last), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def text(self, flow: Flow) -> str:
        """Return the selected text as shown; of very many turns, whole ones come from their
        sources.
        """
        return words_of(self._parts(flow))

    def mime(self, flow: Flow) -> QMimeData:
        """Return the selected text for the clipboard: as words, and dressed for who takes that."""
        parts = [part for part in self._parts(flow) if part.text]
        made = QMimeData()
        made.setText(words_of(parts))
        made.setHtml(html_of(parts))
        return made

    def _parts(self, flow: Flow) -> list[Part]:
        if self._from is None or self._to is None or self._from == self._to:
            return []
        first, last = min(self._from, self._to), max(self._from, self._to)
        parts: list[Part] = []
        many = last.entry - first.entry > SHOWN  # to lay out ten thousand would take half a minute
        for row in range(first.entry, last.entry + 1):
            if many and first <= Place(row, 0, 0) and (row < last.entry or last.piece == END):
                parts += [plain(flow.turns[row].question), plain(flow.turns[row].answer())]
            else:
                parts += self._part(flow, row)
        return parts

    def _part(self, flow: Flow, row: int) -> list[Part]:
        flow.measure(row, (0, 0))
        parts: list[Part] = []
        for number, piece in enumerate(flow.entry(row).pieces):
            if self._range(Place(row, number, 0)) is None:
                continue
            flow.make(row, number)
            cursor = self._cursor(Place(row, number, 0), piece)
            if cursor is not None:
                whole = (
                    cursor.selectionEnd() - cursor.selectionStart()
                    >= cursor.document().characterCount() - 1
                )
                part = part_of(piece, text_of(cursor), whole=whole)
                parts.append(part._replace(joint=piece.joint if parts else None))
        return parts


class Part(NamedTuple):
    """A selected part of one piece: as words, and as HTML. joint: see `Piece`."""

    text: str
    html: str
    joint: str | None = None


def words_of(parts: list[Part]) -> str:
    """Return parts as one text."""
    said = ""
    for part in parts:
        if part.text:
            said += (part.joint if part.joint is not None else "\n\n") * bool(said) + part.text
    return said


def html_of(parts: list[Part]) -> str:
    """Return parts as one piece of HTML."""
    said = ""
    for part in parts:
        goes_on = (
            part.joint is not None
            and said.rstrip().endswith("</p>")
            and part.html.startswith("<p>")
        )
        said = f"{said.rstrip()[:-4]}{part.joint}{part.html[3:]}" if goes_on else said + part.html
    return said


def plain(text: str) -> Part:
    """Return words as they are."""
    return Part(text, f"<p>{html.escape(text)}</p>" if text else "")


def part_of(piece: Piece, shown: str, *, whole: bool) -> Part:
    """Return what is copied of a piece: of a whole table all its cells, of other words those that
    are shown.
    """
    if piece.kind == "table" and whole:  # shown cells would come one a line
        rows = texts_of(parser().parse(piece.source), piece.view.order, piece.cites)
        return Part(as_tabs(rows), as_html(rows))
    if piece.kind == "code":
        return Part(shown, f"<pre>{html.escape(shown)}</pre>")
    if piece.kind == "text" and whole:
        return Part(shown, parser().render(piece.source))
    return plain(shown)


def mime_of_table(rows: list[list[str]]) -> QMimeData:
    """Return a table for the clipboard: with tabs, as CSV, and as a table of HTML."""
    made = QMimeData()
    made.setText(as_tabs(rows))
    made.setHtml(as_html(rows))
    made.setData("text/csv", as_csv(rows).encode("utf-8", "replace"))
    return made
