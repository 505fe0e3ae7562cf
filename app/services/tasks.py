"""Named tasks with an owner. A new task replaces an older one with the same name."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    # Do starts work under a name, for code that must not own tasks. Work is a function that other
    # code wraps. Its coroutine is created only when the wrapper starts, which may never happen.
    Do = Callable[[str, Coroutine[Any, Any, None]], None]
    Work = Callable[[], Coroutine[Any, Any, None]]

log = logging.getLogger(__name__)


class Tasks:
    """Owns the tasks of the terminal."""

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[Any]] = {}

    def start(self, name: str, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run work under a name. Earlier work with that name is cancelled first."""
        self.cancel(name)
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks[name] = task
        task.add_done_callback(self._ended)
        return task

    def cancel(self, name: str) -> bool:
        """Cancel a task, and return whether there was one."""
        task = self._tasks.get(name)
        return task.cancel() if task is not None else False

    def running(self, name: str) -> bool:
        """Return whether work with this name is running."""
        return name in self._tasks

    async def aclose(self) -> None:
        """Cancel all tasks, including those that they start as they end, and wait for them."""
        while tasks := list(self._tasks.values()):
            for task in tasks:
                task.cancel()
            for task in tasks:
                with contextlib.suppress(asyncio.CancelledError, Exception):
                    await task
            await asyncio.sleep(0)  # allow tasks that have ended to be removed from the list

    def _ended(self, task: asyncio.Task[Any]) -> None:
        if self._tasks.get(task.get_name()) is task:
            del self._tasks[task.get_name()]
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("task %s failed", task.get_name(), exc_info=error)
