"""The questions that wait for their turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.ui.composer.composer import Composer


class QuestionQueue:
    """The queue of questions of a window. stop: ends the present answer, so that the
    next is asked.
    """

    def __init__(self, composer: Composer, stop: Callable[[], object]) -> None:
        self._composer, self._stop = composer, stop
        self._questions: list[str] = []
        composer.waiting.sent.connect(self._ask_now)
        composer.waiting.taken.connect(lambda number: composer.take_back(self._take(number)))
        composer.waiting.dropped.connect(self._take)

    def put(self, question: str) -> None:
        """Add a question to the queue."""
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
