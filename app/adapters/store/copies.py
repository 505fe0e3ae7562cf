"""Detect a damaged store, keep copies of the store, and restore the newest intact one."""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
import time
from contextlib import closing
from typing import TYPE_CHECKING

from app.domain.errors import StoreDamaged, StoreError

if TYPE_CHECKING:
    import threading
    from pathlib import Path

log = logging.getLogger(__name__)
# seconds after which the newest copy and the one before it, respectively, are considered old
HOUR, DAY = 3600.0, 86_400.0
STEP = 500  # number of pages copied between two checks that the copy is still wanted
CORRUPT, NOT_A_DATABASE, SHORT = (
    11,
    26,
    522,
)  # SQLite's codes for damage: https://sqlite.org/rescode.html
BESIDE = ("-wal", "-shm")


class _Unwanted(Exception):
    """The copy is no longer wanted."""


def newest_copy(path: Path) -> Path:
    """Return the path of the newest copy of a store."""
    return path.with_name(f"{path.stem}-copy{path.suffix}")


def copies_of(path: Path) -> tuple[Path, Path]:
    """Return the paths of the copies of a store, newest first."""
    return newest_copy(path), path.with_name(f"{path.stem}-copy-before{path.suffix}")


def mark_of(path: Path) -> Path:
    """Return the file whose presence marks a store to be checked the next time it is opened."""
    return path.with_suffix(".check")


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether an error means that the file is damaged, rather than that it is busy or the
    disk is full.
    """
    code = getattr(error, "sqlite_errorcode", None)
    return isinstance(code, int) and (code & 0xFF in (CORRUPT, NOT_A_DATABASE) or code == SHORT)


def damage_of(path: Path, *, whole: bool = True) -> str:
    """Return a description of the damage to a store; empty if it is intact. whole: whether to read
    all of its pages.

    Raises: sqlite3.Error if the file cannot be read at all.
    """
    try:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA query_only = ON")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if not whole:
                return ""
            (state,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            return "" if state == "ok" else str(state).splitlines()[-1]
    except sqlite3.DatabaseError as error:
        if is_damage(error):
            return str(error)
        raise


def mended(path: Path) -> StoreError | None:
    """Replace a damaged store with the newest intact copy; return the message for the user.

    A store whose last writer was killed, or that was found damaged while it was open, is checked
    completely; others are only checked briefly. Nothing is deleted: the damaged files are kept
    beside it. Raises: StoreDamaged if there is no intact copy, sqlite3.Error.
    """
    marked = mark_of(path).exists()
    killed = path.with_name(path.name + "-wal").exists()
    if not path.exists():
        return None
    fault = damage_of(path, whole=marked or killed)
    if not fault:
        if marked:
            rebuild_search(path)
            mark_of(path).unlink(missing_ok=True)
        return None
    mark_of(path).touch(0o600)
    copy = next((one for one in copies_of(path) if one.exists() and not damage_of(one)), None)
    if copy is None:
        raise StoreDamaged(
            f"The conversations in {path} are damaged: {fault}.",
            "Restore a backup with `deskpilot chats restore FILE`, or move the file away and "
            "start again.",
        )
    day = time.strftime("%Y-%m-%d %H:%M", time.localtime(copy.stat().st_mtime))
    fresh = path.with_name(f".{path.name}.new")
    shutil.copyfile(copy, fresh)
    fresh.chmod(0o600)
    with fresh.open("rb") as file:
        os.fsync(file.fileno())
    aside = set_aside(path)
    os.replace(fresh, path)
    mark_of(path).unlink(missing_ok=True)
    note = StoreError(
        f"The conversations were damaged; the copy from {day} was restored.",
        f"The damaged file is kept in {aside}.",
    )
    log.warning("%s", note)  # this is shown in a shell; the window shows the returned message
    return note


def set_aside(path: Path) -> Path:
    """Move all files of a damaged store aside; return the new path."""
    aside = path.with_name(f"{path.stem}-damaged-{time.strftime('%Y-%m-%d-%H%M%S')}{path.suffix}")
    # if a log were left behind, it would be read into the store that replaces this one
    for end in (*BESIDE, ""):
        part = path.with_name(path.name + end)
        if part.exists():
            os.replace(part, aside.with_name(aside.name + end))
    return aside


def rebuild_search(path: Path) -> None:
    """Rebuild the search index from the stored text.

    Raises: sqlite3.Error.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        sql = "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%fts5%'"
        for (name,) in connection.execute(sql).fetchall():
            connection.execute(f"INSERT INTO {name} ({name}) VALUES ('rebuild')")


def is_young(path: Path, seconds: float) -> bool:
    """Return whether a file was written within the last `seconds`."""
    return path.exists() and abs(time.time() - path.stat().st_mtime) < seconds


def keep_copy(path: Path, ending: threading.Event) -> None:
    """Copy a store unless it is empty or was copied within the last hour; if the store turns out to
    be damaged, mark it.

    The copy before the newest one is at least a day older, unless there was no such copy.
    """
    newest, before = copies_of(path)
    fresh = path.with_name(f".{newest.name}.new")

    def on_step(*_: int) -> None:
        if ending.is_set():
            raise _Unwanted

    try:
        if is_young(newest, HOUR):
            return
        if shutil.disk_usage(path.parent).free < 4 * path.stat().st_size:
            log.info("no room for a copy of the conversations")
            return
        if damage_of(path):
            mark_of(path).touch(0o600)
            return
        fresh.unlink(missing_ok=True)
        fresh.touch(0o600)
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(fresh)) as target:
            (count,) = source.execute("SELECT count(*) FROM conversations").fetchone()
            if count == 0:
                return
            source.backup(target, pages=STEP, progress=on_step, sleep=0.01)
            target.execute("PRAGMA journal_mode = DELETE")  # produces one file instead of three
        if newest.exists() and not is_young(before, DAY):
            os.replace(newest, before)
        os.replace(fresh, newest)
    except _Unwanted:
        return
    except (OSError, sqlite3.Error) as error:
        log.info("no copy of the conversations was made: %s", error)
    finally:
        fresh.unlink(missing_ok=True)
