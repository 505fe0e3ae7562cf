"""A terminal on a loop of its own, for programs that know no asyncio."""

from __future__ import annotations

import asyncio
import queue
import threading
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, TypeVar

from app.bootstrap import build
from app.domain.errors import DeskpilotError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Coroutine, Generator

    from app.services.deskpilot import Deskpilot

T = TypeVar("T")
Told = dict[str, Any]


class Background:
    """Runs a terminal in a thread. Its conversations are kept in memory."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._deskpilot: Deskpilot | None = None
        self._failed: BaseException | None = None
        self._ready, self._end = threading.Event(), asyncio.Event()
        self._thread = threading.Thread(target=self._live, name="deskpilot", daemon=True)

    def begin(self) -> Deskpilot:
        """Start it if need be, and return it.

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
        """Run work there and return what it gives."""
        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def each(self, make: Callable[[], AsyncGenerator[Told, None]]) -> Generator[Told, None, None]:
        """Yield what a generator there yields, one at a time; closing this closes it, and waits
        until it is.
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
        """End it, with its service and its code."""
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
