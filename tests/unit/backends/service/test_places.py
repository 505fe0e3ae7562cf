"""What a request that waits for a model hears of its place."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from backends.service import queue
from backends.service.queue import FairQueue, QueuePlace, with_places

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator


async def answered(line: FairQueue, word: str) -> AsyncGenerator[str]:
    async with line.turn("somebody"):
        yield word


async def test_a_place_is_told_before_the_words_and_again_while_nothing_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(queue, "AGAIN_SECONDS", 0.01)
    line = FairQueue(1)
    pieces = with_places(answered(line, "hello"))
    async with line.turn("another"):
        told = [await anext(pieces) for _ in range(3)]
    assert told == [QueuePlace(1)] * 3
    rest = [piece async for piece in pieces]
    assert [piece for piece in rest if piece != QueuePlace(1)] == ["hello"]


async def test_who_does_not_wait_hears_of_no_place() -> None:
    assert [piece async for piece in with_places(answered(FairQueue(1), "hello"))] == ["hello"]


async def test_a_request_that_is_stopped_leaves_the_queue() -> None:
    line = FairQueue(1)
    pieces = with_places(answered(line, "hello"))
    async with line.turn("another"):
        assert await anext(pieces) == QueuePlace(1)
        assert line.waiting == 1
        await pieces.aclose()
        assert line.waiting == 0


async def test_a_failure_reaches_the_listener() -> None:
    async def broken() -> AsyncGenerator[str]:
        yield "one"
        await asyncio.sleep(0)
        raise LookupError("gone")

    pieces = with_places(broken())
    assert await anext(pieces) == "one"
    with pytest.raises(LookupError):
        await anext(pieces)
