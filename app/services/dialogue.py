"""Answer a list of LMC messages with LMC chunks."""

from __future__ import annotations

import os
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from app.domain.conversation import TEMPORARY
from app.domain.errors import DeskpilotError
from app.domain.events import Ended
from app.domain.stream import Chunk
from app.services.conversation.exchange import turns_of
from app.services.conversation.turns import offer_for
from app.services.models.profiles import PROFILE, ModelLoan, find_profile
from backends.paths import profiles_folder

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from app.services.conversation.code import Coder
    from app.services.conversation.turns import Find, Turns
    from app.services.deskpilot import Deskpilot
    from app.services.models.profiles import ManagePort


def equip(turns: Turns, coder: Coder, manage: ManagePort) -> None:
    """Enable code in turns, and use the model of the current profile.

    Raises: SetupError.
    """
    turns.run_code_with(coder)
    if name := os.environ.get(PROFILE):
        turns.talk_with(ModelLoan(find_profile(name, profiles_folder()).llm, manage))


Told = dict[str, Any]

CLOSING = (  # sentences by which a copilot in a loop says that it is done
    "The task is done.",
    "The task is impossible.",
    "Let me know what you'd like to do next.",
    "Please provide more information.",
)
PROCEED = (
    "Go on. You may run code on my computer. When all I asked for is done, say exactly 'The task is"
    " done.' If you need to know something, say exactly 'Please provide more information.' If it"
    " cannot be done, say exactly 'The task is impossible.' If I gave you no task, say exactly 'Let"
    " me know what you'd like to do next.'"
)


def temporary(name: str) -> str:
    """Return the id of a conversation that is never stored."""
    return TEMPORARY + name


async def answered(
    deskpilot: Deskpilot,
    find: Find,
    messages: object,
    conversation: str,
    *,
    goes_on: bool,
) -> AsyncGenerator[Told, None]:
    """Yield the chunks of an answer. Closing this generator stops the copilot and the code.

    conversation: the conversation whose Python process keeps its variables. goes_on: whether a user
    here can allow code. If not, the answer ends with the confirmation, and the caller can run the
    code, append its output and ask again. Errors are reported as chunks.
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
    """Return an error as chunks that form a separate message from the server."""
    base = {"role": "server", "type": "error"}
    return [base | {"start": True}, base | {"content": text}, base | {"end": True}]
