"""Sound within the terminal, and its transcripts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

RATE = 24000  # samples per second of a voice's output, with 16 bits each and one channel
EAR_RATE = 16000  # samples per second of microphone input, with 16 bits each and one channel
SAMPLE_BYTES = 2

Step = Literal["ready", "speech-start", "partial", "speech-end", "final", "ended", "cancelled"]


@dataclass(frozen=True)
class TranscriptStep:
    """A step of a transcription. heard, duration: in seconds; duration is None if the file does not
    specify it.

    whole: the transcript of the last step, as returned by the service; its `text` has the requested
    format.
    """

    text: str
    heard: float = 0.0
    duration: float | None = None
    whole: dict[str, Any] | None = None


@dataclass(frozen=True)
class LiveStep:
    """An event of live transcription. Utterances are numbered from 1.

    committed: the words of a partial result that will not change. open: the words that may still
    change. text, language: the text and language of a final result. `ready` confirms a new start;
    `ended` is sent once for each `end`, after the last final result.
    """

    kind: Step
    utterance: int = 0
    committed: str = ""
    open: str = ""
    text: str = ""
    language: str = ""


@dataclass(frozen=True)
class Device:
    """A microphone or loudspeaker, identified by the name that the system shows."""

    name: str
