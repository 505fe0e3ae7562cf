"""Which keys extend a selection, and by how much."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QTextCursor

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent

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
