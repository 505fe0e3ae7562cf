"""The conversation: a canvas that owns small documents, laid out only near what is seen."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QAbstractTextDocumentLayout, QColor, QGuiApplication, QKeySequence, QPainter
from PySide6.QtWidgets import QAbstractScrollArea, QToolButton, QWidget

from app.ui.chat.painting import (
    BUBBLE_PAD,
    ESTIMATE,
    GAPS,
    MARGIN,
    TURN_GAP,
    inner_width,
    padding,
    paint_piece,
)
from app.ui.chat.pieces import Entry, Piece
from app.ui.chat.selection import Place, Selection
from app.ui.style.icons import icon
from app.ui.style.tokens import COLUMN, LIGHT, Tokens

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent, QResizeEvent

    from app.domain.conversation import Turn

FLUSH_MS = 33


class ConversationView(QAbstractScrollArea):
    """Shows the turns of a conversation.

    Signals: linked(turn, address) for a link that was pressed: cite:n, alt:n, step:n, act:…, http(s).
    """

    linked = Signal(object, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tokens: Tokens = LIGHT
        self.entries: list[Entry] = []
        self.layouts = 0
        self._tops: list[int] = [0]
        self._stick = True
        self._setting = False
        self._dirty: set[int] = set()
        self._pressed: Place | None = None
        self.selection = Selection()
        self._flush = QTimer(self)
        self._flush.setInterval(FLUSH_MS)
        self._flush.setSingleShot(True)
        self._flush.timeout.connect(self._refresh)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setAccessibleName("Conversation")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self._latest = QToolButton(self)
        self._latest.setAccessibleName("Jump to latest")
        self._latest.setToolTip("Jump to latest")
        self._latest.clicked.connect(self.to_end)
        self._latest.hide()
        self.set_tokens(LIGHT)

    def set_tokens(self, tokens: Tokens) -> None:
        """Dress the view in a theme."""
        self.tokens = tokens
        self._latest.setIcon(icon("down", tokens.muted))
        for entry in self.entries:
            for piece in entry.pieces:
                piece.document, piece.width = None, -1
            entry.rebuild(tokens)
        self._place()
        self.viewport().update()

    def set_turns(self, turns: list[Turn]) -> None:
        """Show a conversation, at its end; only what is seen is laid out."""
        self.entries = [Entry(turn, height=ESTIMATE) for turn in turns]
        self.selection.clear()
        self._stick = True
        self._place()
        self.viewport().update()

    def add_turn(self, turn: Turn) -> None:
        """Show a new turn at the end."""
        self.entries.append(Entry(turn, height=ESTIMATE))
        self._stick = True
        self.touch(turn)

    def touch(self, turn: Turn) -> None:
        """Show what a turn has become, at most thirty times a second."""
        for index in range(len(self.entries) - 1, -1, -1):
            if self.entries[index].turn is turn:
                self._dirty.add(index)
                break
        if not self._flush.isActive():
            self._flush.start()

    def toggle_step(self, turn: Turn, index: int) -> None:
        """Open or close the details of a step."""
        for entry in self.entries:
            if entry.turn is turn:
                entry.open_steps ^= {index}
                self.touch(turn)

    def to_end(self) -> None:
        """Go to the end and stay there."""
        self._stick = True
        self._place()
        self.viewport().update()

    def _refresh(self) -> None:
        for index in self._dirty:
            if index < len(self.entries):
                self.entries[index].rebuild(self.tokens)
        self._dirty.clear()
        self._place()
        self.viewport().update()

    def _column(self) -> tuple[int, int]:
        width = min(COLUMN, self.viewport().width() - 2 * MARGIN)
        return (self.viewport().width() - width) // 2, max(width, 120)

    def _place(self) -> None:
        """Lay out what is seen, keep the reader's place, set the scrollbar."""
        bar = self.verticalScrollBar()
        anchor = self._anchor()
        for _ in range(3):  # laying out changes heights, which changes what is seen
            self._tops = [0, *accumulate(e.height + TURN_GAP for e in self.entries)]
            top = self._wanted_top(anchor)
            if not self._measure(top):
                break
        total = self._tops[-1] + MARGIN * 2
        self._setting = True
        bar.setPageStep(self.viewport().height())
        bar.setSingleStep(40)
        if not bar.isSliderDown():
            bar.setRange(0, max(0, total - self.viewport().height()))
            bar.setValue(self._wanted_top(anchor))
        self._setting = False
        self._show_latest()

    def _anchor(self) -> tuple[int, int]:
        top = self.verticalScrollBar().value()
        index = max(0, min(bisect_right(self._tops, top) - 1, len(self.entries) - 1))
        return index, top - self._tops[index] if index < len(self._tops) else 0

    def _wanted_top(self, anchor: tuple[int, int]) -> int:
        if self._stick:
            return max(0, self._tops[-1] + MARGIN * 2 - self.viewport().height())
        return self._tops[min(anchor[0], len(self._tops) - 1)] + anchor[1]

    def _measure(self, top: int) -> bool:
        """Lay out the entries near `top`; tell whether a height changed."""
        _, width = self._column()
        first = max(0, bisect_right(self._tops, top) - 2)
        bottom, changed = top + self.viewport().height() + 200, False
        for index in range(first, len(self.entries)):
            if self._tops[index] > bottom:
                break
            entry = self.entries[index]
            if not entry.pieces:
                entry.rebuild(self.tokens)
            if entry.width != width:
                height = self._lay_out(entry, width)
                changed = changed or height != entry.height
                entry.height, entry.width = height, width
        return changed

    def _lay_out(self, entry: Entry, width: int) -> int:
        height = 0
        for piece in entry.pieces:
            before = piece.width
            inner = inner_width(piece, width)
            made = piece.lay_out(inner, self.tokens)
            self.layouts += before != piece.width
            height += GAPS[piece.kind] + made + 2 * padding(piece)
        return height

    def _boxes(self, index: int) -> list[tuple[Piece, QRect, QPointF]]:
        """Return the pieces of an entry with their boxes and where their documents begin, in the viewport."""
        left, width = self._column()
        y = MARGIN + self._tops[index] - self.verticalScrollBar().value()
        made: list[tuple[Piece, QRect, QPointF]] = []
        for piece in self.entries[index].pieces:
            y += GAPS[piece.kind]
            pad, side = padding(piece), BUBBLE_PAD if piece.kind in ("question", "code", "reading") else 0
            box_width, x = inner_width(piece, width) + 2 * side, left
            if piece.kind in ("question", "reading") and piece.document is not None:
                box_width = min(box_width, int(piece.document.idealWidth()) + 2 * side + 2)
                x = left + width - box_width if piece.kind == "question" else left
            box = QRect(x, y, box_width, piece.height + 2 * pad)
            made.append((piece, box, QPointF(x + side, y + pad)))
            y += box.height()
        return made

    def visible(self) -> range:
        """Return the indexes of the entries that are seen."""
        top = self.verticalScrollBar().value()
        first = max(0, bisect_right(self._tops, top - MARGIN) - 1)
        last = bisect_right(self._tops, top + self.viewport().height())
        return range(first, min(last, len(self.entries)))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the pieces that are seen."""
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(event.rect(), QColor(self.tokens.background))
        for index in self.visible():
            for number, (piece, box, origin) in enumerate(self._boxes(index)):
                if piece.document is not None and box.intersects(event.rect()):
                    paint_piece(
                        painter, piece, box, origin, self._selected(index, number, piece), self.tokens
                    )

    def _selected(self, entry: int, number: int, piece: Piece) -> list[QAbstractTextDocumentLayout.Selection]:
        return self.selection.for_piece(Place(entry, number, 0), piece, self.tokens)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap anew what is seen; the rest when it comes near."""
        super().resizeEvent(event)
        self._place()

    def _on_scrolled(self, value: int) -> None:
        if self._setting:
            return
        self._stick = value >= self.verticalScrollBar().maximum() - 2
        self._place()
        self.viewport().update()

    def _show_latest(self) -> None:
        bar = self.verticalScrollBar()
        self._latest.setVisible(not self._stick and bar.value() < bar.maximum() - 40)
        self._latest.setGeometry(self.width() // 2 - 18, self.height() - 48, 36, 36)

    def place_at(self, point: QPointF, *, exact: bool = False) -> tuple[Place | None, str]:
        """Return the character at a point of the viewport, and the link there."""
        for index in self.visible():
            for number, (piece, box, origin) in enumerate(self._boxes(index)):
                if piece.document is not None and box.top() <= point.y() <= box.bottom():
                    layout = piece.document.documentLayout()
                    at = layout.hitTest(point - origin, Qt.HitTestAccuracy.FuzzyHit)
                    return Place(index, number, max(0, at)), layout.anchorAt(point - origin)
        return None, ""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a selection."""
        place, _ = self.place_at(event.position())
        self._pressed = place
        self.selection.begin(place)
        self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Extend the selection, or show what is under the pointer."""
        place, link = self.place_at(event.position())
        if self._pressed is not None and event.buttons() & Qt.MouseButton.LeftButton:
            self.selection.extend(place)
            self.viewport().update()
        shape = Qt.CursorShape.PointingHandCursor if link else Qt.CursorShape.IBeamCursor
        self.viewport().setCursor(shape if place else Qt.CursorShape.ArrowCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Follow a link if nothing was selected."""
        place, link = self.place_at(event.position())
        self._pressed = None
        if link and place is not None and self.selection.is_empty():
            self.linked.emit(self.entries[place.entry].turn, link)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy, select all, page, home and end."""
        bar = self.verticalScrollBar()
        moves = {
            Qt.Key.Key_PageUp: -bar.pageStep(),
            Qt.Key.Key_PageDown: bar.pageStep(),
            Qt.Key.Key_Up: -bar.singleStep(),
            Qt.Key.Key_Down: bar.singleStep(),
            Qt.Key.Key_Home: -bar.maximum(),
        }
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.selected_text())
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.selection.all(self.entries)
            self.viewport().update()
        elif event.key() == Qt.Key.Key_End:
            self.to_end()
        elif event.key() in moves:
            bar.setValue(bar.value() + moves[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def selected_text(self) -> str:
        """Return the selected text of all pieces, as shown."""
        return self.selection.text(self.entries, self.tokens)
