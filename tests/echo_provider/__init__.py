"""A provider for tests: real FlexAI classes that answer with what they were asked, or fail as
told.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from backends.flexai.entities import (
    AssistantPromptMessage,
    LLMResultChunk,
    LLMResultChunkDelta,
    ModelType,
    PromptMessage,
    PromptMessageTool,
    RerankDocument,
    RerankResult,
    TextEmbeddingResult,
)
from backends.flexai.errors import InvokeConnectionError, InvokeError, InvokeRateLimitError
from backends.flexai.models import (
    AIModel,
    CallClock,
    LargeLanguageModel,
    ModelProvider,
    ModerationModel,
    RerankModel,
    Speech2TextModel,
    Text2SpeechModel,
    TextEmbeddingModel,
)
from backends.flexai.models.ai_model import flag_of_call, stop_if_cancelled

BALLAST: list[bytes] = []  # what GROW:bytes makes this process hold


class Mapped:
    """The errors of this pretended library."""

    @property
    def _invoke_error_mapping(self) -> dict[type[InvokeError], list[type[Exception]]]:
        return {InvokeConnectionError: [OSError], InvokeRateLimitError: [ConnectionRefusedError]}

    def validate_credentials(self, model: str, credentials: dict[str, Any]) -> None:
        """Accept everything."""


class EchoLLM(Mapped, LargeLanguageModel):
    """Says the last message word by word; a few words make it think, call a tool, or fail."""

    def _invoke(
        self,
        model: str,
        credentials: dict[str, Any],
        prompt_messages: list[PromptMessage],
        model_parameters: dict[str, Any],
        tools: list[PromptMessageTool] | None = None,
        stop: list[str] | None = None,
        stream: bool = True,
        user: str | None = None,
    ) -> Any:
        clock, words = CallClock(), prompt_messages[-1].text().split(" ")
        calls: list[AssistantPromptMessage.ToolCall] = []

        def chunks() -> Any:
            for index, word in enumerate(words):
                if word.startswith("MARK:"):
                    with Path(word[5:]).open("a") as marks:
                        marks.write("x")
                if word.startswith("PIECE:"):
                    yield self.chunk(model, prompt_messages, index, "", [piece_of(word)])
                    continue
                if word.startswith("CALL:"):
                    calls.append(call_of(word))
                    continue
                if word.startswith("THINK:"):
                    yield self.chunk(model, prompt_messages, index, "", thought=word[6:])
                    continue
                if word.startswith("NAP:"):
                    time.sleep(float(word[4:]))
                    continue
                if word.startswith("GROW:"):
                    BALLAST.append(b"x" * int(word[5:]))
                if word == "CRASH":
                    os.kill(os.getpid(), 9)
                if word == "OFFLINE":
                    raise OSError("no route to host")
                if word == "REFUSED":
                    raise ConnectionRefusedError("busy")
                if word == "BUG":
                    raise ZeroDivisionError("oops")
                if word == "HANG":
                    time.sleep(3600)
                if word == "PRINT":
                    print("noise on stdout", flush=True)
                while word == "FOREVER":
                    stop_if_cancelled()
                    flag_of_call().wait(0.01)
                yield self.chunk(model, prompt_messages, index, word + " ")
            usage = self._calc_response_usage(model, credentials, len(words), len(words), clock)
            if calls:
                yield self.chunk(model, prompt_messages, len(words), "", calls)
            pieces = any(word.startswith("PIECE:") for word in words)
            reason = "tool_calls" if calls or pieces else "stop"
            yield self.chunk(
                model, prompt_messages, len(words), "", usage=usage, finish_reason=reason
            )

        return chunks()

    def chunk(
        self,
        model: str,
        messages: list[PromptMessage],
        index: int,
        text: str,
        calls: Any = (),
        thought: str = "",
        **last: Any,
    ) -> LLMResultChunk:
        """Make one chunk."""
        message = AssistantPromptMessage(content=text, tool_calls=list(calls), reasoning=thought)
        delta = LLMResultChunkDelta(index=index, message=message, **last)
        return LLMResultChunk(model=model, prompt_messages=messages, delta=delta)

    def get_num_tokens(
        self,
        model: str,
        credentials: dict[str, Any],
        prompt_messages: list[PromptMessage],
        tools: list[PromptMessageTool] | None = None,
    ) -> int:
        """Count words."""
        return sum(len(m.text().split()) for m in prompt_messages)


def call_of(word: str) -> AssistantPromptMessage.ToolCall:
    """Return the call that `CALL:name:arguments` asks for."""
    _, name, arguments = word.split(":", 2)
    return AssistantPromptMessage.ToolCall.model_validate(
        {"id": "call_1", "function": {"name": name, "arguments": arguments}}
    )


def piece_of(word: str) -> AssistantPromptMessage.ToolCall:
    """Return the part of a call that `PIECE:id:name:arguments` asks for, each of them possibly
    empty.
    """
    _, call, name, arguments = word.split(":", 3)
    return AssistantPromptMessage.ToolCall.model_validate(
        {"id": call, "function": {"name": name, "arguments": arguments}}
    )


class EchoEmbedding(Mapped, TextEmbeddingModel):
    """A vector of length and number of vowels."""

    def _invoke(
        self, model: str, credentials: dict[str, Any], texts: list[str], user: str | None = None
    ) -> TextEmbeddingResult:
        rows = [[float(len(t)), float(sum(c in "aeiou" for c in t))] for t in texts]
        usage = self._create_embedding_usage(
            model, credentials, self.get_num_tokens(model, credentials, texts), CallClock()
        )
        return TextEmbeddingResult(model=model, embeddings=rows, usage=usage)

    def get_num_tokens(self, model: str, credentials: dict[str, Any], texts: list[str]) -> int:
        """Count words."""
        return len(" ".join(texts).split())


class EchoRerank(Mapped, RerankModel):
    """Scores a document by the share of the query's words in it; leaves order and limits to the
    base.
    """

    def _invoke(
        self,
        model: str,
        credentials: dict[str, Any],
        query: str,
        docs: list[str],
        score_threshold: float | None = None,
        top_n: int | None = None,
        user: str | None = None,
    ) -> RerankResult:
        words = query.split()
        scores = [sum(w in doc.split() for w in words) / len(words) for doc in docs]
        return RerankResult(
            model=model,
            docs=[RerankDocument(index=i, text=docs[i], score=s) for i, s in enumerate(scores)],
        )


class EchoSpeech2Text(Mapped, Speech2TextModel):
    """Says which format the file has."""

    def _invoke(
        self, model: str, credentials: dict[str, Any], file: Any, user: str | None = None
    ) -> str:
        kind = self._detect_audio_format(file)
        return f"{kind} of {len(file.read())} bytes"


class EchoText2Speech(Mapped, Text2SpeechModel):
    """A byte for each letter."""

    def _invoke(
        self,
        model: str,
        credentials: dict[str, Any],
        content_text: str,
        streaming: bool,
        user: str | None = None,
    ) -> Any:
        sound = content_text.encode()
        return (bytes([b]) for b in sound) if streaming else sound


class EchoModeration(Mapped, ModerationModel):
    """Finds one word harmful."""

    def _invoke(
        self, model: str, credentials: dict[str, Any], text: str, user: str | None = None
    ) -> bool:
        if "OFFLINE" in text:
            raise OSError("no route to host")
        return "harm" in text


class EchoProvider(ModelProvider):
    """Offers one model of each type."""

    def validate_provider_credentials(self, credentials: dict[str, Any]) -> None:
        """Accept everything."""

    def model_classes(self) -> dict[ModelType, type[AIModel]]:
        """Return the six classes."""
        return {
            ModelType.LLM: EchoLLM,
            ModelType.TEXT_EMBEDDING: EchoEmbedding,
            ModelType.RERANK: EchoRerank,
            ModelType.SPEECH2TEXT: EchoSpeech2Text,
            ModelType.TTS: EchoText2Speech,
            ModelType.MODERATION: EchoModeration,
        }


provider_class = EchoProvider
