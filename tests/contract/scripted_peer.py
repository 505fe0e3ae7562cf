"""A copilot that follows a script, asked by the whole terminal over HTTP without a socket."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx

from app.adapters.copilots.http import HttpCopilots
from app.adapters.store.store import Store
from app.bootstrap import build_live
from app.data.sources import Sources
from app.domain.conversation import Caps, Turn
from app.domain.copilot import Copilot
from app.domain.events import Ended, Item
from app.services.conversation.turns import Turns, offer_for
from app.services.dashboard.tiles import Boards, Dashboard
from app.services.dashboard.widgets import Widgets
from app.services.tasks import Tasks
from tests.contract.test_copilot_stream import Pieces

STREAM = {"content-type": "text/event-stream; charset=utf-8"}
PEER = Copilot(
    "peer", "Peer", "http://127.0.0.1:9/q", "today", features={"widget-dashboard-select": True}
)
Answer = Callable[[dict[str, Any]], Any]


def event(name: str, data: Any, end: str = "\r\n") -> bytes:
    return f"event: {name}{end}data: {json.dumps(data, ensure_ascii=False)}{end}{end}".encode()


def said(text: str) -> bytes:
    return event("copilotMessageChunk", {"delta": text})


def call(function: str, **arguments: Any) -> bytes:
    return event("copilotFunctionCall", {"function": function, "input_arguments": arguments})


def results(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the tool messages of a request."""
    return [m for m in body["messages"] if m["role"] == "tool"]


@dataclass
class Peer:
    """Answers each request with what the script makes of its body: bytes, pieces, or a response."""

    script: Answer
    asked: list[dict[str, Any]] = field(default_factory=list)
    requests: list[httpx.Request] = field(default_factory=list)

    def handle(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        body = json.loads(request.content) if request.content else {}
        self.asked.append(body)
        made = self.script(body)
        if isinstance(made, httpx.Response):
            return made
        return httpx.Response(
            200, headers=STREAM, stream=Pieces([made] if isinstance(made, bytes) else made)
        )


@dataclass
class Terminal:
    """The terminal of one test, and the conversation it has."""

    turns_of: Callable[..., Turns]
    store: Store
    widgets: Widgets
    tasks: Tasks
    boards: Boards | None = None
    said: list[Turn] = field(default_factory=list)

    async def ask(
        self,
        peer: Peer,
        question: str = "q",
        *,
        copilot: Copilot = PEER,
        attach: tuple[str, ...] = (),
        **caps: Any,
    ) -> tuple[Turn, Ended]:
        """Ask and return the turn and how it ended."""
        port = HttpCopilots(Caps(**caps))
        await port.aclose()
        port._client = httpx.AsyncClient(transport=httpx.MockTransport(peer.handle))
        turns = self.turns_of(port, Caps(**caps))
        before = self.said[-1] if self.said else None
        conversation = (
            before.conversation_id if before else (await self.store.new_conversation("t")).id
        )
        turn = turns.new_turn(conversation, question, before.id if before else None)

        async def find() -> Copilot:
            return copilot

        offer = offer_for(self.widgets, list(attach), boards=self.boards)
        items: list[Item] = [item async for item in turns.run(self.said, turn, find, offer)]
        await port.aclose()
        self.said.append(turn)
        last = items[-1]
        assert isinstance(last, Ended)
        return turn, last

    async def open(self, path: Path) -> str:
        return (await self.widgets.add_file(path)).uuid


@asynccontextmanager
async def terminal(folder: Path | None = None) -> AsyncIterator[Terminal]:
    """Give a terminal; with a folder for what is fetched, one with dashboards and backends."""
    store, tasks = await Store.open(None), Tasks()
    widgets = Widgets(Sources(), store)
    try:
        if folder is None:
            yield Terminal(
                lambda port, caps: Turns(store, port, widgets, tasks, caps), store, widgets, tasks
            )
            return
        dashboard = Dashboard(widgets, store)
        async with build_live(store, widgets, tasks, folder) as live:
            boards = Boards(dashboard, live)
            turns = lambda port, caps: Turns(store, port, widgets, tasks, caps, boards)  # noqa: E731
            yield Terminal(turns, store, widgets, tasks, boards)
    finally:
        await tasks.aclose()
        await store.aclose()


def without(copilot: Copilot, **features: Any) -> Copilot:
    """Return a copilot with these features and no others."""
    return replace(copilot, features=features)
