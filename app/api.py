"""Deskpilot from Python: `from app import Interpreter`."""

from __future__ import annotations

import asyncio
import queue
import threading
import uuid
from collections.abc import Callable, Generator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from app.adapters.model_service.client import ServiceManage
from app.bootstrap import build
from app.domain.errors import DeskpilotError
from app.domain.model import Llm
from app.domain.stream import Chunk, fold
from app.services.dashboard.table_notes import add_tables
from app.services.dialogue import CLOSING, PROCEED, answered, temporary
from app.services.models.profiles import ModelLoan, ModelProfile, find_profile
from backends.paths import profiles_folder

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Coroutine, Generator

    from app.domain.copilot import Copilot
    from app.services.consents import Consent
    from app.services.deskpilot import Deskpilot

T = TypeVar("T")
Told = dict[str, Any]


class Background:
    """Runs a terminal in a thread of its own. Its conversations are kept in memory only."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._deskpilot: Deskpilot | None = None
        self._failed: BaseException | None = None
        self._ready, self._end = threading.Event(), asyncio.Event()
        self._thread = threading.Thread(target=self._live, name="deskpilot", daemon=True)

    def begin(self) -> Deskpilot:
        """Start the terminal if necessary, and return it.

        Raises: DeskpilotError.
        """
        if self._loop is None and not self._ready.is_set():
            self._thread.start()
            self._ready.wait()
        if self._failed is not None:
            raise self._failed
        assert self._deskpilot is not None
        return self._deskpilot

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in that thread and return its result."""
        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def each(self, make: Callable[[], AsyncGenerator[Told, None]]) -> Generator[Told, None, None]:
        """Yield what a generator in that thread yields, one item at a time; closing this generator
        closes that one and waits for it.
        """
        assert self._loop is not None
        found: queue.Queue[Told | None] = queue.Queue()

        async def feed() -> None:
            try:
                async with aclosing(make()) as items:
                    async for item in items:
                        found.put(item)
            finally:
                found.put(None)

        feeding = asyncio.run_coroutine_threadsafe(feed(), self._loop)
        try:
            while (item := found.get()) is not None:
                yield item
            feeding.result()
        finally:
            if not feeding.done():
                feeding.cancel()
                while found.get() is not None:
                    pass

    def close(self) -> None:
        """Stop the terminal, its model service and its code."""
        if self._loop is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._end.set)
            self._thread.join()

    def _live(self) -> None:
        asyncio.run(self._work())

    async def _work(self) -> None:
        self._loop = asyncio.get_running_loop()
        try:
            async with build(None) as deskpilot:
                self._deskpilot = deskpilot
                self._ready.set()
                await self._end.wait()
        except DeskpilotError as error:
            self._failed = error
        finally:
            self._ready.set()


Message = dict[str, Any]
Approve = Callable[[str, str], bool | str]
LOOPS = 10  # times a copilot is told to continue


class Interpreter:
    """A conversation with a copilot.

    messages: the whole conversation as LMC messages; can be assigned. llm: the model that answers.
    copilot: the name of an added copilot; empty for ours. approve: called with the language and the
    code before code runs. If it returns True, the code runs; if it returns a text, that runs
    instead; anything else prevents it. Without this function no code runs: the answer ends with the
    confirmation, and callers who want the code to run do so themselves, append the computer's
    output to the messages, and pass them to `chat`. loop: whether the copilot is sent
    `loop_message` each time it stops, until its answer contains one of `loop_breakers`, repeats
    itself, or the message was sent ten times; the message is not kept.
    """

    def __init__(
        self,
        *,
        approve: Approve | None = None,
        profile: str = "",
        copilot: str = "",
        loop: bool | None = None,
    ) -> None:
        found = find_profile(profile, profiles_folder()) if profile else ModelProfile(Llm())
        self.llm = found.llm
        self.loop = found.loop if loop is None else loop
        self.loop_message, self.loop_breakers = PROCEED, list(CLOSING)
        self.messages: list[Message] = []
        self.approve, self.copilot = approve, copilot
        self._background: Background | None = None
        self._edits: list[str | None] = []  # the decision about the code of each confirmation
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
        """Ask, and return the new messages. With `stream`, return their chunks instead; leaving the
        loop then stops everything.

        message: a question, a message, a whole list to replace `messages`, or None to answer the
        existing messages; if there are none, a chat opens in this shell. Raises: DeskpilotError.
        """
        if message is None and not self.messages and not stream:
            from app.cli.commands import run_chat

            run_chat()  # in this shell, until the user leaves it
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
        """Attach a table to the questions; code finds it as a DataFrame under its name.

        Raises: DeskpilotError.
        """
        background = self._begun()
        background.call(add_tables(background.begin().widgets, Path(path)))

    @property
    def folder(self) -> Path | None:
        """Return the folder that code works in; its files remain after this is closed."""
        return self._begun().begin().turns.code_folder(self._conversation)

    def reset(self) -> None:
        """Start over, with no messages, a Python without variables, and an empty folder."""
        self.messages = []
        self._leave()
        self._conversation = temporary(uuid.uuid4().hex)

    def close(self) -> None:
        """Stop the model service and all code; the next question starts them again."""
        self._leave()
        if self._background is not None:
            self._background.close()
            self._background = None

    def _leave(self) -> None:
        if self._background is not None:
            self._background.call(self._background.begin().turns.leave_code(self._conversation))

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
        """Yield the chunks of an answer, and of the answers to `loop_message`."""
        yield from self._answer([])
        words = [said_in(self.messages)]
        while self.loop and len(words) <= LOOPS and self._is_open(words):
            proceed = {"role": "user", "type": "message", "content": self.loop_message}
            yield from self._answer([proceed])
            words.append(said_in(self.messages))

    def _is_open(self, words: list[str]) -> bool:
        """Return whether the copilot should continue. words: the text at the end of each answer."""
        last = self.messages[-1] if self.messages else {}
        if (last.get("role"), last.get("type")) != ("assistant", "message"):
            return False  # code is waiting for the caller, or the answer is empty
        return words[-1] not in words[:-1] and not any(
            phrase in words[-1] for phrase in self.loop_breakers
        )

    def _answer(self, further: list[Message]) -> Generator[Message, None, None]:
        """Yield the chunks of one answer; the resulting messages are added to `messages`, even if
        the caller leaves early.

        further: messages that are sent but not kept.
        """
        background, told = self._begun(), list[Chunk]()
        deskpilot, before = background.begin(), list(self.messages)
        manage = ServiceManage(deskpilot.service)
        deskpilot.turns.talk_with(ModelLoan(self.llm, manage, computer=True))
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
            asked = [*before, *further]
            return answered(deskpilot, find, asked, self._conversation, goes_on=goes_on)

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
        """Call the function that approves code, in a thread of its own, because it may ask the
        user.
        """
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


def said_in(messages: list[Message]) -> str:
    """Return the assistant's last text."""
    said = (
        str(m.get("content"))
        for m in reversed(messages)
        if (m.get("role"), m.get("type")) == ("assistant", "message")
    )
    return next(said, "")


def with_code(told: list[Chunk], code: str | None) -> list[Chunk]:
    """Return chunks with the newest code replaced; None leaves them unchanged."""
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
