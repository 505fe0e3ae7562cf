"""The copilots that were added, in a file of their own: the shell may read and change it while the window runs."""

from __future__ import annotations

import asyncio
import json
import os
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from app.domain.copilot import Added, read_added
from app.domain.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LOCK_SECONDS = 5


class CopilotBook:
    """The file of a data folder, read anew each time; it holds no secret."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def all(self) -> list[Added]:
        """Return the copilots in the order they were added.

        Raises: StoreError.
        """
        return await asyncio.to_thread(self._read)

    async def change(self, change: Callable[[list[Added]], list[Added]]) -> None:
        """Replace the copilots by what `change` makes of them; nobody else writes meanwhile.

        Raises: StoreError.
        """
        await asyncio.to_thread(self._change, change)

    async def picture(self, name: str) -> bytes:
        """Return the picture of one; empty if it has none."""
        try:
            return await asyncio.to_thread(self._picture(name).read_bytes)
        except OSError:
            return b""

    async def keep_picture(self, name: str, picture: bytes) -> None:
        """Keep the picture of one; an empty one is removed.

        Raises: StoreError.
        """

        def keep() -> None:
            if not picture:
                self._picture(name).unlink(missing_ok=True)
                return
            self._picture(name).parent.mkdir(parents=True, exist_ok=True)
            self._picture(name).write_bytes(picture)

        try:
            await asyncio.to_thread(keep)
        except OSError as error:
            raise StoreError(
                f"The picture of {name} cannot be kept: {error.strerror or error}.",
                "Check the disk's free space and permissions.",
            ) from error

    def _picture(self, name: str) -> Path:
        return self._path.parent / "copilots" / f"{name}.picture"

    def _read(self) -> list[Added]:
        try:
            return [read_added(fields) for fields in json.loads(self._path.read_text("utf-8"))]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise StoreError(
                f"The list of copilots in {self._path} cannot be read.",
                "Mend the file, or remove it and add the copilots again.",
            ) from error

    def _change(self, change: Callable[[list[Added]], list[Added]]) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(self._path.with_suffix(".lock"), timeout=LOCK_SECONDS, mode=0o600):
                made = [added.as_dict() for added in change(self._read())]
                beside = self._path.with_suffix(".new")
                beside.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", "utf-8")
                beside.chmod(0o600)
                os.replace(beside, self._path)
        except (OSError, Timeout) as error:
            raise StoreError(
                f"The list of copilots cannot be written to {self._path}: {error}.",
                "Check the disk's free space and permissions.",
            ) from error
