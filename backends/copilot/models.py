"""The models that the copilot needs. The service provides them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    import numpy as np

    from backends.query.annotate import Embed
    from backends.query.propose import Ability


class ThoughtPiece(str):
    """A model's thoughts before its answer. They are not part of the answer."""

    __slots__ = ()


class CopilotModels(Protocol):
    """The models that the copilot uses."""

    def has_embedder(self) -> bool:
        """Return whether the starter embedder is available.

        What reads questions was fitted with its vectors. Those of another embedder do not take
        their place, even if they have as many dimensions.
        """
        ...

    async def embed(self, texts: list[str]) -> np.ndarray:
        """Return the starter embedder's unit vectors, float32, shape (texts, dimensions).

        Raises: FlexAIError.
        """
        ...

    def ability(self, model: str | None) -> Ability:
        """Return how well a language model understands questions.

        If the model is missing or has not been tested yet, no answer counts as right; the call
        starts the test.
        """
        ...

    def speaks(self, model: str | None, language: str) -> bool:
        """Return whether a language model can converse in a language (ISO 639-1 code). Return True
        if the model does not list its languages.
        """
        ...

    async def learn(self, model: str | None, *, agreed: bool) -> None:
        """Record whether a model interpreted a question as the parser did, when the parser was
        certain.
        """
        ...

    def chat(
        self, messages: list[dict[str, str]], *, model: str | None, parameters: dict[str, Any]
    ) -> AsyncGenerator[str, None]:
        """Yield an answer piece by piece; thoughts are yielded as `ThoughtPiece`. Closing the
        generator stops the model.

        messages: {role: system|user|assistant, content}. Raises: FlexAIError; NoModel if there is
        no chat model on this machine.
        """
        ...


def thread_embedder(models: CopilotModels) -> Embed | None:
    """Return an embedding function for code that runs in another thread, or None if there is no
    model for it.
    """
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
