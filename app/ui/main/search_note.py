"""The words below what a search of the chats has found: how it was found, and what else there could
be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from app.ui.theme.labels import label
from app.ui.words import tr

if TYPE_CHECKING:
    from app.services.conversation.meaning import Meant


class SearchNote(QFrame):
    """Signals: models_wanted(), where a model that compares meaning is fetched."""

    models_wanted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.label = label("", "caption", self)
        self.get = QPushButton(tr("Models that compare meaning …"), self)
        self.get.setObjectName("link")
        self.get.clicked.connect(self.models_wanted)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 4)
        column.setSpacing(2)
        column.addWidget(self.label)
        column.addWidget(self.get, 0, Qt.AlignmentFlag.AlignLeft)
        self.hide()

    def show_meant(self, meant: Meant) -> None:
        """Say how much could be found by meaning; nothing if all of it was, and nothing was."""
        said: list[str] = []
        if meant.model is None:
            said.append(
                tr(
                    "Found by words only. A small model finds by meaning, too; it stays on this"
                    " machine."
                )
            )
        elif meant.found:
            said.append(tr("≈ close in meaning, in other words"))
        if meant.model is not None and meant.read < meant.of:
            said.append(
                tr(
                    "{read:,} of {of:,} answers can be found by meaning so far.",
                    read=meant.read,
                    of=meant.of,
                )
            )
        self.tell("\n".join(said), offers=meant.model is None)

    def tell(self, text: str, *, offers: bool = False) -> None:
        """Say something; nothing hides it. offers: the way to the models."""
        self.label.setText(text)
        self.get.setVisible(offers)
        self.setVisible(bool(text))
