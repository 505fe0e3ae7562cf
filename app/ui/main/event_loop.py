"""Qt and asyncio on one loop; the only file that names qasync."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

import qasync

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Coroutine

    from PySide6.QtWidgets import QApplication


def run_until_complete(app: QApplication, work: Coroutine[Any, Any, int]) -> int:
    """Run work on a loop that turns Qt's events too, and return its result.

    Qt's loop is entered once: QtWebEngine takes itself down when it is left, and `asyncio.Runner`,
    which enters it again to clean up, would crash there. So remaining tasks and generators are
    cleaned up inside.
    """
    loop = qasync.QEventLoop(app)
    asyncio.set_event_loop(loop)
    try:
        return loop.run_until_complete(with_cleanup(work))
    finally:
        asyncio.set_event_loop(None)
        loop.close()


async def with_cleanup(work: Coroutine[Any, Any, int]) -> int:
    """Run work, then cancel every task it left and close its generators.

    qasync, unlike asyncio, does not close generators that are no longer read, such as a stopped
    answer's.
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
