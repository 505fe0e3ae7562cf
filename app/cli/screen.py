"""Terminal output and input: escape untrusted text, handle Ctrl+C, turn errors into exit
statuses.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import unicodedata
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from app.domain.errors import DeskpilotError, TextsError
from backends.installation import installation

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
    """Cancel a task on Ctrl+C while the block runs."""
    loop = asyncio.get_running_loop()
    before = signal.signal(signal.SIGINT, lambda *_: loop.call_soon_threadsafe(task.cancel))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def run_safely(work: object) -> int:
    """Run a coroutine; an error of ours is one sentence and its remedy on stderr, exit status 1."""
    try:
        return asyncio.run(work)  # pyright: ignore[reportArgumentType]
    except DeskpilotError as error:
        print(installation().typed(str(error)), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return 130


FIX = "Save it as UTF-8."


def from_stdin() -> str:
    """Return the content of stdin.

    Raises: TextsError if it is not UTF-8.
    """
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TextsError("stdin is not UTF-8 text.", FIX) from error


def typed(text: str) -> str:
    """Return a text of the command line.

    Raises: TextsError for bytes that are no text: Python keeps those as halves of characters, which
    cannot be sent.
    """
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise TextsError("The input is not UTF-8 text.", "Put it in a file saved as UTF-8.")
    return text
