"""Work for a caller, cancelled when the caller disconnects."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from fastapi import Request

T = TypeVar("T")


class CallerGone(Exception):
    """The caller disconnected, so nobody will receive the answer."""


async def for_caller(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Return the result of `work`; cancel it when the caller disconnects.

    The body of the request must have been read. Streams do not need this: their response watches
    the connection itself. Raises: CallerGone; whatever `work` raises.
    """
    working = asyncio.create_task(work, name="work for a caller")
    watching = asyncio.create_task(hung_up(request), name="watch a caller")
    try:
        await asyncio.wait((working, watching), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise CallerGone
        return await working
    finally:
        working.cancel()
        watching.cancel()
        await asyncio.gather(working, watching, return_exceptions=True)


async def hung_up(request: Request) -> None:
    """Wait until the caller disconnects."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
