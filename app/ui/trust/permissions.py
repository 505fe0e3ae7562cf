"""The page of what was allowed: each line can be taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.ui.style.labels import label
from app.ui.words import mark, tr

if TYPE_CHECKING:
    from app.services.settings.permissions import Permission

KINDS = {
    "copilot": mark(
        "The copilot {name} may be asked: it gets questions and what is attached to them"
    ),
    "sees": mark("The copilot {name} may see all widgets"),
    "delegates": mark("The copilot {name} may ask the other copilots"),
    "provider": mark("The models of {name} may be used: they get what is sent to them"),
    "backend": mark("Widgets may be fetched from {name}"),
    "plugin": mark("Copilots may call the plugin {name}; what it changes is asked about each time"),
    "skill": mark("The skill {name} goes along when you call it"),
}
CODE = {  # in a chat that is kept, and in one that is not
    True: mark(
        "Code of the chat “{name}” runs without being shown first, until Deskpilot is closed"
    ),
    False: mark("Code of the temporary chat runs without being shown first, until you leave it"),
}
HERE = mark("on this machine")


class PermissionsPage(QWidget):
    """Signals: taken_back(permission)."""

    taken_back = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        head = QLabel(tr("Permissions"), self)
        head.setObjectName("title")
        words = tr("What you allowed. Taken back, it is asked for again when it is wanted.")
        about = label(words, "muted", self)
        self.problem = label("", "problem", self)
        self.problem.hide()
        self.rows: list[QPushButton] = []
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(28, 22, 28, 22)
        column.setSpacing(6)
        for part in (head, about, self.problem):
            column.addWidget(part)
        column.addLayout(self._list)
        column.addStretch(1)

    def show_permissions(self, found: list[Permission]) -> None:
        """Show what holds now."""
        self.tell("")
        self.rows = []
        while (item := self._list.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.deleteLater()
        if not found:
            none = QLabel(tr("Nothing was allowed yet."), self)
            none.setContentsMargins(0, 12, 0, 0)
            self._list.addWidget(none)
        for permission in found:
            self._list.addWidget(self._row(permission))

    def tell(self, text: str) -> None:
        """Say what is wrong; nothing if all is well."""
        self.problem.setText(text)
        self.problem.setVisible(bool(text))

    def _row(self, permission: Permission) -> QWidget:
        row = QFrame(self)
        words = CODE[bool(permission.name)] if permission.kind == "code" else KINDS[permission.kind]
        words = tr(words, name=permission.name)
        text, where = QLabel(words, row), QLabel(permission.where or tr(HERE), row)
        text.setWordWrap(True)
        where.setObjectName("caption")
        for one in (text, where):
            one.setTextFormat(Qt.TextFormat.PlainText)
        back = QPushButton(tr("Take back"), row)
        back.setAccessibleName(tr("Take back: {what}", what=words))
        back.clicked.connect(lambda: self.taken_back.emit(permission))
        self.rows.append(back)
        column = QVBoxLayout()
        column.setSpacing(2)
        column.addWidget(text)
        column.addWidget(where)
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 10, 0, 10)
        line.setSpacing(24)
        line.addLayout(column, 1)
        line.addWidget(back, 0, Qt.AlignmentFlag.AlignTop)
        return row
