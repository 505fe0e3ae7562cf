"""The conversation: a canvas one can select on, copy from, and press the links of, by mouse or by
key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QHelpEvent, QKeySequence, QPainter, QTextCursor
from PySide6.QtWidgets import QToolTip, QWidget

from app.ui.chat.blocks.code import body_of
from app.ui.chat.blocks.markdown import parser
from app.ui.chat.canvas import Canvas
from app.ui.chat.caret import FORWARD, Caret, move_of
from app.ui.chat.flow import Hot
from app.ui.chat.painting import MARGIN
from app.ui.chat.places import places_in
from app.ui.chat.selection import CHROME, END, Place, mime_of_table
from app.ui.chat.tables import texts_of, turned

if TYPE_CHECKING:
    from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPaintEvent

    from app.domain.conversation import Turn
    from app.ui.chat.caret import Move

EDGE_MS = 30  # between two steps of scrolling while a selection is drawn past the edge


class ConversationView(Canvas):
    """Shows the turns of a conversation.

    Signals: linked(turn, address) for what was pressed: cite:n, alt:n, ask:…, act:…, save:n (a
    table), http(s); clicked() after something was pressed with the mouse.
    """

    linked = Signal(object, str)
    clicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pressed: Place | None = None
        self._focused: tuple[int, int, str, int] | None = None  # what Return presses
        self._edge = self._timer(self._on_edge)
        self._caret = Caret(self.flow)
        self._by_key = False  # whether the end of the selection is shown, for keys move it

    def set_turns(
        self, turns: list[Turn], branches: dict[str, tuple[int, int]] | None = None
    ) -> None:
        """Show a conversation, at its end."""
        self._focused = None
        self._by_key = False
        super().set_turns(turns, branches)

    def refresh(self, turn: Turn) -> None:
        """Look at all of a turn again: something in the middle of it changed."""
        if (row := self.flow.row_of(turn)) is not None:
            self.flow.entry(row).refresh()
            self.touch(turn)

    def mark_found(self, words: str) -> None:
        """Mark words wherever they stand; none if empty."""
        self.found = words
        self.selection.clear()
        self.viewport().update()

    def show_found(self, row: int, number: int) -> None:
        """Select one of the places of the words in a turn, and bring it into view."""
        self.flush()  # words that came since are counted, and have to stand there, too
        self.to_turn(row)
        self.flow.make_found(row, self.found)
        entry = self.flow.entry(row)
        places = places_in(entry, self.found)
        if not places:  # its markup stands between the words
            return
        piece, start, end = places[min(number, len(places) - 1)]
        self.selection.begin(Place(row, piece, start))
        self.selection.extend(Place(row, piece, end))
        if (rect := self._rect_of(Place(row, piece, start))) is not None:
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + rect.top() - self.viewport().height() // 3)
        self.viewport().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a selection."""
        self._pressed, _ = self.place_at(event.position())
        self._by_key = False
        self._caret.leave()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and self.selection.end is not None:
            self.selection.extend(self._pressed)
        else:
            self.selection.begin(self._pressed)
        self._focused = None
        self.viewport().update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Select a word."""
        place, _ = self.place_at(event.position())
        if place is not None:
            self.selection.word(place, self.flow.entry(place.entry).pieces[place.piece])
            self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Extend the selection, or show what is under the pointer."""
        place, link = self.place_at(event.position())
        if self._pressed is not None and event.buttons() & Qt.MouseButton.LeftButton:
            self.selection.extend(place)
            self._edge.start(EDGE_MS)
            self.viewport().update()
        shape = Qt.CursorShape.PointingHandCursor if link else Qt.CursorShape.IBeamCursor
        self.viewport().setCursor(shape if place else Qt.CursorShape.ArrowCursor)

    def _on_edge(self) -> None:
        """Scroll on while a selection is held past the edge: mouse moves stop when the hand
        does.
        """
        point = self.viewport().mapFromGlobal(self.cursor().pos())
        past = min(0, point.y()) + max(0, point.y() - self.viewport().height())
        if self._pressed is not None and past:
            self.verticalScrollBar().setValue(self._scroll() + past // 2)
            inside = max(1, min(point.y(), self.viewport().height() - 2))
            self.selection.extend(self.place_at(QPointF(point.x(), inside))[0])
            self._edge.start(EDGE_MS)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Follow a link if nothing was selected."""
        place, link = self.place_at(event.position())
        self._pressed = None
        if link and place is not None and self.selection.is_empty():
            self._press(place, link)
            self.clicked.emit()

    def _press(self, place: Place, link: str) -> None:
        turn = self.flow.turns[place.entry]
        what, _, rest = link.partition(":")
        if what == "code":
            source = self.flow.entry(place.entry).pieces[int(rest)].source
            QGuiApplication.clipboard().setText(body_of(source))
        elif what == "copy":
            QGuiApplication.clipboard().setMimeData(mime_of_table(self.table(turn, int(rest))))
        elif what == "sort":
            self.flow.look(place, lambda view: view._replace(order=turned(view.order, int(rest))))
            self.touch(turn)
        elif what == "whole":
            self.flow.look(place, lambda view: view._replace(whole=not view.whole))
            self.touch(turn)
        elif link.startswith(("step:", "more:")) or link == "act:citations":
            self.flow.toggle(turn, link)
            self.touch(turn)
        else:
            self.linked.emit(turn, link)

    def viewportEvent(self, event: QEvent) -> bool:
        """Tell the whole of a figure that is shown cut, while the pointer rests on it."""
        if isinstance(event, QHelpEvent):
            QToolTip.showText(
                event.globalPos(), self.whole_at(QPointF(event.pos())), self.viewport()
            )
            return True
        return super().viewportEvent(event)

    def whole_at(self, point: QPointF) -> str:
        """Return the whole of the figure at a point; nothing where none is cut."""
        place, _ = self.place_at(point)
        document = (
            self.flow.entry(place.entry).pieces[place.piece].document if place is not None else None
        )
        if place is None or document is None:
            return ""
        cursor = QTextCursor(document)
        cursor.setPosition(min(place.character + 1, document.characterCount() - 1))
        told = cursor.charFormat().toolTip()
        cursor.setPosition(place.character)
        return told or cursor.charFormat().toolTip()

    def table(self, turn: Turn, number: int) -> list[list[str]]:
        """Return all cells of a turn's table as words, in the order it is looked at, the head
        first.

        number: of its piece.
        """
        row = self.flow.row_of(turn)
        assert row is not None
        piece = self.flow.entry(row).pieces[number]
        return texts_of(parser().parse(piece.source), piece.view.order, piece.cites)

    def _hots(self) -> list[Hot]:
        seen = QRect(0, 0, self.viewport().width(), self.viewport().height())
        return [hot for hot in self.flow.hot(self._seen()) if seen.intersects(hot.rect.toRect())]

    def focused_rect(self) -> QRectF | None:
        """Return where the keyboard is, if anywhere."""
        hot = self._hot_focused()
        return hot.rect if hot else None

    def _hot_focused(self) -> Hot | None:
        return next((hot for hot in self._hots() if key_of(hot) == self._focused), None)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Go to the next link that is seen; past the last, out of the view."""
        hots = self._hots()
        keys = [key_of(hot) for hot in hots]
        at = keys.index(self._focused) if self._focused in keys else (-1 if forward else len(keys))
        at += 1 if forward else -1
        self._focused = keys[at] if 0 <= at < len(keys) else None
        self.viewport().update()
        return True if self._focused else super().focusNextPrevChild(forward)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Begin at the last link when one comes from behind."""
        super().focusInEvent(event)
        keys = [key_of(hot) for hot in self._hots()]
        if event.reason() == Qt.FocusReason.BacktabFocusReason and keys:
            self._focused = keys[-1]
            self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy, select, press, page, home and end."""
        bar, key = self.verticalScrollBar(), Qt.Key(event.key())
        moves = {
            Qt.Key.Key_PageUp: -bar.pageStep(),
            Qt.Key.Key_PageDown: bar.pageStep(),
            Qt.Key.Key_Up: -bar.singleStep(),
            Qt.Key.Key_Down: bar.singleStep(),
            Qt.Key.Key_Home: -bar.maximum(),
        }
        if event.matches(QKeySequence.StandardKey.Copy):
            if not self.selection.is_empty():
                QGuiApplication.clipboard().setMimeData(self.selection.mime(self.flow))
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.selection.all(len(self.flow.turns))
            self.viewport().update()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and (
            hot := self._hot_focused()
        ):
            self._press(hot.place, hot.href)
        elif (move := move_of(event)) is not None:
            self._select(move)
        elif key == Qt.Key.Key_End:
            self.to_end()
        elif key in moves:
            bar.setValue(bar.value() + moves[key])
        else:
            super().keyPressEvent(event)

    def _select(self, move: Move) -> None:
        """Move the end of the selection, and bring it into view; without one, it begins where the
        keyboard or the reader is.
        """
        if not self.flow.turns:
            return
        if self.selection.end is None:
            self.selection.begin(self._caret.settled(self._start(forward=move in FORWARD)))
        assert self.selection.end is not None
        at = self._caret.settled(self._caret.moved(self.selection.end, move))
        self.selection.extend(at)
        self._by_key = True
        self._place()  # turns on the way were laid out
        rect, height = self._caret.rect(at, self._y(at.entry)), self.viewport().height()
        over = min(0, int(rect.top()) - MARGIN) or max(0, int(rect.bottom()) + MARGIN - height)
        over = -self._scroll() if at == Place(0, 0, 0) else over
        self.verticalScrollBar().setValue(self._scroll() + over)
        self.viewport().update()

    def _start(self, *, forward: bool) -> Place:
        if (hot := self._hot_focused()) is not None:
            return hot.place
        whole = [
            b.place for b in self._seen() if b.rect.bottom() > 0 and b.piece.kind not in CHROME
        ]
        if not whole:
            return Place(self.visible()[0], 0, 0)
        return whole[0] if forward else Place(whole[-1].entry, whole[-1].piece, END)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the conversation, and the end of the selection while keys move it."""
        super().paintEvent(event)
        at = self.selection.end
        if self._by_key and at is not None and self.hasFocus():
            at = self._caret.settled(at)  # an answer that comes may have less than it had
            rect = self._caret.rect(at, self._y(at.entry)).translated(self._left(), 0)
            painter = QPainter(self.viewport())
            painter.fillRect(
                QRectF(rect.x(), rect.y(), 1.5, rect.height()), QColor(self.flow.tokens.text)
            )
            painter.end()

    def selected_text(self) -> str:
        """Return the selected text, as shown."""
        return self.selection.text(self.flow)


def key_of(hot: Hot) -> tuple[int, int, str, int]:
    """Return what stays the same of something to press when it moves."""
    return hot.place.entry, hot.place.piece, hot.href, hot.place.character
