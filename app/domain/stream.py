"""LMC chunks (start, delta, end) and the messages that they are combined into."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

Role = Literal["user", "assistant", "computer"]
Type = Literal["message", "code", "image", "console", "file", "confirmation"]


@dataclass(frozen=True)
class Message:
    """A message from one speaker with one kind of data, in LMC's flat format.

    format: the format of the content, such as `base64.png`; a plain message has none. recipient:
    whom the message is for; None means both. id, created_at (seconds since 1970): as LMC
    recommends.
    """

    role: Role
    type: Type
    content: Any
    format: str | None = None
    recipient: Literal["user", "assistant"] | None = None
    id: str | None = None
    created_at: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the message as LMC writes it, leaving out absent keys."""
        return {k: v for k, v in asdict(self).items() if v is not None}


@dataclass(frozen=True)
class Chunk:
    """A piece of a streamed message: either a flag (start or end) without content, or content
    without a flag.
    """

    role: Role
    type: Type
    content: Any = None
    format: str | None = None
    recipient: Literal["user", "assistant"] | None = None
    start: bool = False
    end: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the chunk as LMC writes it, leaving out absent keys and false flags; null content
        in the format `active_line` is kept, and means that no line is running.
        """
        made = {k: v for k, v in asdict(self).items() if v is not None and v is not False}
        return made | {"content": self.content} if self.format == "active_line" else made


def fold(chunks: Iterable[Chunk]) -> list[Message]:
    """Return the messages that a stream of chunks forms.

    `active_line` and confirmations are not stored; a message without an end is stored unchanged.
    """
    messages: list[Message] = []
    for chunk in chunks:
        if chunk.type == "confirmation" or chunk.format == "active_line" or chunk.end:
            continue
        last = messages[-1] if messages else None
        if chunk.start:
            form = (
                "output" if chunk.type == "console" else chunk.format
            )  # console flags have no format
            messages.append(Message(chunk.role, chunk.type, "", form, chunk.recipient))
        elif last is not None and (last.role, last.type) == (chunk.role, chunk.type):
            form = last.format or chunk.format
            messages[-1] = Message(
                last.role, last.type, last.content + (chunk.content or ""), form, last.recipient
            )
    return messages
