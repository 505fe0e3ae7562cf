"""The conversation view: it scrolls, keeps the reader's position, paints the visible part, and
handles selection, copying and links.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QGuiApplication, QHelpEvent, QKeySequence, QPainter, QTextCursor
from PySide6.QtWidgets import QAbstractScrollArea, QToolButton, QToolTip, QWidget

from app.ui.chat.charts import chart_of_table, charts
from app.ui.chat.code import RunningLine
from app.ui.chat.flow import Hot, TurnColumn
from app.ui.chat.paint import MARGIN, PieceBox, paint_piece, paint_ring
from app.ui.chat.piece import TextPosition
from app.ui.chat.places import SpokenRange, marks_of, places_in
from app.ui.chat.selection import CHROME, END, FORWARD, Caret, TextSelection, mime_of_table, move_of
from app.ui.controls.actions import (
    Action,
    CopyCode,
    CopyTable,
    SortTable,
    ToggleChart,
    ToggleRows,
    Unfold,
    action_of,
)
from app.ui.markdown.builder import parser
from app.ui.markdown.code import body_of
from app.ui.markdown.formulas import formulas
from app.ui.markdown.tables import texts_of, turned
from app.ui.theme.i18n import tr
from app.ui.theme.icons import icon
from app.ui.theme.tokens import COLUMN, LIGHT, Tokens

if TYPE_CHECKING:
    from PySide6.QtGui import (
        QAbstractTextDocumentLayout,
        QFocusEvent,
        QKeyEvent,
        QMouseEvent,
        QPaintEvent,
        QResizeEvent,
    )

    from app.domain.conversation import Turn
    from app.domain.events import Artifact
    from app.ui.chat.selection import Move


FLUSH_MS = 33
AHEAD = 120  # number of pixels laid out above and below the visible part
BESIDE = 24  # number of turns loaded before and after the visible ones
EDGE_MS = 30  # milliseconds between scroll steps while a selection is dragged past the edge


class ConversationView(QAbstractScrollArea):
    """Shows the turns of a conversation.

    Signals: pressed(turn, action) for actions that the view cannot perform itself; clicked() after
    a mouse click on a link; reading_wanted(turns) when turns are needed whose items are only in the
    store. Call `show_read` once these have been loaded.
    """

    pressed = Signal(object, object)
    reading_wanted = Signal(object)
    clicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.flow = TurnColumn()
        self.selection = TextSelection()
        self.spoken = SpokenRange()
        self.running = RunningLine()
        self.found = ""  # the text to highlight wherever it occurs
        self._pressed: TextPosition | None = None
        self._focused: tuple[int, int, str, int] | None = None  # the item that Return activates
        self._edge = self._timer(self._on_edge)
        self._caret = Caret(self.flow)
        self._by_key = False  # whether keys move the selection; if so, its moving end is shown
        self._stick = True
        self._setting = False
        self._dirty: set[int] = set()
        self._wanted_turns: set[str] = set()  # ids of the turns being loaded
        self._copies = False  # whether to copy the selection once it is loaded
        self._flush = self._timer(self._refresh)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setAccessibleName(tr("Conversation"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self._latest = QToolButton(self)
        self._latest.setObjectName("round")
        self._latest.setAccessibleName(tr("Jump to latest"))
        self._latest.setToolTip(tr("Jump to latest (End)"))
        self._latest.setIconSize(QSize(18, 18))
        self._latest.clicked.connect(self.to_end)
        self._latest.hide()
        formulas().ready.connect(self._on_drawn)
        charts().ready.connect(self._on_drawn)
        self.set_tokens(LIGHT)

    def _on_drawn(self) -> None:
        if self.flow.take_up():
            self._place()

    def _timer(self, tick: object) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.timeout.connect(tick)
        return timer

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        self.flow.set_tokens(tokens)
        self._latest.setIcon(icon("down", tokens.muted))
        self._place()

    def set_turns(
        self, turns: list[Turn], branches: dict[str, tuple[int, int]] | None = None
    ) -> None:
        """Show a conversation at its end; only the visible part is laid out.

        branches: for each turn with alternatives, its position among them and their number.
        """
        self._focused = None
        self._by_key = False
        self.flow.set_turns(turns, branches or {})
        self.selection.clear()
        self._dirty.clear()
        self._wanted_turns.clear()
        self._copies = False
        self.to_end()

    def add_turn(self, turn: Turn) -> None:
        """Show a new turn at the end."""
        self._dirty.add(self.flow.add(turn))
        self._stick = True
        self._begin_flush()

    def touch(self, turn: Turn, aside: str = "") -> None:
        """Show the changes in a turn, updating at most thirty times a second. aside: the text
        beside its actions.
        """
        row = self.flow.row_of(turn)
        if aside:
            self.flow.set_aside(turn, aside)
        if row is not None:
            self._dirty.add(row)
            self._begin_flush()

    def show_read(self) -> None:
        """Show the items of turns that have been loaded, and finish any copying that was waiting
        for them.
        """
        self._wanted_turns.clear()
        self._place()
        if self._copies:
            self._copy()

    def _want(self, rows: range) -> bool:
        """Request those turns in some rows that have not been loaded yet; return whether there are
        any.
        """
        unread = [turn for turn in self.flow.turns[rows.start : rows.stop] if not turn.is_read]
        wanted = [turn for turn in unread if turn.id not in self._wanted_turns]
        if wanted:
            self._wanted_turns.update(turn.id for turn in wanted)
            self.reading_wanted.emit(wanted)
        return bool(unread)

    def _copy(self) -> None:
        """Copy the selection once all of it is loaded."""
        self._copies = self._want(self.selection.rows())
        if not self._copies and not self.selection.is_empty():
            QGuiApplication.clipboard().setMimeData(self.selection.mime(self.flow))

    def mark_spoken(self, turn: Turn | None, start: int, end: int) -> None:
        """Highlight the part of an answer that is being spoken; remove the highlight if turn is
        None.

        start, end: character positions in the answer's source.
        """
        self.spoken = SpokenRange(turn, start, end)
        self.viewport().update()

    def mark_line(self, turn: Turn | None, line: int | None) -> None:
        """Highlight the line that is running in the newest code of a turn; remove the highlight if
        no line is running.
        """
        self.running = RunningLine(turn, line) if turn is not None and line else RunningLine()
        self.viewport().update()

    def to_end(self) -> None:
        """Scroll to the end, and stay there as text is added."""
        self._stick = True
        self._place()

    def to_turn(self, row: int) -> None:
        """Scroll to a turn, so that it is at the top."""
        self._stick = False
        for _ in range(2):  # after the first layout, the heights above the turn are known
            self.verticalScrollBar().setValue(
                min(self.flow.heights.top(row) + MARGIN // 2, self._bottom())
            )
            self._place()

    def flush(self) -> None:
        """Show pending changes now."""
        if self._dirty:
            self._flush.stop()
            self._refresh()

    def _begin_flush(self) -> None:
        if not self._flush.isActive():
            self._flush.start(FLUSH_MS)

    def _refresh(self) -> None:
        """Apply all changes at once: lay out only the changed pieces, and repaint only these if
        nothing has moved.
        """
        began, before = time.perf_counter(), (self.flow.heights.total, self._scroll())
        rows, self._dirty = self._dirty, set[int]()
        first = {row: self.flow.rebuild(row) for row in rows if row < len(self.flow.turns)}
        moved = self._place(paint=False)
        if moved or before != (self.flow.heights.total, self._scroll()) or len(first) != 1:
            self.viewport().update()
        else:
            self._paint_from(*first.popitem())
        if self._dirty:  # layout of one huge paragraph takes up at most a tenth of the time
            self._flush.start(max(FLUSH_MS, int((time.perf_counter() - began) * 10_000)))

    def _paint_from(self, row: int, piece: int) -> None:
        tops = self.flow.entry(row).tops
        y = max(0, self._y(row) + tops[min(piece, len(tops) - 1)])
        self.viewport().update(QRect(0, y, self.viewport().width(), self.viewport().height() - y))

    def _y(self, row: int) -> int:
        """Return the top of a turn in the viewport."""
        return MARGIN + self.flow.heights.top(row) - self._scroll()

    def _scroll(self) -> int:
        return self.verticalScrollBar().value()

    def _left(self) -> int:
        return (self.viewport().width() - self.flow.width) // 2

    def _boxes(self, row: int) -> list[PieceBox]:
        return self.flow.boxes(row, self._left(), self._scroll(), self.viewport().height())

    def _seen(self) -> list[PieceBox]:
        return [box for row in self.visible() for box in self._boxes(row)]

    def visible(self) -> range:
        """Return the visible rows."""
        if not self.flow.turns:
            return range(0)
        top = self._scroll() - MARGIN
        return range(
            self.flow.heights.at(top), self.flow.heights.at(top + self.viewport().height()) + 1
        )

    def _place(self, *, paint: bool = True) -> bool:
        """Lay out the visible part, keep the reader's position and set the scroll bar.

        Return whether a height changed.
        """
        bar = self.verticalScrollBar()
        self.flow.width = max(120, min(COLUMN, self.viewport().width() - 2 * MARGIN))
        anchor = self.flow.anchor(bar.value() - MARGIN) if self.flow.turns else (0, 0, 0)
        changed, again = False, True
        while again:  # layout changes heights, and therefore the visible rows
            again = self._measure(self._wanted(anchor))
            changed = changed or again
        self._setting = True
        bar.setPageStep(self.viewport().height())
        bar.setSingleStep(40)
        if not bar.isSliderDown():
            bar.setRange(0, self._bottom())
            bar.setValue(self._wanted(anchor))
        self._setting = False
        seen = self.visible()
        if any(not turn.is_read for turn in self.flow.turns[seen.start : seen.stop]):
            self._want(range(max(0, seen.start - BESIDE), seen.stop + BESIDE))
        self._show_latest()
        if paint:
            self.viewport().update()
        return changed

    def _bottom(self) -> int:
        return max(0, self.flow.heights.total + 2 * MARGIN - self.viewport().height())

    def _wanted(self, anchor: tuple[int, int, int]) -> int:
        top = self.flow.top_of(anchor) + MARGIN if self.flow.turns else 0
        return self._bottom() if self._stick else min(top, self._bottom())

    def _measure(self, scroll: int) -> bool:
        """Lay out the turns near a scroll position; return whether a height changed."""
        if not self.flow.turns:
            return False
        heights, changed = self.flow.heights, False
        first = heights.at(scroll - MARGIN - (AHEAD if not self._stick else 0))
        last = heights.at(scroll - MARGIN + self.viewport().height() + AHEAD)
        for row in range(last, first - 1, -1) if self._stick else range(first, last + 1):
            top = scroll - MARGIN - heights.top(row)
            near = (top - AHEAD, top + self.viewport().height() + AHEAD)
            changed = self.flow.measure(row, near) or changed
            if moved := self.flow.entry(row).growing.moved:
                self.selection.follow(row, moved)
                moved.clear()
        return changed

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the visible pieces, and the end of the selection while it is moved with the
        keyboard.
        """
        painter, tokens = QPainter(self.viewport()), self.flow.tokens
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(event.rect(), QColor(tokens.background))
        boxes = self._seen()
        for box in boxes:
            if box.piece.document is not None and box.rect.intersects(event.rect()):
                running = self.flow.turns[box.place.entry].state == "running"
                last = box.place.piece == len(self.flow.entry(box.place.entry).pieces) - 1
                marked = marks_of(box.piece, self.found, tokens) if self.found else []
                marked += self.running.marks_of(box.place.piece, self.flow.entry(box.place.entry))
                marked += self._spoken_of(box) + self.selection.for_piece(
                    box.place, box.piece, tokens
                )
                paint_piece(
                    painter,
                    box,
                    marked,
                    tokens,
                    event.rect(),
                    caret=running and last and box.piece.kind == "text",
                )
        if self.hasFocus() and (ring := self.focused_rect()) is not None:
            paint_ring(painter, ring, tokens)
        at = self.selection.end
        if self._by_key and at is not None and self.hasFocus():
            at = self._caret.settled(at)  # a streaming answer may have become shorter
            rect = self._caret.rect(at, self._y(at.entry)).translated(self._left(), 0)
            painter.fillRect(QRectF(rect.x(), rect.y(), 1.5, rect.height()), QColor(tokens.text))
        painter.end()

    def _spoken_of(self, box: PieceBox) -> list[QAbstractTextDocumentLayout.Selection]:
        row, spoken = box.place.entry, self.spoken
        if spoken.turn is None or self.flow.turns[row].id != spoken.turn.id:
            return []
        return spoken.selections(self.flow.entry(row).pieces, box.place.piece, self.flow.tokens)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap the visible part again, keeping the same character at the top.

        Other parts are wrapped when scrolling brings them near the visible part.
        """
        top = None if self._stick else self.place_at(QPointF(self.viewport().width() / 2, 1))[0]
        super().resizeEvent(event)
        self._place()
        if top is not None and (rect := self._rect_of(top)) is not None:
            self.verticalScrollBar().setValue(self._scroll() + int(rect.top()))

    def _rect_of(self, place: TextPosition) -> QRect | None:
        pieces = self.flow.entry(place.entry).pieces
        if place.piece >= len(pieces) or (document := pieces[place.piece].document) is None:
            return None
        origin = self.flow.box(place.entry, place.piece, self._left(), self._y(place.entry)).origin
        block = document.findBlock(min(place.character, document.characterCount() - 1))
        line = block.layout().lineForTextPosition(place.character - block.position())
        at = origin + document.documentLayout().blockBoundingRect(block).topLeft()
        return QRect(int(at.x()), int(at.y() + (line.y() if line.isValid() else 0)), 1, 1)

    def _on_scrolled(self, value: int) -> None:
        if not self._setting:
            self._stick = value >= self.verticalScrollBar().maximum() - 2
            self._place()

    def _show_latest(self) -> None:
        self._latest.setVisible(
            not self._stick and self._scroll() < self.verticalScrollBar().maximum() - 40
        )
        self._latest.setGeometry(self.width() // 2 - 17, self.height() - 46, 34, 34)

    def place_at(self, point: QPointF) -> tuple[TextPosition | None, str]:
        """Return the character and the link at a point in the viewport."""
        return self.flow.hit(self._seen(), point)

    def refresh(self, turn: Turn) -> None:
        """Process a whole turn again after a change in the middle of it."""
        if (row := self.flow.row_of(turn)) is not None:
            self.flow.entry(row).refresh()
            self.touch(turn)

    def mark_found(self, words: str) -> None:
        """Highlight a text wherever it occurs; an empty text removes the highlights."""
        self.found = words
        self.selection.clear()
        self.viewport().update()

    def show_found(self, row: int, number: int) -> None:
        """Select a match in a turn and scroll to it. number: the index of the match in the turn."""
        self.flush()  # text that has arrived meanwhile is counted, so it has to be shown too
        self.to_turn(row)
        self.flow.make_found(row, self.found)
        entry = self.flow.entry(row)
        places = places_in(entry, self.found)
        if not places:  # in the source, markup separates the words
            return
        piece, start, end = places[min(number, len(places) - 1)]
        self.selection.begin(TextPosition(row, piece, start))
        self.selection.extend(TextPosition(row, piece, end))
        if (rect := self._rect_of(TextPosition(row, piece, start))) is not None:
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + rect.top() - self.viewport().height() // 3)
        self.viewport().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Start a selection."""
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
        """Extend the selection, or react to the item under the pointer."""
        place, link = self.place_at(event.position())
        if self._pressed is not None and event.buttons() & Qt.MouseButton.LeftButton:
            self.selection.extend(place)
            self._edge.start(EDGE_MS)
            self.viewport().update()
        shape = Qt.CursorShape.PointingHandCursor if link else Qt.CursorShape.IBeamCursor
        self.viewport().setCursor(shape if place else Qt.CursorShape.ArrowCursor)

    def _on_edge(self) -> None:
        """Keep scrolling while a selection is held past the edge; a mouse that is not moving sends
        no events.
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

    def _press(self, place: TextPosition, href: str) -> None:
        turn, action = self.flow.turns[place.entry], action_of(href)
        match action:
            case CopyCode(number):
                source = self.flow.entry(place.entry).pieces[number].source
                QGuiApplication.clipboard().setText(body_of(source))
            case CopyTable(number):
                QGuiApplication.clipboard().setMimeData(mime_of_table(self.table(turn, number)))
            case SortTable(column):
                self.flow.look(place, lambda view: view._replace(order=turned(view.order, column)))
                self.touch(turn)
            case ToggleChart():
                self.flow.look(place, lambda view: view._replace(chart=not view.chart))
                self.touch(turn)
            case ToggleRows():
                self.flow.look(place, lambda view: view._replace(whole=not view.whole))
                self.touch(turn)
            case Unfold():
                self.flow.toggle(turn, action)
                self.touch(turn)
            case Action():
                self.pressed.emit(turn, action)
            case None:
                pass

    def viewportEvent(self, event: QEvent) -> bool:
        """Show the full number in a tooltip while the pointer is over a shortened number."""
        if isinstance(event, QHelpEvent):
            QToolTip.showText(
                event.globalPos(), self.whole_at(QPointF(event.pos())), self.viewport()
            )
            return True
        return super().viewportEvent(event)

    def whole_at(self, point: QPointF) -> str:
        """Return the full number at a point; empty if no number is shortened there."""
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
        """Return all the cells of a turn's table as texts, in the displayed order, with the header
        first.

        number: the index of the table's piece.
        """
        row = self.flow.row_of(turn)
        assert row is not None
        piece = self.flow.entry(row).pieces[number]
        return texts_of(parser().parse(piece.source), piece.view.order, piece.cites)

    def chart(self, turn: Turn, number: int) -> Artifact | None:
        """Return a turn's table as a chart. number: the index of the table's piece."""
        row = self.flow.row_of(turn)
        assert row is not None
        piece = self.flow.entry(row).pieces[number]
        return chart_of_table(piece.source, piece.cites)

    def _hots(self) -> list[Hot]:
        seen = QRect(0, 0, self.viewport().width(), self.viewport().height())
        return [hot for hot in self.flow.hot(self._seen()) if seen.intersects(hot.rect.toRect())]

    def focused_rect(self) -> QRectF | None:
        """Return the rectangle of the item with keyboard focus; None if there is none."""
        hot = self._hot_focused()
        return hot.rect if hot else None

    def _hot_focused(self) -> Hot | None:
        return next((hot for hot in self._hots() if key_of(hot) == self._focused), None)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Move the focus to the next visible link, or out of the view after the last link."""
        hots = self._hots()
        keys = [key_of(hot) for hot in hots]
        at = keys.index(self._focused) if self._focused in keys else (-1 if forward else len(keys))
        at += 1 if forward else -1
        self._focused = keys[at] if 0 <= at < len(keys) else None
        self.viewport().update()
        return True if self._focused else super().focusNextPrevChild(forward)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Focus the last link if the focus comes from the next widget."""
        super().focusInEvent(event)
        keys = [key_of(hot) for hot in self._hots()]
        if event.reason() == Qt.FocusReason.BacktabFocusReason and keys:
            self._focused = keys[-1]
            self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the keys that copy, select, activate a link, and scroll."""
        bar, key = self.verticalScrollBar(), Qt.Key(event.key())
        moves = {
            Qt.Key.Key_PageUp: -bar.pageStep(),
            Qt.Key.Key_PageDown: bar.pageStep(),
            Qt.Key.Key_Up: -bar.singleStep(),
            Qt.Key.Key_Down: bar.singleStep(),
            Qt.Key.Key_Home: -bar.maximum(),
        }
        if event.matches(QKeySequence.StandardKey.Copy):
            self._copy()
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
        """Move the end of the selection and scroll to it.

        A new selection starts at the focused item or at the reader's position.
        """
        if not self.flow.turns:
            return
        if self.selection.end is None:
            self.selection.begin(self._caret.settled(self._start(forward=move in FORWARD)))
        assert self.selection.end is not None
        at = self._caret.settled(self._caret.moved(self.selection.end, move))
        self.selection.extend(at)
        self._by_key = True
        self._place()  # the turns in between have now been laid out
        rect, height = self._caret.rect(at, self._y(at.entry)), self.viewport().height()
        over = min(0, int(rect.top()) - MARGIN) or max(0, int(rect.bottom()) + MARGIN - height)
        over = -self._scroll() if at == TextPosition(0, 0, 0) else over
        self.verticalScrollBar().setValue(self._scroll() + over)
        self.viewport().update()

    def _start(self, *, forward: bool) -> TextPosition:
        if (hot := self._hot_focused()) is not None:
            return hot.place
        whole = [
            b.place for b in self._seen() if b.rect.bottom() > 0 and b.piece.kind not in CHROME
        ]
        if not whole:
            return TextPosition(self.visible()[0], 0, 0)
        return whole[0] if forward else TextPosition(whole[-1].entry, whole[-1].piece, END)

    def selected_text(self) -> str:
        """Return the selected text as displayed."""
        return self.selection.text(self.flow)


def key_of(hot: Hot) -> tuple[int, int, str, int]:
    """Return the part of a clickable item that stays the same when the item moves."""
    return hot.place.entry, hot.place.piece, hot.href, hot.place.character
