"""Qt and asyncio on one loop; the only file that names qasync."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import qasync

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from PySide6.QtWidgets import QApplication


def run_until_complete(app: QApplication, work: Coroutine[Any, Any, int]) -> int:
    """Run work on a loop that turns Qt's events too, and return its result."""
    with asyncio.Runner(loop_factory=lambda: qasync.QEventLoop(app)) as runner:
        return runner.run(work)
