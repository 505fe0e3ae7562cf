"""The pages of what was allowed and of the diagnostics: taken back, read before they are copied or
saved.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.domain.errors import DeskpilotError
from app.ui.main import boxes
from app.ui.theme.labels import label
from app.ui.words import mark, told, tr

if TYPE_CHECKING:
    from app.services.deskpilot import Deskpilot
    from app.services.settings.permissions import Permission
    from app.services.tasks import Do


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


class DiagnosticsPage(QWidget):
    """Signals: save_wanted(text)."""

    save_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        head = label(tr("Diagnostics"), "title", self)
        told = tr(
            "For whoever helps you: versions, settings, and which part did what for the last"
            " questions, by an id. No question, answer, table, file name, address or key stands in"
            " it. It goes nowhere by itself."
        )
        about = label(told, "muted", self)
        self.text = QPlainTextEdit(self)
        self.text.setObjectName("raw")
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(tr("Diagnostics"))
        self.copy = QPushButton(tr("Copy"), self)
        self.save = QPushButton(tr("Save …"), self)
        self.copy.clicked.connect(
            lambda: QGuiApplication.clipboard().setText(self.text.toPlainText())
        )
        self.save.clicked.connect(lambda: self.save_wanted.emit(self.text.toPlainText()))
        buttons = QHBoxLayout()
        buttons.addWidget(self.copy)
        buttons.addWidget(self.save)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(28, 22, 28, 22)
        column.setSpacing(10)
        for part in (head, about):
            column.addWidget(part)
        column.addLayout(buttons)
        column.addWidget(self.text, 1)

    def show_text(self, text: str) -> None:
        """Show the bundle."""
        self.text.setPlainText(text)


FILE = "deskpilot-diagnostics.json"


class Trust(QObject):
    """Reads both anew each time they are shown."""

    def __init__(
        self,
        permissions: PermissionsPage,
        diagnostics: DiagnosticsPage,
        deskpilot: Deskpilot,
        do: Do,
    ) -> None:
        super().__init__(permissions)
        self._permissions, self._diagnostics = permissions, diagnostics
        self._deskpilot, self._do = deskpilot, do
        permissions.taken_back.connect(lambda one: do("take back", self._take_back(one)))
        diagnostics.save_wanted.connect(self._ask_where)

    def read(self) -> None:
        """Show what holds now."""
        self._do("read permissions", self._read_permissions())
        self._do("read diagnostics", self._read_diagnostics())

    async def _read_permissions(self) -> None:
        try:
            self._permissions.show_permissions(await self._deskpilot.permissions.all())
        except DeskpilotError as error:
            self._permissions.tell(told(error))

    async def _read_diagnostics(self) -> None:
        self._diagnostics.show_text(await self._deskpilot.diagnostics.text())

    async def _take_back(self, permission: Permission) -> None:
        try:
            await self._deskpilot.permissions.take_back(permission)
        except DeskpilotError as error:
            self._permissions.tell(told(error))
            return
        await self._read_permissions()

    def _ask_where(self, text: str) -> None:
        window = self._diagnostics.window()
        boxes.choose_place(window, FILE, lambda path: self._save(Path(path), text))

    def _save(self, path: Path, text: str) -> None:
        try:
            path.write_text(text, "utf-8")
        except OSError as error:
            told = tr(
                "{name} cannot be written: {strerror}.",
                name=path.name,
                strerror=error.strerror or error,
            )
            boxes.tell(self._diagnostics.window(), " ".join([told, tr("Choose another place.")]))
