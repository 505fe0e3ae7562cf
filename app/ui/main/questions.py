"""What a copilot wants to do is asked, and questions that wait for the answer that comes."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QHBoxLayout, QMessageBox

from app.ui.main import boxes

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.conversation.consents import Consent, Consents
    from app.ui.chat.code import CodeCard
    from app.ui.composer.composer import Composer
    from app.ui.main.window import Window


class Queue:
    """The row of one window's questions. stop: ends the answer that comes, so that the next is
    asked.
    """

    def __init__(self, composer: Composer, stop: Callable[[], object]) -> None:
        self._composer, self._stop = composer, stop
        self._questions: list[str] = []
        composer.waiting.sent.connect(self._ask_now)
        composer.waiting.taken.connect(lambda number: composer.take_back(self._take(number)))
        composer.waiting.dropped.connect(self._take)

    def put(self, question: str) -> None:
        """Let a question wait behind the others."""
        self._questions.append(question)
        self._composer.set_waiting(self._questions)

    def next(self) -> str | None:
        """Take the question whose turn it is; None if none waits."""
        following = self._questions.pop(0) if self._questions else None
        self._composer.set_waiting(self._questions)
        return following

    def give_back(self) -> None:
        """Put all of them back where they were typed."""
        self._composer.take_back(self._questions)
        self._questions.clear()
        self._composer.set_waiting(self._questions)

    def _take(self, number: int) -> list[str]:
        taken = self._questions[number : number + 1]
        del self._questions[number : number + 1]
        self._composer.set_waiting(self._questions)
        self._composer.editor.setFocus()
        return taken

    def _ask_now(self, number: int) -> None:
        self._questions[:0] = self._take(number)
        self._composer.set_waiting(self._questions)
        self._stop()


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
        from app.ui.chat.code import CodeCard

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
