"""`Interpreter`: chat with a copilot from Python, in LMC messages; code runs only once a function
of yours allows it.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from app.adapters.model_service.client import ServiceManage
from app.api.background import Background
from app.domain.errors import DeskpilotError
from app.domain.language_model import Llm
from app.domain.stream import Chunk, fold
from app.services.conversation.dialogue import answered, temporary
from app.services.conversation.profile import Talking, find_profile
from app.services.dashboard.table_notes import add_tables
from backends.paths import profiles_folder

if TYPE_CHECKING:
    from app.domain.copilot import Copilot
    from app.services.conversation.consents import Consent

Message = dict[str, Any]
Approve = Callable[[str, str], bool | str]


class Interpreter:
    """A conversation with a copilot.

    messages: all of it as LMC messages; may be assigned. llm: which model answers. copilot: an
    added one by name, ours if empty.
    approve: asked with the language and the code before code runs; True runs it, a text runs that
    instead, anything else does not. Without it no code runs: the answer ends with the confirmation,
    and who wants to run the code does so, appends what the computer said to the messages, and
    passes them to `chat`.
    """

    def __init__(
        self, *, approve: Approve | None = None, profile: str = "", copilot: str = ""
    ) -> None:
        self.llm = find_profile(profile, profiles_folder()).llm if profile else Llm()
        self.messages: list[Message] = []
        self.approve, self.copilot = approve, copilot
        self._background: Background | None = None
        self._edits: list[str | None] = []  # what was made of the code of each confirmation
        self._conversation = temporary(uuid.uuid4().hex)

    @overload
    def chat(
        self, message: str | Message | list[Message] | None = ..., *, stream: Literal[False] = False
    ) -> list[Message]: ...
    @overload
    def chat(
        self, message: str | Message | list[Message] | None = ..., *, stream: Literal[True]
    ) -> Generator[Message, None, None]: ...
    def chat(
        self, message: str | Message | list[Message] | None = None, *, stream: bool = False
    ) -> list[Message] | Generator[Message, None, None]:
        """Ask, and return the new messages; with `stream` their chunks as they come, where leaving
        the loop stops all of it.

        message: a question, a message, a whole list in the place of `messages`, or None to answer
        those there are; where there are none, that opens a chat in this shell.
        Raises: DeskpilotError.
        """
        if message is None and not self.messages and not stream:
            from app.cli.commands import run_chat

            run_chat()  # in this shell, until the person leaves it
            return []
        if isinstance(message, list):
            self.messages = list(message)
        elif message is not None:
            text = {"role": "user", "type": "message", "content": message}
            self.messages.append(text if isinstance(message, str) else dict(message))
        chunks = self._chunks()
        if stream:
            return chunks
        before = len(self.messages)
        for _ in chunks:
            pass
        return self.messages[before:]

    def attach(self, path: str | Path) -> None:
        """Let a table go along with questions; code knows it as a DataFrame by its name.

        Raises: DeskpilotError.
        """
        background = self._begun()
        background.call(add_tables(background.begin().widgets, Path(path)))

    def reset(self) -> None:
        """Begin anew: no messages, and a Python without variables."""
        self.messages = []
        self._forget()

    def close(self) -> None:
        """End the model service and all code; the next question starts them again."""
        self._forget()
        if self._background is not None:
            self._background.close()
            self._background = None

    def _forget(self) -> None:
        if self._background is not None:
            self._background.call(self._background.begin().turns.forget_code(self._conversation))

    def __enter__(self) -> Interpreter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _begun(self) -> Background:
        if self._background is None:
            made = Background()
            made.begin().dashboard.consents.subscribe(self._on_consent)
            self._background = made
        return self._background

    def _chunks(self) -> Generator[Message, None, None]:
        """Yield the chunks of an answer; what they make stands in `messages`, also when one leaves
        early.
        """
        background, told = self._begun(), list[Chunk]()
        deskpilot, before = background.begin(), list(self.messages)
        deskpilot.turns.talk_with(Talking(self.llm, ServiceManage(deskpilot.service)))
        self._edits.clear()

        async def find() -> Copilot:
            named = (
                deskpilot.copilots.named(self.copilot)
                if self.copilot
                else deskpilot.copilots.local()
            )
            return await named

        def make() -> Any:
            goes_on = self.approve is not None
            return answered(deskpilot, find, before, self._conversation, goes_on=goes_on)

        for chunk in background.each(make):
            if chunk["role"] == "server":
                if "content" in chunk:
                    raise DeskpilotError(str(chunk["content"]))
                continue
            if told and told[-1].type == "confirmation" and self._edits:
                told = with_code(told, self._edits.pop(0))
            told.append(
                Chunk(
                    **{k: v for k, v in chunk.items() if k != "content"},
                    content=chunk.get("content"),
                )
            )
            self.messages = [*before, *(message.as_dict() for message in fold(told))]
            yield chunk

    def _on_consent(self, consent: Consent | None) -> None:
        """Ask the function that allows code, in a thread of its own: it may ask a person."""
        if consent is None or self._background is None:
            return
        consents = self._background.begin().dashboard.consents
        proposal, approve = consent.code, self.approve

        async def ask() -> None:
            said: bool | str = False
            if proposal is not None and approve is not None:
                said = await asyncio.to_thread(approve, proposal.language, proposal.code)
            self._edits.append(said if isinstance(said, str) else None)
            consents.answer(
                said is True or isinstance(said, str), code=said if isinstance(said, str) else None
            )

        self._background.begin().tasks.start("approve", ask())


def with_code(told: list[Chunk], code: str | None) -> list[Chunk]:
    """Return chunks whose newest code is what it was made; None leaves it as it is."""
    starts = [
        n
        for n, chunk in enumerate(told)
        if chunk.start and (chunk.role, chunk.type) == ("assistant", "code")
    ]
    if not starts or code is None:
        return told
    start = starts[-1]
    end = next((n for n in range(start, len(told)) if told[n].end), len(told))
    return [*told[: start + 1], replace(told[start], start=False, content=code), *told[end:]]
