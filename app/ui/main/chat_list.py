"""The list of conversations: in groups, or what a search has found; opened, renamed and removed by
key.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from PySide6.QtCore import QDate, QLocale, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QListWidget, QListWidgetItem, QWidget

from app.domain.chat_list import Group, grouped
from app.domain.meaning import by_chat
from app.ui.main.chat_rows import (
    ABOUT,
    EXCERPT,
    FOLDER,
    MEANT,
    MORE_PX,
    PINNED,
    TURN,
    UID,
    Rows,
    more_rect,
)
from app.ui.words import tr

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent

    from app.domain.conversation import Conversation, Found
    from app.ui.theme.tokens import Tokens


class ChatList(QListWidget):
    """Signals: opened(conversation id, turn id or nothing), trash_wanted(id), renamed(id, title),
    menu_wanted(id, point on the screen), left() upwards."""

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
        self.rows = Rows(self)
        self.setItemDelegate(self.rows)
        self._folded: set[str] = set()
        self._shown: list[Conversation] = []
        self._current: str | None = None
        self._filling = False
        self.itemActivated.connect(self._on_chosen)
        self.itemClicked.connect(self._on_chosen)
        self.itemChanged.connect(self._on_changed)

    def set_tokens(self, tokens: Tokens) -> None:
        """Dress in a theme."""
        self.rows.tokens = tokens
        self.viewport().update()

    def ids(self) -> list[str]:
        """Return the ids of the conversations that are shown, in order."""
        found = [self.item(row).data(UID) for row in range(self.count())]
        return [uid for uid in found if uid]

    def show_groups(self, conversations: list[Conversation], current: str | None) -> None:
        """Show conversations in their groups, the current one marked."""
        self._shown, self._current = conversations, current
        self._fill(grouped(conversations, date.today()))

    def show_plain(self, heading: str, conversations: list[Conversation]) -> None:
        """Show conversations under one heading."""
        self._fill([Group(heading, "day", conversations)])

    def show_found(self, found: list[Found], wanted: str) -> None:
        """Show what a search has found: titles, and turns with the words around."""
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
            if at == (one.conversation_id, one.turn_id):  # who stands there already stays there
                self.setCurrentItem(item)
        self._filling = False

    def _fill(self, groups: list[Group]) -> None:
        self._filling = True
        self.clear()
        self.rows.found = []
        for group in groups:
            folded = group.name in self._folded if group.kind == "folder" else None
            self._heading(heading(group), folded)
            for one in [] if folded else group.conversations:
                item = self._row(one.id, one.title)
                item.setData(PINNED, one.pinned)
                tell_about(item, one)
                if one.id == self._current:
                    self.setCurrentItem(item)
        self._filling = False

    def tell_about(self, one: Conversation) -> None:
        """Say anew what a conversation is about, in its row."""
        self._filling = True
        for row in range(self.count()):
            if self.item(row).data(UID) == one.id and not self.item(row).data(EXCERPT):
                tell_about(self.item(row), one)
        self._filling = False

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Open the menu of a conversation, where its row shows that; else what the row is of."""
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
        """Open nothing where the menu was opened."""
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
        """Let the title of a conversation be written anew, in its row."""
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
        """Delete, rename; upwards past the first, leave."""
        at, key = self.currentRow(), Qt.Key(event.key())
        uid = self.item(at).data(UID) if at >= 0 else ""
        if key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and uid:
            self.trash_wanted.emit(uid)
        elif key == Qt.Key.Key_F2 and uid:
            self.begin_rename(uid)
        elif key == Qt.Key.Key_Up and self.currentRow() <= self.first_row():
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def first_row(self) -> int:
        """Return the first row one can stand on."""
        enabled = (
            r for r in range(self.count()) if self.item(r).flags() & Qt.ItemFlag.ItemIsEnabled
        )
        return next(enabled, 0)

    def enter(self) -> None:
        """Take the keyboard, at the current row or the first."""
        self.setFocus()
        if self.currentRow() < 0:
            self.setCurrentRow(self.first_row())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of a conversation, by mouse or by key."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        item = self.currentItem() if by_key else self.itemAt(event.pos())
        if item is not None and item.data(UID):
            point = self.visualItemRect(item).center() if by_key else event.pos()
            self.menu_wanted.emit(item.data(UID), self.viewport().mapToGlobal(point))


def tell_about(item: QListWidgetItem, one: Conversation) -> None:
    """Say below a title what goes along with its questions, and how many there are."""
    count = [tr("%n questions", "", one.questions)] if one.questions else []
    about = " · ".join([*one.about, *count])
    item.setData(ABOUT, about)
    item.setToolTip(f"{one.title}\n{about}" if about else one.title)
    item.setData(
        Qt.ItemDataRole.AccessibleTextRole, f"{one.title}. {about}" if about else one.title
    )


def heading(group: Group) -> str:
    """Return what stands over a group; folders have the names people gave them."""
    if group.month is not None:
        month = QDate(group.month.year, group.month.month, 1)
        return QLocale().toString(month, tr("MMMM yyyy", "as QLocale writes a month"))
    return group.name if group.kind == "folder" else tr(group.name)
