"""The answers of tools, kept whole on disk: a copilot is told what fits, a person can read all of it."""

from __future__ import annotations

import asyncio
import time
import uuid
from typing import TYPE_CHECKING

from app.domain.errors import ToolError

if TYPE_CHECKING:
    from pathlib import Path

KEPT = 200  # the newest
ENDINGS = {
    "application/json": ".json",
    "text/html": ".html.txt",  # never opened as a page
    "text/csv": ".csv",
    "application/pdf": ".pdf",
    "image/png": ".png",
    "image/jpeg": ".jpg",
}


class Answers:
    """A folder of them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._last = 0

    async def keep(self, body: bytes, kind: str) -> Path:
        """Write an answer and return where it lies; the oldest beyond `KEPT` go.

        Raises: ToolError.
        """
        return await asyncio.to_thread(self._keep, body, kind)

    def _keep(self, body: bytes, kind: str) -> Path:
        self._last = max(
            self._last + 1, time.time_ns()
        )  # names are in the order they were given, on any clock
        name = f"{self._last:020d}-{uuid.uuid4().hex[:8]}{ENDINGS.get(kind, '.txt')}"
        path = self._folder / name
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            path.write_bytes(body)
            for old in sorted(self._folder.iterdir())[:-KEPT]:
                old.unlink(missing_ok=True)
        except OSError as error:
            raise ToolError(
                f"An answer cannot be kept: {error.strerror or error}.",
                "Check the disk's free space.",
            ) from error
        return path
