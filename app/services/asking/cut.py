"""An answer cut to what was heard of it, in memory and in the store."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.domain.stream import Message

if TYPE_CHECKING:
    from app.domain.conversation import Turn
    from app.services.ports import StorePort


async def cut(turn: Turn, characters: int, store: StorePort) -> None:
    """Keep the first `characters` of the answer of a turn that has ended; its steps and citations stay.

    Raises: StoreError.
    """
    left = characters
    for index, item in enumerate(turn.items):
        if isinstance(item, Message) and item.role == "assistant" and isinstance(item.content, str):
            kept = item.content[:left]
            left -= len(kept)
            if kept != item.content:
                turn.items[index] = replace(item, content=kept)
    await store.put_items(turn.id, 0, turn.items, turn.state)
