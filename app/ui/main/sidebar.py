"""The sidebar: search and the list of conversations."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias, cast

from PySide6 import QtCore
from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.ui.controls.keys import keeps_escape, named_after
from app.ui.theme.i18n import tr
from app.ui.theme.icons import icon
from app.ui.theme.style import scaled
from app.ui.theme.tokens import LIGHT, SIDEBAR, Tokens

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent, QTimer
    from PySide6.QtGui import QKeyEvent, QResizeEvent

    from app.domain.conversation import Conversation, FoundTurn
    from app.ui.controls.message_boxes import Notice
    from app.ui.main.chat_list import ChatList
    from app.ui.main.search_note import SearchNote

    Conversations: TypeAlias = list[Conversation]
    Hits: TypeAlias = list[FoundTurn]


LIST_AT = 2  # position of the list: below the search field and the new chat button
PAUSE_MS = 120  # milliseconds between a key press and the start of the search


class ChatSearchField(QLineEdit):
    """The search field of the sidebar. Signals: down(), left()."""

    down = Signal()
    left = Signal()

    def event(self, event: QEvent) -> bool:
        """Handle Escape here to leave the search; elsewhere it stops the answer."""
        if keeps_escape(event):
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move to the list with Down; leave with Escape."""
        if event.key() == QtCore.Qt.Key.Key_Down:
            self.down.emit()
        elif event.key() == QtCore.Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)


class Sidebar(QFrame):
    """Lists the conversations.

    Signals: new_wanted(), search_wanted(text), more_wanted(), models_wanted(), settings_wanted(),
    help_wanted(), closed() when the search is left, undone() to undo the last removal,
    embedders_wanted() to choose an embedding model. Signals about single conversations come from
    the list.
    """

    new_wanted = Signal()
    search_wanted = Signal(str)
    more_wanted = Signal()
    models_wanted = Signal()
    settings_wanted = Signal()
    help_wanted = Signal()
    closed = Signal()
    embedders_wanted = Signal()
    undone = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self.setFixedWidth(SIDEBAR)
        self._conversations: Conversations = []
        self._current: str | None = None
        self.search = ChatSearchField(self)
        named_after(self.search, "chat.search", tr("Search chats"))
        self.search.setAccessibleName(tr("Search chats"))
        self.new = QPushButton(
            tr("New chat"), parent=self
        )  # a named argument selects the overload without loading QIcon
        self.new.setObjectName("quiet")
        self.new.setIconSize(QSize(16, 16))
        self.new.clicked.connect(self.new_wanted)
        self.others = QToolButton(self)
        self.others.setObjectName("tile")
        self.others.setAccessibleName(tr("More for chats"))
        self.others.setToolTip(tr("Temporary chat, import, export, backup, trash"))
        self.others.setIconSize(QSize(16, 16))
        self.others.clicked.connect(self.more_wanted)
        self._tokens = LIGHT
        self.search.textChanged.connect(self._on_typed)
        self.search.down.connect(lambda: self.list.enter())
        self.search.returnPressed.connect(self._on_return)
        self.search.left.connect(self.leave_search)
        head = QHBoxLayout()
        head.setSpacing(2)
        head.addWidget(self.new, 1)
        head.addWidget(self.others)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(10, 12, 10, 10)
        column.setSpacing(6)
        column.addWidget(self.search)
        column.addLayout(head)
        column.addStretch(1)
        self.more = {
            "models": self._quiet(tr("Models"), self.models_wanted),
            "settings": self._quiet(tr("Settings"), self.settings_wanted),
            "help": self._quiet(tr("Help"), self.help_wanted),
        }
        named_after(self.more["settings"], "settings.open", tr("Settings"))
        named_after(self.more["help"], "help.open", tr("Help"))
        for button in self.more.values():
            column.addWidget(button)

    @cached_property
    def list(self) -> ChatList:
        """Return the list of conversations, which is created when there are conversations to show,
        after the first paint.
        """
        from app.ui.main.chat_list import ChatList

        made = ChatList(self)
        made.set_tokens(self._tokens)
        made.left.connect(self.search.setFocus)
        room = self._column.takeAt(LIST_AT)
        assert room is not None
        self._column.insertWidget(LIST_AT, made, 1)
        QWidget.setTabOrder(self.others, made)
        QWidget.setTabOrder(made, self.more["models"])
        return made

    @cached_property
    def _pause(self) -> QTimer:
        from PySide6.QtCore import QTimer

        pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        pause.timeout.connect(self._on_paused)
        return pause

    @cached_property
    def told(self) -> Notice:
        """Return the notice of removals, which is created when it is first needed."""
        from app.ui.controls.message_boxes import Notice

        notice = Notice(self)
        notice.undone.connect(self.undone)
        notice.fit(self.list.geometry())
        return notice

    @cached_property
    def note(self) -> SearchNote:
        """Return the note below search results, which is created for the first search."""
        from app.ui.main.search_note import SearchNote  # must not be loaded before the first paint

        note = SearchNote(self)
        note.models_wanted.connect(self.embedders_wanted)
        column = cast("QVBoxLayout", self.layout())
        column.insertWidget(column.indexOf(self.list) + 1, note)
        return note

    @cached_property
    def back(self) -> QPushButton:
        """Return the button that leaves the trash; it is shown above the trash and created when it
        is first needed.
        """
        button = QPushButton(tr("Back to chats"), self)
        button.setObjectName("link")
        button.clicked.connect(self.closed)
        column = cast("QVBoxLayout", self.layout())
        column.insertWidget(column.indexOf(self.list), button, 0, QtCore.Qt.AlignmentFlag.AlignLeft)
        QWidget.setTabOrder(self.others, button)
        return button

    def show_trash(self, conversations: Conversations) -> None:
        """Show the conversations in the trash, and a button to leave it."""
        full = tr("Trash · kept for 30 days")
        self.list.show_plain(full if conversations else tr("The trash is empty"), conversations)
        self.back.show()

    def _leave_trash(self) -> None:
        if "back" in self.__dict__:
            self.back.hide()

    def _quiet(self, text: str, signal: object) -> QPushButton:
        button = QPushButton(text, parent=self)
        button.setObjectName("quiet")
        button.setToolTip(text)
        button.setIconSize(QSize(16, 16))
        button.clicked.connect(signal)
        return button

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        self.setFixedWidth(scaled(SIDEBAR))
        self.new.setIcon(icon("plus", tokens.text))
        self.others.setIcon(icon("more", tokens.muted))
        self._tokens = tokens
        if "list" in self.__dict__:
            self.list.set_tokens(tokens)
        for name, button in self.more.items():
            button.setIcon(icon(name, tokens.muted))

    def show_conversations(self, conversations: Conversations, current: str | None) -> None:
        """Show the conversations; search results stay. current: the conversation to mark."""
        self._conversations, self._current = conversations, current
        self._leave_trash()
        if not self.search.text().strip():
            self.list.show_groups(conversations, current)

    def show_found(self, found: Hits, wanted: str) -> None:
        """Show search results, unless the search has changed."""
        if wanted == self.search.text().strip():
            self._leave_trash()
            self.list.show_found(found, wanted)

    def leave_search(self) -> None:
        """Show all conversations again."""
        self.search.clear()
        self._on_paused()
        self.closed.emit()

    def _on_typed(self) -> None:
        self._pause.start()

    def _on_paused(self) -> None:
        self._pause.stop()
        wanted = self.search.text().strip()
        if wanted:
            self.search_wanted.emit(wanted)
        else:
            if "note" in self.__dict__:
                self.note.hide()
            self.list.show_groups(self._conversations, self._current)

    def _on_return(self) -> None:
        """Move to the search results; if the search has not started yet, start it now."""
        if self._pause.isActive():
            self._on_paused()
        self.list.enter()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the notice at the bottom of the list."""
        super().resizeEvent(event)
        if "told" in self.__dict__:
            self.told.fit(self.list.geometry())
