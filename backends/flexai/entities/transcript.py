"""What a speech model writes down, with times: an extension beside the seed's plain text."""

from __future__ import annotations

from pydantic import BaseModel


class TranscriptWord(BaseModel):
    """One word; start, end: seconds from the start of the sound."""

    word: str
    start: float
    end: float


class TranscriptSegment(BaseModel):
    """A sentence or so; start, end: seconds from the start of the sound, None where nothing tells them.

    text: as it stands in the transcript, the space before it included.
    avg_logprob, no_speech_prob, compression_ratio, temperature, tokens: as Whisper reports them; None
    and empty for engines that have none.
    """

    start: float | None = None
    end: float | None = None
    text: str
    words: list[TranscriptWord] = []
    tokens: list[int] = []
    avg_logprob: float | None = None
    no_speech_prob: float | None = None
    compression_ratio: float | None = None
    temperature: float | None = None


class TranscriptChunk(BaseModel):
    """A step of a transcript that is being written.

    segments: what was added. heard: seconds listened to so far. duration: seconds in all, None while
    the file does not tell. language: ISO 639-1, None until some speech was heard.
    """

    segments: list[TranscriptSegment] = []
    heard: float
    duration: float | None = None
    language: str | None = None


class Transcript(BaseModel):
    """A whole transcript. duration: seconds of sound. language: None where nothing was said."""

    text: str
    segments: list[TranscriptSegment]
    duration: float
    language: str | None = None
