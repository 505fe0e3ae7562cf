"""A signal for tests: a model computes."""

from __future__ import annotations

import asyncio
from typing import Any

import psutil


async def begun(task: asyncio.Future[Any], pid: int) -> asyncio.Future[Any]:
    """Return a task once the process of its model computes."""
    computing = psutil.Process(pid)
    before = computing.cpu_times().user
    while computing.cpu_times().user < before + 0.3:
        assert not task.done()
        await asyncio.sleep(0.01)
    return task
