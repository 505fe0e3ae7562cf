"""A store's file: its schema, with one migration for each version, and the backup made before a
migration or a restore.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from app.adapters.store.copies import is_damage, mended
from app.adapters.store.search import WORDS
from app.domain.errors import StoreError, StoreInUse

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
    """Migrate a store to this version. All the steps form one transaction, so if one fails, the
    earlier ones are undone.

    Raises: StoreError if the store is from a newer version of Deskpilot.
    """
    version = version_of(connection)
    if version > len(MIGRATIONS):
        raise StoreError(
            "These conversations were written by a newer Deskpilot.",
            "Update Deskpilot, or restore the copy it made when it was updated (deskpilot chats "
            "restore).",
        )
    if version == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    with connection:  # this commits or undoes everything
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
    """Yield the statements in a script; statements inside a trigger are yielded as part of the
    trigger.
    """
    statement = ""
    for piece in script.split(";")[:-1]:
        statement += f"{piece};"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement:
        yield statement  # it is incomplete, and SQLite reports what is wrong with it


def write_copy(connection: sqlite3.Connection, path: Path) -> None:
    """Write a store to a file, either completely or not at all; an existing file is replaced.

    Raises: StoreError.
    """
    (_, _, own), *_ = connection.execute("PRAGMA database_list")
    if own and path.resolve() == Path(own).resolve():
        raise StoreError(
            f"{path} contains the conversations themselves.", "Specify another file for the copy."
        )
    beside = path.with_name(f".{path.name}.new")
    try:
        beside.unlink(missing_ok=True)
        beside.touch(0o600)
        with closing(sqlite3.connect(beside, isolation_level=None)) as made:
            connection.backup(made)
            made.execute("PRAGMA journal_mode = DELETE")  # produces one file instead of three
            made.execute("VACUUM")
        os.replace(beside, path)
    except (sqlite3.Error, OSError) as error:
        beside.unlink(missing_ok=True)
        raise StoreError(
            f"The copy of the conversations cannot be written to {path}: {error}.",
            "Choose a writable folder with enough free space.",
        ) from error


def keep_before_migration(connection: sqlite3.Connection, path: Path) -> None:
    """If a store is about to be migrated, keep a copy of it that older versions of Deskpilot can
    read.

    Raises: StoreError.
    """
    version = version_of(connection)
    if 0 < version < len(MIGRATIONS):
        write_copy(connection, path.with_name(f"{path.stem}-version-{version}{path.suffix}"))


def restore(connection: sqlite3.Connection, path: Path) -> None:
    """Replace a store with a backup; if anything is wrong with the backup, the store is left
    unchanged.

    Raises: StoreError.
    """
    with TemporaryDirectory() as folder:
        fresh = Path(folder) / "fresh.sqlite"
        with (
            closing(opened(path)) as source,
            closing(sqlite3.connect(fresh, isolation_level=None)) as made,
        ):
            try:
                source.backup(made)
                migrate(made)
                made.backup(connection)  # copies either everything or nothing
            except sqlite3.Error as error:
                raise StoreError(
                    f"The copy in {path} cannot be restored: {error}.", "Use another copy."
                ) from error


def opened(path: Path) -> sqlite3.Connection:
    """Check that a copy is intact, and open it for reading.

    Raises: StoreError.
    """
    remedy = "Choose a file created by `deskpilot chats backup`, or a copy of deskpilot.sqlite."
    connection = None
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        (state,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
        version, fault = version_of(connection), "" if state == "ok" else f" is damaged: {state}."
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
        if version == 0 or not {"conversations", "turns", "items"} <= tables:
            fault = " contains no Deskpilot conversations."
        elif version > len(MIGRATIONS):
            fault, remedy = " was written by a newer Deskpilot.", "Update Deskpilot."
    except sqlite3.Error as error:
        if connection is not None:
            connection.close()
        raise StoreError(
            f"{path} cannot be read as a copy of conversations: {error}.", remedy
        ) from error
    if fault:
        connection.close()
        raise StoreError(f"{path}{fault}", remedy)
    return connection


def connect_to_read(path: Path | None) -> sqlite3.Connection:
    """Open the file for reading while another process writes to it.

    Raises: StoreError.
    """
    assert path is not None
    connection = None
    try:
        connection = sqlite3.connect(path, timeout=5, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA query_only = ON")
        current = version_of(connection) == len(MIGRATIONS)
    except sqlite3.Error as error:
        if connection is not None:
            connection.close()
        raise unopened(path, error) from error
    if not current:
        connection.close()
        raise StoreError(
            "These conversations were written by another version of Deskpilot.",
            "Open Deskpilot once first.",
        )
    return connection


def unopened(path: Path | None, error: sqlite3.Error | OSError) -> StoreError:
    """Return the error for a file that cannot be opened."""
    if isinstance(error, sqlite3.Error) and is_damage(error):
        return StoreError(
            f"The conversations are damaged: {error}.",
            "Start Deskpilot again: it checks them and restores the latest copy.",
        )
    return StoreError(
        f"The conversations in {path} cannot be opened: {error}.",
        "Check the disk's free space and permissions.",
    )


def connect(path: Path | None) -> sqlite3.Connection:
    """Open the file. Call this on the thread that owns the connection.

    Raises: StoreError.
    """
    connection = None
    try:
        connection = sqlite3.connect(
            path or ":memory:", isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        if path is not None:
            keep_before_migration(connection, path)
        migrate(connection)
        connection.execute("UPDATE turns SET state = 'interrupted' WHERE state = 'running'")
    except (sqlite3.Error, StoreError) as error:
        if connection is not None:
            connection.close()
        if isinstance(error, StoreError):
            raise
        raise unopened(path, error) from error
    return connection


def mend(path: Path) -> StoreError | None:
    """Restore the last copy of a damaged store; return the message for the user.

    Raises: StoreDamaged, StoreError.
    """
    try:
        return mended(path)
    except (sqlite3.Error, OSError) as error:
        raise unopened(path, error) from error


def take_lock(path: Path) -> FileLock:
    """Take the lock on a store; the system releases it when the process ends, however that happens.

    Raises: StoreInUse; StoreError if the folder is not writable.
    """
    lock = FileLock(path.with_suffix(".lock"), timeout=0, mode=0o600)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout as error:
        raise StoreInUse(
            "Another Deskpilot has these conversations open.", "Use that one, or close it."
        ) from error
    except OSError as error:
        raise StoreError(
            f"The conversations cannot be saved in {path.parent}: {error.strerror or error}.",
            "Make the folder writable, or set DESKPILOT_HOME to another.",
        ) from error
    return lock
