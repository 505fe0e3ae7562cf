"""A terminal with a store in memory and a copilot that follows a script, and what tests say with
them.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from typing import Any

from app.adapters.store.store import Store
from app.domain.conversation import Caps, Turn
from app.domain.copilot import Copilot, RequestOffer
from app.domain.events import CopilotCall, Ended, Item
from app.domain.stream import Chunk
from app.services.conversation.turns import Turns
from app.services.dashboard.widgets import Widgets
from app.services.tasks import Tasks

COPILOT = Copilot(
    "scripted", "Scripted", "http://127.0.0.1:9/v1/query", "today", features={"mcp-tools": True}
)
Script = Callable[[list[Turn]], AsyncGenerator[Item, None]]


@dataclass
class Scripted:
    """A copilot port whose answers a function of the test yields; it keeps the requests and what
    was offered.
    """

    script: Script
    requests: list[list[Item]] = field(default_factory=list)
    offers: list[RequestOffer] = field(default_factory=list)

    async def discover(self, *_: Any, **__: Any) -> list[Copilot]:
        return [COPILOT]

    async def ask(
        self, copilot: Copilot, turns: list[Turn], offer: RequestOffer
    ) -> AsyncGenerator[Item, None]:
        self.requests.append(list(turns[-1].items))
        self.offers.append(offer)
        async for item in self.script(turns):
            yield item


@dataclass
class Terminal:
    """What a test asks with."""

    store: Store
    tasks: Tasks
    widgets: Widgets
    copilot: Scripted = field(init=False)

    def turns(self, script: Script, **caps: Any) -> Turns:
        self.copilot = Scripted(script)
        return Turns(self.store, self.copilot, self.widgets, self.tasks, Caps(**caps))

    async def new(self, turns: Turns, question: str = "q") -> Turn:
        return turns.new_turn((await self.store.new_conversation(question)).id, question, None)

    async def run(self, script: Script, **caps: Any) -> tuple[Turn, list[Item]]:
        turns = self.turns(script, **caps)
        turn = await self.new(turns)
        return turn, [item async for item in turns.run([], turn, found, RequestOffer())]

    async def kept(self, turn: Turn) -> Turn:
        """Return a turn as the store has it."""
        return next(t for t in await self.store.turns(turn.conversation_id) if t.id == turn.id)


async def found() -> Copilot:
    return COPILOT


def said(text: str) -> Chunk:
    return Chunk("assistant", "message", text)


def call(function: str = "f", **arguments: Any) -> CopilotCall:
    return CopilotCall(
        function, arguments, json.dumps({"function": function, "input_arguments": arguments})
    )


def ended(items: list[Item]) -> Ended:
    """Return the end of a stream: the last item, and the only end."""
    assert [isinstance(i, Ended) for i in items] == [False] * (len(items) - 1) + [True]
    last = items[-1]
    assert isinstance(last, Ended)
    return last
