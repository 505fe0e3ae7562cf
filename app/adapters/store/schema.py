"""The store's schema, a migration for each version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.domain.errors import StoreError

if TYPE_CHECKING:
    import sqlite3

MIGRATIONS = [
    """
    CREATE TABLE conversations (
        id TEXT PRIMARY KEY, title TEXT NOT NULL, created_at REAL NOT NULL, updated_at REAL NOT NULL
    );
    CREATE TABLE turns (
        id TEXT PRIMARY KEY,
        conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
        parent TEXT, question TEXT NOT NULL, state TEXT NOT NULL, created_at REAL NOT NULL
    );
    CREATE INDEX turns_by_conversation ON turns (conversation_id, created_at);
    CREATE TABLE items (
        turn_id TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
        position INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
        PRIMARY KEY (turn_id, position)
    ) WITHOUT ROWID;
    CREATE TABLE widgets (uuid TEXT PRIMARY KEY, position INTEGER NOT NULL, body TEXT NOT NULL);
    """,
    """
    CREATE TABLE tiles (
        id TEXT PRIMARY KEY, x INTEGER NOT NULL, y INTEGER NOT NULL, w INTEGER NOT NULL, h INTEGER NOT NULL
    );
    """,
]


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a store to this version; a migration that fails changes nothing.

    Raises: StoreError for a store of a newer Deskpilot.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(MIGRATIONS):
        raise StoreError("These conversations were written by a newer Deskpilot.", "Update Deskpilot.")
    for number, script in enumerate(MIGRATIONS[version:], version + 1):
        connection.execute("BEGIN IMMEDIATE")
        try:
            for statement in script.split(";"):
                if statement.strip():
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
