"""Drafts and the queue of questions.

A draft is text that was typed but not sent. It belongs to its chat and is kept when the window
closes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.domain.conversation import is_temporary
from app.domain.errors import DeskpilotError

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.domain.conversation import Draft
    from app.services.conversation.history import History
    from app.services.tasks import Do
    from app.services.voice.talk import Begun
    from app.ui.composer.composer import Composer, EarlyWords


# in milliseconds: typed text is saved after this delay, so no more is lost if the machine fails
WRITTEN_AFTER_MS = 300


class Drafts(QObject):
    """Connects the text field with the drafts of the chats.

    Queued questions, and sent questions that are not yet on disk, are saved as part of the draft.

    chat: a function that returns the id of the open chat; None if the chat has not begun.
    temporary: a function that returns whether the open chat is temporary. waiting: a function that
    returns the queued questions of the open chat. do: a function that starts a named task and shows
    its errors. early: the object that stored the text while the window was starting.
    """

    def __init__(
        self,
        composer: Composer,
        history: History,
        chat: Callable[[], str | None],
        temporary: Callable[[], bool],
        waiting: Callable[[], list[str]],
        do: Do,
        early: EarlyWords | None = None,
    ) -> None:
        super().__init__(composer)
        self._waiting, self._early = waiting, early
        self._sent: tuple[str, str] | None = None  # the key and text of the question being sent
        self._composer, self._history, self._do = composer, history, do
        self._chat, self._temporary = chat, temporary
        self._texts: dict[str, str] = {}
        self._following = False
        self._failed = False  # the error is reported once, not after every change
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(WRITTEN_AFTER_MS)
        self._timer.timeout.connect(self.keep)
        composer.typed.connect(self._on_typed)

    async def load(self) -> Draft | None:
        """Read the drafts of the last session; return the latest one. Raises: StoreError."""
        found = await self._history.drafts()
        self._texts = {draft.conversation_id: draft.text for draft in found}
        return found[0] if found else None

    def of(self, conversation_id: str) -> str:
        """Return the draft of a chat."""
        return self._texts.get(conversation_id, "")

    async def begin(self) -> None:
        """Insert the draft of the open chat before any text typed in the meantime, and start saving
        changes.

        Raises: StoreError.
        """
        self._following = True
        text, typed = self._texts.get(self._key() or "", ""), self._composer.draft
        # the draft already contained the typed text when the window was killed
        if typed and text.endswith(typed):
            self._composer.set_draft(text)
        elif text:
            self._composer.take_back([text])
        await self._save()
        if self._early is not None:
            self._early.end()
            self._early = None

    def keep(self) -> None:
        """Save the unsent text as the draft of the open chat."""
        self._timer.stop()
        if self._early is not None:
            self._early.keep()
        if self._following and (key := self._key()) is not None:
            sent = [self._sent[1]] if self._sent is not None and self._sent[0] == key else []
            parts = [*sent, *self._waiting(), self._composer.draft]
            self._put(key, "\n".join(part for part in parts if part))

    def send(self, question: str) -> None:
        """Keep a question that is being sent as part of the draft until `arrived` is called."""
        key = self._key()
        self._sent = (key, question) if key is not None else None
        self.keep()

    def arrived(self) -> None:
        """Remove the sent question from the draft, because it is on disk or back in the text
        field.
        """
        sent, self._sent = self._sent, None
        if sent is not None and sent[0] == self._key():
            self.keep()
        elif sent is not None and self._following:
            self._put(sent[0], without(self._texts.get(sent[0], ""), sent[1]))

    def show(self) -> None:
        """Replace the text in the field with the draft of the chat that was opened."""
        if self._following:
            key = self._key()
            text = self._texts.get(key, "") if key is not None else ""
            if self._sent is not None and self._sent[0] == key:
                text = without(text, self._sent[1])
            self._composer.set_draft(text)

    def take_along(self) -> None:
        """Move the text typed before a chat began into the draft of that chat."""
        if self._following and (key := self._key()):
            if self._sent is not None and not self._sent[0]:
                self._sent = (key, self._sent[1])
            self._put("", "")
            self.keep()

    async def aclose(self) -> None:
        """Save the draft and stop saving changes. Raises: StoreError."""
        await self._save()
        self._following = False

    async def _save(self) -> None:
        self.keep()
        key = self._key()
        if self._following and key is not None:
            await self._history.keep_draft(key, self._texts.get(key, ""))

    def _key(self) -> str | None:
        """Return the key of the open chat's draft; None if drafts are not saved for it."""
        uid = self._chat()
        return None if self._temporary() or (uid and is_temporary(uid)) else uid or ""

    def _on_typed(self, text: str) -> None:
        if not text:
            self.keep()  # the text has already been sent
        elif not self._timer.isActive():
            self._timer.start()

    def _put(self, key: str, text: str) -> None:
        if self._texts.get(key, "") != text:
            self._texts[key] = text
            self._do(f"keep draft {key}", self._write(key, text))

    async def _write(self, key: str, text: str) -> None:
        try:
            await self._history.keep_draft(key, text)
        except DeskpilotError:
            if not self._failed:
                self._failed = True
                raise
        else:
            self._failed = False


def without(text: str, question: str) -> str:
    """Return a draft without the question that it starts with."""
    return text.removeprefix(question).removeprefix("\n") if text.startswith(question) else text


@dataclass(frozen=True)
class QueuedQuestion:
    """A queued question. begun: a function that is called with its turn if the question was
    spoken.
    """

    text: str
    begun: Begun | None = None


class QuestionQueue:
    """The queue of questions in a window.

    stop: a function that stops the current answer so that the next question is sent. reason: a
    function that returns why no question can be sent now.
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
        """Return the texts of the queued questions, the next one first."""
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
        # the queue is emptied first, because the queue and the text field are both saved as the
        # draft
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
