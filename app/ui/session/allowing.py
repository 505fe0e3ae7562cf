"""What a copilot wants to do is asked: code in a card above the field, the rest in a box; both close when it was answered
elsewhere."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QHBoxLayout, QMessageBox

from app.ui import boxes

if TYPE_CHECKING:
    from app.services.conversation.consents import Consent, Consents
    from app.ui.coding.card import CodeCard
    from app.ui.window import Window

YES, NO = QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.No


class Allowing(QObject):
    """Asks the person in front of the window; a box that is closed is a no."""

    def __init__(self, window: Window, consents: Consents) -> None:
        super().__init__(window)
        self._parent, self._consents = window, consents
        self._box: QMessageBox | None = None
        self.end = consents.subscribe(self._on_consent)

    @cached_property
    def card(self) -> CodeCard:
        """The card that shows code; made when code first waits."""
        from app.ui.coding.card import CodeCard

        card, row = CodeCard(self._parent.chat), QHBoxLayout()
        row.addStretch(1)
        row.addWidget(card, 100)
        row.addStretch(1)
        self._parent.column.insertLayout(self._parent.column.count() - 1, row)
        card.answered.connect(self._on_answered)
        return card

    def _on_consent(self, consent: Consent | None) -> None:
        box, self._box = self._box, None
        if box is not None:
            box.close()
        if "card" in self.__dict__:
            self.card.hide()
        if consent is not None and consent.code is not None:
            self.card.set_tokens(self._parent.tokens)
            self.card.ask(consent)
        elif consent is not None:
            self._box = boxes.opened(self._parent, consent.question, YES | NO)
            self._box.setTextFormat(Qt.TextFormat.PlainText)  # it may quote what a copilot wrote
            self._box.setDefaultButton(NO)
            self._box.finished.connect(self._on_finished)

    def _on_answered(self, allowed: bool, code: str, always: bool) -> None:
        self._consents.answer(allowed, code=code, always=always)

    def _on_finished(self, pressed: int) -> None:
        if self._box is not None:
            self._box = None
            self._consents.answer(pressed == YES.value)
