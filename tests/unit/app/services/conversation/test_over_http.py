"""Turns over a real connection: the other dialect once, and silence that ends in words."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, StreamingResponse

from app.adapters.copilots.http import HttpCopilots
from app.domain.conversation import Caps
from app.domain.copilot import Copilot, Dialect, OfferedWidget, RequestOffer
from app.services.conversation.turns import Turns
from tests.end2end.strangers import serving, sse
from tests.unit.app.services.scripted import COPILOT, Terminal, ended

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from app.domain.conversation import Turn
    from app.domain.events import Item

OFFER = RequestOffer(widgets=[OfferedWidget("u", "n", "d")])


class Peer:
    """A copilot that speaks some dialects, and streams what `stream` yields."""

    def __init__(self, speaks: set[Dialect], stream: Any = None) -> None:
        self.speaks = speaks
        self.asked: list[Dialect] = []
        self.stream = stream or self.answer
        self.app = FastAPI()
        self.app.post("/v1/query", response_model=None)(self.query)

    async def query(self, request: Request) -> Any:
        body = await request.json()
        dialect: Dialect = "2024" if isinstance(body["widgets"], list) else "today"
        self.asked.append(dialect)
        if dialect not in self.speaks:
            return JSONResponse(
                {"detail": [{"type": "list_type", "loc": ["body", "widgets"]}]}, 422
            )
        return StreamingResponse(self.stream(), media_type="text/event-stream")

    async def answer(self) -> AsyncIterator[bytes]:
        yield sse("copilotMessageChunk", {"delta": "Hello."})


async def ask(
    terminal: Terminal, port: HttpCopilots, address: str, dialect: Dialect = "today"
) -> tuple[Turn, list[Item]]:
    asked = Turns(terminal.store, port, terminal.widgets, terminal.tasks)
    turn = await terminal.new(asked)
    copilot = replace(
        COPILOT,
        query_url=f"{address}/v1/query",
        dialect=dialect,
        features={"hasFunctionCalling": True},
    )

    async def find() -> Copilot:
        return copilot

    return turn, [item async for item in asked.run([], turn, find, OFFER)]


@pytest.mark.parametrize(("told", "speaks"), [("today", "2024"), ("2024", "today")])
async def test_a_422_is_asked_once_more_in_the_other_dialect_and_remembered(
    terminal: Terminal, told: Dialect, speaks: Dialect
) -> None:
    peer, port = Peer({speaks}), HttpCopilots()
    with serving(peer.app) as address:
        turn, items = await ask(terminal, port, address, told)
        assert (turn.answer(), ended(items).state) == ("Hello.", "done")
        assert peer.asked == [told, speaks]
        await ask(terminal, port, address, told)
        assert peer.asked == [told, speaks, speaks]
        await port.aclose()


async def test_a_copilot_that_takes_neither_dialect_is_told_after_two_requests(
    terminal: Terminal,
) -> None:
    peer, port = Peer(set()), HttpCopilots()
    with serving(peer.app) as address:
        _, items = await ask(terminal, port, address)
        await port.aclose()
    assert (ended(items).state, "error 422" in ended(items).text) == ("failed", True)
    assert peer.asked == ["today", "2024"]


async def test_a_copilot_that_falls_silent_ends_in_one_state_with_its_words_kept(
    terminal: Terminal,
) -> None:
    async def stream() -> AsyncIterator[bytes]:
        yield sse("copilotMessageChunk", {"delta": "Half an answer"})
        await asyncio.Event().wait()

    port = HttpCopilots(Caps(idle_seconds=0.2))
    with serving(Peer({"today"}, stream).app) as address:
        turn, items = await ask(terminal, port, address)
        await port.aclose()
    end = ended(items)
    assert (end.state, end.cap) == ("interrupted", "idle_seconds")
    assert end.text == "Scripted has been silent for too long."
    kept = await terminal.kept(turn)
    assert (kept.state, kept.answer(), kept.items[-1]) == ("interrupted", "Half an answer", end)


async def test_pings_count_as_life(terminal: Terminal) -> None:
    async def stream() -> AsyncIterator[bytes]:
        for _ in range(6):
            yield b": ping\r\n\r\n"
            await asyncio.sleep(0.1)  # longer in all than the silence that is allowed
        yield sse("copilotMessageChunk", {"delta": "Hello."})

    port = HttpCopilots(Caps(idle_seconds=0.4))
    with serving(Peer({"today"}, stream).app) as address:
        turn, items = await ask(terminal, port, address)
        await port.aclose()
    assert (turn.answer(), ended(items).state) == ("Hello.", "done")
