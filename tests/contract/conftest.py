"""Models in this process, in a worker and behind a server, called alike."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from backends.flexai.entities import ModelType
from backends.flexai.registry import Registry
from backends.workers import Workers

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

PROVIDERS = ("llama_cpp", "onnxruntime", "faster_whisper", "piper", "openai_compatible")
REMOTE = "openai_compatible"
LOOPBACK: dict[str, str] = {"server": "deskpilot"}  # the address is filled in once the service runs
VOICE: dict[str, str] = {"server": "deskpilot", "voices": "en_US-tiny-medium"}
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


@pytest.fixture(scope="session", autouse=True)
def loopback(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Start our own service for the tests of the remote provider, if any of them runs."""
    if not any(is_remote(item) for item in request.session.items):
        yield
        return
    folder: Path = tmp_path_factory.mktemp("loopback")
    command = [sys.executable, "-m", "tests.contract.loopback", str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        told = json.loads(process.stdout.readline())
        LOOPBACK.update(told)
        VOICE.update(told)
        yield
        process.stdin.close()
        process.wait(timeout=20)


def is_remote(item: pytest.Item) -> bool:
    known = getattr(item, "callspec", None)
    return known is not None and known.params.get("provider") == REMOTE


@pytest.fixture(params=["direct", "worker"])
async def models(request: pytest.FixtureRequest) -> AsyncIterator[Any]:
    if request.param == "direct":
        yield Direct()
        return
    async with Workers(MODULES) as workers:
        yield workers
