"""The added copilots, stored in a file that a shell command may change while the window is open."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from app.adapters.system.json_file import Json
from app.domain.copilot import AddedCopilot, read_added
from app.domain.errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class CopilotBook:
    """The file of added copilots in a data folder. It is read each time it is used, and contains no
    secrets.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._file = path, Json[list[Any]](path, list)

    async def all(self) -> list[AddedCopilot]:
        """Return the copilots in the order in which they were added.

        Raises: SetupError.
        """
        return self._added(await self._file.read())

    async def change(self, change: Callable[[list[AddedCopilot]], list[AddedCopilot]]) -> None:
        """Replace the copilots with the result of `change` while holding a lock.

        Raises: SetupError.
        """
        await self._file.change(
            lambda kept: [added.as_dict() for added in change(self._added(kept))]
        )

    async def picture(self, name: str) -> bytes:
        """Return a copilot's picture, or empty bytes if it has none."""
        try:
            return await asyncio.to_thread(self._picture(name).read_bytes)
        except OSError:
            return b""

    async def keep_picture(self, name: str, picture: bytes) -> None:
        """Save a copilot's picture; empty bytes remove it.

        Raises: SetupError.
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
            raise SetupError(
                f"The picture of {name} cannot be saved: {error.strerror or error}.",
                "Check the disk's free space and permissions.",
            ) from error

    def _picture(self, name: str) -> Path:
        return self._path.parent / "copilots" / f"{name}.picture"

    def _added(self, kept: list[Any]) -> list[AddedCopilot]:
        try:
            return [read_added(fields) for fields in kept]
        except (ValueError, TypeError, KeyError) as error:
            raise SetupError(
                f"The list of copilots in {self._path} cannot be read.",
                "Fix the file, or remove it and add the copilots again.",
            ) from error
