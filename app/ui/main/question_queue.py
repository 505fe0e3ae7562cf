"""The queue of questions in a window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.voice.talk import Begun
    from app.ui.composer.composer import Composer


@dataclass(frozen=True)
class QueuedQuestion:
    """A queued question. begun: called with its turn if the question was spoken."""

    text: str
    begun: Begun | None = None


class QuestionQueue:
    """The queue of questions in a window.

    stop: stops the current answer so that the next question is sent. reason: returns why no
    question can be sent now.
    """

    def __init__(
        self, composer: Composer, stop: Callable[[], object], reason: Callable[[], str]
    ) -> None:
        self._composer, self._stop, self._reason = composer, stop, reason
        self._questions: list[QueuedQuestion] = []
        self.changed: Callable[[], object] = lambda: None  # called after each change
        composer.waiting.sent.connect(self._ask_now)
        composer.waiting.taken.connect(self._take_back)
        composer.waiting.dropped.connect(self._take)

    @property
    def texts(self) -> list[str]:
        """Return the queued questions, the next one first."""
        return [question.text for question in self._questions]

    def put(self, question: QueuedQuestion) -> None:
        """Add a question to the queue."""
        self._questions.append(question)
        self._show()

    def next(self) -> QueuedQuestion | None:
        """Take the next question from the queue; None if it is empty."""
        following = self._questions.pop(0) if self._questions else None
        self._show()
        return following

    def give_back(self) -> None:
        """Put all queued questions back into the text field."""
        texts = self.texts
        # before they are in the text field, because both are saved as the draft
        self._questions.clear()
        self._composer.take_back(texts)
        self._show()

    def show(self) -> None:
        """Update the reason why the first question is waiting."""
        if self._questions:
            self._composer.set_waiting(self.texts, self._reason())

    def _show(self) -> None:
        self._composer.set_waiting(self.texts, self._reason())
        self.changed()

    def _take_back(self, number: int) -> None:
        self._composer.take_back([question.text for question in self._take(number)])

    def _take(self, number: int) -> list[QueuedQuestion]:
        taken = self._questions[number : number + 1]
        del self._questions[number : number + 1]
        self._show()
        self._composer.editor.setFocus()
        return taken

    def _ask_now(self, number: int) -> None:
        self._questions[:0] = self._take(number)
        self._show()
        self._stop()
