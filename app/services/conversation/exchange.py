"""Conversations out into files and in from files."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Literal

from app.domain.errors import ExchangeError
from app.services.conversation import imported, written

if TYPE_CHECKING:
    from pathlib import Path

    from app.domain.conversation import Conversation, Thread
    from app.services.conversation.history import History
    from app.services.ports import StorePort

Form = Literal["md", "html", "json", "lmc"]
FORMS: dict[str, Form] = {"md": "md", "html": "html", "json": "json", "lmc": "lmc"}


class Exchange:
    """Writes and reads the files of conversations."""

    def __init__(self, store: StorePort, history: History) -> None:
        self._store, self._history = store, history

    async def text(self, conversation_id: str, form: Form) -> str:
        """Return a conversation in a form.

        Raises: NoConversation.
        """
        one, thread = await self._whole(conversation_id)
        return await asyncio.to_thread(written_in, form, one, thread)

    async def write(self, conversation_id: str, form: Form, path: Path) -> None:
        """Write a conversation into a file.

        Raises: NoConversation, ExchangeError.
        """
        await asyncio.to_thread(write_text, path, await self.text(conversation_id, form))

    async def write_all(self, path: Path) -> int:
        """Write all conversations that are not in the trash into one JSON file; return how many.

        Raises: ExchangeError.
        """
        every = [await self._whole(one.id) for one in await self._history.conversations()]
        await asyncio.to_thread(lambda: write_text(path, written.as_json(every)))
        return len(every)

    async def read(self, path: Path) -> list[Conversation]:
        """Take in the conversations of a file; return them as they are here.

        Raises: ExchangeError, StoreError.
        """
        made: list[Conversation] = []
        for one in await asyncio.to_thread(imported.read_file, path):
            kept = await self._store.add_conversation(one.title, one.created_at, one.turns)
            changes = {"pinned": one.pinned, "folder": one.folder}
            shown = {"shown": one.shown} if one.shown is not None else {}
            await self._store.change_conversation(kept.id, **changes, **shown)
            made.append(kept)
        return made

    async def _whole(self, conversation_id: str) -> tuple[Conversation, Thread]:
        one, thread = (
            await self._history.get(conversation_id),
            await self._history.thread(conversation_id),
        )
        await self._store.read(thread.turns)
        return one, thread


def written_in(form: Form, one: Conversation, thread: Thread) -> str:
    """Return a conversation in a form."""
    if form == "md":
        return written.as_markdown(one, thread)
    if form == "html":
        return written.as_html(one, thread)
    return written.as_lmc(thread) if form == "lmc" else written.as_json([(one, thread)])


def write_text(path: Path, text: str) -> None:
    """Write a file.

    Raises: ExchangeError.
    """
    try:
        path.write_text(text, "utf-8", errors="replace")
    except OSError as error:
        raise ExchangeError(
            f"{path} cannot be written: {error.strerror or error}.",
            "Choose a folder that can be written and has room.",
        ) from error
