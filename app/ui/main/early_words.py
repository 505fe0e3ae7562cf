"""Text typed while the window starts; it is written to disk before the store is open."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.ui.theme.i18n import tr
from backends.paths import typed_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.ui.composer.composer import Composer


class EarlyWords(QObject):
    """Writes the text field to a file until the drafts take over, and queues the questions sent
    meanwhile.

    Text left by a window that was killed is put back into the field.
    """

    def __init__(self, composer: Composer) -> None:
        super().__init__(composer)
        self._composer = composer
        self._questions: list[str] = []
        self._waiting: Callable[[], list[str]] = lambda: self._questions
        with contextlib.suppress(OSError):
            composer.set_draft(typed_file().read_text("utf-8"))
        composer.typed.connect(self.keep)
        composer.submitted.connect(self._queue)

    def keep(self) -> None:
        """Write the unsent text."""
        words = "\n".join(part for part in (*self._waiting(), self._composer.draft) if part)
        path = typed_file()
        with contextlib.suppress(OSError):  # the store uses the same disk and will report the error
            path.parent.mkdir(parents=True, exist_ok=True)
            made = path.with_suffix(".part")
            made.write_text(words, "utf-8")
            made.replace(path)

    def hand_over(self, waiting: Callable[[], list[str]]) -> list[str]:
        """Stop queuing questions, and return those that were sent. waiting: returns the queued
        questions from now on.
        """
        if self._questions:
            self._composer.waiting.taken.disconnect(self._take_back)
            self._composer.waiting.dropped.disconnect(self._drop)
        self._composer.submitted.disconnect(self._queue)
        self._waiting = waiting
        return self._questions

    def end(self) -> None:
        """Stop writing the text to the file, because drafts now contain all of it."""
        self._composer.typed.disconnect(self.keep)
        typed_file().unlink(missing_ok=True)

    def _queue(self, question: str) -> None:
        if not self._questions:
            self._composer.waiting.taken.connect(self._take_back)
            self._composer.waiting.dropped.connect(self._drop)
        self._questions.append(question)
        self._show()

    def _show(self) -> None:
        self._composer.set_waiting(self._questions, tr("Asked once Deskpilot is ready"))
        self.keep()

    def _take_back(self, number: int) -> None:
        self._composer.take_back([self._questions.pop(number)])
        self._show()

    def _drop(self, number: int) -> None:
        del self._questions[number]
        self._show()
