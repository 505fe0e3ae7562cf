"""Caps of a turn and its loop guard: each ends it once, in words, with what was said."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from app.domain.conversation import Caps
from app.domain.errors import CapReached
from app.domain.events import CallResult, Status
from app.services.conversation.calls import TurnGuard
from tests.unit.app.services.scripted import Terminal, call, ended, said

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from app.domain.conversation import Turn
    from app.domain.events import Item


def results(turn: Turn) -> list[CallResult]:
    return [i for i in turn.items if isinstance(i, CallResult)]


async def test_a_repeated_call_is_told_so_once_and_the_copilot_may_recover(
    terminal: Terminal,
) -> None:
    async def script(turns: list[Turn]) -> AsyncGenerator[Item, None]:
        done = results(turns[-1])
        if len(done) < 2:
            yield call(b=1, a=[1, 2]) if not done else call(a=[1, 2], b=1)
        else:
            yield said("Recovered.")

    turn, items = await terminal.run(script)
    assert ended(items).state == "done"
    first, second = results(turn)
    assert "no function" in first.content
    assert (second.failed, "already made" in json.loads(second.content)["error"]) == (True, True)


async def test_a_third_time_the_same_call_ends_the_turn(terminal: Terminal) -> None:
    async def script(_: list[Turn]) -> AsyncGenerator[Item, None]:
        yield said("Let me see. ")
        yield call(n=1)

    turn, items = await terminal.run(script)
    end = ended(items)
    assert (end.state, end.cap) == ("interrupted", "repeats")
    assert "again and again" in end.text
    assert len(terminal.copilot.requests) == 3
    assert turn.answer() == "Let me see. " * 3


async def steps(_: list[Turn]) -> AsyncGenerator[Item, None]:
    yield said("Some words. ")
    while True:
        yield Status("INFO", "working")


async def calls(turns: list[Turn]) -> AsyncGenerator[Item, None]:
    yield said("Some words. ")
    yield call(n=len(results(turns[-1])))


async def words(_: list[Turn]) -> AsyncGenerator[Item, None]:
    while True:
        yield said("Some words. ")


async def waits(_: list[Turn]) -> AsyncGenerator[Item, None]:
    yield said("Some words. ")
    await asyncio.Event().wait()


@pytest.mark.parametrize(
    ("script", "caps", "told"),
    [
        (steps, {"steps": 5}, "more than 5 steps"),
        (calls, {"calls": 3}, "more than 3 calls"),
        (words, {"characters": 100}, "grew without end"),
        (waits, {"seconds": 0.05}, "too long"),
    ],
)
async def test_each_cap_ends_the_turn_in_words_and_keeps_what_was_said(
    terminal: Terminal, script: Any, caps: dict[str, float], told: str
) -> None:
    turn, items = await terminal.run(script, **caps)
    end = ended(items)
    assert (end.state, end.cap) == ("interrupted", *caps)
    assert told in end.text
    assert end.remedy
    kept = await terminal.kept(turn)
    assert kept.answer().startswith("Some words. ")
    assert (kept.state, kept.items[-1]) == ("interrupted", end)


def test_what_a_turn_may_cost_is_stated_in_one_place() -> None:
    assert (Caps().calls, Caps().seconds, Caps().idle_seconds) == (8, 900, 180)
    guard = TurnGuard(Caps(calls=2))
    assert [guard.call(call(n=n)) for n in (1, 2)] == [None, None]
    with pytest.raises(CapReached, match="more than 2"):
        guard.call(call(n=3))
