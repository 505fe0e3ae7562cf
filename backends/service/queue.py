"""The queue for a model. It is limited in length and fair to all callers, reports positions, and
limits the waiting time.

Work is cancelled when its caller disconnects.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from contextlib import aclosing, asynccontextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from backends.service.access import Busy

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Coroutine

    from fastapi import Request


OF_A_CALLER = 16  # maximum number of waiting requests from one caller for a model
OF_ALL = 256  # maximum number of waiting requests from all callers
AGAIN_SECONDS = 10.0  # seconds between two reports for a request that keeps its position
FIRST_GUESS = 10.0  # assumed duration of an answer in seconds, until one has been measured
# called with the position of a request while it waits, where 1 is next
PLACE: ContextVar[Callable[[int], None]] = ContextVar("place", default=lambda _: None)


T = TypeVar("T")


class QueuePlace(NamedTuple):
    """The position of a request in the queue for a model, where 1 is next."""

    place: int


async def with_places(made: AsyncGenerator[T]) -> AsyncGenerator[T | QueuePlace]:
    """Yield the pieces of an answer and, while it waits, its position in the queue for a model.

    The position is reported when it changes and every ten seconds, so that clients know that the
    request is still alive.
    """
    come: asyncio.Queue[T | QueuePlace | None] = asyncio.Queue()

    def tell(place: int) -> None:
        come.put_nowait(QueuePlace(place))

    async def read() -> None:
        try:
            async with aclosing(made):
                async for piece in made:
                    come.put_nowait(piece)
        finally:
            come.put_nowait(None)

    before = PLACE.set(tell)
    reading = asyncio.create_task(read(), name="read an answer")
    PLACE.reset(before)
    last: T | QueuePlace | None = None
    try:
        while True:
            try:
                async with asyncio.timeout(AGAIN_SECONDS if isinstance(last, QueuePlace) else None):
                    last = await come.get()
            except TimeoutError:
                pass  # reports the same position again
            if last is None:
                break
            yield last
        await reading
    finally:
        reading.cancel()
        await asyncio.wait((reading,))


class Waiter:
    """A waiting request. turn: an event that is set when it can start."""

    def __init__(self, caller: str, tell: Callable[[int], None]) -> None:
        self.caller = caller
        self.turn = asyncio.Event()
        self._tell = tell
        self._place = 0

    def move(self, place: int) -> None:
        """Report the position if it has changed."""
        if place != self._place:
            self._place = place
            self._tell(place)


class FairQueue:
    """Admits a limited number of concurrent requests to a model. The others wait.

    Callers take turns: a caller with a hundred requests is served as often as one with a single
    request. slots: the number of concurrent requests. wait_seconds: the longest time that a request
    waits, or None to wait forever.
    """

    def __init__(self, slots: int, wait_seconds: float | None = None) -> None:
        self.slots = slots
        self.wait_seconds = wait_seconds
        self.running = 0
        self.refused = 0
        self._waiting: OrderedDict[str, deque[Waiter]] = OrderedDict()
        self._usual = FIRST_GUESS  # seconds that an answer usually takes

    @property
    def waiting(self) -> int:
        """Return how many requests are waiting."""
        return sum(map(len, self._waiting.values()))

    @asynccontextmanager
    async def turn(self, caller: str) -> AsyncGenerator[None]:
        """Wait for a turn, and hold it for the duration of the block.

        Raises: Busy if too many requests wait, or if the turn does not come in time.
        """
        await self._admitted(caller)
        begun = time.monotonic()
        try:
            yield
        finally:
            self._usual += 0.2 * (time.monotonic() - begun - self._usual)
            self.running -= 1
            self._next()

    def expected(self, place: int) -> float:
        """Return the approximate number of seconds until the request at a position in the queue
        gets its turn."""
        return self._usual * (place / self.slots)

    async def _admitted(self, caller: str) -> None:
        if self.running < self.slots and not self._waiting:
            self.running += 1
            return
        if self.waiting >= OF_ALL or len(self._waiting.get(caller, ())) >= OF_A_CALLER:
            self.refused += 1
            raise self._busy(f"{self.waiting} requests are already waiting for this model.")
        mine = Waiter(caller, PLACE.get())
        self._waiting.setdefault(caller, deque()).append(mine)
        self._tell()
        try:
            async with asyncio.timeout(self.wait_seconds):
                await mine.turn.wait()
        except TimeoutError:
            if not self._left(mine):
                return  # the turn came at the same moment
            self.refused += 1
            raise self._busy(f"Still waiting after {self.wait_seconds:g} s.") from None
        except asyncio.CancelledError:
            if not self._left(mine):
                self.running -= 1
                self._next()
            raise

    def _left(self, mine: Waiter) -> bool:
        """Remove a request from the queue. Return False if it has already had its turn."""
        if mine.turn.is_set():
            return False
        own = self._waiting[mine.caller]
        own.remove(mine)
        if not own:
            del self._waiting[mine.caller]
        self._tell()
        return True

    def _next(self) -> None:
        """Give free slots to waiting requests: the first one of each caller in turn."""
        while self.running < self.slots and self._waiting:
            caller, own = next(iter(self._waiting.items()))
            first = own.popleft()
            if own:
                self._waiting.move_to_end(caller)
            else:
                del self._waiting[caller]
            self.running += 1
            first.turn.set()
        self._tell()

    def _tell(self) -> None:
        """Report their positions to all waiting requests."""
        rounds = [list(own) for own in self._waiting.values()]
        place = 0
        for at in range(max(map(len, rounds), default=0)):
            for own in rounds:
                if at < len(own):
                    place += 1
                    own[at].move(place)

    def _busy(self, text: str) -> Busy:
        expected = self.expected(self.waiting + 1)
        return Busy(text, f"Try again in about {max(1, round(expected))} s.", expected)


Work = TypeVar("Work")


class CallerGone(Exception):
    """The caller disconnected, so nobody will receive the answer."""


async def for_caller(request: Request, work: Coroutine[Any, Any, Work]) -> Work:
    """Return the result of `work`, which is cancelled when the caller disconnects.

    The body of the request must already have been read. Streams do not need this function, because
    their response watches the connection itself. Raises: CallerGone, and whatever `work` raises.
    """
    working = asyncio.create_task(work, name="work for a caller")
    watching = asyncio.create_task(hung_up(request), name="watch a caller")
    try:
        await asyncio.wait((working, watching), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise CallerGone
        return await working
    finally:
        working.cancel()
        watching.cancel()
        await asyncio.gather(working, watching, return_exceptions=True)


async def hung_up(request: Request) -> None:
    """Wait until the caller disconnects."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
