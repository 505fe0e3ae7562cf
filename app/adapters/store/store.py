"""Conversations in SQLite. A single writer, which never runs on the event loop, writes them to disk
before anything is sent.

The store contains the list of conversations, and turns and their items as rows. For a long
conversation, only the newest items are read at once.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, TypeVar

from app.adapters.store import schema as backup
from app.adapters.store import search
from app.adapters.store.copies import is_damage, keep_copy, mark_of
from app.adapters.store.schema import (
    connect,
    connect_to_read,
    mend,
    take_lock,
)
from app.adapters.store.search import Meanings
from app.domain.conversation import Attachment, Conversation, Draft, FoundTurn, Turn, is_temporary
from app.domain.dashboard import Tab, TilePlace, Widget
from app.domain.errors import StoreError
from app.domain.events import Event, State, as_dict, name_of, read_event
from app.domain.stream import Message

if TYPE_CHECKING:
    from pathlib import Path

    from filelock import FileLock


def put_attachments(
    connection: sqlite3.Connection, conversation_id: str, attachments: list[Attachment]
) -> None:
    """Replace the attachments of a conversation; do nothing if the conversation no longer exists."""
    known = "SELECT 1 FROM conversations WHERE id = ?"
    if connection.execute(known, (conversation_id,)).fetchone() is None:
        return
    connection.execute("DELETE FROM attachments WHERE conversation_id = ?", (conversation_id,))
    connection.executemany(
        "INSERT INTO attachments VALUES (?, ?, ?, ?, ?)",
        [(conversation_id, n, a.widget, a.name, a.path) for n, a in enumerate(attachments)],
    )


def attachments_of(connection: sqlite3.Connection, conversation_id: str) -> list[Attachment]:
    """Return the attachments of a conversation, in order."""
    found = connection.execute(
        "SELECT widget, name, path FROM attachments WHERE conversation_id = ? ORDER BY position",
        (conversation_id,),
    )
    return [Attachment(*row) for row in found]


ABOUT = 2  # number of attachment names listed for a conversation
FIELDS = f"""id, title, created_at, updated_at, pinned, folder, trashed_at, shown, branched, instructions,
    (SELECT count(*) FROM turns WHERE turns.conversation_id = conversations.id),
    (SELECT json_group_array(name) FROM (
        SELECT name FROM attachments WHERE attachments.conversation_id = conversations.id
        ORDER BY position LIMIT {ABOUT}
    ))"""
CHANGEABLE = frozenset(("title", "pinned", "folder", "trashed_at", "shown", "instructions"))


def add_conversation(
    connection: sqlite3.Connection, title: str, created_at: float | None = None
) -> Conversation:
    """Create a conversation. created_at: seconds since 1970; now if absent."""
    at = time.time() if created_at is None else created_at
    made = Conversation(uuid.uuid4().hex, title, at, at)
    connection.execute(
        "INSERT INTO conversations (id, title, created_at, updated_at) VALUES (?, ?, ?, ?)",
        (made.id, made.title, made.created_at, made.updated_at),
    )
    return made


def conversations_in(connection: sqlite3.Connection, *, trashed: bool) -> list[Conversation]:
    """Return either the conversations in the trash or those that are not in it, newest first."""
    found = connection.execute(
        f"SELECT {FIELDS} FROM conversations WHERE (trashed_at IS NOT NULL) = ? ORDER BY updated_at"
        " DESC",
        (trashed,),
    )
    return [as_conversation(row) for row in found]


def find_conversation(connection: sqlite3.Connection, conversation_id: str) -> Conversation | None:
    """Return a conversation by id, or None."""
    sql = f"SELECT {FIELDS} FROM conversations WHERE id = ?"
    row = connection.execute(sql, (conversation_id,)).fetchone()
    return as_conversation(row) if row is not None else None


def change_conversation(
    connection: sqlite3.Connection, conversation_id: str, changes: dict[str, object]
) -> None:
    """Change fields of a conversation."""
    assert changes.keys() <= CHANGEABLE
    names = ", ".join(f"{name} = ?" for name in changes)
    connection.execute(
        f"UPDATE conversations SET {names} WHERE id = ?", [*changes.values(), conversation_id]
    )


def empty_trash(connection: sqlite3.Connection, before: float) -> int:
    """Permanently delete everything moved to the trash before a given time; return the number of
    conversations deleted.
    """
    return connection.execute("DELETE FROM conversations WHERE trashed_at < ?", (before,)).rowcount


def as_conversation(row: tuple[object, ...]) -> Conversation:
    """Return the conversation stored in a row of `FIELDS`."""
    uid, title, created, updated, pinned, folder, trashed, shown, branched, *more = row
    instructions, questions, about = more
    assert isinstance(questions, int)
    assert isinstance(created, float)
    assert isinstance(updated, float)
    assert trashed is None or isinstance(trashed, float)
    last = str(shown) if shown is not None else None
    return Conversation(
        str(uid),
        str(title),
        created,
        updated,
        bool(pinned),
        str(folder),
        trashed,
        last,
        bool(branched),
        questions,
        tuple(json.loads(str(about))),
        str(instructions),
    )


def add_turn(connection: sqlite3.Connection, turn: Turn) -> None:
    """Write a turn with its content so far."""
    newest = "SELECT id FROM turns WHERE conversation_id = ? ORDER BY rowid DESC LIMIT 1"
    last = connection.execute(newest, (turn.conversation_id,)).fetchone()
    values = (
        turn.id,
        turn.conversation_id,
        turn.parent,
        turn.question,
        turn.state,
        turn.created_at,
    )
    connection.execute("INSERT INTO turns VALUES (?, ?, ?, ?, ?, ?)", values)
    put_items(connection, turn.id, 0, turn.items)
    changed = (
        "UPDATE conversations SET updated_at = ?, shown = ?, branched = branched OR ? WHERE id = ?"
    )
    branches = last is not None and last[0] != turn.parent
    connection.execute(changed, (turn.created_at, turn.id, branches, turn.conversation_id))


def put_items(
    connection: sqlite3.Connection, turn_id: str, first: int, items: list[Message | Event]
) -> None:
    """Write items from position `first` onwards, replacing any that are there."""
    for position, item in enumerate(items, first):
        kind, fields = (
            ("message", item.as_dict())
            if isinstance(item, Message)
            else (name_of(item), as_dict(item))
        )
        body = json.dumps(fields, ensure_ascii=False)
        connection.execute(
            "INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?)", (turn_id, position, kind, body)
        )


def put_state(connection: sqlite3.Connection, turn_id: str, state: State) -> None:
    """Write the state of a turn."""
    connection.execute("UPDATE turns SET state = ? WHERE id = ?", (state, turn_id))


def as_item(kind: str, body: str) -> Message | Event:
    """Return the item stored in a row."""
    fields = json.loads(body)
    return Message(**fields) if kind == "message" else read_event(kind, fields)


PAGE = 32  # number of turns; more than fit in a window
MOST = 500  # number of turns whose items are read by one statement


def open_turns(connection: sqlite3.Connection, conversation_id: str) -> list[Turn]:
    """Return the turns of a conversation in the order in which they were written. Only the newest
    are read in full. For the others, only the id and the parent are read, so that a long
    conversation opens at once.

    The order does not depend on the times, because the clock may be set back. Raises:
    sqlite3.Error.
    """
    sql = "SELECT id, parent FROM turns WHERE conversation_id = ? ORDER BY rowid"
    rows = connection.execute(sql, (conversation_id,))
    turns = [Turn(uid, conversation_id, parent, "", "done", 0.0, [], False) for uid, parent in rows]
    read_items(connection, turns[-PAGE:])
    return turns


def read_items(connection: sqlite3.Connection, turns: Sequence[Turn]) -> None:
    """Read the items of turns that have not been read yet. A turn that has been removed stays
    empty.

    Raises: sqlite3.Error.
    """
    unread = [turn for turn in turns if not turn.is_read]
    for start in range(0, len(unread), MOST):
        some = unread[start : start + MOST]
        items: dict[str, list[Message | Event]] = {turn.id: [] for turn in some}
        marks = ", ".join("?" * len(items))
        sql = (
            f"SELECT turn_id, kind, body FROM items WHERE turn_id IN ({marks})"
            " ORDER BY turn_id, position"
        )
        for turn_id, kind, body in connection.execute(sql, list(items)):
            items[turn_id].append(as_item(kind, body))
        sql = f"SELECT id, question, state, created_at FROM turns WHERE id IN ({marks})"
        heads = {row[0]: row[1:] for row in connection.execute(sql, list(items))}
        for turn in some:
            if turn.id in heads:
                turn.question, turn.state, turn.created_at = heads[turn.id]
            turn.items, turn.is_read = items[turn.id], True


T = TypeVar("T")


class Store:
    """The store of a data folder; `open` creates it, and `aclose` closes it.

    One thread owns the connection; each method is one transaction. note: a message for the user
    about how the store was opened.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        thread: ThreadPoolExecutor,
        path: Path | None,
        lock: FileLock | None,
    ) -> None:
        self._connection = connection
        self._thread = thread
        self._path = path
        self._lock = lock
        self._ending = threading.Event()
        self._copying: asyncio.Task[None] | None = None
        self.note: StoreError | None = None
        self.meanings = Meanings(self._run, self._transaction)

    @classmethod
    async def open(cls, path: Path | None, *, reading: bool = False) -> Store:
        """Open a store, creating or migrating it first if necessary; None keeps it in memory.

        Turns that were running when the last process ended are marked as interrupted. reading:
        whether to open it while another process writes to it; in this case, nothing is created,
        marked or written. Raises: StoreInUse, StoreError.
        """
        with ExitStack() as undo:
            thread = ThreadPoolExecutor(1, thread_name_prefix="store")
            undo.callback(thread.shutdown)
            lock = take_lock(path) if path and not reading else None
            loop, note = asyncio.get_running_loop(), None
            if lock is not None and path is not None:
                undo.callback(lock.release)
                note = await loop.run_in_executor(thread, mend, path)
            where = path if not reading or (path and await asyncio.to_thread(path.exists)) else None
            way = connect_to_read if reading and where else connect
            connection = await loop.run_in_executor(thread, way, where)
            undo.pop_all()
        store = cls(connection, thread, where, lock)
        store.note = note
        if lock is not None and path is not None:
            copying = asyncio.to_thread(keep_copy, path, store._ending)
            store._copying = asyncio.create_task(copying, name="copy of the conversations")
        return store

    async def aclose(self) -> None:
        """Close the store; all data is already on disk."""
        self._ending.set()
        if self._copying is not None:
            await self._copying
        await self._run(lambda c: c.close())
        self._thread.shutdown()
        if self._lock is not None:
            self._lock.release()

    async def new_conversation(self, title: str) -> Conversation:
        """Create a conversation."""
        return await self._transaction(lambda c: add_conversation(c, title))

    async def add_conversation(
        self, title: str, created_at: float, turns: list[Turn]
    ) -> Conversation:
        """Create a conversation with all its turns at once. created_at: seconds since 1970."""

        def write(connection: sqlite3.Connection) -> Conversation:
            made = add_conversation(connection, title, created_at)
            for turn in turns:
                turn.conversation_id = made.id
                add_turn(connection, turn)
                search.index(connection, turn.id)
            return made

        return await self._transaction(write)

    async def conversations(self, *, trashed: bool = False) -> list[Conversation]:
        """Return the conversations, or those in the trash, newest first."""
        return await self._run(lambda c: conversations_in(c, trashed=trashed))

    async def conversation(self, conversation_id: str) -> Conversation | None:
        """Return a conversation by id, or None."""
        return await self._run(lambda c: find_conversation(c, conversation_id))

    async def change_conversation(self, conversation_id: str, **changes: object) -> None:
        """Change a conversation's title, pinned, folder, trashed_at, shown or instructions
        field.
        """
        await self._transaction(lambda c: change_conversation(c, conversation_id, changes))

    async def delete_conversation(self, conversation_id: str) -> None:
        """Remove a conversation and its turns permanently."""
        await self._write("DELETE FROM conversations WHERE id = ?", (conversation_id,))

    async def empty_trash(self, before: float) -> int:
        """Permanently delete everything moved to the trash before a given time; return the number
        of conversations deleted.
        """
        return await self._transaction(lambda c: empty_trash(c, before))

    async def rename(self, conversation_id: str, title: str) -> None:
        """Change the title of a conversation."""
        await self.change_conversation(conversation_id, title=title)

    async def back_up(self, path: Path) -> None:
        """Write the complete store to a file.

        Raises: StoreError.
        """
        await self._run(lambda c: backup.write_copy(c, path))

    async def restore(self, path: Path) -> None:
        """Replace everything with a backup or, if that fails, change nothing.

        Raises: StoreError.
        """
        await self._run(lambda c: backup.restore(c, path))

    async def add_turn(self, turn: Turn) -> None:
        """Write a turn with its content so far; write nothing for a temporary turn."""
        if is_temporary(turn.id):
            return

        def write(connection: sqlite3.Connection) -> None:
            add_turn(connection, turn)
            search.index(connection, turn.id)

        await self._transaction(write)

    async def put_items(
        self, turn_id: str, first: int, items: list[Message | Event], state: State | None = None
    ) -> None:
        """Write items from position `first` onwards, replacing any that are there, and write the
        turn's state.
        """
        if is_temporary(turn_id):
            return

        def write(connection: sqlite3.Connection) -> None:
            put_items(connection, turn_id, first, items)
            if state is not None:
                put_state(connection, turn_id, state)
                search.index(connection, turn_id)  # only once, not every second of a stream

        await self._transaction(write)

    async def turns(self, conversation_id: str) -> list[Turn]:
        """Return the turns of a conversation, oldest first.

        The newest turns include their items; `read` reads the items of the others.
        """
        return await self._run(lambda c: open_turns(c, conversation_id))

    async def read(self, turns: list[Turn]) -> None:
        """Read the items of those turns that have not been read."""
        if not all(turn.is_read for turn in turns):
            await self._run(lambda c: read_items(c, turns))

    async def search(self, wanted: str, limit: int = 50) -> list[FoundTurn]:
        """Return the turns in which every word occurs, in the question or the answer, newest
        first.
        """
        return await self._run(lambda c: search.search(c, wanted, limit))

    async def save_widgets(self, widgets: list[Widget]) -> None:
        """Replace the saved widgets, keeping the order of the list."""

        def write(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM widgets")
            values = [(w.uuid, i, json.dumps(w.as_dict())) for i, w in enumerate(widgets)]
            connection.executemany("INSERT INTO widgets VALUES (?, ?, ?)", values)

        await self._transaction(write)

    async def widgets(self) -> list[Widget]:
        """Return the widgets in their saved order."""
        found = await self._read("SELECT body FROM widgets ORDER BY position")
        return [Widget(**json.loads(row[0])) for row in found]

    async def save_attachments(self, conversation_id: str, attached: list[Attachment]) -> None:
        """Replace the attachments of a conversation."""
        await self._transaction(lambda c: put_attachments(c, conversation_id, attached))

    async def attachments(self, conversation_id: str) -> list[Attachment]:
        """Return the attachments of a conversation."""
        return await self._run(lambda c: attachments_of(c, conversation_id))

    async def save_draft(self, conversation_id: str, text: str) -> None:
        """Save the unsent text of a conversation, unless the conversation no longer exists; an
        empty string removes it.

        conversation_id: empty for a conversation that has not begun.
        """
        if text:
            known = "SELECT 1 FROM conversations WHERE id = ?"
            await self._write(
                f"INSERT OR REPLACE INTO drafts SELECT ?, ?, ? WHERE ? = '' OR EXISTS ({known})",
                (conversation_id, text, time.time(), conversation_id, conversation_id),
            )
        else:
            await self._write("DELETE FROM drafts WHERE conversation_id = ?", (conversation_id,))

    async def drafts(self) -> list[Draft]:
        """Return the unsent texts, newest first."""
        found = await self._read(
            "SELECT conversation_id, text, written_at FROM drafts ORDER BY written_at DESC"
        )
        return [Draft(*row) for row in found]

    async def save_tabs(self, tabs: Sequence[Tab]) -> None:
        """Replace the saved dashboards and the positions of their widgets."""

        def write(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM tiles")
            connection.execute("DELETE FROM tabs")
            named = [(tab.id, position, tab.name) for position, tab in enumerate(tabs)]
            connection.executemany("INSERT INTO tabs VALUES (?, ?, ?)", named)
            placed = [(t.id, t.x, t.y, t.w, t.h, tab.id) for tab in tabs for t in tab.tiles]
            connection.executemany("INSERT INTO tiles VALUES (?, ?, ?, ?, ?, ?)", placed)

        await self._transaction(write)

    async def tabs(self) -> list[Tab]:
        """Return the dashboards in the order of their tabs."""

        def read(connection: sqlite3.Connection) -> list[Tab]:
            placed = connection.execute(
                "SELECT tab, id, x, y, w, h FROM tiles ORDER BY y, x"
            ).fetchall()
            named = connection.execute("SELECT id, name FROM tabs ORDER BY position").fetchall()
            return [
                Tab(i, name, tuple(TilePlace(*t[1:]) for t in placed if t[0] == i))
                for i, name in named
            ]

        return await self._run(read)

    async def save_setting(self, name: str, value: str) -> None:
        """Save a setting."""
        await self._write("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, value))

    async def setting(self, name: str) -> str | None:
        """Return a setting; None if it has never been set."""
        found = await self._run(
            lambda c: c.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
        )
        return found[0] if found else None

    async def _read(self, sql: str) -> list[Any]:
        return await self._run(lambda c: c.execute(sql).fetchall())

    async def _write(self, sql: str, values: tuple[Any, ...]) -> None:
        await self._transaction(lambda c: c.execute(sql, values))

    async def _transaction(self, write: Callable[[sqlite3.Connection], T]) -> T:
        def run(connection: sqlite3.Connection) -> T:
            connection.execute("BEGIN IMMEDIATE")
            with connection:  # this commits or undoes everything
                return write(connection)

        return await self._run(run)

    async def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(
                self._thread, work, self._connection
            )
        except sqlite3.Error as error:
            if self._path is not None and is_damage(error):
                mark_of(self._path).touch(0o600)
                raise StoreError(
                    f"The conversations are damaged: {error}.",
                    "Start Deskpilot again: it checks them and restores the latest copy.",
                ) from error
            raise StoreError(
                f"The conversations cannot be written or read: {error}.",
                "Check the disk's free space and permissions.",
            ) from error
