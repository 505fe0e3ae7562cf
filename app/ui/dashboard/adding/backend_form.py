"""The address of a widget backend, and what it wants to be told with every request."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.ui.style.labels import label
from app.ui.words import tr

ROWS = 3


class BackendForm(QWidget):
    """Signals: given(url, headers, keys), cancelled()."""

    given = Signal(str, dict, dict)
    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        head = label(tr("Add widget backend"), "brand", self)
        explained = tr(
            "A server that publishes widgets.json. Only this server is asked; what it wants to be told is kept in"
            " the keyring of this system."
        )
        about = label(explained, "muted", self)
        self.url = QLineEdit(self)
        self.url.setPlaceholderText("http://127.0.0.1:7779")
        self.url.setAccessibleName(tr("Address of the backend"))
        self.url.returnPressed.connect(self._send)
        self.rows = [SecretRow(self) for _ in range(ROWS)]
        self.told = QLabel(self)
        self.told.setWordWrap(True)
        self.told.setTextFormat(Qt.TextFormat.PlainText)
        self.told.setAccessibleName(tr("What went wrong"))
        self.add = QPushButton(tr("Add"), self)
        self.cancel = QPushButton(tr("Back"), self)
        for button, pressed in ((self.add, self._send), (self.cancel, self.cancelled.emit)):
            button.setAutoDefault(False)
            button.clicked.connect(lambda _=False, do=pressed: do())
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.add)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        secrets = QLabel(tr("Headers and keys, if it wants any"), self)
        secrets.setObjectName("caption")
        for part in (head, about, self.url, secrets, *self.rows, self.told):
            column.addWidget(part)
        column.addStretch(1)
        column.addLayout(buttons)

    def begin(self) -> None:
        """Begin with empty fields."""
        self.told.clear()
        self.add.setEnabled(True)
        self.url.setFocus()
        for row in self.rows:
            row.clear()

    def fail(self, text: str) -> None:
        """Tell why it could not be added."""
        self.told.setText(text)
        self.add.setEnabled(True)

    def _send(self) -> None:
        pairs = [row.pair() for row in self.rows]
        headers = {name: secret for kind, name, secret in pairs if name and kind == "header"}
        keys = {name: secret for kind, name, secret in pairs if name and kind == "key"}
        self.told.setText(tr("Asking …"))
        self.add.setEnabled(False)
        self.given.emit(self.url.text(), headers, keys)


class SecretRow(QWidget):
    """One header or key: its kind, its name, its secret, which is not shown."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.kind = QComboBox(self)
        self.kind.addItems([tr("Header"), tr("Key in the address")])
        self.kind.setAccessibleName(tr("Header or key"))
        self.name, self.secret = QLineEdit(self), QLineEdit(self)
        self.name.setPlaceholderText(tr("Name, as X-API-KEY"))
        self.name.setAccessibleName(tr("Name of the header or key"))
        self.secret.setPlaceholderText(tr("Secret"))
        self.secret.setAccessibleName(tr("Secret"))
        self.secret.setEchoMode(QLineEdit.EchoMode.Password)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.kind)
        row.addWidget(self.name, 1)
        row.addWidget(self.secret, 1)

    def pair(self) -> tuple[str, str, str]:
        """Return kind, name and secret."""
        kind = "header" if self.kind.currentIndex() == 0 else "key"
        return kind, self.name.text().strip(), self.secret.text().strip()

    def clear(self) -> None:
        """Empty it."""
        self.name.clear()
        self.secret.clear()
