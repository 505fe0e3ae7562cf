"""A form that adds something by its address: what it is, what it wants to be told, and why that failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.ui.style.labels import label
from app.ui.words import tr

if TYPE_CHECKING:
    from collections.abc import Callable


class AddressForm(QWidget):
    """Signals: cancelled(). Who is one makes its other parts, then lays all of them out."""

    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.url = QLineEdit(self)
        self.url.returnPressed.connect(self.press)
        self.told = label("", "", self)
        self.told.setAccessibleName(tr("What went wrong"))

    def lay_out(self, title: str, about: str, *parts: QWidget, send: Callable[[], None]) -> None:
        """Stand in a column: what this is, the address, the other parts, the buttons. send: tells what was given."""
        self._send = send
        self.add = QPushButton(tr("Add"), self)  # made last, as the keyboard comes to it last
        self.cancel = QPushButton(tr("Back"), self)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        for button in (self.cancel, self.add):
            button.setAutoDefault(False)
            buttons.addWidget(button)
        self.add.clicked.connect(self.press)
        self.cancel.clicked.connect(self.cancelled)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        head, explained = label(title, "brand", self), label(about, "muted", self)
        for part in (head, explained, self.url, *parts, self.told):
            column.addWidget(part)
        column.addStretch(1)
        column.addLayout(buttons)

    def begin(self) -> None:
        """Begin anew, with the address that was typed last."""
        self.told.clear()
        self.add.setEnabled(True)
        self.url.setFocus()

    def fail(self, text: str) -> None:
        """Tell why it could not be added."""
        self.told.setText(text)
        self.add.setEnabled(True)

    def press(self) -> None:
        """Send what was given, unless it is being asked already."""
        if self.add.isEnabled():
            self.told.setText(tr("Asking …"))
            self.add.setEnabled(False)
            self._send()
