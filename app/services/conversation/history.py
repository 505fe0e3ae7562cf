"""List, open, create, organise, delete and restore conversations."""

from __future__ import annotations

import time
import uuid
from typing import TYPE_CHECKING

from app.domain.conversation import TEMPORARY, Conversation, Thread, title_of
from app.domain.errors import NoConversation
from app.domain.events import Rateable
from app.services.dashboard.widgets import may_be_read

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from app.domain.conversation import Draft, FoundTurn, Turn
    from app.domain.dashboard import Widget
    from app.services.ports import StorePort

    Forget = Callable[[str], Awaitable[None]]

TRASH_DAYS = 30
NEWEST = 32  # number of turns of a branch that are read immediately; more than fit in a window


class History:
    """The conversations in the store. forget: a function that removes other data of a permanently
    deleted conversation, such as the folder for its code.
    """

    def __init__(self, store: StorePort, forget: Forget | None = None) -> None:
        self._store = store
        self._forget = forget

    async def conversations(self) -> list[Conversation]:
        """Return all conversations that are not in the trash, newest first."""
        return await self._store.conversations()

    async def trashed(self) -> list[Conversation]:
        """Return the conversations in the trash, newest first."""
        return await self._store.conversations(trashed=True)

    async def begin(self, question: str, *, temporary: bool = False) -> Conversation:
        """Create a conversation, named after its first question. A temporary conversation is never
        stored.
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
        """Return the conversation with the given id, the given beginning of an id, or the given
        title.

        Raises: NoConversation, also if several match.
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
        """Return the turns of a conversation, oldest first, including those of all branches."""
        return await self._store.turns(conversation_id)

    async def thread(self, conversation_id: str) -> Thread:
        """Return a conversation with the branch that was last shown, whose newest turns include
        their items.

        Raises: NoConversation.
        """
        found = await self.get(conversation_id)
        turns = await self._store.turns(conversation_id)
        thread = Thread(turns, found.shown, branched=found.branched)
        await self._store.read(thread.path[-NEWEST:])
        return thread

    async def read(self, turns: list[Turn]) -> None:
        """Read the items of turns that have not been read.

        Raises: StoreError.
        """
        await self._store.read(turns)

    async def show(self, conversation_id: str, turn: Turn) -> None:
        """Save which branch is shown, given its last turn."""
        await self._store.change_conversation(conversation_id, shown=turn.id)

    async def search(self, wanted: str) -> list[FoundTurn]:
        """Return the titles that contain every word of `wanted`, followed by the turns whose
        question or answer contains every word.
        """
        return await self._store.search(wanted)

    async def rename(self, conversation_id: str, title: str) -> None:
        """Change the title of a conversation. An empty title changes nothing."""
        if title.strip():
            await self._store.change_conversation(conversation_id, title=" ".join(title.split()))

    async def pin(self, conversation_id: str, *, pinned: bool) -> None:
        """Pin a conversation to the top of the list, or unpin it."""
        await self._store.change_conversation(conversation_id, pinned=pinned)

    async def move(self, conversation_id: str, folder: str) -> None:
        """Move a conversation to a folder, which is created if necessary. An empty name removes the
        conversation from its folder."""
        await self._store.change_conversation(conversation_id, folder=" ".join(folder.split()))

    async def folders(self) -> list[str]:
        """Return the names of the folders that are not empty, in alphabetical order."""
        return sorted({c.folder for c in await self.conversations() if c.folder}, key=str.casefold)

    async def instruct(self, conversation_id: str, text: str) -> None:
        """Set the instructions for a conversation. If they are empty, only those in the settings
        apply."""
        await self._store.change_conversation(conversation_id, instructions=text.strip())

    async def keep_draft(self, conversation_id: str | None, text: str) -> None:
        """Save the unsent text of a conversation, which is None if it has not begun."""
        await self._store.save_draft(conversation_id or "", text)

    async def drafts(self) -> list[Draft]:
        """Return the unsent texts, newest first."""
        return await self._store.drafts()

    async def trash(self, conversation_id: str) -> None:
        """Move a conversation to the trash, where it stays for thirty days."""
        await self._store.change_conversation(conversation_id, trashed_at=time.time())

    async def take_back(self, conversation_id: str) -> None:
        """Restore a conversation from the trash."""
        await self._store.change_conversation(conversation_id, trashed_at=None)

    async def delete(self, conversation_id: str) -> None:
        """Permanently delete a conversation and its code's files."""
        await self._store.delete_conversation(conversation_id)
        await self._forget_all([conversation_id])

    async def empty_trash(self, *, days: float = 0) -> int:
        """Permanently delete conversations that have been in the trash for more than `days` days,
        and return how many were deleted.
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
        """Return the paths of the tables that are attached or on a dashboard."""
        return [widget.path for widget in await self._store.widgets() if widget.path]

    async def tables(self) -> list[Widget]:
        """Return the widgets on the dashboards whose own file may be a table."""
        return [w for w in await self._store.widgets() if w.path and may_be_read(w)]

    async def back_up(self, path: Path) -> None:
        """Write all conversations, dashboards and choices to one file.

        Raises: StoreError.
        """
        await self._store.back_up(path)

    async def bring_back(self, path: Path, folder: Path) -> Path:
        """Replace everything with a backup, after saving a copy of everything in a folder. Return
        the copy's path.

        Raises: StoreError.
        """
        at = time.strftime("%Y-%m-%d-%H%M%S")
        before = folder / f"deskpilot-before-restore-{at}.sqlite"
        await self.back_up(before)
        await self.restore(path)
        return before

    async def restore(self, path: Path) -> None:
        """Replace everything with a backup. If the backup is not intact, nothing changes.

        Raises: StoreError.
        """
        await self._store.restore(path)
