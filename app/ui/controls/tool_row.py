"""A row with a name, a description and buttons, used on the tools and library pages."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.ui.controls.labels import label


class ToolRow(QFrame):
    """A row with a picture, text and buttons; untrusted text is never treated as markup."""

    def __init__(self, name: str, picture: bytes, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("newsItem")  # draws a thin line below the row
        self._title = name
        self.words = QVBoxLayout()
        self.words.setSpacing(3)
        self.say(name, "strong")
        self.buttons = QVBoxLayout()
        self.buttons.setSpacing(4)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 10, 0, 10)
        row.setSpacing(12)
        logo = QLabel(self)
        logo.setFixedSize(SIDE, SIDE)
        made = QPixmap()
        logo.setVisible(made.loadFromData(picture))
        if not made.isNull():
            kept = Qt.AspectRatioMode.KeepAspectRatio
            logo.setPixmap(
                made.scaled(SIDE, SIDE, kept, Qt.TransformationMode.SmoothTransformation)
            )
        row.addWidget(logo, alignment=Qt.AlignmentFlag.AlignTop)
        row.addLayout(self.words, 1)
        row.addLayout(self.buttons)
        row.setAlignment(self.buttons, Qt.AlignmentFlag.AlignTop)

    def say(self, text: str, name: str = "muted") -> QLabel:
        """Add a line of text, unless the text is empty."""
        made = label(text, name, self)
        made.setVisible(bool(text))
        self.words.addWidget(made)
        return made

    def button(self, text: str) -> QPushButton:
        """Add a button."""
        made = QPushButton(text, self)
        made.setObjectName("link")
        made.setAccessibleName(f"{text}: {self._title}")
        self.buttons.addWidget(made, alignment=Qt.AlignmentFlag.AlignRight)
        return made


SIDE = 40  # of a logo, in pixels
