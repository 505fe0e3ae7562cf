"""Models in this process and models in a worker, called alike."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from backends.flexai.entities import ModelType
from backends.flexai.registry import Registry
from backends.workers import Workers

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

PROVIDERS = ("llama_cpp", "onnxruntime", "faster_whisper", "piper")
MODULES = {"echo": "tests.echo_provider"} | {n: f"backends.providers.{n}" for n in PROVIDERS}
SWITCH = {ModelType.LLM: "stream", ModelType.TTS: "streaming"}  # speech-to-text streams by `write`


class Direct:
    """A model in this process, called like one in a worker."""

    async def invoke(self, provider: str, kind: ModelType, **arguments: Any) -> Any:
        if kind in SWITCH:
            arguments[SWITCH[kind]] = False
        return registry().model(provider, kind).invoke(**arguments)

    async def call(self, provider: str, kind: ModelType, method: str, **arguments: Any) -> Any:
        return getattr(registry().model(provider, kind), method)(**arguments)

    async def stream(self, provider: str, kind: ModelType, **arguments: Any) -> AsyncIterator[Any]:
        model: Any = registry().model(provider, kind)
        if kind in SWITCH:
            chunks = model.invoke(**arguments, **{SWITCH[kind]: True})
        else:
            chunks = model.write(**arguments)
        with closing(chunks):
            for chunk in chunks:
                yield chunk


def registry() -> Registry:
    return Registry(MODULES)


@pytest.fixture(params=["direct", "worker"])
async def models(request: pytest.FixtureRequest) -> AsyncIterator[Any]:
    if request.param == "direct":
        yield Direct()
        return
    async with Workers(MODULES) as workers:
        yield workers
