"""What a copilot is given for a turn: what goes along with the question, and what its calls may work on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.domain.skill import without_skill
from app.domain.tool import Chain
from app.services.asking.context import with_context
from app.services.coding.proposed import TOOL
from app.services.functions.desk import Desk
from app.services.functions.documents import TOOL as SEARCH_TOOL
from app.services.functions.documents import AttachedDocuments, is_searched

if TYPE_CHECKING:
    from app.domain.conversation import Turn
    from app.domain.copilot import Copilot, Offer
    from app.services.coding.coder import Coder
    from app.services.dashboard.boards import Boards
    from app.services.documents import Documents
    from app.services.functions.answered import Answered
    from app.services.functions.working.errand import Errands
    from app.services.lmc.talking import Talking
    from app.services.skills.skills import Skills
    from app.services.tools.toolbox import Toolbox
    from app.services.widgets import Widgets


class Equipment:
    """The parts of the terminal that a turn may use; what is absent is not offered."""

    def __init__(
        self,
        widgets: Widgets,
        boards: Boards | None,
        skills: Skills | None,
        errands: Errands | None,
        tools: Toolbox | None,
    ) -> None:
        self.coder: Coder | None = None
        self.talking: Talking | None = None
        self.documents: Documents | None = None
        self._widgets, self._boards = widgets, boards
        self._skills, self._errands, self._tools = skills, errands, tools

    async def prepared(self, offer: Offer, copilot: Copilot, branch: list[Turn]) -> Offer:
        """Return what goes along with a question, with what this copilot needs and may know besides.

        Raises: UnknownSkill, SetupError, StoreError.
        """
        documents = self.attached_documents(offer)
        offer = await with_context(offer, copilot, branch, self._widgets.sources, documents)
        if documents is not None and copilot.takes_tools:
            offer = replace(offer, tools=[*offer.tools, SEARCH_TOOL])
        if self._skills is not None:
            offer = await self._skills.offered(offer, copilot, branch[-1].question)
        if self._errands is not None:
            offer = await self._errands.offered(offer, copilot)
        if self._tools is not None:
            offer = await self._tools.offered(offer, copilot)
        if self.talking is not None:
            offer = await self.talking.offered(offer, copilot)
        return replace(offer, tools=[*offer.tools, TOOL]) if self.coder is not None else offer

    def attached_documents(self, offer: Offer) -> AttachedDocuments | None:
        """Return the documents that go along with a question; None without any."""
        if self.documents is None:
            return None
        here = [self._widgets.get(w["uuid"]) for w in offer.widgets if w["uuid"] in self._widgets]
        searched = [widget for widget in here if is_searched(widget)]
        return AttachedDocuments(self.documents, searched) if searched else None

    def desk(self, copilot: Copilot, offer: Offer, turn: Turn) -> Desk:
        """Return what calls of a turn may work on: what the request tells of, and nothing else."""
        skills, errands, tools = self._skills, self._errands, self._tools
        chain = Chain(copilot, offer.granted)

        async def assign(raw: dict[str, Any]) -> dict[str, Any]:
            assert errands is not None
            return await errands.run(raw, copilot, offer, desk)

        async def call_tool(server: str, name: str, parameters: dict[str, Any]) -> Answered:
            assert tools is not None
            made = await tools.call(server, name, parameters, chain)
            desk.pictures.extend(made.pictures)
            return made

        desk = Desk(
            self._widgets.sources,
            {w["uuid"]: w for group in offer.shown_to(copilot) for w in group},
            self._widgets,
            self._boards,
            without_skill(turn.question),
            # ours reads words, and those of 2024 know no files
            with_files=not copilot.is_ours and copilot.dialect == "today",
            skills={skill.slug: skill for skill in offer.skills},
            propose=skills.propose if skills is not None else None,
            assign=assign if errands is not None and copilot.may_assign else None,
            call_tool=call_tool if tools is not None else None,
            coder=self.coder,
            documents=self.attached_documents(offer),
        )
        return desk
