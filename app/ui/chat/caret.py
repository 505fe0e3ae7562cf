"""The end of a selection that keys move: by characters, words, lines and paragraphs, across pieces
and turns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QKeySequence, QTextCursor

from app.ui.chat.selection import CHROME, END, Place

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent

    from app.ui.chat.blocks.document import Document
    from app.ui.chat.flow import Flow


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
    """Return how a key moves the end of a selection; None for every other key."""
    if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == BOTH:
        found = BLOCKS.get(Qt.Key(event.key()))  # not every system has a key for paragraphs
        if found is not None:
            return found
    return next((move for key, move in MOVES.items() if event.matches(key)), None)


STEP, REACH = 4, 80  # pixels: how finely and how far the next line is looked for
SLIVER = 4  # pixels: what is lower is no line, but the end of a table


class Caret:
    """Moves places of one conversation. Going up and down, it keeps the column it began in."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._column: float | None = None  # in pixels from the left of the words

    def leave(self) -> None:
        """Forget the column: something else was done meanwhile."""
        self._column = None

    def moved(self, at: Place, how: Move) -> Place:
        """Return where a move leads; the place itself at the ends of the conversation."""
        if how in (Move.Start, Move.End):
            self._column = None
            return self._end(forward=how == Move.End)
        at = self.settled(at)
        if how in (Move.Up, Move.Down):
            return self._line(at, down=how == Move.Down)
        self._column = None
        cursor = self._cursor(at)
        if cursor is not None and cursor.movePosition(how) and cursor.position() != at.character:
            return Place(at.entry, at.piece, cursor.position())
        if how in (Move.StartOfLine, Move.EndOfLine):
            return at
        if how in (Move.StartOfBlock, Move.EndOfBlock):
            next_to = self.moved(at, Move.Right if how == Move.EndOfBlock else Move.Left)
            return self.moved(next_to, how) if next_to != at else at
        return self._beside(at, forward=how in FORWARD)

    def settled(self, at: Place) -> Place:
        """Return a place that is there: that of a whole selection may lie past the end."""
        self._measure(at.entry)
        pieces = self._flow.entry(at.entry).pieces
        number = min(at.piece, len(pieces) - 1)
        while number and not self._holds(at.entry, number):
            number -= 1
        if number != at.piece:
            return Place(at.entry, number, self._last(at.entry, number))
        return Place(at.entry, number, min(at.character, self._last(at.entry, number)))

    def rect(self, at: Place, top: int) -> QRectF:
        """Return where a place is, from the left of the words. top: of its turn."""
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

    def _line(self, at: Place, *, down: bool) -> Place:
        """Return the place a line further, in the column that was begun in."""
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
            place = Place(at.entry, at.piece, self._hit(document, QPointF(column - origin.x(), y)))
            there = self.rect(place, 0)
            if (there.top() > here.top() + 1) if down else (there.top() < here.top() - 1):
                return place
        beside = self._beside(at, forward=down)
        document = self._document(beside)
        if beside == at or document is None:
            return self._outermost(at, forward=down)
        x = column - self._flow.box(beside.entry, beside.piece, 0, 0).origin.x()
        y = outer_line(document, first=down)
        return Place(beside.entry, beside.piece, self._hit(document, QPointF(x, y)))

    def _hit(self, document: Document, point: QPointF) -> int:
        return max(0, document.documentLayout().hitTest(point, Qt.HitTestAccuracy.FuzzyHit))

    def _outermost(self, at: Place, *, forward: bool) -> Place:
        return Place(at.entry, at.piece, self._last(at.entry, at.piece) if forward else 0)

    def _beside(self, at: Place, *, forward: bool) -> Place:
        """Return the beginning of the next piece that has words, or the end of the one before."""
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
                return Place(row, number, 0 if forward else self._last(row, number))

    def _measure(self, row: int) -> None:
        """Lay out a turn; of a long one, nothing yet."""
        while self._flow.measure(row, (0, 0)):
            pass

    def _holds(self, row: int, number: int) -> bool:
        """Tell whether a piece has words one can go to; it is laid out then."""
        piece = self._flow.entry(row).pieces[number]
        if piece.kind in CHROME:
            return False
        self._flow.make(row, number)
        return piece.document is not None

    def _end(self, *, forward: bool) -> Place:
        return (
            self.settled(Place(len(self._flow.turns) - 1, END, END)) if forward else Place(0, 0, 0)
        )

    def _document(self, at: Place) -> Document | None:
        return self._flow.entry(at.entry).pieces[at.piece].document

    def _last(self, row: int, number: int) -> int:
        document = self._flow.entry(row).pieces[number].document
        return document.characterCount() - 1 if document is not None else 0

    def _cursor(self, at: Place) -> QTextCursor | None:
        document = self._document(at)
        if document is None:
            return None
        cursor = QTextCursor(document)
        cursor.setPosition(at.character)
        return cursor


def outer_line(document: Document, *, first: bool) -> float:
    """Return where the middle of a document's first or last line is, in pixels from its top."""
    block = document.firstBlock() if first else document.lastBlock()
    while block.isValid():
        layout = block.layout()
        line = layout.lineAt(0 if first else layout.lineCount() - 1)
        if line.isValid() and line.height() > SLIVER:
            top = document.documentLayout().blockBoundingRect(block).top()
            return top + line.y() + line.height() / 2
        block = block.next() if first else block.previous()
    return 0.0
