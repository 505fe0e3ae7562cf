"""Makes room for a model: unloads those nobody uses, longest unused first; refuses what does not fit."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from backends.workers.budget import Budget
    from backends.workers.slot import Slot
    from backends.workers.worker import Worker

log = logging.getLogger(__name__)


class Room:
    """The memory all slots share. slots: returns all of them.

    Between two `await`s nothing else runs, so a look at the figures and the promise made from it
    need no lock.
    """

    def __init__(self, budget: Budget, slots: Callable[[], Iterable[Slot]]) -> None:
        self.budget = budget
        self._slots = slots
        self._closing: dict[Worker, int] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()

    async def make(self, slot: Slot) -> None:
        """Wait until a model may be loaded, and promise it the memory.

        Raises: InvokeMemoryError if it does not fit beside the models in use.
        """
        need = await asyncio.to_thread(self.budget.need, slot.wanted)
        end = time.monotonic() + self.budget.patience_seconds
        if need > self.budget.total():  # whoever uses what, it never fits
            raise self.budget.refusal(slot.wanted, need, self.budget.total(), [])
        while need > self.free():
            idle = sorted((s for s in self._slots() if s.idle), key=lambda s: s.used_at)
            used = [s for s in self._slots() if s.takes() and not s.idle]
            room = self.free() + sum(s.takes() for s in idle) + sum(self._closing.values())
            if need > room + sum(s.takes() for s in used) or (left := end - time.monotonic()) <= 0:
                raise self.budget.refusal(slot.wanted, need, room, [s.wanted.model for s in used])
            if need <= room and idle and not self._closing:
                log.info(
                    "%s is unloaded to make room for %s", idle[0].wanted.model, slot.wanted.model
                )
                await self.unload(idle[0])
            else:
                await self.change(left)
        slot.need = need

    def free(self) -> int:
        """Return the bytes a model may take now."""
        slots = list(self._slots())
        used = sum(s.takes() for s in slots) + sum(self._closing.values())
        return self.budget.free(used, sum(s.promised() for s in slots))

    async def unload(self, slot: Slot) -> bool:
        """End a model's process; return False if it has none."""
        takes = slot.takes()
        if slot.alive:
            slot.starts.clear()  # it did not end by itself
        worker = slot.let_go()
        if worker is None:
            return False
        self._closing[worker] = takes
        closing = asyncio.create_task(self._close(worker), name=f"worker {worker.pid}: close")
        self._tasks.add(closing)
        closing.add_done_callback(self._tasks.discard)
        await asyncio.shield(
            closing
        )  # whoever waits for it may be stopped; the process ends all the same
        return True

    async def _close(self, worker: Worker) -> None:
        try:
            await worker.close()
        finally:
            del self._closing[worker]
            self.changed()

    async def settle(self) -> None:
        """Wait until every process that is being ended has ended."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def changed(self) -> None:
        """Let those look again who wait for memory."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def change(self, seconds: float | None) -> None:
        """Wait until something was let go, at most so many seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):  # wait_for would swallow a cancel in 3.11
                await self._changed.wait()

    async def sweep(self) -> None:
        """Unload, for ever, what nobody used for the budget's idle time."""
        while self.budget.idle_seconds:
            now = time.monotonic()
            ends = {
                slot: slot.used_at + self.budget.idle_seconds for slot in self._slots() if slot.idle
            }
            due = [slot for slot, end in ends.items() if end <= now]
            for slot in due:
                if slot.idle:  # it may have been asked for while the one before was unloaded
                    log.info("%s was not used for a while and is unloaded", slot.wanted.model)
                    await self.unload(slot)
            if not due:
                await self.change(min(ends.values()) - now if ends else None)
