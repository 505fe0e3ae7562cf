"""What code may use before it is ended."""

from __future__ import annotations

from dataclasses import dataclass

GIB = 1 << 30


@dataclass(frozen=True)
class Limits:
    """seconds: of one run. memory: bytes of all its processes. processes: threads counted. output: bytes printed
    by one run. disk: bytes of a conversation's folder, and of the room for passing files. grace: seconds between being
    asked to stop and being killed."""

    seconds: float = 300
    memory: int = 4 * GIB
    processes: int = 192
    output: int = 10 * 1024 * 1024
    disk: int = 2 * GIB
    grace: float = 1.0

    def words(self) -> str:
        """Return them in a few words."""
        return f"{self.seconds:g} s, {size(self.memory)} of memory, {size(self.disk)} on disk"


def size(count: int) -> str:
    """Return a number of bytes as a person reads it."""
    for unit, one in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if count >= one:
            return f"{count / one:.3g} {unit}"
    return f"{count} bytes"
