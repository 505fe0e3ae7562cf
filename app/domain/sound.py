"""Sound: its form inside the terminal, and what is heard in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

RATE = 24000  # samples a second of what a voice says; 16 bits each, one channel
SAMPLE_BYTES = 2


@dataclass(frozen=True)
class Heard:
    """A step of a transcript. heard, duration: seconds; duration is None where the file does not tell.

    whole: the last step's transcript, as the service tells it; `text` in it is in the format asked for.
    """

    text: str
    heard: float = 0.0
    duration: float | None = None
    whole: dict[str, Any] | None = None
