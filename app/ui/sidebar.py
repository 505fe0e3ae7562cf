"""The conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.ui.style.icons import icon
from app.ui.style.tokens import SIDEBAR

if TYPE_CHECKING:
    from PySide6.QtCore import QPoint

    from app.domain.conversation import Conversation
    from app.ui.style.tokens import Tokens


class Sidebar(QFrame):
    """Lists the conversations. Signals: new_wanted(), opened(id), delete_wanted(id), models_wanted(), settings_wanted()."""

    new_wanted = Signal()
    opened = Signal(str)
    delete_wanted = Signal(str)
    models_wanted = Signal()
    settings_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self.setFixedWidth(SIDEBAR)
        self._conversations: list[Conversation] = []
        self._current: str | None = None
        self.search = QLineEdit(self)
        self.search.setPlaceholderText("Search chats")
        self.search.setAccessibleName("Search chats")
        self.search.textChanged.connect(self._fill)
        self.new = QPushButton("New chat", self)
        self.new.setObjectName("quiet")
        self.new.setIconSize(QSize(16, 16))
        self.new.clicked.connect(self.new_wanted)
        heading = QLabel("CHATS", self)
        heading.setObjectName("section")
        heading.setContentsMargins(8, 8, 0, 2)
        self.list = QListWidget(self)
        self.list.setAccessibleName("Conversations")
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.itemActivated.connect(self._on_chosen)
        self.list.itemClicked.connect(self._on_chosen)
        self.list.customContextMenuRequested.connect(self._on_menu)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 12, 10, 10)
        column.setSpacing(6)
        for part in (self.search, self.new, heading, self.list):
            column.addWidget(part)
        self.more = {
            "models": self._quiet("Models", self.models_wanted),
            "settings": self._quiet("Settings (Ctrl+,)", self.settings_wanted),
        }
        for button in self.more.values():
            column.addWidget(button)

    def _quiet(self, text: str, signal: object) -> QPushButton:
        button = QPushButton(text.partition(" (")[0], self)
        button.setObjectName("quiet")
        button.setToolTip(text)
        button.setIconSize(QSize(16, 16))
        button.clicked.connect(signal)
        return button

    def set_tokens(self, tokens: Tokens) -> None:
        """Dress in a theme."""
        self.new.setIcon(icon("plus", tokens.text))
        for name, button in self.more.items():
            button.setIcon(icon(name, tokens.muted))

    def show_conversations(self, conversations: list[Conversation], current: str | None) -> None:
        """Show the conversations, the current one marked."""
        self._conversations, self._current = conversations, current
        self._fill()

    def _fill(self) -> None:
        wanted = self.search.text().strip().lower()
        self.list.clear()
        for conversation in self._conversations:
            if wanted in conversation.title.lower():
                item = QListWidgetItem(conversation.title, self.list)
                item.setData(Qt.ItemDataRole.UserRole, conversation.id)
                item.setToolTip(conversation.title)
                if conversation.id == self._current:
                    self.list.setCurrentItem(item)

    def _on_chosen(self, item: QListWidgetItem) -> None:
        self.opened.emit(item.data(Qt.ItemDataRole.UserRole))

    def _on_menu(self, point: QPoint) -> None:
        item = self.list.itemAt(point)
        if item is None:
            return
        uid = item.data(Qt.ItemDataRole.UserRole)
        menu = QMenu(self)
        menu.addAction("Delete").triggered.connect(lambda: self.delete_wanted.emit(uid))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.list.mapToGlobal(point))
