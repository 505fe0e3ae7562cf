"""One answer to a list of LMC messages, as LMC chunks: it ends with the confirmation unless a person is here to give it."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from app.domain.conversation import TEMPORARY
from app.domain.errors import DeskpilotError
from app.domain.events import Ended
from app.domain.stream import Chunk
from app.services.lmc.reading import turns_of
from app.services.turns import offer_for

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from app.services.deskpilot import Deskpilot
    from app.services.turns import Find

Told = dict[str, Any]


def temporary(name: str) -> str:
    """Return the id of a conversation that is kept nowhere."""
    return TEMPORARY + name


async def answered(
    deskpilot: Deskpilot,
    find: Find,
    messages: object,
    conversation: str,
    *,
    goes_on: bool,
) -> AsyncGenerator[Told, None]:
    """Yield the chunks of an answer; closing this stops the copilot and the code.

    conversation: whose Python keeps its variables. goes_on: whether somebody here can allow code: else the answer ends with
    the confirmation, and who asked may run the code, append what came of it and ask again. What fails is told as chunks.
    """
    try:
        turns = turns_of(messages, conversation)
    except DeskpilotError as error:
        for told in failure(str(error)):
            yield told
        return
    attached = [widget.uuid for widget in deskpilot.widgets.attached()]
    offer = offer_for(deskpilot.widgets, attached, boards=deskpilot.boards)
    async with aclosing(deskpilot.turns.run(turns[:-1], turns[-1], find, offer)) as items:
        async for item in items:
            if isinstance(item, Chunk):
                yield item.as_dict()
                if item.type == "confirmation" and not goes_on:
                    return
            elif isinstance(item, Ended) and item.state != "done":
                for told in failure(f"{item.text} {item.remedy}".strip()):
                    yield told


def failure(text: str) -> list[Told]:
    """Return an error as chunks: a message of its own, of the server."""
    base = {"role": "server", "type": "error"}
    return [base | {"start": True}, base | {"content": text}, base | {"end": True}]
