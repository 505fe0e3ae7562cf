"""Keep a turn while it streams: what was said joins into messages, on disk at least once a second."""

from __future__ import annotations

import asyncio
import time
import uuid
from typing import TYPE_CHECKING

from app.domain.errors import StoreError
from app.domain.events import Event, State
from app.domain.stream import Chunk, Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.domain.conversation import Turn
    from app.domain.events import Item
    from app.services.ports import StorePort

FLUSH_SECONDS = 1.0


class Recorder:
    """Puts the items of one turn into its list and into the store."""

    def __init__(self, turn: Turn, store: StorePort) -> None:
        self._turn = turn
        self._store = store
        self._written = len(turn.items)
        self._changed = False
        self._open = False
        self._failed: StoreError | None = None

    def chunks(self, chunk: Chunk) -> Iterator[Chunk]:
        """Take content of the answer; yield it, a start flag before the first of a message and an end behind its last.

        Flags of the copilot's own only part messages; which line of code runs is told and not kept.
        """
        self._changed = True
        if chunk.start or chunk.end or not self._continues(chunk):
            yield from self.end_message()
        if chunk.start or chunk.end:
            return
        if chunk.format == "active_line":
            yield chunk
            return
        if not self._open:
            self._open = True
            made = Message(
                chunk.role,
                chunk.type,
                "",
                chunk.format,
                chunk.recipient,
                id=uuid.uuid4().hex,
                created_at=time.time(),
            )
            self._turn.items.append(made)
            yield Chunk(chunk.role, chunk.type, format=chunk.format, start=True)
        last = self._turn.items[-1]
        assert isinstance(last, Message)
        joined = last.content + chunk.content
        self._turn.items[-1] = Message(
            last.role,
            last.type,
            joined,
            last.format,
            last.recipient,
            id=last.id,
            created_at=last.created_at,
        )
        yield chunk

    def _continues(self, chunk: Chunk) -> bool:
        """Tell whether a chunk belongs to the message that is open; lines that run stand inside of consoles."""
        last = self._turn.items[-1] if self._open else None
        if not isinstance(last, Message) or chunk.format == "active_line":
            return True
        same = (last.role, last.type, last.format, last.recipient)
        return same == (chunk.role, chunk.type, chunk.format, chunk.recipient)

    def end_message(self) -> Iterator[Chunk]:
        """Yield the end flag of the message that is open, if one is."""
        if self._open:
            self._open = False
            last = self._turn.items[-1]
            assert isinstance(last, Message)
            yield Chunk(last.role, last.type, format=last.format, end=True)

    def event(self, event: Event) -> Iterator[Item]:
        """Take an event; yield it, the end of an open message before it."""
        self._changed = True
        yield from self.end_message()
        self._turn.items.append(event)
        yield event

    async def keep(self) -> None:
        """Write what is new each second, until cancelled: a copilot may say a word and fall silent."""
        while self._failed is None:
            await asyncio.sleep(FLUSH_SECONDS)
            try:
                if self._changed:
                    await self.write(None)
            except StoreError as error:
                self._failed = error

    def check(self) -> None:
        """Tell whether `keep` could write.

        Raises: StoreError.
        """
        if self._failed is not None:
            raise self._failed

    async def write(self, state: State | None) -> None:
        """Write what is new, and the state; an open message is written again as it grows."""
        first, items = self._written, self._turn.items[self._written :]
        whole = max(0, len(self._turn.items) - self._open)
        self._changed = False
        await self._store.put_items(self._turn.id, first, items, state)
        self._written = max(self._written, whole)  # more may have come meanwhile
        if state is not None:
            self._turn.state = state
