"""The address of a database, and its password, which is not shown."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.ui.words import tr


class DatabaseForm(QWidget):
    """Signals: given(url, password), cancelled()."""

    given = Signal(str, str)
    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        head = QLabel(tr("Add database"), self)
        head.setObjectName("brand")
        about = QLabel(
            tr(
                "PostgreSQL. Tables you choose are copied to this machine and asked here; the database is only read,"
                " never changed. The password is kept in the keyring of this system."
            ),
            self,
        )
        about.setObjectName("muted")
        about.setWordWrap(True)
        self.url, self.password = QLineEdit(self), QLineEdit(self)
        self.url.setPlaceholderText("postgresql://user@127.0.0.1:5432/shop")
        self.url.setAccessibleName(tr("Address of the database"))
        self.password.setPlaceholderText(tr("Password, if it wants one"))
        self.password.setAccessibleName(tr("Password"))
        self.password.setEchoMode(QLineEdit.EchoMode.Password)
        self.told = QLabel(self)
        self.told.setWordWrap(True)
        self.told.setTextFormat(Qt.TextFormat.PlainText)
        self.told.setAccessibleName(tr("What went wrong"))
        self.add = QPushButton(tr("Add"), self)
        self.cancel = QPushButton(tr("Back"), self)
        for button, pressed in ((self.add, self._send), (self.cancel, self.cancelled.emit)):
            button.setAutoDefault(False)
            button.clicked.connect(lambda _=False, do=pressed: do())
        for field in (self.url, self.password):
            field.returnPressed.connect(self._send)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.add)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        for part in (head, about, self.url, self.password, self.told):
            column.addWidget(part)
        column.addStretch(1)
        column.addLayout(buttons)

    def begin(self) -> None:
        """Begin without a password."""
        self.told.clear()
        self.password.clear()
        self.add.setEnabled(True)
        self.url.setFocus()

    def fail(self, text: str) -> None:
        """Tell why it could not be added."""
        self.told.setText(text)
        self.add.setEnabled(True)

    def _send(self) -> None:
        if self.add.isEnabled():
            self.told.setText(tr("Asking …"))
            self.add.setEnabled(False)
            self.given.emit(self.url.text(), self.password.text())
