"""Open the file of a store: to write it, one at a time, or to read it beside who writes."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from app.adapters.store import backup
from app.adapters.store.schema import MIGRATIONS, migrate, version_of
from app.domain.errors import StoreError, StoreInUse

if TYPE_CHECKING:
    from pathlib import Path


def connect_to_read(path: Path | None) -> sqlite3.Connection:
    """Open the file beside who writes it.

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


def unopened(path: Path | None, error: sqlite3.Error) -> StoreError:
    """Return the error of a file that cannot be opened."""
    return StoreError(
        f"The conversations in {path} cannot be opened: {error}.",
        "Check the disk; if the file is damaged, move it away and start again.",
    )


def connect(path: Path | None) -> sqlite3.Connection:
    """Open the file; called on the thread that owns it.

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
            backup.keep_before_migration(connection, path)
        migrate(connection)
        connection.execute("UPDATE turns SET state = 'interrupted' WHERE state = 'running'")
    except (sqlite3.Error, StoreError) as error:
        if connection is not None:
            connection.close()
        if isinstance(error, StoreError):
            raise
        raise unopened(path, error) from error
    return connection


def take_lock(path: Path) -> FileLock:
    """Take the lock of a store; the system lets go of it when the process ends, however it ends.

    Raises: StoreInUse, StoreError for a folder that cannot be written.
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
            f"The conversations cannot be kept in {path.parent}: {error.strerror or error}.",
            "Make the folder writable, or let DESKPILOT_HOME name another.",
        ) from error
    return lock
