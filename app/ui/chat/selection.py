"""Select text across pieces and turns with the mouse or the keyboard."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QMimeData, QPointF, QRectF, Qt
from PySide6.QtGui import QAbstractTextDocumentLayout, QColor, QKeySequence, QTextCursor

from app.ui.chat.piece import TextPosition
from app.ui.markdown.builder import parser
from app.ui.markdown.inline import text_of
from app.ui.markdown.tables import as_csv, as_html, as_tabs, texts_of

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent

    from app.ui.chat.flow import TurnColumn
    from app.ui.chat.piece import MovedPieces, Piece
    from app.ui.markdown.document import BlockDocument
    from app.ui.theme.tokens import Tokens


END = 1 << 30
SHOWN = 100  # maximum number of turns that are laid out for copying
CHROME = ("actions", "state")


class TextSelection:
    """A selection from one position to another."""

    def __init__(self) -> None:
        self._from: TextPosition | None = None
        self._to: TextPosition | None = None

    def clear(self) -> None:
        """Select nothing."""
        self._from = self._to = None

    def begin(self, place: TextPosition | None) -> None:
        """Start a selection at a position."""
        self._from = self._to = place

    def extend(self, place: TextPosition | None) -> None:
        """Extend the selection to a position."""
        if place is not None and self._from is not None:
            self._to = place

    def follow(self, entry: int, moved: list[MovedPieces]) -> None:
        """Keep the same characters selected in a turn whose pieces have been cut or joined."""
        for one in moved:
            self._from, self._to = (
                TextPosition(entry, *one.place(place.piece, place.character))
                if place is not None and place.entry == entry and place.piece != END
                else place
                for place in (self._from, self._to)
            )

    def all(self, entries: int) -> None:
        """Select everything."""
        if entries:
            self._from, self._to = TextPosition(0, 0, 0), TextPosition(entries - 1, END, END)

    def word(self, place: TextPosition, piece: Piece) -> None:
        """Select the word at a position."""
        if piece.document is not None:
            cursor = QTextCursor(piece.document)
            cursor.setPosition(min(place.character, piece.document.characterCount() - 1))
            cursor.select(QTextCursor.SelectionType.WordUnderCursor)
            self._from = TextPosition(place.entry, place.piece, cursor.selectionStart())
            self._to = TextPosition(place.entry, place.piece, cursor.selectionEnd())

    @property
    def end(self) -> TextPosition | None:
        """Return the moving end of the selection; None if there is no selection."""
        return self._to

    def is_empty(self) -> bool:
        """Return whether nothing is selected."""
        return self._from == self._to

    def _range(self, place: TextPosition) -> tuple[int, int] | None:
        """Return the first and last selected characters of a piece."""
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
        self, place: TextPosition, piece: Piece, tokens: Tokens
    ) -> list[QAbstractTextDocumentLayout.Selection]:
        """Return the highlight to paint for the selected part of a piece."""
        cursor = self._cursor(place, piece)
        if cursor is None:
            return []
        made = QAbstractTextDocumentLayout.Selection()
        made.cursor = cursor
        made.format.setBackground(QColor(tokens.accent_soft))
        made.format.setForeground(
            QColor(tokens.text)
        )  # otherwise, list numbers disappear under the selection
        return [made]

    def _cursor(self, place: TextPosition, piece: Piece) -> QTextCursor | None:
        span = self._range(place)
        if span is None or piece.document is None or piece.kind in CHROME:
            return None
        last = piece.document.characterCount() - 1
        cursor = QTextCursor(piece.document)
        cursor.setPosition(min(span[0], last))
        cursor.setPosition(min(span[1], last), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def text(self, flow: TurnColumn) -> str:
        """Return the selected text as displayed. If very many turns are selected, the text of
        complete turns is taken from their sources.
        """
        return words_of(self._parts(flow))

    def rows(self) -> range:
        """Return the rows that the selection covers."""
        if self._from is None or self._to is None:
            return range(0)
        return range(min(self._from, self._to).entry, max(self._from, self._to).entry + 1)

    def mime(self, flow: TurnColumn) -> QMimeData:
        """Return the selected text for the clipboard, as plain text and as HTML."""
        parts = [part for part in self._parts(flow) if part.text]
        made = QMimeData()
        made.setText(words_of(parts))
        made.setHtml(html_of(parts))
        return made

    def _parts(self, flow: TurnColumn) -> list[SelectedPart]:
        if self._from is None or self._to is None or self._from == self._to:
            return []
        first, last = min(self._from, self._to), max(self._from, self._to)
        parts: list[SelectedPart] = []
        # laying out ten thousand turns would take half a minute
        many = last.entry - first.entry > SHOWN
        for row in range(first.entry, last.entry + 1):
            if (
                many
                and first <= TextPosition(row, 0, 0)
                and (row < last.entry or last.piece == END)
            ):
                parts += [plain(flow.turns[row].question), plain(flow.turns[row].answer())]
            else:
                parts += self._part(flow, row)
        return parts

    def _part(self, flow: TurnColumn, row: int) -> list[SelectedPart]:
        flow.measure(row, (0, 0))
        parts: list[SelectedPart] = []
        for number, piece in enumerate(flow.entry(row).pieces):
            if self._range(TextPosition(row, number, 0)) is None:
                continue
            flow.make(row, number)
            cursor = self._cursor(TextPosition(row, number, 0), piece)
            if cursor is not None:
                whole = (
                    cursor.selectionEnd() - cursor.selectionStart()
                    >= cursor.document().characterCount() - 1
                )
                part = part_of(piece, text_of(cursor), whole=whole)
                parts.append(part._replace(joint=piece.joint if parts else None))
        return parts


class SelectedPart(NamedTuple):
    """The selected part of a piece, as plain text and as HTML. joint: see `Piece`."""

    text: str
    html: str
    joint: str | None = None


def words_of(parts: list[SelectedPart]) -> str:
    """Return selected parts as a single text."""
    said = ""
    for part in parts:
        if part.text:
            said += (part.joint if part.joint is not None else "\n\n") * bool(said) + part.text
    return said


def html_of(parts: list[SelectedPart]) -> str:
    """Return selected parts as a single HTML text."""
    said = ""
    for part in parts:
        goes_on = (
            part.joint is not None
            and said.rstrip().endswith("</p>")
            and part.html.startswith("<p>")
        )
        said = f"{said.rstrip()[:-4]}{part.joint}{part.html[3:]}" if goes_on else said + part.html
    return said


def plain(text: str) -> SelectedPart:
    """Return a text as a selected part without formatting."""
    return SelectedPart(text, f"<p>{html.escape(text)}</p>" if text else "")


def part_of(piece: Piece, shown: str, *, whole: bool) -> SelectedPart:
    """Return the text to copy from a piece: all the cells of a fully selected table, or otherwise
    the visible text.
    """
    if piece.kind == "table" and whole:  # if displayed cells were copied, each would get a line
        rows = texts_of(parser().parse(piece.source), piece.view.order, piece.cites)
        return SelectedPart(as_tabs(rows), as_html(rows))
    if piece.kind == "code":
        return SelectedPart(shown, f"<pre>{html.escape(shown)}</pre>")
    if piece.kind == "text" and whole:
        return SelectedPart(shown, parser().render(piece.source))
    return plain(shown)


def mime_of_table(rows: list[list[str]]) -> QMimeData:
    """Return a table for the clipboard: as tab-separated text, as CSV, and as an HTML table."""
    made = QMimeData()
    made.setText(as_tabs(rows))
    made.setHtml(as_html(rows))
    made.setData("text/csv", as_csv(rows).encode("utf-8", "replace"))
    return made


Key = QKeySequence.StandardKey
Move = QTextCursor.MoveOperation
MOVES = {
    Key.SelectNextChar: Move.Right,
    Key.SelectPreviousChar: Move.Left,
    Key.SelectNextWord: Move.NextWord,
    Key.SelectPreviousWord: Move.PreviousWord,
    Key.SelectNextLine: Move.Down,
    Key.SelectPreviousLine: Move.Up,
    Key.SelectStartOfLine: Move.StartOfLine,
    Key.SelectEndOfLine: Move.EndOfLine,
    Key.SelectStartOfBlock: Move.StartOfBlock,
    Key.SelectEndOfBlock: Move.EndOfBlock,
    Key.SelectStartOfDocument: Move.Start,
    Key.SelectEndOfDocument: Move.End,
}
FORWARD = (Move.Right, Move.NextWord, Move.Down, Move.EndOfLine, Move.EndOfBlock, Move.End)
BLOCKS = {Qt.Key.Key_Up: Move.StartOfBlock, Qt.Key.Key_Down: Move.EndOfBlock}
BOTH = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def move_of(event: QKeyEvent) -> Move | None:
    """Return how a key moves the end of a selection; None if it does not move it."""
    if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == BOTH:
        found = BLOCKS.get(Qt.Key(event.key()))  # some systems have no standard keys for paragraphs
        if found is not None:
            return found
    return next((move for key, move in MOVES.items() if event.matches(key)), None)


STEP, REACH = 4, 80  # in pixels: the step and range of the search for the next line
SLIVER = 4  # in pixels: anything shorter than this is not a line but the end of a table


class Caret:
    """Moves positions in a conversation. Moving up and down keeps the original column."""

    def __init__(self, flow: TurnColumn) -> None:
        self._flow = flow
        self._column: float | None = None  # in pixels, from the left edge of the text

    def leave(self) -> None:
        """Forget the column after any other action."""
        self._column = None

    def moved(self, at: TextPosition, how: Move) -> TextPosition:
        """Return the position after a move; at either end of the conversation, return the unchanged
        position.
        """
        if how in (Move.Start, Move.End):
            self._column = None
            return self._end(forward=how == Move.End)
        at = self.settled(at)
        if how in (Move.Up, Move.Down):
            return self._line(at, down=how == Move.Down)
        self._column = None
        cursor = self._cursor(at)
        if cursor is not None and cursor.movePosition(how) and cursor.position() != at.character:
            return TextPosition(at.entry, at.piece, cursor.position())
        if how in (Move.StartOfLine, Move.EndOfLine):
            return at
        if how in (Move.StartOfBlock, Move.EndOfBlock):
            next_to = self.moved(at, Move.Right if how == Move.EndOfBlock else Move.Left)
            return self.moved(next_to, how) if next_to != at else at
        return self._beside(at, forward=how in FORWARD)

    def settled(self, at: TextPosition) -> TextPosition:
        """Return the nearest position that exists, because a selection of everything can end past
        the text.
        """
        self._measure(at.entry)
        pieces = self._flow.entry(at.entry).pieces
        number = min(at.piece, len(pieces) - 1)
        while number and not self._holds(at.entry, number):
            number -= 1
        if number != at.piece:
            return TextPosition(at.entry, number, self._last(at.entry, number))
        return TextPosition(at.entry, number, min(at.character, self._last(at.entry, number)))

    def rect(self, at: TextPosition, top: int) -> QRectF:
        """Return the rectangle of a position, measured from the left of the text. top: the top of
        its turn.
        """
        document = self._document(at)
        if document is None:
            return QRectF()
        block = document.findBlock(at.character)
        line = block.layout().lineForTextPosition(at.character - block.position())
        origin = self._flow.box(at.entry, at.piece, 0, top).origin
        origin += document.documentLayout().blockBoundingRect(block).topLeft()
        if not line.isValid():
            return QRectF(origin.x(), origin.y(), 1, 1)
        x = float(line.cursorToX(at.character - block.position())[0])  # pyright: ignore[reportIndexIssue, reportArgumentType]
        return QRectF(origin.x() + x, origin.y() + line.y(), 1, line.height())

    def _line(self, at: TextPosition, *, down: bool) -> TextPosition:
        """Return the position one line up or down, in the original column."""
        here = self.rect(at, 0)
        column = self._column = here.x() if self._column is None else self._column
        document = self._document(at)
        origin = self._flow.box(at.entry, at.piece, 0, 0).origin
        edge = (here.bottom() if down else here.top()) - origin.y()
        for way in range(STEP, REACH, STEP):
            if document is None:
                break
            y = edge + way if down else edge - way
            if not 0 <= y <= document.size().height():
                break
            place = TextPosition(
                at.entry, at.piece, self._hit(document, QPointF(column - origin.x(), y))
            )
            there = self.rect(place, 0)
            if (there.top() > here.top() + 1) if down else (there.top() < here.top() - 1):
                return place
        beside = self._beside(at, forward=down)
        document = self._document(beside)
        if beside == at or document is None:
            return self._outermost(at, forward=down)
        x = column - self._flow.box(beside.entry, beside.piece, 0, 0).origin.x()
        y = outer_line(document, first=down)
        return TextPosition(beside.entry, beside.piece, self._hit(document, QPointF(x, y)))

    def _hit(self, document: BlockDocument, point: QPointF) -> int:
        return max(0, document.documentLayout().hitTest(point, Qt.HitTestAccuracy.FuzzyHit))

    def _outermost(self, at: TextPosition, *, forward: bool) -> TextPosition:
        return TextPosition(at.entry, at.piece, self._last(at.entry, at.piece) if forward else 0)

    def _beside(self, at: TextPosition, *, forward: bool) -> TextPosition:
        """Return the start of the next piece with text, or the end of the previous piece."""
        row, number, step = at.entry, at.piece, 1 if forward else -1
        while True:
            number += step
            pieces = self._flow.entry(row).pieces
            if not 0 <= number < len(pieces):
                row += step
                if not 0 <= row < len(self._flow.turns):
                    return at
                self._measure(row)
                number = -1 if forward else len(self._flow.entry(row).pieces)
                continue
            if self._holds(row, number):
                return TextPosition(row, number, 0 if forward else self._last(row, number))

    def _measure(self, row: int) -> None:
        """Lay out a turn, or only the start of a long turn."""
        while self._flow.measure(row, (0, 0)):
            pass

    def _holds(self, row: int, number: int) -> bool:
        """Return whether the caret can enter a piece, after laying it out."""
        piece = self._flow.entry(row).pieces[number]
        if piece.kind in CHROME:
            return False
        self._flow.make(row, number)
        return piece.document is not None

    def _end(self, *, forward: bool) -> TextPosition:
        return (
            self.settled(TextPosition(len(self._flow.turns) - 1, END, END))
            if forward
            else TextPosition(0, 0, 0)
        )

    def _document(self, at: TextPosition) -> BlockDocument | None:
        return self._flow.entry(at.entry).pieces[at.piece].document

    def _last(self, row: int, number: int) -> int:
        document = self._flow.entry(row).pieces[number].document
        return document.characterCount() - 1 if document is not None else 0

    def _cursor(self, at: TextPosition) -> QTextCursor | None:
        document = self._document(at)
        if document is None:
            return None
        cursor = QTextCursor(document)
        cursor.setPosition(at.character)
        return cursor


def outer_line(document: BlockDocument, *, first: bool) -> float:
    """Return the vertical centre of a document's first or last line, in pixels from the document's
    top.
    """
    block = document.firstBlock() if first else document.lastBlock()
    while block.isValid():
        layout = block.layout()
        line = layout.lineAt(0 if first else layout.lineCount() - 1)
        if line.isValid() and line.height() > SLIVER:
            top = document.documentLayout().blockBoundingRect(block).top()
            return top + line.y() + line.height() / 2
        block = block.next() if first else block.previous()
    return 0.0
