"""Small JSON files that several Deskpilot processes share, protected by locks."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from filelock import FileLock, Timeout

from app.domain.errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path


@contextmanager
def alone(path: Path, what: str) -> Generator[None]:
    """Hold a lock that is released when this process ends, however that happens.

    Raises: SetupError if another process holds it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path, timeout=0, mode=0o600)
    try:
        lock.acquire()
    except Timeout as error:
        raise SetupError(f"{what} is already running.", "Wait for it, or stop it.") from error
    try:
        yield
    finally:
        lock.release()


Kept = TypeVar("Kept", dict[str, Any], list[Any])
LOCK_SECONDS = 5
WORDS = {dict: "object", list: "list"}


class Json(Generic[Kept]):
    """A value in a file, written atomically and by one writer at a time."""

    def __init__(self, path: Path, kind: type[Kept]) -> None:
        self._path, self._kind = path, kind

    async def read(self) -> Kept:
        """Return the saved value; empty if there is no file yet.

        Raises: SetupError if the file cannot be read.
        """
        # imported here because the window reads files before its first paint and does not need an
        # event loop to do so
        import asyncio

        return await asyncio.to_thread(self.read_now)

    async def change(self, changed: Callable[[Kept], Kept]) -> None:
        """Replace the saved value with the result of `changed`.

        Raises: SetupError.
        """
        import asyncio

        await asyncio.to_thread(self._change, changed)

    def read_now(self) -> Kept:
        """Return the saved value; this blocks while the disk is read.

        Raises: the same errors as `read`.
        """
        try:
            told = json.loads(self._path.read_text("utf-8"))
        except FileNotFoundError:
            return self._kind()
        except (OSError, ValueError, RecursionError) as error:  # excessive nesting is also an error
            raise SetupError(
                f"{self._path} cannot be read: {error}.", "Fix it, or move it away to start over."
            ) from error
        if not isinstance(told, self._kind):
            raise SetupError(
                f"{self._path} does not contain a JSON {WORDS[self._kind]}.",
                "Fix it, or move it away to start over.",
            )
        return told

    def _change(self, changed: Callable[[Kept], Kept]) -> None:
        from filelock import FileLock

        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{self._path}.lock", timeout=LOCK_SECONDS, mode=0o600):
                made = json.dumps(changed(self.read_now()), ensure_ascii=False, indent=1)
                part = self._path.with_name(f"{self._path.name}.{os.getpid()}")
                handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    file.write(f"{made}\n")
                os.replace(part, self._path)
        except OSError as error:  # also raised if the lock is not released
            raise SetupError(
                f"{self._path} cannot be written: {error.strerror or error}.",
                "Make its folder writable.",
            ) from error


class JsonFile(Json[dict[str, Any]]):
    """A JSON object in a file."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, dict)
