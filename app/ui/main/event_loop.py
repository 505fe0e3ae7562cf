"""Runs Qt and asyncio on one event loop; the only file that imports qasync."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

import qasync

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Coroutine

    from PySide6.QtWidgets import QApplication


def run_until_complete(app: QApplication, work: Coroutine[Any, Any, int]) -> int:
    """Run work on a loop that also processes Qt events, and return its result.

    Qt's loop is entered only once. QtWebEngine shuts down when the loop is left, and
    `asyncio.Runner`, which enters the loop again to clean up, would crash. The remaining tasks and
    generators are therefore cleaned up inside the loop.
    """
    loop = qasync.QEventLoop(app)
    asyncio.set_event_loop(loop)
    try:
        return loop.run_until_complete(with_cleanup(work))
    finally:
        asyncio.set_event_loop(None)
        loop.close()


async def with_cleanup(work: Coroutine[Any, Any, int]) -> int:
    """Run work, then cancel its remaining tasks and close its generators.

    Unlike asyncio, qasync does not close generators that are no longer read, such as the one for a
    stopped answer.
    """
    loop, before = asyncio.get_running_loop(), sys.get_asyncgen_hooks()

    def close(generator: AsyncGenerator[Any, Any]) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(loop.create_task, generator.aclose())

    sys.set_asyncgen_hooks(finalizer=close)
    try:
        return await work
    finally:
        sys.set_asyncgen_hooks(*before)
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        await loop.shutdown_asyncgens()
