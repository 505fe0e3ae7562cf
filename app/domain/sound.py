"""Sound inside the terminal, and what was heard in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

RATE = 24000  # samples a second of what a voice says; 16 bits each, one channel
EAR_RATE = 16000  # samples a second of what a microphone hears; as many bits and channels
SAMPLE_BYTES = 2

Step = Literal["ready", "speech-start", "partial", "speech-end", "final", "ended", "cancelled"]


@dataclass(frozen=True)
class TranscriptStep:
    """A step of a transcript. heard, duration: seconds; duration is None where the file does not
    tell.

    whole: the last step's transcript, as the service tells it; `text` in it is in the format asked
    for.
    """

    text: str
    heard: float = 0.0
    duration: float | None = None
    whole: dict[str, Any] | None = None


@dataclass(frozen=True)
class LiveStep:
    """What the ear tells of live sound: utterances, numbered from 1.

    committed: words of a partial that stay; open: those that may change. text, language: of a
    final. `ready` answers a new beginning; `ended` comes once after each `end`, behind the last
    final.
    """

    kind: Step
    utterance: int = 0
    committed: str = ""
    open: str = ""
    text: str = ""
    language: str = ""


@dataclass(frozen=True)
class Device:
    """A microphone or loudspeaker, by the name the system shows."""

    name: str
