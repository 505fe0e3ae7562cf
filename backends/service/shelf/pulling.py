"""Something long done with a model, told step by step, that can be stopped: a pull, an import."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from backends.catalog.download import Progress, Report

STEP_SECONDS = 0.1  # between two figures of the same step


class Stopped(Exception):
    """The work was stopped."""


class Long:
    """Work in a thread of its own. work: takes what it reports its steps to."""

    def __init__(self, work: Callable[[Report], object]) -> None:
        self._work = work
        self._steps: asyncio.Queue[Progress] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._stop = threading.Event()
        self._last = ("", 0.0)

    async def steps(self) -> AsyncGenerator[Progress, None]:
        """Yield how far it is, until it is done; closing the generator stops it.

        Raises: CatalogError.
        """
        pulling = asyncio.create_task(asyncio.to_thread(self._work, self._report), name="long work")
        waiting = asyncio.create_task(self._steps.get(), name="next step")
        try:
            while True:
                await asyncio.wait((pulling, waiting), return_when=asyncio.FIRST_COMPLETED)
                if waiting.done():
                    yield waiting.result()
                    waiting = asyncio.create_task(self._steps.get(), name="next step")
                elif pulling.done():
                    await pulling
                    return
        finally:
            self._stop.set()
            waiting.cancel()
            if not pulling.done():  # the thread ends with its next step; nobody waits for that
                pulling.add_done_callback(lambda task: task.cancelled() or task.exception())

    def _report(self, step: Progress) -> None:
        if self._stop.is_set():
            raise Stopped
        what, at = self._last
        now = time.monotonic()
        if step.what != what or now - at >= STEP_SECONDS or step.done_bytes >= step.total_bytes:
            self._last = step.what, now
            self._loop.call_soon_threadsafe(self._steps.put_nowait, step)
