"""A pull that is told step by step and can be stopped; what came is kept for the next one."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from backends.catalog import Catalog
    from backends.catalog.download import Progress

STEP_SECONDS = 0.1  # between two figures of the same step


class Stopped(Exception):
    """The pull was stopped."""


class Pull:
    """One pull, in a thread of its own."""

    def __init__(self, catalog: Catalog, model_id: str) -> None:
        self._catalog, self._model_id = catalog, model_id
        self._steps: asyncio.Queue[Progress] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._stop = threading.Event()
        self._last = ("", 0.0)

    async def steps(self) -> AsyncGenerator[Progress, None]:
        """Yield how far it is, until the model is here; closing the generator stops it.

        Raises: CatalogError.
        """
        pulling = asyncio.create_task(
            asyncio.to_thread(self._catalog.pull, self._model_id, self._report), name="pull"
        )
        waiting = asyncio.create_task(self._steps.get(), name="next step of a pull")
        try:
            while True:
                await asyncio.wait((pulling, waiting), return_when=asyncio.FIRST_COMPLETED)
                if waiting.done():
                    yield waiting.result()
                    waiting = asyncio.create_task(self._steps.get(), name="next step of a pull")
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
