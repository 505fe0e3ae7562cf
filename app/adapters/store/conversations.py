"""The list of conversations (pinned, in folders, in the trash) and their attachments."""

from __future__ import annotations

import json
import time
import uuid
from typing import TYPE_CHECKING

from app.domain.conversation import Attachment, Conversation

if TYPE_CHECKING:
    import sqlite3


def put(
    connection: sqlite3.Connection, conversation_id: str, attachments: list[Attachment]
) -> None:
    """Replace the attachments of a conversation; do nothing if the conversation is gone."""
    known = "SELECT 1 FROM conversations WHERE id = ?"
    if connection.execute(known, (conversation_id,)).fetchone() is None:
        return
    connection.execute("DELETE FROM attachments WHERE conversation_id = ?", (conversation_id,))
    connection.executemany(
        "INSERT INTO attachments VALUES (?, ?, ?, ?, ?)",
        [(conversation_id, n, a.widget, a.name, a.path) for n, a in enumerate(attachments)],
    )


def of(connection: sqlite3.Connection, conversation_id: str) -> list[Attachment]:
    """Return the attachments of a conversation, in order."""
    found = connection.execute(
        "SELECT widget, name, path FROM attachments WHERE conversation_id = ? ORDER BY position",
        (conversation_id,),
    )
    return [Attachment(*row) for row in found]


ABOUT = 2  # names of attachments that are listed for a conversation
FIELDS = f"""id, title, created_at, updated_at, pinned, folder, trashed_at, shown, branched, instructions,
    (SELECT count(*) FROM turns WHERE turns.conversation_id = conversations.id),
    (SELECT json_group_array(name) FROM (
        SELECT name FROM attachments WHERE attachments.conversation_id = conversations.id
        ORDER BY position LIMIT {ABOUT}
    ))"""
CHANGEABLE = frozenset(("title", "pinned", "folder", "trashed_at", "shown", "instructions"))


def add(
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


def all_of(connection: sqlite3.Connection, *, trashed: bool) -> list[Conversation]:
    """Return the conversations that are, or are not, in the trash, newest first."""
    found = connection.execute(
        f"SELECT {FIELDS} FROM conversations WHERE (trashed_at IS NOT NULL) = ? ORDER BY updated_at"
        " DESC",
        (trashed,),
    )
    return [as_conversation(row) for row in found]


def one(connection: sqlite3.Connection, conversation_id: str) -> Conversation | None:
    """Return a conversation by id, or None."""
    sql = f"SELECT {FIELDS} FROM conversations WHERE id = ?"
    row = connection.execute(sql, (conversation_id,)).fetchone()
    return as_conversation(row) if row is not None else None


def change(
    connection: sqlite3.Connection, conversation_id: str, changes: dict[str, object]
) -> None:
    """Change fields of a conversation."""
    assert changes.keys() <= CHANGEABLE
    names = ", ".join(f"{name} = ?" for name in changes)
    connection.execute(
        f"UPDATE conversations SET {names} WHERE id = ?", [*changes.values(), conversation_id]
    )


def empty_trash(connection: sqlite3.Connection, before: float) -> int:
    """Permanently delete what was moved to the trash before a time; return the number of
    conversations deleted.
    """
    return connection.execute("DELETE FROM conversations WHERE trashed_at < ?", (before,)).rowcount


def as_conversation(row: tuple[object, ...]) -> Conversation:
    """Return the conversation in a row of `FIELDS`."""
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
