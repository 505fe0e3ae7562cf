"""Files that are being read right now: how far each is, and stopped."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from app.data.readers.parts import file_name
from app.domain.errors import ReadingStopped
from backends.data.stopping import Computation

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.data.sources import Source


class Readings:
    """Reads files in threads. read: reads one."""

    def __init__(self, read: Callable[[Path], Source]) -> None:
        self._read = read
        self._running: dict[str, tuple[Computation, asyncio.Future[Source]]] = {}

    def far(self, uid: str) -> float | None:
        """Return which share of a file was read, from 0 to 1; None for one that is not being
        read.
        """
        running = self._running.get(uid)
        return running[0].progress() if running is not None else None

    def stop(self, uid: str) -> bool:
        """Break off what reads a file; return whether it was being read."""
        running = self._running.get(uid)
        if running is None:
            return False
        running[0].stop()
        running[1].cancel()
        return True

    async def read(self, path: Path, uid: str) -> Source:
        """Read a file; cancelled, or stopped, the thread that reads it ends soon, and nothing of it
        is kept.

        Raises: ReadingStopped, SourceError.
        """
        work = Computation()
        reading = asyncio.ensure_future(asyncio.to_thread(work.run, self._read, path))
        self._running[uid] = mine = (work, reading)
        try:
            return await reading
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not work.is_stopped or (task is not None and task.cancelling()):
                work.stop()
                raise
            raise ReadingStopped(
                f"Reading {file_name(path)} was stopped; nothing of it is kept.",
                "Attach it again to read it.",
            ) from None
        finally:
            if self._running.get(uid) is mine:
                del self._running[uid]
