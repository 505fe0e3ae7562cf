"""What may reach the shell's screen, and Ctrl+C while something runs."""

from __future__ import annotations

import asyncio
import signal
import unicodedata
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Coroutine, Generator


def printable(text: str) -> str:
    """Return text without control characters: a copilot may write words, not steer the screen."""
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) != "Cc")


async def until_stopped(work: Coroutine[Any, Any, None]) -> bool:
    """Run work; Ctrl+C ends it and not the program. Return whether it ran to its end."""
    task = asyncio.create_task(work, name="work of the chat")
    with on_interrupt(task):
        try:
            await task
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if not task.cancelled() or (current is not None and current.cancelling()):
                task.cancel()
                raise
            return False
    return True


@contextmanager
def on_interrupt(task: asyncio.Task[None]) -> Generator[None]:
    """Let Ctrl+C cancel a task in the block."""
    loop = asyncio.get_running_loop()
    before = signal.signal(signal.SIGINT, lambda *_: loop.call_soon_threadsafe(task.cancel))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
