"""Turns: from a question to its answer, calls run on the way, with caps and a loop guard."""

from __future__ import annotations

import asyncio
import contextlib
import time
import uuid
from contextlib import aclosing
from typing import TYPE_CHECKING

from app.domain.conversation import TEMPORARY, Caps, Turn, branch_to, is_temporary
from app.domain.copilot import Offer
from app.domain.errors import DeskpilotError
from app.domain.events import Artifact, Call, Citations, Ended, Item, Recalled, Status, Thinking
from app.domain.stream import Chunk
from app.services.conversation import offer as offering
from app.services.conversation.calls import Round, run_calls
from app.services.conversation.context import forget_files
from app.services.conversation.exchange import waiting
from app.services.conversation.guard import Guard
from app.services.conversation.offer import Equipment, workspace_state
from app.services.conversation.recorder import Recorder
from app.services.conversation.verdict import disarmed, failure, partly, unfounded, verdict
from app.services.dashboard.offered_tables import with_addresses
from app.services.functions.agent_tools import agent_tools
from app.services.functions.errands import Errands
from app.services.settings.settings import time_zone

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from app.domain.copilot import Copilot
    from app.services.conversation.code import Coder
    from app.services.conversation.consents import Consents
    from app.services.conversation.profile import Talking
    from app.services.dashboard.tiles import Boards
    from app.services.dashboard.widgets import Widgets
    from app.services.documents import Documents
    from app.services.functions.desk import Desk
    from app.services.functions.errands import Helpers
    from app.services.library.skills import Skills
    from app.services.ports import AskPort, StorePort
    from app.services.tasks import Tasks
    from app.services.tools.toolbox import Toolbox

    Find = Callable[[], Awaitable[Copilot]]


class Turns:
    """Asks copilots and keeps what comes of it."""

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
        errands = Errands(copilots, helpers, caps) if helpers is not None else None
        self._equipment = Equipment(widgets, boards, skills, errands, tools)
        self._store = store
        self._copilots = copilots
        self._widgets = widgets
        self._tasks = tasks
        self._caps = caps
        self._boards = boards
        self._listeners: list[Callable[[Turn, Item], None]] = []

    def subscribe(self, listener: Callable[[Turn, Item], None]) -> None:
        """Call `listener` with each item of each turn that `ask` started."""
        self._listeners.append(listener)

    @property
    def consents(self) -> Consents | None:
        """What copilots want to do and a person must allow; None where they can do nothing."""
        return self._boards.dashboard.consents if self._boards is not None else None

    def run_code_with(self, coder: Coder) -> None:
        """Run code that copilots propose, once a person allows it; without this none is run."""
        self._equipment.coder = coder

    def talk_with(self, talking: Talking) -> None:
        """Have our copilot talk with a model that was named for this session."""
        self._equipment.talking = talking

    def search_with(self, documents: Documents) -> None:
        """Let copilots search the documents that go along with a question."""
        self._equipment.documents = documents

    async def forget_code(self, conversation_id: str) -> None:
        """End the Python of a conversation, and remove what its code wrote."""
        if self._equipment.coder is not None:
            await self._equipment.coder.forget(conversation_id)

    def ask(self, turns: list[Turn], turn: Turn, find: Find, offer: Offer) -> None:
        """Answer a turn in a task of its own, telling the listeners; see `run`."""

        def never_begun(task: asyncio.Task[None]) -> None:
            if task.cancelled() and not turn.items:
                turn.state = "stopped"
                self._publish(turn, Ended("stopped", "Stopped."))

        task = self._tasks.start(f"turn {turn.id}", self._tell(turns, turn, find, offer))
        task.add_done_callback(never_begun)

    def stop(self, turn_id: str) -> bool:
        """Stop a turn: the connection closes, what was said is kept. Return whether it ran."""
        return self._tasks.cancel(f"turn {turn_id}")

    def new_turn(self, conversation_id: str, question: str, parent: str | None) -> Turn:
        """Make a turn that follows `parent`. Bytes of the shell that are no text become `?`."""
        question = question.encode("utf-8", "replace").decode()
        uid = (TEMPORARY if is_temporary(conversation_id) else "") + uuid.uuid4().hex
        return Turn(uid, conversation_id, parent, question, "running", time.time())

    async def run(
        self, turns: list[Turn], turn: Turn, find: Find, offer: Offer
    ) -> AsyncGenerator[Item, None]:
        """Answer a turn and yield what happens; exactly one Ended comes, last.

        turns: those of the conversation; the branch that leads to the turn is sent. find: gives the
        copilot. The question is on disk before anything else. Cancelled, the turn is kept as
        stopped.
        """
        recorder = Recorder(turn, self._store)
        keeper = asyncio.create_task(recorder.keep(), name=f"keep {turn.id}")
        try:
            await asyncio.shield(self._store.add_turn(turn))
            limit = self._caps.history_turns
            await self._store.read(turns[-limit:])
            branch = [*branch_to(turns, turn.parent, limit), turn]
            async with asyncio.timeout(self._caps.seconds) as clock:
                rounds = self._rounds(branch, await find(), offer, recorder, clock)
                async with aclosing(rounds) as items:
                    async for item in items:
                        yield item
                        recorder.check()
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
        await asyncio.shield(recorder.write(ended.state))  # what is told as done is on disk
        for item in last:
            yield item

    async def _rounds(
        self,
        branch: list[Turn],
        copilot: Copilot,
        offer: Offer,
        recorder: Recorder,
        clock: asyncio.Timeout,
    ) -> AsyncGenerator[Item, None]:
        """Ask, run the calls, ask again, until an answer comes without calls."""
        turn = branch[-1]
        offer = await self._equipment.prepared(offer, copilot, branch)
        desk = self._equipment.desk(copilot, offer, turn)
        guard = Guard(self._caps)
        if copilot.note:
            for out in recorder.event(Status("INFO", copilot.note)):
                yield out
        if (left := waiting(turn)) is not None:  # sent with its code already written
            async with aclosing(
                run_calls([left], Round(turn, desk, guard, recorder, clock))
            ) as items:
                async for out in items:
                    yield out
        while True:
            calls: list[Call] = []
            async with aclosing(
                self._listen(branch, copilot, offer, recorder, guard, calls, desk)
            ) as items:
                async for out in items:
                    yield out
            if not calls:
                break
            async with aclosing(
                run_calls(calls, Round(turn, desk, guard, recorder, clock))
            ) as items:
                async for out in items:
                    yield out
            if all(call.is_handed_on for call in calls):
                break
        for doubt in (
            unfounded(turn, self._widgets),
            partly(turn, self._widgets, self._boards),
            disarmed(turn),
        ):
            for out in recorder.event(doubt) if doubt else ():
                yield out

    async def _listen(
        self,
        branch: list[Turn],
        copilot: Copilot,
        offer: Offer,
        recorder: Recorder,
        guard: Guard,
        calls: list[Call],
        desk: Desk,
    ) -> AsyncGenerator[Item, None]:
        """Yield what one request brings; calls are put aside until the stream has ended."""
        async with aclosing(self._copilots.ask(copilot, branch, offer)) as answer:
            async for item in answer:
                if isinstance(item, Chunk):
                    guard.words(len(item.content or ""))
                    for out in recorder.chunks(item):
                        yield out
                    continue
                if isinstance(item, Thinking | Recalled):
                    guard.words(len(item.text) if isinstance(item, Thinking) else 0)
                    for out in (
                        recorder.think(item)
                        if isinstance(item, Thinking)
                        else recorder.recall(item)
                    ):
                        yield out
                    continue
                guard.step()
                if isinstance(item, Call):
                    calls.append(item)
                else:
                    if isinstance(item, Citations) and desk.documents is not None:
                        item = await desk.documents.resolve(item)
                    item = desk.named(item, artifacts_of(branch[-1]))
                    for out in recorder.event(with_addresses(item, self._widgets.sources)):
                        yield out
        for out in recorder.end_message():
            yield out

    async def _tell(self, turns: list[Turn], turn: Turn, find: Find, offer: Offer) -> None:
        try:
            async with aclosing(self.run(turns, turn, find, offer)) as items:
                async for item in items:
                    self._publish(turn, item)
        except asyncio.CancelledError:
            self._publish(turn, Ended("stopped", "Stopped."))
            raise
        except DeskpilotError as error:  # the store, which can keep nothing of it
            self._publish(turn, Ended("failed", error.text, error.remedy))

    def _publish(self, turn: Turn, item: Item) -> None:
        for listener in self._listeners:
            listener(turn, item)


def artifacts_of(turn: Turn) -> list[Artifact]:
    """Return what a turn has shown so far, in the answer and in its steps."""
    steps = [one for item in turn.items if isinstance(item, Status) for one in item.artifacts]
    return [*(item for item in turn.items if isinstance(item, Artifact)), *steps]


def offer_for(
    widgets: Widgets,
    uids: list[str],
    *,
    options: dict[str, object] | None = None,
    model: str | None = None,
    boards: Boards | None = None,
) -> Offer:
    """Return what goes along with a question about widgets: the widgets and our tools; what else
    there is, for copilots that look around.
    """
    shown = offering.shown(widgets, boards, uids)
    rest, extra = offering.rest(widgets, boards, uids), offering.extra(boards)
    tools = list(agent_tools()) if shown or rest else []
    state = workspace_state(widgets.all(), boards.dashboard if boards else None)
    urls = offering.agreed(widgets, uids)
    return Offer(
        shown, tools, dict(options or {}), time_zone(), model, state, rest, extra, urls=urls
    )


async def refused(error: DeskpilotError) -> Copilot:
    """Find no copilot, for there is nothing to ask it about: the turn ends with the error."""
    raise error
