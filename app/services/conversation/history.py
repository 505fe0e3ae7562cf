"""The conversations: list, open, create, organise, delete, restore."""

from __future__ import annotations

import time
import uuid
from typing import TYPE_CHECKING

from app.domain.conversation import TEMPORARY, Conversation, Thread, title_of
from app.domain.errors import NoConversation
from app.domain.events import Rateable
from app.services.dashboard.offered_tables import may_be_read

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from app.domain.conversation import Draft, FoundTurn, Turn
    from app.domain.widget import Widget
    from app.services.ports import StorePort

    Forget = Callable[[str], Awaitable[None]]

TRASH_DAYS = 30
NEWEST = 32  # turns of a branch that are read at once; more than a window shows


class History:
    """The conversations of the store. forget: removes other data of a permanently deleted
    conversation, such as the folder of its code.
    """

    def __init__(self, store: StorePort, forget: Forget | None = None) -> None:
        self._store = store
        self._forget = forget

    async def conversations(self) -> list[Conversation]:
        """Return all conversations that are not in the trash, the newest first."""
        return await self._store.conversations()

    async def trashed(self) -> list[Conversation]:
        """Return those in the trash, the newest first."""
        return await self._store.conversations(trashed=True)

    async def begin(self, question: str, *, temporary: bool = False) -> Conversation:
        """Make a conversation, named after its first question; a temporary one is written
        nowhere.
        """
        if temporary:
            now = time.time()
            return Conversation(TEMPORARY + uuid.uuid4().hex, title_of(question), now, now)
        return await self._store.new_conversation(title_of(question))

    async def keep_vote(self, turn: Turn, rated: Rateable) -> None:
        """Save the rating of a turn that was sent to its copilot.

        Raises: StoreError.
        """
        place = next(n for n, item in enumerate(turn.items) if isinstance(item, Rateable))
        turn.items[place] = rated
        await self._store.put_items(turn.id, place, [rated])

    async def get(self, conversation_id: str) -> Conversation:
        """Return a conversation.

        Raises: NoConversation.
        """
        found = await self._store.conversation(conversation_id)
        if found is None:
            raise NoConversation("This conversation no longer exists.", "Open another one.")
        return found

    async def named(self, name: str) -> Conversation:
        """Return the conversation of an id, of the beginning of one, or of a title.

        Raises: NoConversation, also if several fit.
        """
        every = [*await self.conversations(), *await self.trashed()]
        exact = [c for c in every if name in (c.id, c.title)]
        close = exact or [c for c in every if len(name) >= 4 and c.id.startswith(name)]
        if len(close) == 1:
            return close[0]
        ids = ", ".join(c.id[:8] for c in close)
        text = (
            f"{len(close)} conversations fit {name}: {ids}."
            if close
            else f"There is no conversation {name}."
        )
        raise NoConversation(text, "`deskpilot chats list` shows their ids.")

    async def open(self, conversation_id: str) -> list[Turn]:
        """Return the turns of a conversation, oldest first, those of all branches."""
        return await self._store.turns(conversation_id)

    async def thread(self, conversation_id: str) -> Thread:
        """Return a conversation with the branch of it that was last shown; its newest turns have
        their items.

        Raises: NoConversation.
        """
        found = await self.get(conversation_id)
        turns = await self._store.turns(conversation_id)
        thread = Thread(turns, found.shown, branched=found.branched)
        await self._store.read(thread.path[-NEWEST:])
        return thread

    async def read(self, turns: list[Turn]) -> None:
        """Read the items of those turns that have not been read. Raises: StoreError."""
        await self._store.read(turns)

    async def show(self, conversation_id: str, turn: Turn) -> None:
        """Remember which branch is shown by the last turn of it."""
        await self._store.change_conversation(conversation_id, shown=turn.id)

    async def search(self, wanted: str) -> list[FoundTurn]:
        """Return titles that have every word of `wanted`, then the turns whose question or answer
        has them.
        """
        return await self._store.search(wanted)

    async def rename(self, conversation_id: str, title: str) -> None:
        """Give a conversation a title; an empty one changes nothing."""
        if title.strip():
            await self._store.change_conversation(conversation_id, title=" ".join(title.split()))

    async def pin(self, conversation_id: str, *, pinned: bool) -> None:
        """Pin a conversation to the top of the list, or unpin it."""
        await self._store.change_conversation(conversation_id, pinned=pinned)

    async def move(self, conversation_id: str, folder: str) -> None:
        """Put a conversation into a folder, made by being named; empty for none."""
        await self._store.change_conversation(conversation_id, folder=" ".join(folder.split()))

    async def folders(self) -> list[str]:
        """Return the names of the folders that hold something, in order."""
        return sorted({c.folder for c in await self.conversations() if c.folder}, key=str.casefold)

    async def instruct(self, conversation_id: str, text: str) -> None:
        """Set the instructions of a conversation; empty for those of the settings only."""
        await self._store.change_conversation(conversation_id, instructions=text.strip())

    async def keep_draft(self, conversation_id: str | None, text: str) -> None:
        """Save what is typed but not sent in a conversation; None for one that has not begun."""
        await self._store.save_draft(conversation_id or "", text)

    async def drafts(self) -> list[Draft]:
        """Return the unsent texts, the newest first."""
        return await self._store.drafts()

    async def trash(self, conversation_id: str) -> None:
        """Put a conversation into the trash; it stays there for thirty days."""
        await self._store.change_conversation(conversation_id, trashed_at=time.time())

    async def take_back(self, conversation_id: str) -> None:
        """Bring a conversation back from the trash."""
        await self._store.change_conversation(conversation_id, trashed_at=None)

    async def delete(self, conversation_id: str) -> None:
        """Remove a conversation permanently, with the files of its code."""
        await self._store.delete_conversation(conversation_id)
        await self._forget_all([conversation_id])

    async def empty_trash(self, *, days: float = 0) -> int:
        """Remove permanently what has been in the trash for more than some days; return the number
        removed.
        """
        before = time.time() - days * 86_400
        lie = [
            c.id for c in await self.trashed() if c.trashed_at is not None and c.trashed_at < before
        ]
        count = await self._store.empty_trash(before)
        await self._forget_all(lie)
        return count

    async def _forget_all(self, ids: list[str]) -> None:
        if self._forget is not None:
            for uid in ids:
                await self._forget(uid)

    async def files(self) -> list[str]:
        """Return the paths of the tables that are attached or are on a dashboard."""
        return [widget.path for widget in await self._store.widgets() if widget.path]

    async def tables(self) -> list[Widget]:
        """Return the widgets of the dashboards whose own file may be a table."""
        return [w for w in await self._store.widgets() if w.path and may_be_read(w)]

    async def back_up(self, path: Path) -> None:
        """Write all conversations, dashboards and choices into one file. Raises: StoreError."""
        await self._store.back_up(path)

    async def bring_back(self, path: Path, folder: Path) -> Path:
        """Put a backup in place of all that is here; return the copy of that which was made in a
        folder before.

        Raises: StoreError.
        """
        at = time.strftime("%Y-%m-%d-%H%M%S")
        before = folder / f"deskpilot-before-restore-{at}.sqlite"
        await self.back_up(before)
        await self.restore(path)
        return before

    async def restore(self, path: Path) -> None:
        """Put a backup in place of all that is here; if it is not whole nothing changes. Raises:
        StoreError.
        """
        await self._store.restore(path)
