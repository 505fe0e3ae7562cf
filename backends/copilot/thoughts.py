"""A model's thoughts before its answer: streamed, collapsed, and stored as one step."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from backends.copilot.models import ThoughtPiece
from backends.protocol.events import MessageChunk, StatusUpdate

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from backends.protocol.events import Event

PART_SECONDS = 0.3  # seconds between two parts of a thought


async def told(pieces: AsyncGenerator[str, None]) -> AsyncGenerator[Event, None]:
    """Yield an answer's text; thoughts before it become a step with its duration.

    While the model thinks, hidden steps carry new thoughts, so that they are kept if the answer is
    stopped.
    """
    thoughts, began, at, passed = list[str](), 0.0, 0.0, 0
    async for piece in pieces:
        now = time.monotonic()
        if isinstance(piece, ThoughtPiece):
            if not thoughts:
                began = at = now
                yield StatusUpdate("INFO", "Thinking", [{"thinking": True}])
            thoughts.append(piece)
            if now - at >= PART_SECONDS:
                yield part_of(thoughts[passed:])
                at, passed = now, len(thoughts)
            continue
        if thoughts:
            yield thought_of(thoughts, began)
            thoughts, passed = [], 0
        yield MessageChunk(piece)
    if thoughts:
        yield thought_of(thoughts, began)


def part_of(thoughts: list[str]) -> StatusUpdate:
    """Return the step that carries a part of a thought."""
    return StatusUpdate(
        "INFO", "Thinking", [{"thinking": True, "thought": "".join(thoughts)}], hidden=True
    )


def thought_of(thoughts: list[str], began: float) -> StatusUpdate:
    """Return the step with the thoughts."""
    seconds = max(1, round(time.monotonic() - began))
    return StatusUpdate(
        "INFO", f"Thought for {seconds} s", [{"thought": "".join(thoughts).strip()}]
    )
