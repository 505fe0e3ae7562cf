"""The models of this machine, as the copilot and the routes use them."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from backends.copilot import NoModel
from backends.flexai.entities import (
    LLMResultChunk,
    ModelType,
    PromptMessage,
    PromptMessageTool,
    TextEmbeddingResult,
    read_message,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from fastapi import Request

    from backends.catalog import Catalog, Installed
    from backends.workers import Workers

GET_LLM = "Get one with: deskpilot models pull smollm2-135m"
GET_EMBEDDER = "Get it with: deskpilot models pull minilm-l6"


class ServiceModels:
    """Models by id, each in its worker; implements `backends.copilot.Models`."""

    def __init__(self, catalog: Catalog, workers: Workers) -> None:
        self.catalog = catalog
        self.workers = workers

    def installed(self, kind: ModelType, model_id: str | None = None) -> Installed:
        """Return a model on this machine: the one named, or the first of its kind.

        Raises: NoModel.
        """
        for found in self.catalog.all_installed():
            if found.entry.type is kind and model_id in (None, found.entry.id):
                return found
        what = "language model" if kind is ModelType.LLM else "embedder"
        remedy = GET_LLM if kind is ModelType.LLM else GET_EMBEDDER
        if model_id is not None:
            raise NoModel(f"There is no {what} {model_id!r} on this machine.", "See: deskpilot models list")
        raise NoModel(f"There is no {what} on this machine.", remedy)

    def has_embedder(self) -> bool:
        """Tell whether texts can be embedded."""
        return any(found.entry.type is ModelType.TEXT_EMBEDDING for found in self.catalog.all_installed())

    async def warm(self) -> None:
        """Load the embedder, so that the first question does not wait for it."""
        if self.has_embedder():
            await self.embed(["ready"])

    async def embed(self, texts: list[str]) -> np.ndarray:
        """Return unit vectors, float32, shape (texts, dimensions).

        Raises: FlexAIError, NoModel.
        """
        result = await self.embed_result(texts, None)
        return np.asarray(result.embeddings, dtype=np.float32)

    async def embed_result(self, texts: list[str], model_id: str | None) -> TextEmbeddingResult:
        """Return the whole result of embedding.

        Raises: FlexAIError, NoModel.
        """
        found = await asyncio.to_thread(self.installed, ModelType.TEXT_EMBEDDING, model_id)
        entry = found.entry
        return await self.workers.invoke(
            entry.provider, entry.type, model=entry.model, credentials=found.credentials, texts=texts
        )

    async def chat(
        self, messages: list[dict[str, str]], *, model: str | None, parameters: dict[str, Any]
    ) -> AsyncGenerator[str, None]:
        """Yield an answer piece by piece; closing it stops the model.

        Raises: FlexAIError, NoModel.
        """
        said = [read_message(dict(message)) for message in messages]
        async with aclosing(self.stream(said, model=model, parameters=parameters)) as chunks:
            async for chunk in chunks:
                if text := chunk.delta.message.text():
                    yield text

    async def stream(
        self,
        messages: list[PromptMessage],
        *,
        model: str | None,
        parameters: dict[str, Any],
        stop: list[str] | None = None,
        tools: list[PromptMessageTool] | None = None,
    ) -> AsyncGenerator[LLMResultChunk, None]:
        """Yield the chunks of an answer.

        Raises: FlexAIError, NoModel.
        """
        found = await asyncio.to_thread(self.installed, ModelType.LLM, model)
        entry = found.entry
        arguments: dict[str, Any] = {
            "prompt_messages": messages,
            "model_parameters": parameters,
            "stop": stop or [],
            "tools": tools or [],
        }
        chunks = self.workers.stream(
            entry.provider, entry.type, model=entry.model, credentials=found.credentials, **arguments
        )
        async with aclosing(chunks):
            async for chunk in chunks:
                yield chunk


def models_of(request: Request) -> ServiceModels:
    """Return the models of the service a request came to."""
    return cast("ServiceModels", request.app.state.models)
