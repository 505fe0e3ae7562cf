"""Models for the copilot, none of which compares meaning; how they talk is each test's own
matter.
"""

from __future__ import annotations

from typing import Any

from backends.query.propose import Ability


class Unembedded:
    """No embedder; a test adds `chat`."""

    def ability(self, model: str | None) -> Ability:
        return Ability(right=0)

    def speaks(self, model: str | None, language: str) -> bool:
        return True

    async def learn(self, model: str | None, *, agreed: bool) -> None: ...

    def has_embedder(self) -> bool:
        return False

    async def embed(self, texts: list[str]) -> Any:
        raise AssertionError(texts)


class Silent(Unembedded):
    """No model at all: nothing may be asked of it."""

    def chat(
        self, messages: list[dict[str, str]], *, model: str | None, parameters: dict[str, Any]
    ) -> Any:
        raise AssertionError(messages)
