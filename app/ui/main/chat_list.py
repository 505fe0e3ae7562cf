"""The list of conversations, in groups or as search results, with keys to open, rename and delete
them.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from PySide6.QtCore import QDate, QLocale, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QFont, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.domain.conversation import ChatGroup, grouped
from app.domain.semantic_search import by_chat
from app.ui.controls.keys import is_typed
from app.ui.theme.i18n import tr
from app.ui.theme.icons import icon
from app.ui.theme.style import scaled, text_font
from app.ui.theme.tokens import CHROME_PX, LIGHT, RADIUS, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QModelIndex, QPersistentModelIndex
    from PySide6.QtGui import QKeyEvent

    from app.domain.conversation import Conversation, FoundTurn

    Index = QModelIndex | QPersistentModelIndex


class ChatList(QListWidget):
    """The list of conversations.

    Signals: opened(conversation id, turn id or an empty text), trash_wanted(id), renamed(id,
    title), menu_wanted(id, point on the screen), left() when Up is pressed on the first row.
    draft_of: a function that returns the draft of a chat.
    """

    opened = Signal(str, str)
    trash_wanted = Signal(str)
    renamed = Signal(str, str)
    menu_wanted = Signal(str, QPoint)
    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Conversations"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setMouseTracking(True)
        self.rows = ChatRows(self)
        self.setItemDelegate(self.rows)
        self._folded: set[str] = set()
        self._shown: list[Conversation] = []
        self._current: str | None = None
        self.draft_of: Callable[[str], str] = lambda _: ""
        self._filling = False
        self.itemActivated.connect(self._on_chosen)
        self.itemClicked.connect(self._on_chosen)
        self.itemChanged.connect(self._on_changed)

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        self.rows.tokens = tokens
        self.viewport().update()

    def ids(self) -> list[str]:
        """Return the ids of the visible conversations, in order."""
        found = [self.item(row).data(UID) for row in range(self.count())]
        return [uid for uid in found if uid]

    def title_of(self, uid: str) -> str:
        """Return the title of a conversation; empty if it is not in the list."""
        items = (self.item(row) for row in range(self.count()))
        return next((item.text() for item in items if item.data(UID) == uid), "")

    def show_groups(self, conversations: list[Conversation], current: str | None) -> None:
        """Show conversations in their groups. current: the conversation to mark."""
        self._shown, self._current = conversations, current
        self._fill(grouped(conversations, date.today()))

    def show_plain(self, heading: str, conversations: list[Conversation]) -> None:
        """Show conversations under a single heading."""
        self._fill([ChatGroup(heading, "day", conversations)])

    def show_found(self, found: list[FoundTurn], wanted: str) -> None:
        """Show search results: titles, and turns with the text around the match."""
        at = (
            (self.currentItem().data(UID), self.currentItem().data(TURN))
            if self.currentRow() >= 0
            else None
        )
        self._filling = True
        self.clear()
        self.rows.found = wanted.split()
        head = tr("Found") if found else tr("Nothing found")
        self._heading(head, None)
        for one in by_chat(found):
            item = self._row(one.conversation_id, one.title)
            item.setData(TURN, one.turn_id)
            meant = one.by == "meaning"
            item.setData(
                EXCERPT, f"{MEANT}{one.excerpt}" if meant else one.excerpt if one.turn_id else ""
            )
            told = tr("Found by meaning: {words}", words=one.excerpt) if meant else one.excerpt
            item.setToolTip(told)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{one.title}. {told}")
            if at == (one.conversation_id, one.turn_id):  # keeps the selection on the same result
                self.setCurrentItem(item)
        self._filling = False

    def _fill(self, groups: list[ChatGroup]) -> None:
        self._filling = True
        self.clear()
        self.rows.found = []
        for group in groups:
            folded = group.name in self._folded if group.kind == "folder" else None
            self._heading(heading(group), folded)
            for one in [] if folded else group.conversations:
                item = self._row(one.id, one.title)
                item.setData(PINNED, one.pinned)
                self._tell(item, one)
                if one.id == self._current:
                    self.setCurrentItem(item)
        self._filling = False

    def tell_about(self, one: Conversation) -> None:
        """Update the line below a conversation's title."""
        self._filling = True
        for row in range(self.count()):
            if self.item(row).data(UID) == one.id and not self.item(row).data(EXCERPT):
                self._tell(self.item(row), one)
        self._filling = False

    def _tell(self, item: QListWidgetItem, one: Conversation) -> None:
        open_now = one.id == self._current
        tell_about(item, one, "" if open_now else self.draft_of(one.id))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Open a conversation's menu if its menu button was pressed; otherwise, open the
        conversation.
        """
        item = self.itemAt(event.position().toPoint())
        at = event.position().toPoint()
        left = event.button() == Qt.MouseButton.LeftButton
        if item is not None and item.data(UID) and left:
            rect = self.visualItemRect(item)
            if at.x() >= rect.right() - MORE_PX:
                corner = more_rect(rect).bottomLeft()
                self.menu_wanted.emit(item.data(UID), self.viewport().mapToGlobal(corner))
                return
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Do not open the conversation if its menu was opened."""
        item = self.itemAt(event.position().toPoint())
        if item is not None and item.data(UID):
            rect = self.visualItemRect(item)
            if event.position().x() >= rect.right() - MORE_PX:
                return
        super().mouseReleaseEvent(event)

    def _heading(self, text: str, folded: bool | None) -> None:
        item = QListWidgetItem(text, self)
        item.setData(UID, "")
        item.setData(FOLDER, folded)
        flags = Qt.ItemFlag.NoItemFlags if folded is None else Qt.ItemFlag.ItemIsEnabled
        item.setFlags(flags)
        if folded is not None:
            said = (
                tr("Folder {text}, folded", text=text)
                if folded
                else tr("Folder {text}, open", text=text)
            )
            item.setData(Qt.ItemDataRole.AccessibleTextRole, said)

    def _row(self, uid: str, title: str) -> QListWidgetItem:
        item = QListWidgetItem(title, self)
        item.setData(UID, uid)
        item.setToolTip(title)
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
        return item

    def begin_rename(self, uid: str) -> None:
        """Edit the title of a conversation in its row."""
        for row in range(self.count()):
            if self.item(row).data(UID) == uid:
                self.setFocus()
                self.setCurrentRow(row)
                self.editItem(self.item(row))
                return

    def _on_changed(self, item: QListWidgetItem) -> None:
        if not self._filling and item.data(UID):
            self.renamed.emit(item.data(UID), item.text())

    def _on_chosen(self, item: QListWidgetItem) -> None:
        if item.data(UID):
            self.opened.emit(item.data(UID), item.data(TURN) or "")
        elif item.data(FOLDER) is not None:
            name = item.text()
            self._folded.symmetric_difference_update({name})
            self.show_groups(self._shown, self._current)
            again = self.findItems(name, Qt.MatchFlag.MatchExactly)
            self.setCurrentItem(next(i for i in again if i.data(FOLDER) is not None))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete or rename a conversation, or leave the list with Up on the first row. Typed text
        goes to the composer.
        """
        at, key = self.currentRow(), Qt.Key(event.key())
        uid = self.item(at).data(UID) if at >= 0 else ""
        if key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and uid:
            self.trash_wanted.emit(uid)
        elif key == Qt.Key.Key_F2 and uid:
            self.begin_rename(uid)
        elif key == Qt.Key.Key_Up and self.currentRow() <= self.first_row():
            self.left.emit()
        elif is_typed(event):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def first_row(self) -> int:
        """Return the first row that can be selected."""
        enabled = (
            r for r in range(self.count()) if self.item(r).flags() & Qt.ItemFlag.ItemIsEnabled
        )
        return next(enabled, 0)

    def enter(self) -> None:
        """Take the keyboard focus, placing it on the current row or, failing that, the first
        row.
        """
        self.setFocus()
        if self.currentRow() < 0:
            self.setCurrentRow(self.first_row())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Request the menu of a conversation, by mouse or keyboard."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        item = self.currentItem() if by_key else self.itemAt(event.pos())
        if item is not None and item.data(UID):
            point = self.visualItemRect(item).center() if by_key else event.pos()
            self.menu_wanted.emit(item.data(UID), self.viewport().mapToGlobal(point))


def tell_about(item: QListWidgetItem, one: Conversation, draft: str) -> None:
    """Set the line below a title: the draft or, if there is none, the attachments and the number of
    questions.
    """
    count = [tr("%n questions", "", one.questions)] if one.questions else []
    about = " · ".join([*one.about, *count])
    if draft:
        about = tr("Draft: {words}", words=" ".join(draft[:DRAFT].split()))
    item.setData(ABOUT, about)
    item.setToolTip(f"{one.title}\n{about}" if about else one.title)
    item.setData(
        Qt.ItemDataRole.AccessibleTextRole, f"{one.title}. {about}" if about else one.title
    )


def heading(group: ChatGroup) -> str:
    """Return the heading of a group; the heading of a folder is the name that the user gave it."""
    if group.month is not None:
        month = QDate(group.month.year, group.month.month, 1)
        return QLocale().toString(month, tr("MMMM yyyy", "as QLocale writes a month"))
    return group.name if group.kind == "folder" else tr(group.name)


UID = int(Qt.ItemDataRole.UserRole)  # id of a conversation; empty for a heading
DRAFT = 120  # number of characters shown of a draft; more than fit on a line
TURN, EXCERPT, FOLDER, PINNED, ABOUT = UID + 1, UID + 2, UID + 3, UID + 4, UID + 5
MORE_PX = 24  # width in pixels of the area at the right of a row where a click opens its menu
ROW_PX, TWO_LINES_PX, HEAD_PX, FIRST_HEAD_PX, SIDE, SMALL_PX = 33, 50, 34, 26, 8, 11
MEANT = "≈ "  # mark before the excerpt of a result found by meaning
LEAD = 16  # number of characters shown before the match in an excerpt
ELLIPSIS = Qt.TextElideMode.ElideRight


class ChatRows(QStyledItemDelegate):
    """Paints one or two lines for a conversation, and a small faint line for a heading. found: the
    words that were searched for.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.tokens: Tokens = LIGHT
        self.found: list[str] = []

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of a row."""
        if not index.data(UID):
            return QSize(0, scaled(HEAD_PX if index.row() else FIRST_HEAD_PX))
        two = index.data(EXCERPT) or index.data(ABOUT)
        return QSize(0, scaled(TWO_LINES_PX if two else ROW_PX))

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
        """Paint a line of text, with the words that were searched for in the accent colour."""
        painter.setFont(text_font(SMALL_PX))
        metrics, x = painter.fontMetrics(), line.left()
        shown = metrics.elidedText(near_hit(text, self.found), ELLIPSIS, line.width())
        for part, hit in parts_of(shown, self.found):
            painter.setPen(QColor(self.tokens.accent if hit else self.tokens.muted))
            painter.drawText(QRect(x, line.top(), line.width(), line.height()), 0, part)
            x += metrics.horizontalAdvance(part)


def has_more(option: QStyleOptionViewItem) -> bool:
    """Return whether a row shows its menu button; the selected row and the row under the mouse
    do.
    """
    state = option.state  # pyright: ignore[reportAttributeAccessIssue]
    return bool(state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver))


def more_rect(row: QRect) -> QRect:
    """Return the rectangle of a row's menu button."""
    return QRect(row.right() - MORE_PX + 4, row.center().y() - 8, 16, 16)


def near_hit(text: str, words: list[str]) -> str:
    """Return the part of a text that starts shortly before the first match, because the list is
    narrow.
    """
    before = len(next((part for part, hit in parts_of(text, words) if not hit), ""))
    if before <= LEAD or before == len(text):
        return text
    cut = text.rfind(" ", 0, before - LEAD // 2)
    return f"…{text[cut + 1 :]}" if cut >= before - 2 * LEAD else f"…{text[before - LEAD :]}"


def parts_of(text: str, words: list[str]) -> list[tuple[str, bool]]:
    """Split a text into parts, each with a flag that says whether the part is one of the words."""
    folded, at, made = text.lower(), 0, list[tuple[str, bool]]()
    # if changing the case changes the length, positions would be wrong; nothing is highlighted
    if len(folded) != len(text):
        return [(text, False)]
    while at < len(text):
        hits = [(folded.find(w.lower(), at), -len(w)) for w in words if w]
        start, length = min(((s, n) for s, n in hits if s >= 0), default=(len(text), 0))
        made += [(text[at:start], False)] if start > at else []
        made += [(text[start : start - length], True)] if length else []
        at = start - length
    return made


def bottom_left() -> int:
    """Return the alignment of headings."""
    return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom)


def has_focus(option: QStyleOptionViewItem) -> bool:
    """Return whether a row has the keyboard focus."""
    return bool(option.state & QStyle.StateFlag.State_HasFocus)  # pyright: ignore[reportAttributeAccessIssue]


def spaced_font() -> QFont:
    """Return the font of headings."""
    font = text_font(SMALL_PX)
    font.setCapitalization(QFont.Capitalization.AllUppercase)
    font.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, 0.6)
    return font
