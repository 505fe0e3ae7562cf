"""One writer for each store, on every system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from app.domain.errors import StoreError, StoreInUse

if TYPE_CHECKING:
    from pathlib import Path


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
