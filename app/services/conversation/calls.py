"""The turn loop: query the copilot, run its calls, and query it again. Each round counts towards
the turn's limits.
"""

from __future__ import annotations

import asyncio
import base64
import json
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.domain.errors import CapReached, DeskpilotError
from app.domain.events import Artifact, Citations, CopilotCall, Recalled, Status, Thinking
from app.domain.stream import Chunk
from app.services import functions
from app.services.conversation.code import code_of
from app.services.conversation.exchange import waiting
from app.services.dashboard.widgets import with_addresses
from app.services.functions import tasks

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable, Iterator

    from app.domain.conversation import Caps, Turn
    from app.domain.copilot import Copilot, RequestOffer
    from app.domain.events import Item
    from app.services.conversation.code import Coder
    from app.services.conversation.recorder import Recorder
    from app.services.functions.context import CallContext
    from app.services.ports import AskPort


@dataclass(frozen=True)
class Round:
    """The objects that calls need in order to run. clock: a time limit that expires when the turn
    takes too long. The time that the user takes to reply does not count.
    """

    turn: Turn
    desk: CallContext
    guard: TurnGuard
    recorder: Recorder
    clock: asyncio.Timeout | None = None
    coder: Coder | None = None

    def waited(self, seconds: float) -> None:
        """Extend the time limit of the turn by the time that the user took."""
        clock = self.clock
        if clock is None or clock.expired():
            return
        if (when := clock.when()) is not None:
            clock.reschedule(when + seconds)


async def answer_turn(
    port: AskPort, branch: list[Turn], copilot: Copilot, offer: RequestOffer, now: Round
) -> AsyncGenerator[Item, None]:
    """Query the copilot, run its calls, and query it again, until an answer contains no calls.

    branch: the turns that are sent, the last of which is answered. Raises: CapReached,
    CopilotError.
    """
    if (left := waiting(now.turn)) is not None:  # the turn arrived with its code already written
        async with aclosing(run_calls([left], now)) as items:
            async for out in items:
                yield out
    while True:
        calls: list[CopilotCall] = []
        async with aclosing(port.ask(copilot, branch, offer)) as answer:
            async for item in answer:
                if isinstance(item, Citations) and now.desk.documents is not None:
                    item = await now.desk.documents.resolve(item)
                for out in recorded(item, now, calls):
                    yield out
        for out in now.recorder.end_message():
            yield out
        if not calls:
            return
        async with aclosing(run_calls(calls, now)) as items:
            async for out in items:
                yield out
        if all(call.is_handed_on for call in calls):
            return


def recorded(item: Item, now: Round, calls: list[CopilotCall]) -> Iterable[Item]:
    """Record an item of an answer, and yield the items to report. Calls are collected until the
    stream has ended.

    Raises: CapReached.
    """
    if isinstance(item, Chunk):
        now.guard.words(len(item.content or ""))
        return now.recorder.chunks(item)
    if isinstance(item, Thinking):
        now.guard.words(len(item.text))
        return now.recorder.think(item)
    if isinstance(item, Recalled):
        return now.recorder.recall(item)
    now.guard.step()
    if isinstance(item, CopilotCall):
        calls.append(item)
        return ()
    item = now.desk.named(item, artifacts_of(now.turn))
    return now.recorder.event(with_addresses(item, now.desk.sources))


def artifacts_of(turn: Turn) -> list[Artifact]:
    """Return the artifacts in a turn so far, both in the answer and in its steps."""
    steps = [one for item in turn.items if isinstance(item, Status) for one in item.artifacts]
    return [*(item for item in turn.items if isinstance(item, Artifact)), *steps]


async def run_calls(calls: list[CopilotCall], now: Round) -> AsyncGenerator[Item, None]:
    """Run calls in order and yield their results. Each call is saved before it runs.

    Raises: CapReached.
    """
    recorder = now.recorder
    for call in calls:
        repeated = now.guard.call(call)
        for out in recorder.event(call):
            yield out
        await recorder.write(None)
        if repeated is None and now.coder is not None and code_of(call) is not None:
            made = now.coder.run(call, now.turn, list(now.desk.offered), recorder, now.waited)
            async with aclosing(made) as items:
                async for item in items:
                    yield item
            continue
        done = (
            await functions.run(call, now.desk)
            if repeated is None
            else functions.refuse(call, repeated)
        )
        for out in [*recorder.event(done), *shown(now)]:
            yield out
        if call.is_handed_on:
            said = Chunk("assistant", "message", tasks.words_of(done.content))
            for out in [*recorder.chunks(said), *recorder.end_message()]:
                yield out
    await recorder.write(None)


def shown(now: Round) -> Iterator[Item]:
    """Show each picture that a tool returned only once."""
    pictures, now.desk.pictures[:] = list(now.desk.pictures), []
    for picture in pictures:
        content = base64.b64encode(picture).decode()
        yield from now.recorder.chunks(Chunk("computer", "image", content, "base64.png"))
        yield from now.recorder.end_message()


class TurnGuard:
    """Counts what a turn does, and enforces the turn's limits."""

    def __init__(self, caps: Caps) -> None:
        self._caps = caps
        self._times: dict[str, int] = {}
        self._calls = 0
        self._steps = 0
        self._characters = 0

    def call(self, call: CopilotCall) -> DeskpilotError | None:
        """Count a call. Return the error to answer with if it repeats a call of this turn,
        otherwise None.

        A model that gets this error once often recovers. A model that then repeats itself again
        does not. Raises: CapReached for too many calls, or for the third identical call.
        """
        self._calls += 1
        key = f"{call.function} {json.dumps(call.arguments, sort_keys=True)}"
        times = self._times[key] = self._times.get(key, 0) + 1
        if times > 2:
            raise CapReached(
                "The copilot asked for the same data again and again.",
                "Use another copilot.",
                cap="repeats",
            )
        if self._calls > self._caps.calls:
            raise CapReached(
                f"The copilot made more than {self._caps.calls} calls for one question.",
                "Ask for less.",
                cap="calls",
            )
        if times == 2:
            return DeskpilotError(
                "This call was already made in this turn; its result is above.",
                "Answer with it, or ask for something else.",
            )
        return None

    def step(self) -> None:
        """Count a step.

        Raises: CapReached.
        """
        self._steps += 1
        if self._steps > self._caps.steps:
            raise CapReached(
                f"The copilot reported more than {self._caps.steps} steps for one question.",
                "Use another copilot.",
                cap="steps",
            )

    def words(self, characters: int) -> None:
        """Count characters in the answer.

        Raises: CapReached.
        """
        self._characters += characters
        if self._characters > self._caps.characters:
            raise CapReached(
                "The answer grew without end, so the connection was closed.",
                "Use another copilot.",
                cap="characters",
            )
