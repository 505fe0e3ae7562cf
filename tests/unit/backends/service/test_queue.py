"""The queue for a model: fair, bounded, with places, and an end to the waiting."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from backends.protocol.events import MessageChunk, StatusUpdate
from backends.service.access import Busy
from backends.service.queue import OF_A_CALLER, OF_ALL, PLACE, FairQueue, with_places
from backends.service.routes.copilot import told_places

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from backends.protocol.events import Event


async def settle() -> None:
    """Let everything that can run do so."""
    for _ in range(20):
        await asyncio.sleep(0)


class Office:
    """A queue whose requests are held until they are let go, one after another."""

    def __init__(self, queue: FairQueue) -> None:
        self.queue = queue
        self.order: list[str] = []
        self.places: dict[str, list[int]] = {}
        self._ends: list[asyncio.Event] = []

    def ask(self, caller: str, name: str = "") -> asyncio.Task[None]:
        return asyncio.create_task(self._ask(caller, name or caller))

    async def _ask(self, caller: str, name: str) -> None:
        PLACE.set(self.places.setdefault(name, []).append)
        async with self.queue.turn(caller):
            self.order.append(name)
            end = asyncio.Event()
            self._ends.append(end)
            try:
                await end.wait()
            finally:
                end.set()

    async def let_go(self) -> None:
        next(end for end in self._ends if not end.is_set()).set()
        await settle()


async def test_callers_take_turns_whoever_came_first_with_many() -> None:
    office = Office(FairQueue(1))
    tasks = [office.ask("a", f"a{n}") for n in range(4)] + [office.ask("b"), office.ask("c")]
    await settle()
    assert office.places["b"] == [2]  # one of a, then b
    for _ in tasks:
        await office.let_go()
    await asyncio.gather(*tasks)
    assert office.order == ["a0", "a1", "b", "c", "a2", "a3"]
    assert office.places["a3"][-3:] == [3, 2, 1] or office.places["a3"][-1] == 1
    assert (office.queue.running, office.queue.waiting) == (0, 0)


async def test_as_many_run_at_once_as_there_are_slots() -> None:
    office = Office(FairQueue(3))
    tasks = [office.ask(f"c{n}") for n in range(7)]
    await settle()
    assert (office.queue.running, office.queue.waiting) == (3, 4)
    for _ in tasks:
        await office.let_go()
        assert office.queue.running <= 3
    await asyncio.gather(*tasks)


async def test_one_request_too_many_of_a_caller_or_of_all_is_refused_with_a_time() -> None:
    office = Office(FairQueue(1))
    tasks = [office.ask("a", f"a{n}") for n in range(OF_A_CALLER + 1)]
    await settle()
    with pytest.raises(Busy, match="already waiting for this model") as caught:
        await office.ask("a", "more")
    assert caught.value.retry_after > 10
    tasks += [office.ask(f"c{n}") for n in range(OF_ALL - OF_A_CALLER)]
    await settle()
    with pytest.raises(Busy):
        await office.ask("another")
    assert office.queue.refused == 2
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert (office.queue.running, office.queue.waiting) == (0, 0)


async def test_a_turn_that_does_not_come_in_time_is_told() -> None:
    office = Office(FairQueue(1, wait_seconds=0.01))
    first = office.ask("a")
    await settle()
    with pytest.raises(Busy, match=r"0\.01 s"):
        await office.ask("b")
    await office.let_go()
    await first
    assert office.queue.waiting == 0


@pytest.mark.parametrize("late", [False, True])
async def test_who_hangs_up_gives_its_place_or_its_turn_to_the_next(late: bool) -> None:
    office = Office(FairQueue(1))
    first, leaving, last = office.ask("a"), office.ask("b"), office.ask("c")
    await settle()
    assert office.places["c"] == [2]
    if late:  # its turn has come, and it has not begun
        next(iter(office._ends)).set()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    leaving.cancel()
    await settle()
    if not late:
        assert office.places["c"] == [2, 1]
        await office.let_go()
    assert office.order[-1] == "c"
    await office.let_go()
    await asyncio.gather(first, leaving, last, return_exceptions=True)
    assert (office.queue.running, office.queue.waiting) == (0, 0)


async def test_a_place_of_a_question_is_told_as_a_passing_step() -> None:
    async def waiting() -> AsyncGenerator[Event]:
        PLACE.get()(2)
        PLACE.get()(1)
        yield MessageChunk("Napoleon")

    events = [event async for event in told_places(with_places(waiting()))]
    assert events == [
        StatusUpdate("INFO", "Waiting for the model: place 2 in the queue", [{"passing": True}]),
        StatusUpdate("INFO", "Waiting for the model: place 1 in the queue", [{"passing": True}]),
        MessageChunk("Napoleon"),
    ]
