"""One question to another copilot, asked on behalf of the one that answers: its words, and what it
showed.
"""

from __future__ import annotations

import time
import uuid
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from app.domain.conversation import Turn
from app.domain.errors import CopilotError, NotACopilot
from app.domain.events import RUN_CODE, Artifact, Call, Recalled, Status, Thinking
from app.domain.stream import Chunk, Message
from app.domain.thoughts import recall
from app.domain.tool import TERMINAL
from app.services import functions
from app.services.conversation.context import forget_files, with_context
from app.services.conversation.guard import Guard

if TYPE_CHECKING:
    from app.domain.conversation import Caps
    from app.domain.copilot import Added, Copilot, Offer
    from app.services.functions.desk import Desk
    from app.services.ports import AskPort

SHOWN = 5  # artifacts that are passed on


class Helpers(Protocol):
    """The copilots that were added."""

    async def all(self) -> list[Added]:
        """Return them; raises StoreError."""
        ...

    async def named(self, name: str) -> Copilot:
        """Return one ready to be asked; raises CopilotError, SecretsError, StoreError."""
        ...


class Errands:
    """Asks other copilots; each errand has caps of its own, and ends with the turn it is for."""

    def __init__(self, port: AskPort, helpers: Helpers, caps: Caps) -> None:
        self._port, self._helpers, self._caps = port, helpers, caps

    async def offered(self, offer: Offer, copilot: Copilot) -> Offer:
        """Return what goes along with a question, the other copilots among it where tasks may be
        handed on.

        Raises: StoreError.
        """
        if not copilot.may_assign:
            return offer
        return replace(offer, agents=[as_agent(added) for added in await self._others(copilot)])

    async def run(
        self, raw: dict[str, Any], asker: Copilot, offer: Offer, desk: Desk
    ) -> dict[str, Any]:
        """Return what a copilot answered to a task, which sees what the one that hands it on was
        told of.

        Raises: NotACopilot for one that was not offered, CopilotError, SecretsError, StoreError.
        """
        wanted, holder = str(raw.get("assigned_agent_id")), raw.get("assigned_holder_url")
        fit = [a for a in await self._others(asker) if wanted in (a.copilot.id, a.name)]
        fit.sort(key=lambda a: a.address != holder)
        if not fit:
            raise NotACopilot(
                f"There is no copilot {wanted!r}.", "Name one of workspace_state.agents."
            )
        task = str(raw.get("description") or "").strip()
        if not task:
            raise NotACopilot("The task has no description.", "Say what is to be done.")
        copilot = await self._helpers.named(fit[0].name)
        uid = uuid.uuid4().hex
        turn = Turn(uid, uid, None, task, "running", time.time())
        ours = [
            tool for tool in offer.tools if tool["server_id"] == TERMINAL
        ]  # nobody allowed others the rest
        data = [tool for tool in ours if tool["name"] != RUN_CODE]
        own = replace(
            offer, tools=data, agents=[], skills=[], selected=[], options={}, model=None, state={}
        )
        own = await with_context(own, copilot, [turn], desk.sources)
        told = {w["uuid"]: w for group in own.shown_to(copilot) for w in group}
        lent = replace(
            desk, offered=told, question=task, assign=None, propose=None, call_tool=None, coder=None
        )
        await self._ask(turn, copilot, own, lent)
        shown = [i for i in turn.items if isinstance(i, Artifact)][:SHOWN]
        forget_files(turn)
        made = [{"type": a.type, "name": a.name, "content": a.content} for a in shown]
        return {"message": turn.answer(), "agent": copilot.name} | (
            {"artifacts": made} if made else {}
        )

    async def _ask(self, turn: Turn, copilot: Copilot, offer: Offer, desk: Desk) -> None:
        """Fill a turn with what a copilot answers, its calls run.

        Raises: CopilotError; also for one that says nothing.
        """
        guard = Guard(self._caps)
        while True:
            calls: list[Call] = []
            async with aclosing(self._port.ask(copilot, [turn], offer)) as answer:
                async for item in answer:
                    if isinstance(item, Chunk):
                        text = item.content if isinstance(item.content, str) else ""
                        guard.words(len(text))
                        turn.items.append(Message(item.role, item.type, text))
                        continue
                    if isinstance(item, Thinking | Recalled):
                        if isinstance(item, Recalled):
                            recall(turn.items, item.seconds)
                        continue
                    guard.step()
                    if isinstance(item, Call):
                        calls.append(item)
                    else:
                        turn.items.append(item)
            for call in calls:
                repeated = guard.call(call)
                turn.items.append(call)
                done = (
                    functions.refuse(call, repeated)
                    if repeated
                    else await functions.run(call, desk)
                )
                turn.items.append(done)
            if not calls:
                break
        if not turn.answer().strip():
            wrong = [i.message for i in turn.items if isinstance(i, Status) and i.level == "ERROR"]
            raise CopilotError(
                f"{copilot.name} answered nothing. {' '.join(wrong[-1:])}".strip(),
                "Answer without it.",
            )

    async def _others(self, copilot: Copilot) -> list[Added]:
        """Return the copilots that may be handed tasks: those of the person, without servers that
        run code.
        """
        return [
            a
            for a in await self._helpers.all()
            if a.copilot.query_url != copilot.query_url and a.copilot.dialect != "lmc"
        ]


def as_agent(added: Added) -> dict[str, Any]:
    """Return a copilot as another is told of it."""
    copilot = added.copilot
    about = {"id": copilot.id, "name": copilot.name, "description": copilot.description}
    return {"holder_url": added.address, "features": copilot.features} | about
