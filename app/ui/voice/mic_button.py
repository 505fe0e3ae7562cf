"""The microphone's button: hold it to talk, or press it once to begin and once to end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QSize, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from app.ui.style.icons import icon

if TYPE_CHECKING:
    from app.ui.style.tokens import Tokens

CLICK_MS = 350  # a press that is shorter is a click
IDLE, HEARING = "Dictate (Ctrl+M), or hold to talk", "Finish dictating (Ctrl+M)"


class MicButton(QToolButton):
    """Signals: begun() on a press, kept() if it was only a click, finished() when held and let go, or pressed again."""

    begun = Signal()
    kept = Signal()
    finished = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("icon")
        self.setFixedSize(34, 34)
        self.setIconSize(QSize(18, 18))
        self._since = QElapsedTimer()
        self._ending = False
        self._tokens: Tokens | None = None
        self.hearing = False
        self.pressed.connect(self._on_pressed)
        self.released.connect(self._on_released)
        self.set_hearing(False)

    def set_tokens(self, tokens: Tokens) -> None:
        """Dress in a theme."""
        self._tokens = tokens
        self.set_hearing(self.hearing)

    def set_hearing(self, hearing: bool) -> None:
        """Show whether the microphone is open."""
        self.hearing = hearing
        label = HEARING if hearing else IDLE
        self.setAccessibleName(label)
        self.setToolTip(label)
        if self._tokens is not None:
            self.setIcon(icon("mic", self._tokens.danger if hearing else self._tokens.text))

    def toggle_hearing(self) -> None:
        """Begin, or end what was begun, as a click does."""
        if self.hearing:
            self.finished.emit()
        else:
            self.begun.emit()
            self.kept.emit()

    def _on_pressed(self) -> None:
        self._ending = self.hearing
        if not self._ending:
            self._since.start()
            self.begun.emit()

    def _on_released(self) -> None:
        if self._ending or self._since.elapsed() >= CLICK_MS:
            self.finished.emit()
        else:
            self.kept.emit()
