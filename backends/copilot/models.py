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
    """What a model thinks aloud before it answers; no part of the answer."""

    __slots__ = ()


class CopilotModels(Protocol):
    """Models as the copilot uses them."""

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

        Nothing right for one that is not there, and until it was tested; this call begins the test.
        """
        ...

    def speaks(self, model: str | None, language: str) -> bool:
        """Return whether a language model talks in a language (ISO 639-1); one that does not say
        may do so.
        """
        ...

    async def learn(self, model: str | None, *, agreed: bool) -> None:
        """Take in whether a model read a question as the parser did, which was sure of it."""
        ...

    def chat(
        self, messages: list[dict[str, str]], *, model: str | None, parameters: dict[str, Any]
    ) -> AsyncGenerator[str, None]:
        """Yield an answer piece by piece, with its thoughts as `ThoughtPiece`; closing it stops the
        model.

        messages: {role: system|user|assistant, content}. Raises: FlexAIError; NoModel if none is on
        this machine.
        """
        ...


def thread_embedder(models: CopilotModels) -> Embed | None:
    """Return the embedder for code that runs in a thread of this loop; None without one."""
    loop = asyncio.get_running_loop()

    def embed(texts: list[str]) -> np.ndarray:
        return asyncio.run_coroutine_threadsafe(models.embed(texts), loop).result()

    return embed if models.has_embedder() else None


class NoModel(Exception):
    """There is no model of the required type on this machine: `text` names the type, `remedy` how
    to get one.
    """

    def __init__(self, text: str, remedy: str) -> None:
        super().__init__(text)
        self.text = text
        self.remedy = remedy
