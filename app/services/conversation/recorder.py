"""Save a turn at least once a second while it streams, and shorten it to the part that was
heard."""

from __future__ import annotations

import asyncio
import time
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING

from app.domain.errors import StoreError
from app.domain.events import (
    Event,
    State,
    clear_thought,
    extend_thought,
    is_thought_ended,
    recall_words,
)
from app.domain.stream import Chunk, Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.domain.conversation import Turn
    from app.domain.events import Item, Recalled, Thinking
    from app.services.ports import StorePort


FLUSH_SECONDS = 0.8  # seconds between two writes; at most a second, including the write


class Recorder:
    """Adds the items of one turn to its list and saves them in the store."""

    def __init__(self, turn: Turn, store: StorePort) -> None:
        self._turn = turn
        self._store = store
        self._written = len(turn.items)
        # the position of the first item that has changed since it was written to disk
        self._edited: int | None = None
        self._changed = False
        self._open = False
        self._failed: StoreError | None = None

    def chunks(self, chunk: Chunk) -> Iterator[Chunk]:
        """Add content of the answer and yield it, with a start flag before the first chunk of a
        message and an end flag after its last.

        The copilot's own flags only separate messages. The line of code being run is reported but
        not stored.
        """
        self._changed = True
        if chunk.start or chunk.end or not self._continues(chunk):
            yield from self.end_message()
        if chunk.start and chunk.type == "console":  # code that prints nothing is also a message
            yield from self._begin(chunk)
        if chunk.start or chunk.end:
            return
        if chunk.format == "active_line":
            yield chunk
            return
        if not self._open:
            yield from self._begin(chunk)
        last = self._turn.items[-1]
        assert isinstance(last, Message)
        self._turn.items[-1] = replace(last, content=last.content + chunk.content)
        yield chunk

    def _begin(self, chunk: Chunk) -> Iterator[Chunk]:
        """Begin a message. The flags of a console have no format, since the lines being run are
        reported between them.
        """
        self._open = True
        form = "output" if chunk.type == "console" else chunk.format
        made = Message(
            chunk.role, chunk.type, "", form, chunk.recipient, uuid.uuid4().hex, time.time()
        )
        self._turn.items.append(made)
        yield flag(made, start=True)

    def _continues(self, chunk: Chunk) -> bool:
        """Return whether a chunk belongs to the open message. The lines being run are reported
        within console messages.
        """
        last = self._turn.items[-1] if self._open else None
        if not isinstance(last, Message):
            return True
        if chunk.format == "active_line":  # never inside a picture or page that code displayed
            return last.type == "console"
        if (last.role, last.type, last.recipient) != (chunk.role, chunk.type, chunk.recipient):
            return False
        return last.type == "console" or last.format == chunk.format

    def end_message(self) -> Iterator[Chunk]:
        """Yield the end flag of the open message, if there is one."""
        if self._open:
            self._open = False
            last = self._turn.items[-1]
            assert isinstance(last, Message)
            yield flag(last, end=True)

    def edit_code(self, code: str) -> None:
        """Replace the newest code with the user's version."""
        for index in range(len(self._turn.items) - 1, -1, -1):
            item = self._turn.items[index]
            if isinstance(item, Message) and item.type == "code":
                self._turn.items[index] = replace(item, content=code)
                self._edit(index)
                return

    def think(self, thinking: Thinking) -> Iterator[Thinking]:
        """Add a piece of a thought, and yield the thought if it has just begun."""
        if self._edit(extend_thought(self._turn.items, thinking.text)):
            yield thinking

    def recall(self, recalled: Recalled) -> Iterator[Item]:
        """Turn the text so far into a thought. Yield the open message's end and the thought."""
        yield from self.end_message()
        if self._edit(recall_words(self._turn.items, recalled.seconds)):
            yield recalled

    def _edit(self, index: int | None) -> bool:
        """Mark an item that may be on disk, and the items after it, to be written again. Return
        whether there is such an item.
        """
        if index is None:
            return False
        self._edited = index if self._edited is None else min(index, self._edited)
        self._changed = True
        return True

    def event(self, event: Event) -> Iterator[Item]:
        """Add an event, and yield it after the end of any open message."""
        self._changed = True
        yield from self.end_message()
        if is_thought_ended(event):
            self._edit(clear_thought(self._turn.items))
        self._turn.items.append(event)
        yield event

    async def keep(self) -> None:
        """Write new items every second until cancelled, since a copilot may send a word and then
        nothing else for a while.
        """
        wait = FLUSH_SECONDS
        while self._failed is None:
            await asyncio.sleep(wait)
            began = time.monotonic()
            try:
                if self._changed:
                    await self.write(None)
            except StoreError as error:
                self._failed = error
            # The pause is shortened by the time that a slow disk needs, so that the user never
            # loses more than a second.
            wait = max(FLUSH_SECONDS - (time.monotonic() - began), FLUSH_SECONDS / 4)

    def check(self) -> None:
        """Check that `keep` was able to write.

        Raises: StoreError.
        """
        if self._failed is not None:
            raise self._failed

    async def write(self, state: State | None) -> None:
        """Write new items and the state. An open message is written again as it grows."""
        edited, self._edited = self._edited, None  # more may change in the meantime
        first = self._written if edited is None else min(edited, self._written)
        items = self._turn.items[first:]
        whole = max(0, len(self._turn.items) - self._open)
        self._changed = False
        try:
            await self._store.put_items(self._turn.id, first, items, state)
        except StoreError:
            self._edit(edited)
            raise
        self._written = max(self._written, whole)  # more may arrive in the meantime
        if state is not None:
            self._turn.state = state


def flag(message: Message, *, start: bool = False, end: bool = False) -> Chunk:
    """Return the flag that begins or ends a message."""
    form = None if message.type == "console" else message.format
    return Chunk(message.role, message.type, None, form, message.recipient, start, end)


async def cut(turn: Turn, characters: int, store: StorePort) -> None:
    """Shorten the answer of a turn that has ended to its first `characters` characters. Its steps
    and citations are kept.

    Raises: StoreError.
    """
    left = characters
    for index, item in enumerate(turn.items):
        if isinstance(item, Message) and item.role == "assistant" and isinstance(item.content, str):
            kept = item.content[:left]
            left -= len(kept)
            if kept != item.content:
                turn.items[index] = replace(item, content=kept)
    await store.put_items(turn.id, 0, turn.items, turn.state)
