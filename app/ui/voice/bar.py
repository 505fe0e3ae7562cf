"""The line above what is typed that tells what the voice does, or why it cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from app.ui.theme.polish import set_style
from app.ui.voice.meter import Meter
from app.ui.words import tr

if TYPE_CHECKING:
    from app.ui.theme.tokens import Tokens


class VoiceBar(QFrame):
    """Signals: dismissed() when its button was pressed, acted() when the one that does what it
    offers was.
    """

    dismissed = Signal()
    acted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.meter = Meter(self)
        self.label = QLabel(self)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setWordWrap(True)
        self.button = QPushButton(tr("Cancel"), self)
        self.button.setObjectName("link")
        self.button.clicked.connect(self.dismissed)
        self.action = QPushButton(self)
        self.action.setAccessibleName(tr("What it offers"))
        self.action.clicked.connect(self.acted)
        self.action.hide()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        row.addWidget(self.meter)
        row.addWidget(self.label, 1)
        row.addWidget(self.action)
        row.addWidget(self.button)
        self.hide()

    def set_tokens(self, tokens: Tokens) -> None:
        """Dress in a theme."""
        self.meter.set_tokens(tokens)

    def tell(
        self,
        text: str,
        *,
        button: str,
        action: str = "",
        metered: bool = False,
        wrong: bool = False,
        silent: bool = False,
    ) -> None:
        """Show a line. action: what it offers to do. wrong: it is why something does not work.
        silent: it is no news.
        """
        news = (text != self.label.text() or self.isHidden()) and not silent
        self.label.setText(text)
        set_style(self.label, "wrong" if wrong else "muted")
        self.button.setText(button)
        self.button.setAccessibleName(f"{button}: {text}")
        self.action.setText(action)
        self.action.setAccessibleName(f"{action}: {text}")
        self.action.setVisible(bool(action))
        if metered and self.meter.isHidden():
            self.meter.clear()
        self.meter.setVisible(metered)
        self.show()
        if news:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))
