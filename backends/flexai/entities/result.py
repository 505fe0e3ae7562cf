"""The results of models, with usage and cost."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from pydantic import BaseModel, SerializeAsAny, field_validator

from backends.flexai.entities.message import AssistantPromptMessage, PromptMessage, read_message


class ModelUsage(BaseModel):
    """Base class of the usages."""


class LLMUsage(ModelUsage):
    """Tokens, prices (per unit of tokens) and seconds for one answer."""

    prompt_tokens: int
    prompt_unit_price: Decimal
    prompt_price_unit: Decimal
    prompt_price: Decimal
    completion_tokens: int
    completion_unit_price: Decimal
    completion_price_unit: Decimal
    completion_price: Decimal
    total_tokens: int
    total_price: Decimal
    currency: str
    latency: float


class EmbeddingUsage(ModelUsage):
    """Tokens, price and seconds for one batch of texts."""

    tokens: int
    total_tokens: int
    unit_price: Decimal
    price_unit: Decimal
    total_price: Decimal
    currency: str
    latency: float


class TranscriptWord(BaseModel):
    """One word; start, end: seconds from the start of the sound."""

    word: str
    start: float
    end: float


class TranscriptSegment(BaseModel):
    """Roughly one sentence. start, end: seconds from the start of the sound, None if unknown.

    text: as in the transcript, with the space before it. avg_logprob, no_speech_prob,
    compression_ratio, temperature, tokens: as Whisper reports them; None or empty for engines
    without them.
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
    """A step of a transcript in progress.

    segments: the new ones. heard: seconds listened to so far. duration: total seconds, None while
    unknown. language: ISO 639-1 code; None until speech has been heard.
    """

    segments: list[TranscriptSegment] = []
    heard: float
    duration: float | None = None
    language: str | None = None


class Transcript(BaseModel):
    """A complete transcript. duration: seconds of sound. language: None if there was no speech."""

    text: str
    segments: list[TranscriptSegment]
    duration: float
    language: str | None = None


def read_messages(values: Any) -> Any:
    """Return a list with its dicts converted to messages of their role."""
    if isinstance(values, list):
        return [read_message(v) if isinstance(v, dict) else v for v in values]
    return values


class LLMResult(BaseModel):
    """A complete answer."""

    model: str
    prompt_messages: list[SerializeAsAny[PromptMessage]]
    message: AssistantPromptMessage
    usage: LLMUsage
    system_fingerprint: str | None = None

    _read = field_validator("prompt_messages", mode="before")(read_messages)


class LLMResultChunkDelta(BaseModel):
    """The new part of an answer; only the last chunk has `usage` and `finish_reason`."""

    index: int
    message: AssistantPromptMessage
    usage: LLMUsage | None = None
    finish_reason: str | None = None


class LLMResultChunk(BaseModel):
    """One chunk of a streamed answer."""

    model: str
    prompt_messages: list[SerializeAsAny[PromptMessage]]
    system_fingerprint: str | None = None
    delta: LLMResultChunkDelta

    _read = field_validator("prompt_messages", mode="before")(read_messages)


class TextEmbeddingResult(BaseModel):
    """Vectors: `embeddings[i]` belongs to `texts[i]`.

    note: about an unexpected step, such as cutting texts to the model's length; else empty.
    """

    model: str
    embeddings: list[list[float]]
    usage: EmbeddingUsage
    note: str = ""


class RerankDocument(BaseModel):
    """A document: its index in the input, its text, its score."""

    index: int
    text: str
    score: float


class RerankResult(BaseModel):
    """Documents, best first. note: as in `TextEmbeddingResult`, for instance that no reranker was
    used.
    """

    model: str
    docs: list[RerankDocument]
    note: str = ""


class OcrLine(BaseModel):
    """A line of text in a picture. score: how certain the model is of the letters, 0 to 1. box:
    left, top, right, bottom in pixels.
    """

    text: str
    score: float
    box: tuple[float, float, float, float]


class OcrResult(BaseModel):
    """The lines in a picture, in reading order."""

    model: str
    lines: list[OcrLine]


class Verdict(BaseModel):
    """A guard model's verdict on a text.

    flagged: whether the text is harmful. categories: whether the text has each kind of harm that
    the model distinguishes, by the model's name for it; empty if the model names none.
    """

    flagged: bool
    categories: dict[str, bool] = {}
