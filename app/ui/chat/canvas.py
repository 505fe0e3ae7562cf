"""The canvas of the conversation: scrolls, keeps the reader's place, paints what is seen."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QAbstractScrollArea, QToolButton, QWidget

from app.ui.chat.code import RunningLine
from app.ui.chat.flow import Box, Flow
from app.ui.chat.formulas import formulas
from app.ui.chat.painting import MARGIN, paint_piece, paint_ring
from app.ui.chat.places import Spoken, marks_of
from app.ui.chat.selection import Place, Selection
from app.ui.theme.icons import icon
from app.ui.theme.tokens import COLUMN, LIGHT, Tokens
from app.ui.words import tr

if TYPE_CHECKING:
    from PySide6.QtGui import QAbstractTextDocumentLayout, QPaintEvent, QResizeEvent

    from app.domain.conversation import Turn

FLUSH_MS = 33
AHEAD = 120  # pixels laid out beyond what is seen
EDGE_MS = 30  # between two steps of scrolling while a selection is drawn past the edge


class Canvas(QAbstractScrollArea):
    """Shows the turns of a conversation."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.flow = Flow()
        self.selection = Selection()
        self.spoken = Spoken()
        self.running = RunningLine()
        self.found = ""  # words to mark wherever they stand
        self._stick = True
        self._setting = False
        self._dirty: set[int] = set()
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
        formulas().ready.connect(self._on_formulas)
        self.set_tokens(LIGHT)

    def _on_formulas(self) -> None:
        if self.flow.take_up():
            self._place()

    def _timer(self, tick: object) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.timeout.connect(tick)
        return timer

    def set_tokens(self, tokens: Tokens) -> None:
        """Dress the view in a theme."""
        self.flow.set_tokens(tokens)
        self._latest.setIcon(icon("down", tokens.muted))
        self._place()

    def set_turns(
        self, turns: list[Turn], branches: dict[str, tuple[int, int]] | None = None
    ) -> None:
        """Show a conversation, at its end; only what is seen is laid out.

        branches: of turns that have others beside them, which of how many they are.
        """
        self.flow.set_turns(turns, branches or {})
        self.selection.clear()
        self._dirty.clear()
        self.to_end()

    def add_turn(self, turn: Turn) -> None:
        """Show a new turn at the end."""
        self._dirty.add(self.flow.add(turn))
        self._stick = True
        self._begin_flush()

    def touch(self, turn: Turn, aside: str = "") -> None:
        """Show what a turn has become, at most thirty times a second. aside: a word beside its
        actions.
        """
        row = self.flow.row_of(turn)
        if aside:
            self.flow.set_aside(turn, aside)
        if row is not None:
            self._dirty.add(row)
            self._begin_flush()

    def mark_spoken(self, turn: Turn | None, start: int, end: int) -> None:
        """Mark the words of an answer that are being spoken, in characters of its source; none
        without a turn.
        """
        self.spoken = Spoken(turn, start, end)
        self.viewport().update()

    def mark_line(self, turn: Turn | None, line: int | None) -> None:
        """Mark the line of the newest code of a turn that runs now; none without one."""
        self.running = RunningLine(turn, line) if turn is not None and line else RunningLine()
        self.viewport().update()

    def to_end(self) -> None:
        """Go to the end and stay there."""
        self._stick = True
        self._place()

    def to_turn(self, row: int) -> None:
        """Show a turn at the top."""
        self._stick = False
        for _ in range(2):  # laid out once, what is above it has its true height
            self.verticalScrollBar().setValue(
                min(self.flow.heights.top(row) + MARGIN // 2, self._bottom())
            )
            self._place()

    def flush(self) -> None:
        """Show at once what waits to be shown with the next flush."""
        if self._dirty:
            self._flush.stop()
            self._refresh()

    def _begin_flush(self) -> None:
        if not self._flush.isActive():
            self._flush.start(FLUSH_MS)

    def _refresh(self) -> None:
        """Take up all changes at once; only what changed is laid out, and painted if nothing
        moved.
        """
        began, before = time.perf_counter(), (self.flow.heights.total, self._scroll())
        rows, self._dirty = self._dirty, set[int]()
        first = {row: self.flow.rebuild(row) for row in rows if row < len(self.flow.turns)}
        moved = self._place(paint=False)
        if moved or before != (self.flow.heights.total, self._scroll()) or len(first) != 1:
            self.viewport().update()
        else:
            self._paint_from(*first.popitem())
        if self._dirty:  # a single giant paragraph: let the work between two flushes stay a tenth
            self._flush.start(max(FLUSH_MS, int((time.perf_counter() - began) * 10_000)))

    def _paint_from(self, row: int, piece: int) -> None:
        tops = self.flow.entry(row).tops
        y = max(0, self._y(row) + tops[min(piece, len(tops) - 1)])
        self.viewport().update(QRect(0, y, self.viewport().width(), self.viewport().height() - y))

    def _y(self, row: int) -> int:
        """Return where a turn begins in the viewport."""
        return MARGIN + self.flow.heights.top(row) - self._scroll()

    def _scroll(self) -> int:
        return self.verticalScrollBar().value()

    def _left(self) -> int:
        return (self.viewport().width() - self.flow.width) // 2

    def _boxes(self, row: int) -> list[Box]:
        return self.flow.boxes(row, self._left(), self._scroll(), self.viewport().height())

    def _seen(self) -> list[Box]:
        return [box for row in self.visible() for box in self._boxes(row)]

    def visible(self) -> range:
        """Return the rows that are seen."""
        if not self.flow.turns:
            return range(0)
        top = self._scroll() - MARGIN
        return range(
            self.flow.heights.at(top), self.flow.heights.at(top + self.viewport().height()) + 1
        )

    def _place(self, *, paint: bool = True) -> bool:
        """Lay out what is seen, keep the reader's place, set the scrollbar; tell whether a height
        changed.
        """
        bar = self.verticalScrollBar()
        self.flow.width = max(120, min(COLUMN, self.viewport().width() - 2 * MARGIN))
        anchor = self.flow.anchor(bar.value() - MARGIN) if self.flow.turns else (0, 0, 0)
        changed, again = False, True
        while again:  # laying out changes heights, which changes what is seen
            again = self._measure(self._wanted(anchor))
            changed = changed or again
        self._setting = True
        bar.setPageStep(self.viewport().height())
        bar.setSingleStep(40)
        if not bar.isSliderDown():
            bar.setRange(0, self._bottom())
            bar.setValue(self._wanted(anchor))
        self._setting = False
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
        """Lay out the turns near a scroll position; tell whether a height changed."""
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
        """Paint the pieces that are seen."""
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
        painter.end()

    def _spoken_of(self, box: Box) -> list[QAbstractTextDocumentLayout.Selection]:
        row, spoken = box.place.entry, self.spoken
        if spoken.turn is None or self.flow.turns[row].id != spoken.turn.id:
            return []
        return spoken.selections(self.flow.entry(row).pieces, box.place.piece, self.flow.tokens)

    def focused_rect(self) -> QRectF | None:
        """Return where the keyboard is, if anywhere."""
        return None

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap anew what is seen, the same character at the top; the rest when it comes near."""
        top = None if self._stick else self.place_at(QPointF(self.viewport().width() / 2, 1))[0]
        super().resizeEvent(event)
        self._place()
        if top is not None and (rect := self._rect_of(top)) is not None:
            self.verticalScrollBar().setValue(self._scroll() + int(rect.top()))

    def _rect_of(self, place: Place) -> QRect | None:
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

    def place_at(self, point: QPointF) -> tuple[Place | None, str]:
        """Return the character at a point of the viewport, and the link there."""
        return self.flow.hit(self._seen(), point)
