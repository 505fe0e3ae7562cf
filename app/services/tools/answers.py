"""The results of tools: saved completely, and shortened for a copilot according to their
structure.
"""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from typing import TYPE_CHECKING, Any

from app.domain.errors import ToolError

if TYPE_CHECKING:
    from pathlib import Path


STEPS = (
    (50, 4000),
    (20, 1500),
    (10, 600),
    (6, 300),
    (4, 150),
    (2, 80),
)  # items of a list, characters of a text
DEEPEST = 30


def fitted(content: str, characters: int) -> tuple[Any, bool]:
    """Return an answer that takes at most `characters` as JSON, and whether anything was omitted.

    JSON is returned as its value: long lists keep their first and last items, and long texts their
    beginning and end.
    """
    try:
        value = json.loads(content)
        whole = length(value)
    except (ValueError, RecursionError):
        text = short(content, characters)
        return text, text != content
    if whole <= characters:
        return value, False
    tries = (smaller(value, items, letters, DEEPEST) for items, letters in STEPS)
    fit = next((made for made in tries if length(made) <= characters), None)
    return (short(content, characters) if fit is None else fit), True


def smaller(value: Any, items: int, letters: int, depth: int) -> Any:
    """Return a value with at most `items` entries in each list and object, and `letters` characters
    in each text.
    """
    if isinstance(value, str):
        return ends(value, letters)
    if depth == 0 and isinstance(value, list | dict):
        return f"… {len(value):,} more, nested deeper …"
    if isinstance(value, list):
        kept = [smaller(one, items, letters, depth - 1) for one in around(value, items)]
        if len(value) > items:
            kept.insert(
                len(kept) - items // 2,
                f"… {len(value) - items:,} of {len(value):,} items left out …",
            )
        return kept
    if isinstance(value, dict):
        most = items * 4
        made = {
            ends(k, 80): smaller(v, items, letters, depth - 1)
            for k, v in list(value.items())[:most]
        }
        if len(value) > most:
            made["…"] = f"{len(value) - most:,} of {len(value):,} fields left out"
        return made
    return value


def around(value: list[Any], items: int) -> list[Any]:
    """Return the first and last items of a list, `items` in total."""
    if len(value) <= items:
        return value
    return [*value[: items - items // 2], *value[-(items // 2) :]]


def length(value: Any) -> int:
    """Return the length of a value as JSON.

    Raises: RecursionError if it is nested endlessly.
    """
    return len(json.dumps(value, ensure_ascii=False))


def short(text: str, most: int) -> str:
    """Return a text without its middle, if it takes more than `most` characters when written as
    JSON.
    """
    made, kept = text, most
    while length(made) > most:
        made, kept = ends(text, kept), kept * 3 // 4
    return made


def ends(text: str, most: int) -> str:
    """Return a text without its middle, if it is longer than `most`."""
    if len(text) <= most:
        return text
    half = max(most // 2 - 25, 10)
    return f"{text[:half]} … {len(text) - 2 * half:,} characters left out … {text[-half:]}"


KEPT = 200  # newest answers that are kept
ENDINGS = {
    "application/json": ".json",
    "text/html": ".html.txt",  # so that it is never opened as a page
    "text/csv": ".csv",
    "application/pdf": ".pdf",
    "image/png": ".png",
    "image/jpeg": ".jpg",
}


class Answers:
    """A folder with the complete answers of tools."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._last = 0

    async def keep(self, body: bytes, kind: str) -> Path:
        """Save an answer and return its path; the oldest ones beyond `KEPT` are removed.

        Raises: ToolError.
        """
        return await asyncio.to_thread(self._keep, body, kind)

    def _keep(self, body: bytes, kind: str) -> Path:
        self._last = max(
            self._last + 1, time.time_ns()
        )  # names follow the order of saving, even if the clock changes
        name = f"{self._last:020d}-{uuid.uuid4().hex[:8]}{ENDINGS.get(kind, '.txt')}"
        path = self._folder / name
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            path.write_bytes(body)
            for old in sorted(self._folder.iterdir())[:-KEPT]:
                old.unlink(missing_ok=True)
        except OSError as error:
            raise ToolError(
                f"An answer cannot be saved: {error.strerror or error}.",
                "Check the disk's free space.",
            ) from error
        return path
