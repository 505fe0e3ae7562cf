"""Consent: a copilot's action waits until the user agrees, either in the window or, if nothing can
be lost, by voice.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.domain.code import Language

    Listener = Callable[["Consent | None"], None]


@dataclass(frozen=True)
class Proposal:
    """Code to be run. boxed: whether it is isolated from files and the network. limits: a
    description of its limits.
    """

    language: Language
    code: str
    boxed: bool
    limits: str


@dataclass(frozen=True)
class Consent:
    """A consent prompt. question: a question that can be answered with yes or no. safe: whether
    nothing can be lost, so that a spoken yes is enough. code: the code that would run, which can be
    read and edited first. sends: exactly what would be sent.
    """

    question: str
    safe: bool
    code: Proposal | None = None
    sends: str = ""


@dataclass(frozen=True)
class ConsentAnswer:
    """The user's answer. code: the edited code to run, or None for the proposed code. always:
    whether it also applies to the rest of this conversation.
    """

    allowed: bool
    code: str | None = None
    always: bool = False


class Consents:
    """Consent prompts, one at a time. now: the prompt that is waiting. allowed: the conversations
    whose code runs without a prompt.
    """

    def __init__(self) -> None:
        self.now: Consent | None = None
        self.allowed: set[str] = set()
        self._answer: asyncio.Future[ConsentAnswer] | None = None
        self._turn = asyncio.Lock()
        self._listeners: list[Listener] = []

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Register a listener that can ask the user. It receives each prompt, and None once the
        prompt has been answered. Return the unsubscribe function.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def ask(self, consent: Consent) -> bool:
        """Return whether the user allows an action; False if nobody can be asked."""
        return (await self.answered(consent)).allowed

    async def answered(self, consent: Consent) -> ConsentAnswer:
        """Return the user's answer, which counts as no if nobody can be asked."""
        if not self._listeners:
            return ConsentAnswer(False)
        async with self._turn:
            self._answer = asyncio.get_running_loop().create_future()
            self._tell(consent)
            try:
                return await self._answer
            finally:
                self._answer = None
                self._tell(None)

    def answer(
        self, allowed: bool, *, spoken: bool = False, code: str | None = None, always: bool = False
    ) -> bool:
        """Answer the waiting prompt, and return whether the answer counts. A spoken yes counts only
        if nothing can be lost.
        """
        if self.now is None or self._answer is None or self._answer.done():
            return False
        if allowed and spoken and not self.now.safe:
            return False
        self._answer.set_result(ConsentAnswer(allowed, code, always and not spoken))
        return True

    def _tell(self, consent: Consent | None) -> None:
        self.now = consent
        for listener in list(self._listeners):
            listener(consent)
