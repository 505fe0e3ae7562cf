"""What a model returns."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, SerializeAsAny, field_validator

from backends.flexai.entities.message import AssistantPromptMessage, PromptMessage, read_message
from backends.flexai.entities.usage import EmbeddingUsage, LLMUsage


def read_messages(values: Any) -> Any:
    """Return a list whose dicts have become messages of their role."""
    if isinstance(values, list):
        return [read_message(v) if isinstance(v, dict) else v for v in values]
    return values


class LLMResult(BaseModel):
    """A whole answer."""

    model: str
    prompt_messages: list[SerializeAsAny[PromptMessage]]
    message: AssistantPromptMessage
    usage: LLMUsage
    system_fingerprint: str | None = None

    _read = field_validator("prompt_messages", mode="before")(read_messages)


class LLMResultChunkDelta(BaseModel):
    """What a chunk adds; `usage` and `finish_reason` stand in the last chunk and in no other."""

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
    """Vectors, `embeddings[i]` of `texts[i]`.

    note: what was done that one would not expect, such as texts cut to the model's length; else empty.
    """

    model: str
    embeddings: list[list[float]]
    usage: EmbeddingUsage
    note: str = ""


class RerankDocument(BaseModel):
    """One document: its place in the input, its text, its score."""

    index: int
    text: str
    score: float


class RerankResult(BaseModel):
    """Documents, best first. note: as in `TextEmbeddingResult`, such as that no reranker ordered them."""

    model: str
    docs: list[RerankDocument]
    note: str = ""


class Verdict(BaseModel):
    """What a guard model says of a text.

    flagged: it is harmful. categories: each kind of harm the model tells apart, by its own name, and
    whether the text holds it; empty where the model names none.
    """

    flagged: bool
    categories: dict[str, bool] = {}
