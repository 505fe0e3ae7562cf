"""Copilots under a guardian: a question is checked before it goes out, words before anybody sees
them.
"""

from __future__ import annotations

import json
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from app.domain.errors import DeskpilotError
from app.domain.events import (
    Artifact,
    Call,
    CallResult,
    Citations,
    Ended,
    Rateable,
    Recalled,
    Status,
    Suggestions,
    Thinking,
)
from app.domain.stream import Chunk

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from app.domain.conversation import Turn
    from app.domain.copilot import Copilot, Offer
    from app.domain.events import Item
    from app.services.conversation.guardian import Guardian
    from app.services.ports import AskPort

PIECE = 300  # characters of an answer that are checked together, at least
BEFORE = 2000  # characters said before that a piece is read with
ENDS = (".", "!", "?", "\n", "。", "！", "？", "…")


class Moderated:
    """Asks copilots and lets pass what the guardian lets pass; with the check off, everything."""

    def __init__(self, port: AskPort, guardian: Guardian) -> None:
        self._port = port
        self._guardian = guardian

    async def ask(
        self, copilot: Copilot, turns: list[Turn], offer: Offer
    ) -> AsyncGenerator[Item, None]:
        """Yield an answer, in pieces that were checked.

        Raises: CopilotError; Withheld and Unchecked, before the words that are meant.
        """
        watched = await self._guardian.watches()
        turn = turns[-1]
        if watched and not any(isinstance(item, CallResult) for item in turn.items):
            await self._guardian.check("question", turn.question)
        if not watched:
            async with aclosing(self._port.ask(copilot, turns, offer)) as answer:
                async for item in answer:
                    yield item
            return
        held = Held(self._guardian)
        try:
            async with aclosing(self._port.ask(copilot, turns, offer)) as answer:
                async for item in answer:
                    held.items.append(item)
                    if ripe(held.words):
                        for passed in await held.release():
                            yield passed
        except DeskpilotError:
            for passed in await held.release():  # what was said before it broke off is kept
                yield passed
            raise
        for passed in await held.release():
            yield passed


class Held:
    """What a copilot said and nobody has checked yet."""

    def __init__(self, guardian: Guardian) -> None:
        self.items: list[Item] = []
        self._guardian = guardian
        self._before = ""

    @property
    def words(self) -> str:
        """What people may see or hear of it."""
        return "".join(map(words_of, self.items))

    async def release(self) -> list[Item]:
        """Return it once it was checked, together with the words before it.

        Raises: Withheld, Unchecked.
        """
        if self.words.strip():
            await self._guardian.check("answer", self._before + self.words)
        self._before = (self._before + self.words)[-BEFORE:]
        released, self.items = self.items, []
        return released


def ripe(words: str) -> bool:
    """Tell whether enough was said to check it: whole sentences, or a sentence without an end."""
    return len(words) >= PIECE and (words.rstrip(" ").endswith(ENDS) or len(words) >= 4 * PIECE)


def words_of(item: Item) -> str:
    """Return what of an item people may see or hear."""
    match item:
        case Chunk():
            return item.content if isinstance(item.content, str) else ""
        case Status():
            made = "".join(map(words_of, item.artifacts))
            return f"\n{item.message} {texts(item.details)}\n{made}"
        case Call():
            return f"\n{texts(item.arguments)}\n"
        case Artifact():
            return f"\n{item.name} {item.description} {texts(item.content)} {texts(item.chart)}\n"
        case Suggestions():
            return "\n" + "\n".join(item.suggestions) + "\n"
        case Citations():
            return (
                "\n"
                + " ".join(
                    f"{c.name} {texts(c.value)} {texts(c.details)} {texts(c.quotes)}"
                    for c in item.citations
                )
                + "\n"
            )
        case Thinking():
            return item.text
        case CallResult() | Rateable() | Ended() | Recalled():
            return ""


def texts(value: Any) -> str:
    """Return the texts in a value, without numbers, which harm nobody."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return " ".join(filter(None, map(texts, value.values())))
    if isinstance(value, list):
        return " ".join(filter(None, map(texts, value)))
    return (
        ""
        if value is None or isinstance(value, bool | int | float)
        else json.dumps(value, default=str)
    )
