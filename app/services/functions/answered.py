"""What a function gives back to the copilot that called it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from app.domain.errors import DeskpilotError
from backends.data.errors import KernelError

if TYPE_CHECKING:
    from collections.abc import Awaitable


@dataclass(frozen=True)
class Answered:
    """content: all of it as one text. entries: a text for each data source asked for, in that
    order; none where nothing of the kind was asked. files: the items of each entry that holds
    files, else none. pictures: what a person is shown of it.
    """

    content: str
    failed: bool = False
    entries: list[str] = field(default_factory=list[str])
    files: list[list[dict[str, Any]]] = field(default_factory=list["list[dict[str, Any]]"])
    pictures: tuple[bytes, ...] = ()


async def attempted(work: Awaitable[str]) -> tuple[str, bool]:
    """Return the text of one entry, and whether it says why there is none."""
    try:
        return await work, False
    except (DeskpilotError, KernelError) as error:
        return told(error), True


def joined(found: list[tuple[str, bool]]) -> Answered:
    """Return entries as one answer; it failed if all of them did."""
    entries = [text for text, _ in found]
    return Answered("\n".join(entries), all(failed for _, failed in found), entries)


def told(error: DeskpilotError | KernelError) -> str:
    """Return an error as text the copilot can pass on: error objects crash simple ones."""
    return json.dumps({"error": error.text, "remedy": error.remedy}, ensure_ascii=False)
