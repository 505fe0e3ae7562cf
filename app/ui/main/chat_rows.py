"""Paint the rows of the list of conversations: headings, titles, and the words around what was
found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.ui.theme.icons import icon
from app.ui.theme.theme import text_font
from app.ui.theme.tokens import CHROME_PX, LIGHT, RADIUS, Tokens

if TYPE_CHECKING:
    from PySide6.QtCore import QModelIndex, QPersistentModelIndex

    Index = QModelIndex | QPersistentModelIndex

UID = int(Qt.ItemDataRole.UserRole)  # of a conversation; empty for a heading
TURN, EXCERPT, FOLDER, PINNED, ABOUT = UID + 1, UID + 2, UID + 3, UID + 4, UID + 5
MORE_PX = 24  # at the right of a row: what opens its menu
ROW_PX, TWO_LINES_PX, HEAD_PX, FIRST_HEAD_PX, SIDE, SMALL_PX = 33, 50, 34, 26, 8, 11
MEANT = "≈ "  # before the words of what was found by its meaning
LEAD = 16  # letters of an excerpt before what was found
ELLIPSIS = Qt.TextElideMode.ElideRight


class Rows(QStyledItemDelegate):
    """One or two lines for a conversation, a small faint line for a heading. found: the words
    looked for.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.tokens: Tokens = LIGHT
        self.found: list[str] = []

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of a row."""
        if not index.data(UID):
            return QSize(0, HEAD_PX if index.row() else FIRST_HEAD_PX)
        two = index.data(EXCERPT) or index.data(ABOUT)
        return QSize(0, TWO_LINES_PX if two else ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one row."""
        rect: QRect = option.rect  # pyright: ignore[reportAttributeAccessIssue]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if index.data(UID):
            self._conversation(painter, option, rect, index)
        else:
            self._heading(painter, option, rect, index)
        painter.restore()

    def _heading(
        self, painter: QPainter, option: QStyleOptionViewItem, rect: QRect, index: Index
    ) -> None:
        folded: bool | None = index.data(FOLDER)
        painter.setFont(spaced_font())
        painter.setPen(QColor(self.tokens.faint))
        line = rect.adjusted(SIDE, 0, -SIDE, -4)
        if folded is not None:
            painter.drawText(line, bottom_left(), "▸" if folded else "▾")
            line.setLeft(line.left() + 14)
            if has_focus(option):
                self._ring(painter, rect.adjusted(2, rect.height() - 24, -2, -1))
        text = painter.fontMetrics().elidedText(index.data(), ELLIPSIS, line.width())
        painter.drawText(line, bottom_left(), text)

    def _conversation(
        self, painter: QPainter, option: QStyleOptionViewItem, rect: QRect, index: Index
    ) -> None:
        box = rect.adjusted(0, 1, 0, -1)
        self._ground(painter, option, box)
        line = box.adjusted(SIDE, 0, -SIDE, 0)
        if has_more(option):
            icon("more", self.tokens.muted, 16).paint(painter, more_rect(rect))
            line.setRight(box.right() - MORE_PX)
        if index.data(PINNED):
            mark = QRect(line.right() - 12, line.center().y() - 6, 13, 13)
            icon("pin", self.tokens.faint, 13).paint(painter, mark)
            line.setRight(line.right() - 18)
        excerpt: str = index.data(EXCERPT) or ""
        about: str = "" if excerpt else index.data(ABOUT) or ""
        if excerpt or about:
            line.setHeight(line.height() // 2 + 2)
        painter.setFont(text_font(CHROME_PX))
        painter.setPen(QColor(self.tokens.text))
        title = painter.fontMetrics().elidedText(index.data(), ELLIPSIS, line.width())
        painter.drawText(
            line, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), title
        )
        below = QRect(
            line.left(), line.bottom() - 2, line.width(), box.bottom() - line.bottom() - 2
        )
        if excerpt:
            self._excerpt(painter, below, excerpt)
        elif about:
            painter.setFont(text_font(SMALL_PX))
            painter.setPen(QColor(self.tokens.muted))
            words = painter.fontMetrics().elidedText(about, ELLIPSIS, below.width())
            painter.drawText(below, 0, words)

    def _ground(self, painter: QPainter, option: QStyleOptionViewItem, box: QRect) -> None:
        state = option.state  # pyright: ignore[reportAttributeAccessIssue]
        painter.setPen(Qt.PenStyle.NoPen)
        if state & QStyle.StateFlag.State_Selected:
            painter.setBrush(QColor(self.tokens.accent_soft))
            painter.drawRoundedRect(box, RADIUS, RADIUS)
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(QColor(self.tokens.own))
            painter.drawRoundedRect(box, RADIUS, RADIUS)
        if has_focus(option):
            self._ring(painter, box)

    def _ring(self, painter: QPainter, box: QRect) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QColor(self.tokens.accent))
        painter.drawRoundedRect(box.adjusted(0, 0, -1, -1), RADIUS, RADIUS)

    def _excerpt(self, painter: QPainter, line: QRect, text: str) -> None:
        """Paint a line of words, those that were looked for in the accent."""
        painter.setFont(text_font(SMALL_PX))
        metrics, x = painter.fontMetrics(), line.left()
        shown = metrics.elidedText(near_hit(text, self.found), ELLIPSIS, line.width())
        for part, hit in parts_of(shown, self.found):
            painter.setPen(QColor(self.tokens.accent if hit else self.tokens.muted))
            painter.drawText(QRect(x, line.top(), line.width(), line.height()), 0, part)
            x += metrics.horizontalAdvance(part)


def has_more(option: QStyleOptionViewItem) -> bool:
    """Tell whether a row shows what opens its menu: the open one, and the one under the mouse."""
    state = option.state  # pyright: ignore[reportAttributeAccessIssue]
    return bool(state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver))


def more_rect(row: QRect) -> QRect:
    """Return where a row shows what opens its menu."""
    return QRect(row.right() - MORE_PX + 4, row.center().y() - 8, 16, 16)


def near_hit(text: str, words: list[str]) -> str:
    """Return a line from a few letters before the first of the words on: the list is narrow."""
    before = len(next((part for part, hit in parts_of(text, words) if not hit), ""))
    if before <= LEAD or before == len(text):
        return text
    cut = text.rfind(" ", 0, before - LEAD // 2)
    return f"…{text[cut + 1 :]}" if cut >= before - 2 * LEAD else f"…{text[before - LEAD :]}"


def parts_of(text: str, words: list[str]) -> list[tuple[str, bool]]:
    """Return a text in pieces, and of each whether it is one of the words."""
    folded, at, made = text.lower(), 0, list[tuple[str, bool]]()
    if len(folded) != len(text):  # a letter that changes its length: nothing is marked
        return [(text, False)]
    while at < len(text):
        hits = [(folded.find(w.lower(), at), -len(w)) for w in words if w]
        start, length = min(((s, n) for s, n in hits if s >= 0), default=(len(text), 0))
        made += [(text[at:start], False)] if start > at else []
        made += [(text[start : start - length], True)] if length else []
        at = start - length
    return made


def bottom_left() -> int:
    """Return the corner headings stand in."""
    return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom)


def has_focus(option: QStyleOptionViewItem) -> bool:
    """Tell whether the keyboard is on a row."""
    return bool(option.state & QStyle.StateFlag.State_HasFocus)  # pyright: ignore[reportAttributeAccessIssue]


def spaced_font() -> QFont:
    """Return the font of headings."""
    font = text_font(SMALL_PX)
    font.setCapitalization(QFont.Capitalization.AllUppercase)
    font.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, 0.6)
    return font
