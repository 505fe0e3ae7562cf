"""Keep a turn while it streams: what was said joins into messages, on disk at least once a second."""

from __future__ import annotations

import time
import uuid
from typing import TYPE_CHECKING

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
        self._flushed = time.monotonic()
        self._open = False

    def chunks(self, chunk: Chunk) -> Iterator[Chunk]:
        """Take content of the answer; yield it, a start flag before the first."""
        if not self._open:
            self._open = True
            made = Message(
                chunk.role, chunk.type, "", chunk.format, id=uuid.uuid4().hex, created_at=time.time()
            )
            self._turn.items.append(made)
            yield Chunk(chunk.role, chunk.type, format=chunk.format, start=True)
        last = self._turn.items[-1]
        assert isinstance(last, Message)
        joined = last.content + chunk.content
        self._turn.items[-1] = Message(
            last.role, last.type, joined, last.format, id=last.id, created_at=last.created_at
        )
        yield chunk

    def end_message(self) -> Iterator[Chunk]:
        """Yield the end flag of the message that is open, if one is."""
        if self._open:
            self._open = False
            last = self._turn.items[-1]
            assert isinstance(last, Message)
            yield Chunk(last.role, last.type, format=last.format, end=True)

    def event(self, event: Event) -> Iterator[Item]:
        """Take an event; yield it, the end of an open message before it."""
        yield from self.end_message()
        self._turn.items.append(event)
        yield event

    async def flush(self, *, now: bool = False) -> None:
        """Write what is new, if the last time is a second ago or it must be now."""
        if now or time.monotonic() - self._flushed >= FLUSH_SECONDS:
            await self.write(None)

    async def write(self, state: State | None) -> None:
        """Write what is new, and the state; an open message is written again as it grows."""
        await self._store.put_items(self._turn.id, self._written, self._turn.items[self._written :], state)
        if state is not None:
            self._turn.state = state
        self._written = max(0, len(self._turn.items) - (1 if self._open else 0))
        self._flushed = time.monotonic()
