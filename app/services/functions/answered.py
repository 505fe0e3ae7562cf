"""What a function gives back to the copilot that called it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.domain.errors import DeskpilotError
    from backends.kernel import KernelError


@dataclass(frozen=True)
class Answered:
    """content: all of it as one text. entries: a text for each data source asked for, in that order;
    none where nothing of the kind was asked. files: the items of each entry that holds files, else none."""

    content: str
    failed: bool = False
    entries: list[str] = field(default_factory=list[str])
    files: list[list[dict[str, Any]]] = field(default_factory=list["list[dict[str, Any]]"])


def told(error: DeskpilotError | KernelError) -> str:
    """Return an error as text the copilot can pass on: error objects crash simple ones."""
    return json.dumps({"error": error.text, "remedy": error.remedy}, ensure_ascii=False)
