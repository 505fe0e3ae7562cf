"""Copilots whose thoughts stand among their words: each thought becomes a step that holds it, as our own copilot's."""

from __future__ import annotations

import time
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from app.domain.caps import Caps
from app.domain.errors import Capped, DeskpilotError
from app.domain.events import Call, Status
from app.domain.stream import Chunk
from app.services.thoughts.reading import Reading

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

    from app.domain.conversation import Turn
    from app.domain.copilot import Copilot, Offer
    from app.domain.events import Item
    from app.services.ports import AskPort
    from app.services.thoughts.reading import Piece

BEGUN = [{"thinking": True}]  # details of the step that tells that a thought has begun


class Apart:
    """Asks copilots; what strange ones think aloud is kept out of their words, and so out of what is spoken, cited and
    sent back to them."""

    def __init__(self, port: AskPort, caps: Caps = Caps()) -> None:  # noqa: B008 - frozen
        self._port, self._caps = port, caps

    async def ask(self, copilot: Copilot, turns: list[Turn], offer: Offer) -> AsyncGenerator[Item, None]:
        """Yield an answer, its thoughts as steps.

        Raises: CopilotError; Capped for a thought without end.
        """
        told = Told(self._caps.characters)
        async with aclosing(self._port.ask(copilot, turns, offer)) as answer:
            if copilot.is_ours:  # its service keeps them apart by the marks of each model
                async for item in answer:
                    yield item
                return
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
    """The items of one answer on their way. limit: characters of all thoughts together."""

    def __init__(self, limit: int) -> None:
        self._reading, self._limit = Reading(), limit
        self._words = Chunk("assistant", "message", "")
        self._thought: list[str] = []
        self._began = 0.0

    def take(self, item: Item) -> Iterator[Item]:
        """Yield what an item brings."""
        if is_words(item):
            assert isinstance(item, Chunk)
            self._words = item
            yield from self._items(self._reading.feed(item.content))
            return
        if isinstance(item, Chunk | Call) or not self._reading.thinks:
            yield from self.finish()  # a step within a thought does not end it
        yield item

    def finish(self) -> Iterator[Item]:
        """Yield what is left."""
        yield from self._items(self._reading.finish())

    def _items(self, pieces: list[Piece]) -> Iterator[Item]:
        for piece in pieces:
            if piece.kind == "said":
                yield replace(self._words, content=piece.text)
            elif piece.kind == "thought":
                yield from self._think(piece.text)
            elif self._thought:
                seconds = max(1, round(time.monotonic() - self._began))
                thought, self._thought = "".join(self._thought).strip(), []
                yield Status("INFO", f"Thought for {seconds} s", [{"thought": thought}])

    def _think(self, text: str) -> Iterator[Item]:
        if not self._thought:
            text = text.lstrip()  # models that need not think leave it empty
            if not text:
                return
            self._began = time.monotonic()
            yield Status("INFO", "Thinking", list(BEGUN))
        self._thought.append(text)
        self._limit -= len(text)
        if self._limit < 0:
            raise Capped(
                "The answer grew without end and was closed.", "Use another copilot.", cap="characters"
            )


def is_words(item: Item) -> bool:
    """Tell whether an item is words of the answer; flags that part messages are none."""
    if not isinstance(item, Chunk) or item.start or item.end:
        return False
    return (item.role, item.type) == ("assistant", "message") and isinstance(item.content, str)
