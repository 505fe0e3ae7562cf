"""What a copilot wants to do is asked in a box, which closes when it was answered elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QMessageBox

from app.ui import boxes

if TYPE_CHECKING:
    from app.services.consents import Consent, Consents
    from app.ui.window import Window

YES, NO = QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.No


class Allowing(QObject):
    """Asks the person in front of the window; a box that is closed is a no."""

    def __init__(self, window: Window, consents: Consents) -> None:
        super().__init__(window)
        self._parent, self._consents = window, consents
        self._box: QMessageBox | None = None
        self.end = consents.subscribe(self._on_consent)

    def _on_consent(self, consent: Consent | None) -> None:
        box, self._box = self._box, None
        if box is not None:
            box.close()
        if consent is not None:
            self._box = boxes.opened(self._parent, consent.question, YES | NO)
            self._box.setTextFormat(Qt.TextFormat.PlainText)  # it may quote what a copilot wrote
            self._box.setDefaultButton(NO)
            self._box.finished.connect(self._on_finished)

    def _on_finished(self, pressed: int) -> None:
        if self._box is not None:
            self._box = None
            self._consents.answer(pressed == YES.value)
