"""Thoughts among the items of a turn: one that grows, one that has ended, and words that turn out
to be one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.domain.events import Call, CallResult, Status
from app.domain.stream import Message

if TYPE_CHECKING:
    from app.domain.events import Event

    Items = list[Message | Event]

BEGUN = {"thinking": True}  # the details of a step that tells that a thought has begun


def begun() -> Status:
    """Return the step that tells that a thought has begun."""
    return Status("INFO", "Thinking", [dict(BEGUN)])


def ended(thought: str, seconds: int) -> Status:
    """Return the step that holds a thought."""
    return Status("INFO", f"Thought for {seconds} s", [{"thought": thought.strip()}])


def is_begun(item: object) -> bool:
    """Tell whether an item is a thought that has begun: with the words so far, or none."""
    return isinstance(item, Status) and _detail(item).get("thinking") is True


def is_ended(item: object) -> bool:
    """Tell whether an item is a thought as a whole."""
    return isinstance(item, Status) and "thought" in _detail(item) and not is_begun(item)


def thought_in(item: Status) -> str:
    """Return what of a thought an item holds."""
    return str(_detail(item).get("thought") or "")


def more(items: Items, text: str) -> int | None:
    """Let the thought that is open grow; return its place, None where none is open."""
    at = _open(items)
    if at is not None:
        item = items[at]
        assert isinstance(item, Status)
        items[at] = replace(item, details=[{**BEGUN, "thought": thought_in(item) + text}])
    return at


def settle(items: Items) -> int | None:
    """Let the thought that is open hold no words of its own, for its step is about to come; return
    its place.
    """
    at = _open(items)
    if at is not None:
        items[at] = begun()
    return at


def recall(items: Items, seconds: int) -> int | None:
    """Let the words since the last call be thoughts; return the place of the first, None where
    there are none.
    """
    first = None
    for at in range(len(items) - 1, -1, -1):
        item = items[at]
        if isinstance(item, Call | CallResult):
            break
        if isinstance(item, Message) and (item.role, item.type) == ("assistant", "message"):
            said = str(item.content or "")
            items[at], first = (ended(said, seconds) if said.strip() else begun()), at
    return first


def _open(items: Items) -> int | None:
    for at in range(len(items) - 1, -1, -1):
        if is_begun(items[at]):
            return at
        if is_ended(items[at]) or isinstance(items[at], Message | Call | CallResult):
            return None
    return None


def _detail(item: Status) -> dict[str, object]:
    first = item.details[0] if item.details else None
    return first if isinstance(first, dict) else {}
