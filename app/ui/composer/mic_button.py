"""The microphone button: hold it to talk, or press it to start and again to stop."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from app.ui.controls.keys import named_after
from app.ui.theme.i18n import tr
from app.ui.theme.icons import icon

if TYPE_CHECKING:
    from app.ui.theme.tokens import Tokens

CLICK_MS = 350  # a shorter press counts as a click


class MicButton(QToolButton):
    """The microphone button.

    Signals: begun() when pressed, kept() after a click, finished() when released after holding, or
    at the next press.
    """

    begun = Signal()
    kept = Signal()
    finished = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("icon")
        self.setFixedSize(34, 34)
        self.setIconSize(QSize(18, 18))
        self._since = 0.0
        self._ending = False
        self._tokens: Tokens | None = None
        self.hearing = False
        self.pressed.connect(self.press)
        self.released.connect(lambda: self.let_go())
        self.set_hearing(False)

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        self._tokens = tokens
        self.set_hearing(self.hearing)

    def set_hearing(self, hearing: bool) -> None:
        """Show whether the microphone is open."""
        self.hearing = hearing
        if hearing:
            named_after(self, "voice.dictate", tr("Finish dictating"))
        else:
            words, without = tr("Dictate ({key}), or hold to talk"), tr("Dictate, or hold to talk")
            named_after(self, "voice.dictate", words, without)
        if self._tokens is not None:
            self.setIcon(icon("mic", self._tokens.danger if hearing else self._tokens.text))

    def toggle_hearing(self) -> None:
        """Start or stop dictation, as a click does."""
        if self.hearing:
            self.finished.emit()
        else:
            self.begun.emit()
            self.kept.emit()

    def press(self) -> None:
        """Handle a press of the button or its key."""
        self._ending = self.hearing
        if not self._ending:
            self.begun.emit()
            # the time spent starting does not count as holding the button
            self._since = time.monotonic()

    def let_go(self, held_ms: int | None = None) -> None:
        """Handle the release of the button. held_ms: how long it was held, in milliseconds, if
        known.
        """
        if (
            self._ending
            or ((time.monotonic() - self._since) * 1000 if held_ms is None else held_ms) >= CLICK_MS
        ):
            self.finished.emit()
        else:
            self.kept.emit()
