"""The permissions page and the diagnostics page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import shiboken6
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
from app.ui.controls import message_boxes
from app.ui.controls.labels import label
from app.ui.theme.i18n import mark, told, tr

if TYPE_CHECKING:
    from app.services.diagnostics import Diagnostics
    from app.services.permissions import Permission, Permissions
    from app.services.tasks import Do


KINDS = {
    "copilot": mark("Questions and attachments go to the copilot {name}"),
    "sees": mark("The copilot {name} may see all widgets"),
    "delegates": mark("The copilot {name} may ask the other copilots"),
    "provider": mark("The models of {name} may be used; your questions go to them"),
    "backend": mark("Widgets may be loaded from {name}"),
    "plugin": mark("Copilots may call the plugin {name}; you are asked before each change"),
    "skill": mark("The skill {name} is sent when you call it"),
}
CODE = {  # for a saved chat, and for a temporary one
    True: mark("Code in the chat “{name}” runs without asking until Deskpilot is closed"),
    False: mark("Code in the temporary chat runs without asking until you leave it"),
}
HERE = mark("on this machine")


class PermissionsPage(QWidget):
    """The permissions page. Signals: taken_back(permission)."""

    taken_back = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        head = QLabel(tr("Permissions"), self)
        head.setObjectName("title")
        words = tr("Permissions you granted. Revoke one to be asked again.")
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
        """Show the permissions."""
        self.tell("")
        self.rows = []
        while (item := self._list.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.deleteLater()
        if not found:
            none = QLabel(tr("No permissions yet."), self)
            none.setContentsMargins(0, 12, 0, 0)
            self._list.addWidget(none)
        for permission in found:
            self._list.addWidget(self._row(permission))

    def tell(self, text: str) -> None:
        """Show an error; an empty text hides it."""
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
        back = QPushButton(tr("Revoke"), row)
        back.setAccessibleName(tr("Revoke: {what}", what=words))
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
    """The diagnostics page. Signals: save_wanted(text)."""

    save_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        head = label(tr("Diagnostics"), "title", self)
        told = tr(
            "For support: versions, settings, and a trace of the last questions by id. It "
            "contains no questions, answers, tables, file names, addresses or keys, and is not"
            " sent anywhere."
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
        """Show the text of the diagnostics."""
        self.text.setPlainText(text)


FILE = "deskpilot-diagnostics.json"


class Trust(QObject):
    """Reads the contents of both pages each time they are shown."""

    def __init__(
        self,
        granted: PermissionsPage,
        bundle: DiagnosticsPage,
        permissions: Permissions,
        diagnostics: Diagnostics,
        do: Do,
    ) -> None:
        super().__init__(granted)
        self._granted = granted
        self._bundle = bundle
        self._permissions = permissions
        self._diagnostics = diagnostics
        self._do = do
        granted.taken_back.connect(lambda one: do("take back", self._take_back(one)))
        bundle.save_wanted.connect(self._ask_where)

    def read(self) -> None:
        """Update both pages."""
        self._do("read permissions", self._read_permissions())
        self._do("read diagnostics", self._read_diagnostics())

    async def _read_permissions(self) -> None:
        try:
            permissions = await self._permissions.all()
        except DeskpilotError as error:
            if shiboken6.isValid(self._granted):
                self._granted.tell(told(error))
            return
        if shiboken6.isValid(self._granted):
            self._granted.show_permissions(permissions)

    async def _read_diagnostics(self) -> None:
        text = await self._diagnostics.text()
        if shiboken6.isValid(self._bundle):  # the settings may have been closed in the meantime
            self._bundle.show_text(text)

    async def _take_back(self, permission: Permission) -> None:
        try:
            await self._permissions.take_back(permission)
        except DeskpilotError as error:
            if shiboken6.isValid(self._granted):
                self._granted.tell(told(error))
            return
        await self._read_permissions()

    def _ask_where(self, text: str) -> None:
        window = self._bundle.window()
        message_boxes.choose_place(window, FILE, lambda path: self._save(Path(path), text))

    def _save(self, path: Path, text: str) -> None:
        try:
            path.write_text(text, "utf-8")
        except OSError as error:
            told = tr(
                "Couldn't write {name}: {strerror}.",
                name=path.name,
                strerror=error.strerror or error,
            )
            message_boxes.tell(self._bundle.window(), " ".join([told, tr("Choose another place.")]))
