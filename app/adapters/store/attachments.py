"""What goes along with the questions of each conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.domain.conversation import Attachment

if TYPE_CHECKING:
    import sqlite3


def put(
    connection: sqlite3.Connection, conversation_id: str, attachments: list[Attachment]
) -> None:
    """Write the attachments of a conversation in place of those before; nothing for one that is gone."""
    known = "SELECT 1 FROM conversations WHERE id = ?"
    if connection.execute(known, (conversation_id,)).fetchone() is None:
        return
    connection.execute("DELETE FROM attachments WHERE conversation_id = ?", (conversation_id,))
    connection.executemany(
        "INSERT INTO attachments VALUES (?, ?, ?, ?, ?)",
        [(conversation_id, n, a.widget, a.name, a.path) for n, a in enumerate(attachments)],
    )


def of(connection: sqlite3.Connection, conversation_id: str) -> list[Attachment]:
    """Return the attachments of a conversation, in their order."""
    found = connection.execute(
        "SELECT widget, name, path FROM attachments WHERE conversation_id = ? ORDER BY position",
        (conversation_id,),
    )
    return [Attachment(*row) for row in found]
