"""The address of a widget backend, and what it wants to be told with every request."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QWidget

from app.ui.dashboard.adding.form import AddressForm
from app.ui.style.labels import label
from app.ui.words import tr

ROWS = 3


class BackendForm(AddressForm):
    """Signals: given(url, headers, keys), cancelled()."""

    given = Signal(str, dict, dict)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.url.setPlaceholderText("http://127.0.0.1:7779")
        self.url.setAccessibleName(tr("Address of the backend"))
        self.rows = [SecretRow(self) for _ in range(ROWS)]
        about = tr(
            "A server that publishes widgets.json. Only this server is asked; what it wants to be told is kept in"
            " the keyring of this system."
        )
        secrets = label(tr("Headers and keys, if it wants any"), "caption", self)
        self.lay_out(tr("Add widget backend"), about, secrets, *self.rows, send=self._tell)

    def begin(self) -> None:
        """Begin without headers and keys."""
        for row in self.rows:
            row.clear()
        super().begin()

    def _tell(self) -> None:
        pairs = [row.pair() for row in self.rows]
        headers = {name: secret for kind, name, secret in pairs if name and kind == "header"}
        keys = {name: secret for kind, name, secret in pairs if name and kind == "key"}
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
