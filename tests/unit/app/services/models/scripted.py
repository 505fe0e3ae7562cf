"""What providers need of the outside, scripted."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from app.domain.errors import ProviderError, SecretsError


class MemoryFile:
    """An object that lasts as long as the test."""

    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}

    async def read(self) -> dict[str, Any]:
        return copy.deepcopy(self.kept)

    async def change(self, changed: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        self.kept = changed(copy.deepcopy(self.kept))


class MemoryKeys:
    """A keyring in memory; `why` is the reason it cannot be used."""

    def __init__(self, why: str = "") -> None:
        self.why = why
        self.kept: dict[str, dict[str, str]] = {}

    async def trouble(self) -> str:
        return self.why

    async def get(self, name: str) -> dict[str, str]:
        return self.kept.get(name, {})

    async def put(self, name: str, secrets: dict[str, str]) -> None:
        if self.why and secrets:
            raise SecretsError(f"{self.why}.")
        if secrets:
            self.kept[name] = secrets
        else:
            self.kept.pop(name, None)


class ScriptedService:
    """A model service that takes one key and has one model."""

    def __init__(self) -> None:
        self.lent: dict[str, Any] = {}
        self.asked: list[str] = []

    async def get(self, path: str) -> dict[str, Any]:
        return await self.send("GET", path)

    async def send(
        self, method: str, path: str, body: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        self.asked.append(f"{method} {path}")
        if method == "PUT":
            self.lent[path.rpartition("/")[2]] = body
        elif method == "DELETE":
            self.lent.pop(path.rpartition("/")[2], None)
        elif method == "POST":
            assert body is not None
            if body["credentials"].get("api_key") != "s3cret":
                raise ProviderError("The server refused the key.", "Check the key.")
            if body.get("model") not in (None, "qwen"):
                raise ProviderError("There is no such model.", "It lists: qwen.")
            return {"models": [{"model": "qwen", "type": None}], "host": "models.example:8000"}
        return {}
