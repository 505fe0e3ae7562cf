"""Conversations in SQLite: on disk before anything is sent, one writer, never on the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import sqlite3
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from app.adapters.store.schema import migrate
from app.domain.conversation import Conversation, Turn
from app.domain.dashboard import Tile
from app.domain.errors import StoreError, StoreInUse
from app.domain.events import Event, State, as_dict, name_of, read_event
from app.domain.stream import Message
from app.domain.widget import Widget

if TYPE_CHECKING:
    from pathlib import Path

T = TypeVar("T")


class Store:
    """The store of one data folder; `open` makes it, `aclose` ends it.

    One thread owns the connection; each method is one transaction, done when it returns.
    """

    def __init__(self, connection: sqlite3.Connection, thread: ThreadPoolExecutor, lock: int | None) -> None:
        self._connection = connection
        self._thread = thread
        self._lock = lock

    @classmethod
    async def open(cls, path: Path | None) -> Store:
        """Open a store, made or migrated if need be; None keeps it in memory.

        Turns that ran when the last process died are marked interrupted.
        Raises: StoreInUse, StoreError.
        """
        thread = ThreadPoolExecutor(1, thread_name_prefix="store")
        try:
            lock = take_lock(path) if path else None
            connection = await asyncio.get_running_loop().run_in_executor(thread, connect, path)
        except BaseException:
            thread.shutdown()
            raise
        return cls(connection, thread, lock)

    async def aclose(self) -> None:
        """Close the store; what was written is on disk already."""
        await self._run(lambda c: c.close())
        self._thread.shutdown()
        if self._lock is not None:
            os.close(self._lock)

    async def new_conversation(self, title: str) -> Conversation:
        """Make a conversation."""
        now = time.time()
        made = Conversation(uuid.uuid4().hex, title, now, now)
        await self._write(
            "INSERT INTO conversations VALUES (?, ?, ?, ?)",
            (made.id, made.title, made.created_at, made.updated_at),
        )
        return made

    async def conversations(self) -> list[Conversation]:
        """Return all conversations, the newest first."""
        rows = await self._read("SELECT * FROM conversations ORDER BY updated_at DESC")
        return [Conversation(*row) for row in rows]

    async def delete_conversation(self, conversation_id: str) -> None:
        """Remove a conversation and its turns."""
        await self._write("DELETE FROM conversations WHERE id = ?", (conversation_id,))

    async def rename(self, conversation_id: str, title: str) -> None:
        """Give a conversation a title."""
        await self._write("UPDATE conversations SET title = ? WHERE id = ?", (title, conversation_id))

    async def add_turn(self, turn: Turn) -> None:
        """Write a turn and what it holds so far."""

        def write(connection: sqlite3.Connection) -> None:
            values = (turn.id, turn.conversation_id, turn.parent, turn.question, turn.state, turn.created_at)
            connection.execute("INSERT INTO turns VALUES (?, ?, ?, ?, ?, ?)", values)
            for position, item in enumerate(turn.items):
                put(connection, turn.id, position, item)
            changed = "UPDATE conversations SET updated_at = ? WHERE id = ?"
            connection.execute(changed, (turn.created_at, turn.conversation_id))

        await self._transaction(write)

    async def put_items(
        self, turn_id: str, first: int, items: list[Message | Event], state: State | None = None
    ) -> None:
        """Write items from position `first` on, over what stood there, and the turn's state."""

        def write(connection: sqlite3.Connection) -> None:
            for position, item in enumerate(items, first):
                put(connection, turn_id, position, item)
            if state is not None:
                connection.execute("UPDATE turns SET state = ? WHERE id = ?", (state, turn_id))

        await self._transaction(write)

    async def turns(self, conversation_id: str) -> list[Turn]:
        """Return the turns of a conversation with their items, oldest first."""

        def read(connection: sqlite3.Connection) -> list[Turn]:
            rows = connection.execute(
                "SELECT id, conversation_id, parent, question, state, created_at FROM turns"
                " WHERE conversation_id = ? ORDER BY created_at, rowid",
                (conversation_id,),
            )
            turns = {row[0]: Turn(*row) for row in rows}
            items = connection.execute(
                "SELECT turn_id, kind, body FROM items WHERE turn_id IN (SELECT id FROM turns WHERE conversation_id = ?)"
                " ORDER BY turn_id, position",
                (conversation_id,),
            )
            for turn_id, kind, body in items:
                turns[turn_id].items.append(read_item(kind, body))
            return list(turns.values())

        return await self._run(read)

    async def save_widgets(self, widgets: list[Widget]) -> None:
        """Write the widgets, in their order, in place of those before."""

        def write(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM widgets")
            rows = [(w.uuid, i, json.dumps(w.as_dict())) for i, w in enumerate(widgets)]
            connection.executemany("INSERT INTO widgets VALUES (?, ?, ?)", rows)

        await self._transaction(write)

    async def widgets(self) -> list[Widget]:
        """Return the widgets in their order."""
        rows = await self._read("SELECT body FROM widgets ORDER BY position")
        return [Widget(**json.loads(row[0])) for row in rows]

    async def save_tiles(self, tiles: Sequence[Tile]) -> None:
        """Write where the widgets stand, in place of what was before."""

        def write(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM tiles")
            rows = [(t.id, t.x, t.y, t.w, t.h) for t in tiles]
            connection.executemany("INSERT INTO tiles VALUES (?, ?, ?, ?, ?)", rows)

        await self._transaction(write)

    async def tiles(self) -> list[Tile]:
        """Return where the widgets stand."""
        return [Tile(*row) for row in await self._read("SELECT id, x, y, w, h FROM tiles ORDER BY y, x")]

    async def _read(self, sql: str) -> list[Any]:
        return await self._run(lambda c: c.execute(sql).fetchall())

    async def _write(self, sql: str, values: tuple[Any, ...]) -> None:
        await self._transaction(lambda c: c.execute(sql, values))

    async def _transaction(self, write: Callable[[sqlite3.Connection], object]) -> None:
        def run(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            try:
                write(connection)
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

        await self._run(run)

    async def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work, self._connection)
        except sqlite3.Error as error:
            raise StoreError(
                f"The conversations cannot be written or read: {error}.",
                "Check the disk's free space and permissions.",
            ) from error


def connect(path: Path | None) -> sqlite3.Connection:
    """Open the file; called on the thread that owns it."""
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path or ":memory:", isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    migrate(connection)
    connection.execute("UPDATE turns SET state = 'interrupted' WHERE state = 'running'")
    return connection


def take_lock(path: Path) -> int:
    """Take the lock of a store; it is let go when the process ends, however it ends.

    Raises: StoreInUse.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.close(handle)
        raise StoreInUse(
            "Another Deskpilot has these conversations open.", "Use that one, or close it."
        ) from error
    return handle


def put(connection: sqlite3.Connection, turn_id: str, position: int, item: Message | Event) -> None:
    """Write one item."""
    kind, fields = (
        ("message", item.as_dict()) if isinstance(item, Message) else (name_of(item), as_dict(item))
    )
    body = json.dumps(fields, ensure_ascii=False)
    connection.execute("INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?)", (turn_id, position, kind, body))


def read_item(kind: str, body: str) -> Message | Event:
    """Read one item."""
    fields = json.loads(body)
    return Message(**fields) if kind == "message" else read_event(kind, fields)
