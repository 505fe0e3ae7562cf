"""Conversations: listed, opened, begun, removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.domain.conversation import Conversation, Found, Turn
    from app.services.ports import StorePort

TITLE = 60


class History:
    """The conversations of the store."""

    def __init__(self, store: StorePort) -> None:
        self._store = store

    async def conversations(self) -> list[Conversation]:
        """Return all conversations, the newest first."""
        return await self._store.conversations()

    async def begin(self, question: str) -> Conversation:
        """Make a conversation, named after its first question."""
        return await self._store.new_conversation(title_of(question))

    async def open(self, conversation_id: str) -> list[Turn]:
        """Return the turns of a conversation, oldest first."""
        return await self._store.turns(conversation_id)

    async def search(self, wanted: str) -> list[Found]:
        """Return the turns whose question or answer says every word of `wanted`, the newest first."""
        return await self._store.search(wanted)

    async def delete(self, conversation_id: str) -> None:
        """Remove a conversation."""
        await self._store.delete_conversation(conversation_id)


def title_of(question: str) -> str:
    """Return the first line of a question, cut to 60 characters."""
    question = question.encode("utf-8", "replace").decode()
    line = question.strip().splitlines()[0] if question.strip() else "New chat"
    return line if len(line) <= TITLE else line[: TITLE - 1].rstrip() + "…"
