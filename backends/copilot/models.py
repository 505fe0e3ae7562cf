"""The models the copilot needs; the service provides them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    import numpy as np

    from backends.query.annotate import Embed
    from backends.query.propose import Ability


class ThoughtPiece(str):
    """A model's thoughts before its answer; not part of the answer."""

    __slots__ = ()


class CopilotModels(Protocol):
    """The models that the copilot uses."""

    def has_embedder(self) -> bool:
        """Return whether texts can be embedded."""
        ...

    async def embed(self, texts: list[str]) -> np.ndarray:
        """Return unit vectors, float32, shape (texts, dimensions).

        Raises: FlexAIError.
        """
        ...

    def ability(self, model: str | None) -> Ability:
        """Return how well a language model reads questions.

        No question right if the model is missing or not tested yet; this call starts the test.
        """
        ...

    def speaks(self, model: str | None, language: str) -> bool:
        """Return whether a language model can talk in a language (ISO 639-1); True if it does not
        list its languages.
        """
        ...

    async def learn(self, model: str | None, *, agreed: bool) -> None:
        """Record whether a model read a question as the parser did when the parser was sure."""
        ...

    def chat(
        self, messages: list[dict[str, str]], *, model: str | None, parameters: dict[str, Any]
    ) -> AsyncGenerator[str, None]:
        """Yield an answer piece by piece, with its thoughts as `ThoughtPiece`; closing the
        generator stops the model.

        messages: {role: system|user|assistant, content}. Raises: FlexAIError; NoModel if there is
        none on this machine.
        """
        ...


def thread_embedder(models: CopilotModels) -> Embed | None:
    """Return the embedder for code in a thread of this event loop; None if there is none."""
    loop = asyncio.get_running_loop()

    def embed(texts: list[str]) -> np.ndarray:
        return asyncio.run_coroutine_threadsafe(models.embed(texts), loop).result()

    return embed if models.has_embedder() else None


class NoModel(Exception):
    """There is no model of the required type on this machine. `text` names the type; `remedy` says
    how to get one.
    """

    def __init__(self, text: str, remedy: str) -> None:
        super().__init__(text)
        self.text = text
        self.remedy = remedy
