"""The calls of one round: run in their order, code among them, and what comes of each."""

from __future__ import annotations

import asyncio
import base64
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.domain.stream import Chunk
from app.services import functions
from app.services.conversation.code import code_of
from app.services.functions import tasks

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

    from app.domain.conversation import Turn
    from app.domain.events import Call, Item
    from app.services.conversation.guard import Guard
    from app.services.conversation.recorder import Recorder
    from app.services.functions.desk import Desk


@dataclass(frozen=True)
class Round:
    """What calls are run with. clock: when the turn has taken too long; a person may take as long
    as they like.
    """

    turn: Turn
    desk: Desk
    guard: Guard
    recorder: Recorder
    clock: asyncio.Timeout

    def waited(self, seconds: float) -> None:
        """Let the turn take longer by what a person took."""
        if (when := self.clock.when()) is not None and not self.clock.expired():
            self.clock.reschedule(when + seconds)


async def run_calls(calls: list[Call], now: Round) -> AsyncGenerator[Item, None]:
    """Run calls in their order and yield what comes of them; each is on disk before it is run.

    Raises: Capped.
    """
    recorder = now.recorder
    for call in calls:
        repeated = now.guard.call(call)
        for out in recorder.event(call):
            yield out
        await recorder.write(None)
        if repeated is None and now.desk.coder is not None and code_of(call) is not None:
            made = now.desk.coder.run(call, now.turn, list(now.desk.offered), recorder, now.waited)
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
    """Show the pictures that a tool answered with, each once."""
    pictures, now.desk.pictures[:] = list(now.desk.pictures), []
    for picture in pictures:
        content = base64.b64encode(picture).decode()
        yield from now.recorder.chunks(Chunk("computer", "image", content, "base64.png"))
        yield from now.recorder.end_message()
