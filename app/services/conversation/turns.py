"""Turns: the way from a question to its answer, with calls, limits and a loop guard."""

from __future__ import annotations

import asyncio
import contextlib
import time
import uuid
from contextlib import aclosing
from typing import TYPE_CHECKING

from app.domain.conversation import TEMPORARY, Caps, Turn, branch_to, is_temporary
from app.domain.copilot import RequestOffer
from app.domain.errors import DeskpilotError
from app.domain.events import Ended, Item, Status
from app.services.conversation import offer as offering
from app.services.conversation.calls import Round, TurnGuard, answer_turn
from app.services.conversation.context import forget_files
from app.services.conversation.errands import Errands
from app.services.conversation.offer import Equipment, workspace_state
from app.services.conversation.recorder import Recorder
from app.services.conversation.verdict import disarmed, failure, partly, unfounded, verdict
from app.services.functions.agent_tools import agent_tools
from app.services.settings import time_zone

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable
    from pathlib import Path

    from app.domain.copilot import Copilot
    from app.services.consents import Consents
    from app.services.conversation.code import Coder
    from app.services.conversation.errands import Helpers
    from app.services.conversation.skills import Skills
    from app.services.dashboard.tiles import Boards
    from app.services.dashboard.widgets import Widgets
    from app.services.documents import Documents
    from app.services.models.profiles import ModelLoan
    from app.services.ports import AskPort, StorePort
    from app.services.tasks import Tasks
    from app.services.tools.toolbox import Toolbox

    Find = Callable[[], Awaitable[Copilot]]


class Turns:
    """Sends questions to copilots and stores their answers."""

    def __init__(
        self,
        store: StorePort,
        copilots: AskPort,
        widgets: Widgets,
        tasks: Tasks,
        caps: Caps = Caps(),  # noqa: B008 - frozen
        boards: Boards | None = None,
        skills: Skills | None = None,
        helpers: Helpers | None = None,
        tools: Toolbox | None = None,
    ) -> None:
        errands = Errands(copilots, helpers, caps, store) if helpers is not None else None
        self._equipment = Equipment(widgets, boards, skills, errands, tools)
        self._store = store
        self._copilots = copilots
        self._widgets = widgets
        self._tasks = tasks
        self._caps = caps
        self._boards = boards
        self._listeners: list[Callable[[Turn, Item], None]] = []
        self._kept: set[str] = set()  # turns on disk that are not answered yet

    def subscribe(self, listener: Callable[[Turn, Item], None]) -> None:
        """Call `listener` with each item of each turn that `ask` started."""
        self._listeners.append(listener)

    @property
    def consents(self) -> Consents | None:
        """Return the object that asks the user for consent, or None if copilots have no tools."""
        return self._boards.dashboard.consents if self._boards is not None else None

    def run_code_with(self, coder: Coder) -> None:
        """Set the runner of copilots' code, which is used once the user allows this. Without a
        runner, no code runs.
        """
        self._equipment.coder = coder

    def talk_with(self, talking: ModelLoan) -> None:
        """Use the model chosen for this session for our own copilot."""
        self._equipment.talking = talking

    def search_with(self, documents: Documents) -> None:
        """Let copilots search the attached documents."""
        self._equipment.documents = documents

    def code_folder(self, conversation_id: str) -> Path | None:
        """Return the working folder for a conversation's code, or None if no code can run."""
        coder = self._equipment.coder
        return coder.folder(conversation_id) if coder is not None else None

    async def leave_code(self, conversation_id: str) -> None:
        """End a conversation's Python process. Its files and output are kept."""
        if self._equipment.coder is not None:
            await self._equipment.coder.leave(conversation_id)

    async def forget_code(self, conversation_id: str) -> None:
        """End a conversation's Python process, and remove its files."""
        if self._equipment.coder is not None:
            await self._equipment.coder.forget(conversation_id)

    def ask(self, turns: list[Turn], turn: Turn, find: Find, offer: RequestOffer) -> None:
        """Answer a turn in its own task, and notify the listeners. See `run`."""

        def never_begun(task: asyncio.Task[None]) -> None:
            if task.cancelled() and not turn.items:
                turn.state = "stopped"
                self._tasks.start(f"keep {turn.id}", self._keep_stopped(turn))
                self._publish(turn, Ended("stopped", "Stopped."))

        task = self._tasks.start(f"turn {turn.id}", self._tell(turns, turn, find, offer))
        task.add_done_callback(never_begun)

    async def keep(self, turn: Turn) -> None:
        """Store a turn whose question is waiting for data to be read, so that the question is not
        lost.

        Raises: StoreError.
        """
        await self._store.add_turn(turn)
        self._kept.add(turn.id)

    async def _keep_stopped(self, turn: Turn) -> None:
        """Record that a turn was stopped before it began."""
        with contextlib.suppress(DeskpilotError):  # its conversation may have been deleted
            if turn.id in self._kept:
                self._kept.discard(turn.id)
                await self._store.put_items(turn.id, 0, [], "stopped")
            else:
                await self._store.add_turn(turn)

    def stop(self, turn_id: str) -> bool:
        """Stop a turn by closing its connection. The answer so far is kept. Return whether the turn
        was running.
        """
        return self._tasks.cancel(f"turn {turn_id}")

    def new_turn(self, conversation_id: str, question: str, parent: str | None) -> Turn:
        """Create a turn that follows `parent`. Bytes from the command line that are not valid text
        become `?`.
        """
        question = question.encode("utf-8", "replace").decode()
        uid = (TEMPORARY if is_temporary(conversation_id) else "") + uuid.uuid4().hex
        return Turn(uid, conversation_id, parent, question, "running", time.time())

    async def run(
        self, turns: list[Turn], turn: Turn, find: Find, offer: RequestOffer
    ) -> AsyncGenerator[Item, None]:
        """Answer a turn, and yield its events. Exactly one of them is an Ended event, and it comes
        last.

        turns: all turns of the conversation. The branch that leads to the turn is sent. find:
        returns the copilot. The question is written to disk before anything else happens. If this
        is cancelled, the turn is stored as stopped.
        """
        recorder = Recorder(turn, self._store)
        keeper = asyncio.create_task(recorder.keep(), name=f"keep {turn.id}")
        try:
            if turn.id in self._kept:
                self._kept.discard(turn.id)
            else:
                await asyncio.shield(self._store.add_turn(turn))
            limit = self._caps.history_turns
            branch = [*branch_to(turns, turn.parent, limit), turn]
            await self._store.read(branch)
            async with asyncio.timeout(self._caps.seconds) as clock:
                copilot = await find()
                offer = await self._equipment.prepared(offer, copilot, branch)
                desk = self._equipment.desk(copilot, offer, turn)
                now = Round(
                    turn, desk, TurnGuard(self._caps), recorder, clock, self._equipment.coder
                )
                if copilot.note:
                    for out in recorder.event(Status("INFO", copilot.note)):
                        yield out
                rounds = answer_turn(self._copilots, branch, copilot, offer, now)
                async with aclosing(rounds) as items:
                    async for item in items:
                        yield item
                        recorder.check()
                for doubt in self._doubts(turn):
                    for out in recorder.event(doubt):
                        yield out
            ended = verdict(turn)
        except DeskpilotError as error:
            ended = failure(error)
        except TimeoutError:
            remedy = "Ask for less, or use another copilot."
            ended = Ended("interrupted", "The answer took too long.", remedy, "seconds")
        except (asyncio.CancelledError, GeneratorExit):
            list(recorder.event(Ended("stopped", "Stopped.")))
            await asyncio.shield(recorder.write("stopped"))
            raise
        finally:
            forget_files(turn)
            keeper.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await keeper
        last = list(recorder.event(ended))
        await asyncio.shield(recorder.write(ended.state))  # saved before reported as finished
        for item in last:
            yield item

    def _doubts(self, turn: Turn) -> list[Status]:
        """Return the steps that report unsupported parts of an answer."""
        found = (
            unfounded(turn, self._widgets),
            partly(turn, self._widgets, self._boards),
            disarmed(turn),
        )
        return [doubt for doubt in found if doubt is not None]

    async def _tell(self, turns: list[Turn], turn: Turn, find: Find, offer: RequestOffer) -> None:
        try:
            async with aclosing(self.run(turns, turn, find, offer)) as items:
                async for item in items:
                    self._publish(turn, item)
        except asyncio.CancelledError:
            self._publish(turn, Ended("stopped", "Stopped."))
            raise
        except DeskpilotError as error:  # the store itself failed and cannot save the turn
            self._publish(turn, Ended("failed", error.text, error.remedy))

    def _publish(self, turn: Turn, item: Item) -> None:
        for listener in self._listeners:
            listener(turn, item)


def offer_for(
    widgets: Widgets,
    uids: list[str],
    *,
    options: dict[str, object] | None = None,
    model: str | None = None,
    boards: Boards | None = None,
) -> RequestOffer:
    """Return the attachments of a question about widgets: these widgets, our tools and, for
    copilots that look around, the other widgets.
    """
    shown = offering.shown(widgets, boards, uids)
    rest, extra = offering.rest(widgets, boards, uids), offering.extra(boards)
    tools = list(agent_tools()) if shown or rest else []
    state = workspace_state(widgets.all(), boards.dashboard if boards else None)
    urls = offering.agreed(widgets, uids)
    return RequestOffer(
        shown, tools, dict(options or {}), time_zone(), model, state, rest, extra, urls=urls
    )


async def refused(error: DeskpilotError) -> Copilot:
    """Raise the error instead of returning a copilot, so that the turn ends with it."""
    raise error
