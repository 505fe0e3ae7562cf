"""The store's schema, with one migration for each version."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from app.adapters.store.search import WORDS
from app.domain.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    f"""
    DROP INDEX turns_by_conversation;
    CREATE INDEX turns_of_conversation ON turns (conversation_id);
    CREATE TABLE texts (
        id INTEGER PRIMARY KEY, text TEXT NOT NULL,
        turn_id TEXT NOT NULL UNIQUE REFERENCES turns (id) ON DELETE CASCADE
    );
    CREATE VIRTUAL TABLE text_index USING fts5 (
        text, content = 'texts', content_rowid = 'id', tokenize = 'trigram'
    );
    CREATE TRIGGER texts_added AFTER INSERT ON texts BEGIN
        INSERT INTO text_index (rowid, text) VALUES (new.id, new.text);
    END;
    CREATE TRIGGER texts_removed AFTER DELETE ON texts BEGIN
        INSERT INTO text_index (text_index, rowid, text) VALUES ('delete', old.id, old.text);
    END;
    CREATE TRIGGER texts_changed AFTER UPDATE ON texts BEGIN
        INSERT INTO text_index (text_index, rowid, text) VALUES ('delete', old.id, old.text);
        INSERT INTO text_index (rowid, text) VALUES (new.id, new.text);
    END;
    INSERT INTO texts (turn_id, text) {WORDS};
    """,
    "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);",
    """
    CREATE TABLE tabs (id TEXT PRIMARY KEY, position INTEGER NOT NULL, name TEXT NOT NULL);
    ALTER TABLE tiles ADD COLUMN tab TEXT NOT NULL DEFAULT 'first';
    INSERT INTO tabs VALUES ('first', 0, 'Dashboard');
    """,
    """
    ALTER TABLE conversations ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE conversations ADD COLUMN folder TEXT NOT NULL DEFAULT '';
    ALTER TABLE conversations ADD COLUMN trashed_at REAL;
    ALTER TABLE conversations ADD COLUMN shown TEXT;
    ALTER TABLE conversations ADD COLUMN branched INTEGER NOT NULL DEFAULT 0;
    UPDATE conversations SET branched = 1 WHERE id IN (
        SELECT conversation_id FROM turns GROUP BY conversation_id, parent HAVING count(*) > 1
    );
    """,
    """
    CREATE TABLE meanings (
        id INTEGER PRIMARY KEY, text_id INTEGER NOT NULL REFERENCES texts (id) ON DELETE CASCADE,
        model TEXT NOT NULL, first INTEGER NOT NULL, past INTEGER NOT NULL, vector BLOB NOT NULL
    );
    CREATE INDEX meanings_of_text ON meanings (text_id, model);
    CREATE TRIGGER texts_mean_otherwise AFTER UPDATE OF text ON texts WHEN new.text IS NOT old.text BEGIN
        DELETE FROM meanings WHERE text_id = old.id;
    END;
    """,
    """
    CREATE TABLE attachments (
        conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
        position INTEGER NOT NULL, widget TEXT NOT NULL, name TEXT NOT NULL, path TEXT NOT NULL,
        PRIMARY KEY (conversation_id, widget)
    ) WITHOUT ROWID;
    INSERT OR IGNORE INTO attachments
        SELECT turns.conversation_id, widgets.position, widgets.uuid,
            json_extract(widgets.body, '$.name'),
            CASE WHEN coalesce(json_extract(widgets.body, '$.backend'), '') = ''
                THEN json_extract(widgets.body, '$.path') ELSE '' END
        FROM items JOIN turns ON turns.id = items.turn_id
        JOIN json_each(items.body, '$.citations') AS cited
        JOIN widgets ON widgets.uuid = json_extract(cited.value, '$.widget')
        WHERE items.kind = 'citations';
    INSERT OR IGNORE INTO attachments
        SELECT newest.id, widgets.position, widgets.uuid, json_extract(widgets.body, '$.name'),
            CASE WHEN coalesce(json_extract(widgets.body, '$.backend'), '') = ''
                THEN json_extract(widgets.body, '$.path') ELSE '' END
        FROM widgets JOIN (
            SELECT id FROM conversations WHERE trashed_at IS NULL ORDER BY updated_at DESC LIMIT 1
        ) AS newest WHERE json_extract(widgets.body, '$.attached');
    """,
    "ALTER TABLE conversations ADD COLUMN instructions TEXT NOT NULL DEFAULT '';",
    """
    CREATE TABLE drafts (conversation_id TEXT PRIMARY KEY, text TEXT NOT NULL, written_at REAL NOT NULL);
    CREATE TRIGGER drafts_removed AFTER DELETE ON conversations BEGIN
        DELETE FROM drafts WHERE conversation_id = old.id;
    END;
    """,
]


def migrate(connection: sqlite3.Connection) -> None:
    """Migrate a store to this version. All steps are one transaction: if one fails, the earlier
    ones are undone.

    Raises: StoreError if the store is from a newer Deskpilot.
    """
    version = version_of(connection)
    if version > len(MIGRATIONS):
        raise StoreError(
            "These conversations were written by a newer Deskpilot.",
            "Update Deskpilot, or bring back the copy it made when it was updated (deskpilot chats"
            " restore).",
        )
    if version == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    with connection:  # commits, or undoes everything
        for script in MIGRATIONS[version:]:
            for statement in statements(script):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")


def version_of(connection: sqlite3.Connection) -> int:
    """Return a store's version; 0 for an empty file.

    Raises: sqlite3.Error.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def statements(script: str) -> Iterator[str]:
    """Yield the statements of a script; the statements inside a trigger are yielded as part of the
    trigger.
    """
    statement = ""
    for piece in script.split(";")[:-1]:
        statement += f"{piece};"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement:
        yield statement  # incomplete: SQLite reports what is wrong with it
