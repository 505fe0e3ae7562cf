"""The bar above the text field with the state of the voice: level, words, an offer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QColor, QPainter
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from app.ui.theme.i18n import tr
from app.ui.theme.style import set_style
from app.ui.theme.tokens import LIGHT, Tokens

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent


BARS, WIDTH, GAP = 14, 3, 2
EVERY = 3  # levels to a bar: fifty come in a second


class Meter(QWidget):
    """Shows the last second of levels, 0 to 1, the newest at the right."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedSize(BARS * (WIDTH + GAP), 18)
        self.setAccessibleName(tr("Loudness"))
        self._tokens: Tokens = LIGHT
        self.levels = [0.0] * BARS
        self._taken: list[float] = []

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        self._tokens = tokens
        self.update()

    def clear(self) -> None:
        """Start again."""
        self.levels = [0.0] * BARS
        self._taken.clear()
        self.update()

    def add(self, level: float) -> None:
        """Take the next level."""
        self._taken.append(level)
        if len(self._taken) == EVERY:
            self.levels = [*self.levels[1:], max(self._taken)]
            self._taken.clear()
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the bars."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for index, level in enumerate(self.levels):
            height = 3 + level * (self.height() - 3)
            colour = self._tokens.accent if level > 0.15 else self._tokens.hairline
            painter.setBrush(QColor(colour))
            bar = QRectF(index * (WIDTH + GAP), (self.height() - height) / 2, WIDTH, height)
            painter.drawRoundedRect(bar, 1.5, 1.5)


class VoiceBar(QFrame):
    """Signals: dismissed() by its close button, acted() by its action button."""

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
        self.action.setAccessibleName(tr("Features"))
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
        """Apply a theme."""
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
        """Show a line. action: what it offers to do. wrong: whether it reports a fault. silent:
        whether screen readers skip it.
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
