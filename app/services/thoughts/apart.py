"""Copilots whose thoughts stand among their words: each thought becomes a step that holds it, as our own copilot's."""

from __future__ import annotations

import time
from contextlib import aclosing
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from app.domain.conversation import Caps
from app.domain.errors import Capped, DeskpilotError
from app.domain.events import Call, Recalled, Status, Thinking
from app.domain.stream import Chunk, Message
from app.domain.thoughts import begun, ended, is_begun, thought_in
from app.services.thoughts.reading import Reading

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

    from app.domain.conversation import Turn
    from app.domain.copilot import Copilot, Offer
    from app.domain.events import Event, Item
    from app.services.ports import AskPort
    from app.services.thoughts.reading import Piece


class Apart:
    """Asks copilots; what they think aloud is kept out of their words, and so out of what is spoken, cited and sent back
    to them."""

    def __init__(self, port: AskPort, caps: Caps = Caps()) -> None:  # noqa: B008 - frozen
        self._port, self._caps = port, caps

    async def ask(
        self, copilot: Copilot, turns: list[Turn], offer: Offer
    ) -> AsyncGenerator[Item, None]:
        """Yield an answer, its thoughts as steps.

        Raises: CopilotError; Capped for a thought without end.
        """
        told = Told(self._caps.characters, ours=copilot.is_ours)
        async with aclosing(self._port.ask(copilot, turns, offer)) as answer:
            try:
                async for item in answer:
                    for passed in told.take(item):
                        yield passed
            except DeskpilotError:
                for passed in told.finish():  # what was thought before it broke off is kept
                    yield passed
                raise
        for passed in told.finish():
            yield passed


class Told:
    """The items of one answer on their way. limit: characters of all thoughts together. ours: its service keeps them
    apart by the marks of each model, as far as anything marks where they begin."""

    def __init__(self, limit: int, *, ours: bool = False) -> None:
        self._reading, self._limit, self._ours = Reading(opened=not ours), limit, ours
        self._words = Chunk("assistant", "message", "")
        self._began: float | None = (
            None  # of the thought, or of the words that may turn out to be one
        )
        self._thought: list[str] = []

    def take(self, item: Item) -> Iterator[Item]:
        """Yield what an item brings."""
        if is_words(item):
            assert isinstance(item, Chunk)
            self._words = item
            yield from self._items(self._reading.feed(item.content))
            return
        if self._ours and isinstance(item, Status) and item.hidden and is_begun(item):
            yield Thinking(thought_in(item))
            return
        if isinstance(item, Chunk | Call) or not self._reading.thinks:
            yield from self.finish()  # a step within a thought does not end it
        self._began = None if isinstance(item, Call) else self._began
        yield item

    def finish(self) -> Iterator[Item]:
        """Yield what is left."""
        yield from self._items(self._reading.finish())

    def _items(self, pieces: list[Piece]) -> Iterator[Item]:
        for kind, parts in groupby(pieces, lambda piece: piece.kind):
            yield from self._item(kind, "".join(part.text for part in parts))

    def _item(self, kind: str, text: str) -> Iterator[Item]:
        if kind == "said":
            self._began = time.monotonic() if self._began is None else self._began
            yield replace(self._words, content=text)
        elif kind == "recalled":
            yield Recalled(self._seconds())
        elif kind == "thought":
            yield from self._think(text)
        elif self._thought:
            thought, self._thought = "".join(self._thought), []
            yield ended(thought, self._seconds())

    def _think(self, text: str) -> Iterator[Item]:
        if not self._thought:
            text = text.lstrip()  # models that need not think leave it empty
            if not text:
                return
            self._began = time.monotonic()
            yield begun()
        self._thought.append(text)
        self._limit -= len(text)
        if self._limit < 0:
            raise Capped(
                "The answer grew without end and was closed.",
                "Use another copilot.",
                cap="characters",
            )
        yield Thinking(text)

    def _seconds(self) -> int:
        """Return how long a thought took, at least a second; what follows begins anew."""
        began, self._began = self._began, None
        return max(1, round(time.monotonic() - began)) if began is not None else 1


def is_words(item: Item) -> bool:
    """Tell whether an item is words of the answer; flags that part messages are none."""
    if not isinstance(item, Chunk) or item.start or item.end:
        return False
    return (item.role, item.type) == ("assistant", "message") and isinstance(item.content, str)


def parted(message: Message) -> list[Message | Event]:
    """Return a message of a file, its thoughts as steps before its words."""
    if (message.role, message.type) != ("assistant", "message") or not isinstance(
        message.content, str
    ):
        return [message]
    reading, said, thoughts, thought = Reading(), "", list[Status](), ""
    for piece in [*reading.feed(message.content), *reading.finish()]:
        if piece.kind in ("said", "thought"):
            said += piece.text * (piece.kind == "said")
            thought += piece.text * (piece.kind == "thought")
            continue
        thought, said = (said, "") if piece.kind == "recalled" else (thought, said)
        thoughts += (
            [Status("INFO", "Thought", [{"thought": thought.strip()}])] if thought.strip() else []
        )
        thought = ""
    return [*thoughts, replace(message, content=said)] if thoughts else [message]
