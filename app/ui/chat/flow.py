"""The layout of turns in a column; only turns near the visible part are laid out."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QPointF, QRect, QRectF, Qt

from app.ui.chat.paint import (
    HEAD,
    MARGIN,
    TURN_GAP,
    PieceBox,
    above,
    buttons_of,
    extra_height,
    gap_of,
    inner_width,
    side_of,
    stretch_rect,
)
from app.ui.chat.piece import TextPosition
from app.ui.chat.turn import TurnEntry
from app.ui.theme.tokens import LIGHT, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.domain.conversation import Turn
    from app.ui.controls.actions import Unfold
    from app.ui.markdown.tables import TableLayout


CHUNK = 128


class Heights:
    """Heights in pixels, by row."""

    def __init__(self) -> None:
        self.reset(0, 0)

    def reset(self, count: int, each: int) -> None:
        """Start over with `count` rows of the same height."""
        self._all = [each] * count
        self._sums = [sum(self._all[i : i + CHUNK]) for i in range(0, count, CHUNK)]

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, row: int) -> int:
        return self._all[row]

    def append(self, height: int) -> None:
        """Add a row at the end."""
        if len(self._all) % CHUNK == 0:
            self._sums.append(0)
        self._all.append(height)
        self._sums[-1] += height

    def set(self, row: int, height: int) -> None:
        """Change the height of a row."""
        self._sums[row // CHUNK] += height - self._all[row]
        self._all[row] = height

    def top(self, row: int) -> int:
        """Return the top of a row. For the index after the last row, return the bottom of the last
        row.
        """
        chunk = row // CHUNK
        return sum(self._sums[:chunk]) + sum(self._all[chunk * CHUNK : row])

    def at(self, y: int) -> int:
        """Return the row at a position, the nearest row if the position is outside, or 0 if there
        are no rows.
        """
        above, row = 0, 0
        for height in self._sums:
            if above + height > y:
                break
            above += height
            row += CHUNK
        while row < len(self._all) and above + self._all[row] <= y:
            above += self._all[row]
            row += 1
        return max(0, min(row, len(self._all) - 1))

    @property
    def total(self) -> int:
        """Return the total height of all rows."""
        return sum(self._sums)


ESTIMATE = 200  # in pixels: assumed height of a turn that has not been shown yet
KEPT = 64  # number of turns whose documents stay in memory
MANY = 24  # in a turn with more pieces than this, only those near the visible part are laid out


class Hot(NamedTuple):
    """An item that can be clicked: its position, the text of its action, and its rectangle in the
    viewport.
    """

    place: TextPosition
    href: str
    rect: QRectF


class TurnColumn:
    """The turns of a conversation, laid out as a column of a given width. The coordinate y is
    measured from the top of the first turn.
    """

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.heights = Heights()
        self.tokens: Tokens = LIGHT
        self.width = 600
        self.layouts = 0  # number of documents laid out so far; used only by tests
        self._entries: OrderedDict[int, TurnEntry] = OrderedDict()
        self._opened: dict[str, set[Unfold]] = {}
        self._asides: dict[str, str] = {}
        self._views: dict[str, dict[int, TableLayout]] = {}
        self._branches: dict[str, tuple[int, int]] = {}

    def set_turns(self, turns: list[Turn], branches: dict[str, tuple[int, int]]) -> None:
        """Set the turns of a conversation.

        branches: for each turn that has alternatives, its position among them and their number.
        """
        self.turns, self._branches = list(turns), branches
        self.heights.reset(len(turns), ESTIMATE)
        self._entries.clear()

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme; documents are created again when they are next shown."""
        self.tokens = tokens
        self._entries.clear()

    def add(self, turn: Turn) -> int:
        """Add a turn at the end and return its row."""
        self.turns.append(turn)
        self.heights.append(ESTIMATE)
        return len(self.turns) - 1

    def row_of(self, turn: Turn) -> int | None:
        """Return the row of a turn, searching from the newest; None if it is not in the
        conversation.
        """
        return next(
            (i for i in range(len(self.turns) - 1, -1, -1) if self.turns[i].id == turn.id), None
        )

    def entry(self, row: int) -> TurnEntry:
        """Return the pieces of a turn, creating them if they are not cached."""
        entry = self._entries.get(row)
        if entry is None:
            turn = self.turns[row]
            entry = self._entries[row] = TurnEntry(
                turn, self._opened.setdefault(turn.id, set()), self.tokens
            )
            entry.aside = self._asides.get(turn.id, "")
            entry.branch = self._branches.get(turn.id, (1, 1))
            entry.views = self._views.setdefault(turn.id, {})
            entry.rebuild()
            while len(self._entries) > KEPT:
                self._entries.popitem(last=False)
        elif entry.turn.is_read and not entry.is_read:
            entry.rebuild()
        self._entries.move_to_end(row)
        return entry

    def live(self) -> int:
        """Return the number of turns with documents in memory."""
        return len(self._entries)

    def rebuild(self, row: int) -> int:
        """Update a turn; return the first piece that changed."""
        kept = row in self._entries
        entry = self.entry(row)
        entry.aside = self._asides.get(entry.turn.id, "")
        return entry.rebuild() if kept else 0

    def take_up(self) -> bool:
        """Schedule a new layout for turns that were waiting for formulas; return whether there were
        any.
        """
        return any([entry.take_up() for entry in self._entries.values()])

    def toggle(self, turn: Turn, what: Unfold) -> None:
        """Expand or collapse a part of a turn."""
        self._opened.setdefault(turn.id, set()).symmetric_difference_update({what})
        row = self.row_of(turn)
        if row is not None:
            self.entry(row).refresh()

    def set_aside(self, turn: Turn, text: str) -> None:
        """Set the text that is shown to the right of a turn's actions."""
        self._asides[turn.id] = text

    def measure(self, row: int, near: tuple[int, int] | None = None) -> bool:
        """Lay out the part of a turn that is needed; return whether a height changed.

        near: the range of y, from the top of the turn, in which a long turn is laid out. Heights
        outside the range are estimated.
        """
        entry = self.entry(row)
        if entry.width not in (self.width, -1):
            entry.rejoin()  # lines now wrap at different places
        known = entry.width == self.width
        start, entry.width = min(entry.dirty, len(entry.tops) - 1) if known else 0, self.width
        entry.dirty = len(entry.pieces)
        if near is None or len(entry.pieces) <= MANY:
            start, entry.partial = 0 if entry.partial else start, False
            if start < len(entry.pieces) or len(entry.tops) != start + 1:
                self._lay(entry, range(start, len(entry.pieces)))
            return self._settle(row)
        if start < len(entry.pieces) or len(entry.tops) != start + 1:
            self._stack(entry, range(start, len(entry.pieces)))
            entry.partial = True
        laid = known and self._lay(entry, entry.between(*near))
        return self._settle(row) or laid or not known

    def make(self, row: int, number: int) -> None:
        """Lay out one piece of a turn."""
        if self.entry(row).partial:
            self._lay(self.entry(row), range(number, number + 1))
            self._settle(row)

    def make_found(self, row: int, words: str) -> None:
        """Lay out those pieces of a turn whose source contains a given text."""
        wanted, entry = words.casefold(), self.entry(row)
        for number, piece in enumerate(entry.pieces if entry.partial else []):
            if wanted in piece.source.casefold():
                self.make(row, number)

    def _lay(self, entry: TurnEntry, numbers: range) -> bool:
        """Lay out the pieces that have no layout yet, and move the pieces below them.

        Return whether any piece was laid out.
        """
        laid = 0
        for piece in entry.pieces[numbers.start : numbers.stop]:
            laid += piece.lay_out(inner_width(piece, self.width), self.tokens)
        self.layouts += laid
        if laid or len(entry.tops) <= numbers.stop:
            self._stack(entry, numbers)
        return bool(laid)

    def _stack(self, entry: TurnEntry, numbers: range) -> None:
        """Stack pieces vertically and move the pieces after them."""
        tops, below = (
            entry.tops,
            entry.tops[numbers.stop + 1 :] if numbers.stop < len(entry.pieces) else [],
        )
        before = tops[numbers.stop] if below else 0
        del tops[numbers.start + 1 :]
        y = tops[numbers.start]
        for number in numbers:
            piece = entry.pieces[number]
            room = piece.room(inner_width(piece, self.width))
            y += gap_of(entry.pieces, number) + room + extra_height(piece)
            tops.append(y)
        tops += [top + y - before for top in below] if y != before else below

    def _settle(self, row: int) -> bool:
        """Update the height of a turn; return whether it has changed."""
        height = self.entry(row).tops[-1] + TURN_GAP
        changed = height != self.heights[row]
        if changed:
            self.heights.set(row, height)
        return changed

    def anchor(self, y: int) -> tuple[int, int, int]:
        """Return the turn and piece at a position, and the distance in pixels from the top of the
        piece.
        """
        row = self.heights.at(y)
        inside, entry = y - self.heights.top(row), self._entries.get(row)
        if entry is None or entry.width != self.width or len(entry.tops) < 2:
            return row, 0, inside
        piece = max(0, min(bisect_right(entry.tops, inside) - 1, len(entry.tops) - 2))
        return row, piece, inside - entry.tops[piece]

    def top_of(self, anchor: tuple[int, int, int]) -> int:
        """Return the current position of an `anchor`."""
        row, piece, inside = anchor
        entry = self._entries.get(row)
        tops = entry.tops if entry is not None and entry.width == self.width else [0]
        return self.heights.top(row) + tops[min(piece, len(tops) - 1)] + inside

    def boxes(self, row: int, left: int, scroll: int, height: int) -> list[PieceBox]:
        """Return the visible pieces of a turn that has been measured.

        height: the height of the viewport.
        """
        entry, y = self.entry(row), MARGIN + self.heights.top(row) - scroll
        first = max(0, bisect_right(entry.tops, -y) - 1)
        last = bisect_right(entry.tops, height - y, first)
        return [self.box(row, i, left, y) for i in range(first, min(last, len(entry.pieces)))]

    def box(self, row: int, number: int, left: int, y: int) -> PieceBox:
        """Return the box of a piece. y: the top of the turn in the viewport."""
        entry = self.entry(row)
        piece = entry.pieces[number]
        top = y + entry.tops[number] + gap_of(entry.pieces, number)
        side, inner, x = side_of(piece), inner_width(piece, self.width), left
        if piece.kind in ("question", "reading") and piece.document is not None:
            inner = min(inner, int(piece.document.idealWidth()) + 2)
            x = left + self.width - inner - 2 * side if piece.kind == "question" else left
        rect = QRect(x, top, inner + 2 * side, piece.height + extra_height(piece))
        return PieceBox(
            TextPosition(row, number, 0), piece, rect, QPointF(x + side, top + above(piece))
        )

    def hot(self, boxes: list[PieceBox]) -> list[Hot]:
        """Return the clickable items in some boxes, in reading order."""
        made: list[Hot] = []
        for box in boxes:
            if box.piece.document is None:
                continue
            for button in buttons_of(box.piece, box.place.piece, box.rect):
                made.append(Hot(box.place, button.action.href, button.rect))
            for link in box.piece.document.links():
                rect = stretch_rect(box.piece.document, link.start, link.length)
                place = TextPosition(box.place.entry, box.place.piece, link.start)
                made.append(Hot(place, link.href, rect.translated(box.origin)))
        return made

    def _button_at(self, box: PieceBox, point: QPointF) -> str:
        """Return the action of the button at a point; empty if there is no button there."""
        if point.y() >= box.rect.top() + HEAD:
            return ""
        buttons = buttons_of(box.piece, box.place.piece, box.rect)
        wide = (b for b in buttons if b.rect.adjusted(-6, -3, 6, 3).contains(point))
        return next((b.action.href for b in wide), "")

    def look(self, place: TextPosition, change: Callable[[TableLayout], TableLayout]) -> None:
        """Change how the table at a position is displayed."""
        entry = self.entry(place.entry)
        piece = entry.pieces[place.piece]
        entry.look(piece, change(piece.view))

    def hit(self, boxes: list[PieceBox], point: QPointF) -> tuple[TextPosition | None, str]:
        """Return the character and the link at a point in some boxes."""
        for box in boxes:
            if box.piece.document is None or point.y() > box.rect.bottom() + 1:
                continue
            link = self._button_at(box, point)
            layout, inside = box.piece.document.documentLayout(), point - box.origin
            at = layout.hitTest(inside, Qt.HitTestAccuracy.FuzzyHit)
            link = link or layout.anchorAt(inside)
            return TextPosition(box.place.entry, box.place.piece, max(0, at)), link
        return None, ""
