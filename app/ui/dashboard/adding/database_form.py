"""The address of a database, and its password, which is not shown."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from app.ui.dashboard.adding.form import AddressForm
from app.ui.words import tr


class DatabaseForm(AddressForm):
    """Signals: given(url, password), cancelled()."""

    given = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.url.setPlaceholderText("postgresql://user@127.0.0.1:5432/shop")
        self.url.setAccessibleName(tr("Address of the database"))
        self.password = QLineEdit(self)
        self.password.setPlaceholderText(tr("Password, if it wants one"))
        self.password.setAccessibleName(tr("Password"))
        self.password.setEchoMode(QLineEdit.EchoMode.Password)
        self.password.returnPressed.connect(self.press)
        about = tr(
            "PostgreSQL. Tables you choose are copied to this machine and asked here; the database is only read,"
            " never changed. The password is kept in the keyring of this system."
        )
        self.lay_out(tr("Add database"), about, self.password, send=self._tell)

    def begin(self) -> None:
        """Begin without a password."""
        self.password.clear()
        super().begin()

    def _tell(self) -> None:
        self.given.emit(self.url.text(), self.password.text())
