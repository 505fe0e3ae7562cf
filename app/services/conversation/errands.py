"""Send tasks to another copilot on behalf of the one that answers."""

from __future__ import annotations

import time
import uuid
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from app.domain.conversation import TEMPORARY, Turn
from app.domain.errors import CopilotError, NotACopilot
from app.domain.events import (
    RUN_CODE,
    Artifact,
    Status,
)
from app.domain.tool import TERMINAL
from app.services.conversation.calls import Round, TurnGuard, answer_turn
from app.services.conversation.context import forget_files, with_context
from app.services.conversation.recorder import Recorder

if TYPE_CHECKING:
    from app.domain.conversation import Caps
    from app.domain.copilot import AddedCopilot, Copilot, RequestOffer
    from app.services.functions.context import CallContext
    from app.services.ports import AskPort, StorePort

SHOWN = 5  # maximum number of artifacts that are passed on


class Helpers(Protocol):
    """The copilots that were added."""

    async def all(self) -> list[AddedCopilot]:
        """Return the added copilots.

        Raises: StoreError.
        """
        ...

    async def named(self, name: str) -> Copilot:
        """Return a copilot that is ready for questions.

        Raises: CopilotError, SecretsError, StoreError.
        """
        ...


class Errands:
    """Sends tasks to other copilots. Each errand has its own limits and ends with the turn it
    belongs to.
    """

    def __init__(self, port: AskPort, helpers: Helpers, caps: Caps, store: StorePort) -> None:
        self._port, self._helpers, self._caps = port, helpers, caps
        self._store = store

    async def offered(self, offer: RequestOffer, copilot: Copilot) -> RequestOffer:
        """Return the content of a request, with the other copilots if the answering copilot is
        allowed to give them tasks.

        Raises: StoreError.
        """
        if not copilot.may_assign:
            return offer
        return replace(offer, agents=await self._others(copilot))

    async def run(
        self, raw: dict[str, Any], asker: Copilot, offer: RequestOffer, desk: CallContext
    ) -> dict[str, Any]:
        """Return a copilot's answer to a task. It sees the attachments of the copilot that assigns
        the task.

        Raises: NotACopilot for a copilot that was not offered; CopilotError; SecretsError;
        StoreError.
        """
        wanted, holder = str(raw.get("assigned_agent_id")), raw.get("assigned_holder_url")
        fit = [a for a in await self._others(asker) if wanted in (a.copilot.id, a.name)]
        fit.sort(key=lambda a: a.address != holder)
        if not fit:
            raise NotACopilot(
                f"There is no copilot {wanted!r}.", "Specify one of workspace_state.agents."
            )
        task = str(raw.get("description") or "").strip()
        if not task:
            raise NotACopilot("The task has no description.", "Describe what is to be done.")
        copilot = await self._helpers.named(fit[0].name)
        uid = TEMPORARY + uuid.uuid4().hex  # never stored
        turn = Turn(uid, uid, None, task, "running", time.time())
        ours = [
            tool for tool in offer.tools if tool["server_id"] == TERMINAL
        ]  # the user gave the other copilots no further permissions
        data = [tool for tool in ours if tool["name"] != RUN_CODE]
        own = replace(
            offer, tools=data, agents=[], skills=[], selected=[], options={}, model=None, state={}
        )
        own = await with_context(own, copilot, [turn], desk.sources)
        told = {w.uuid: w for group in own.shown_to(copilot) for w in group}
        lent = replace(
            desk,
            offered=told,
            question=task,
            pictures=[],
            assign=None,
            propose=None,
            call_tool=None,
        )
        await self._ask(turn, copilot, own, lent)
        shown = [i for i in turn.items if isinstance(i, Artifact)][:SHOWN]
        forget_files(turn)
        made = [{"type": a.type, "name": a.name, "content": a.content} for a in shown]
        return {"message": turn.answer(), "agent": copilot.name} | (
            {"artifacts": made} if made else {}
        )

    async def _ask(
        self, turn: Turn, copilot: Copilot, offer: RequestOffer, desk: CallContext
    ) -> None:
        """Add a copilot's answer to a turn, and run its calls.

        Raises: CopilotError, also if the answer is empty.
        """
        now = Round(turn, desk, TurnGuard(self._caps), Recorder(turn, self._store))
        async with aclosing(answer_turn(self._port, [turn], copilot, offer, now)) as items:
            async for _ in items:
                pass
        if not turn.answer().strip():
            wrong = [i.message for i in turn.items if isinstance(i, Status) and i.level == "ERROR"]
            raise CopilotError(
                f"{copilot.name} returned an empty answer. {' '.join(wrong[-1:])}".strip(),
                "Answer without it.",
            )

    async def _others(self, copilot: Copilot) -> list[AddedCopilot]:
        """Return the copilots to which tasks can be given: those that the user added, except
        servers that run code.
        """
        return [
            a
            for a in await self._helpers.all()
            if a.copilot.query_url != copilot.query_url and a.copilot.dialect != "lmc"
        ]
