"""Models in this process, in a worker and behind a server, called alike; a terminal for
copilots.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
import threading
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any

import pytest

from backends.flexai.entities import ModelType
from backends.flexai.registry import Registry
from backends.workers import Budget, Workers
from tests.contract.stranger import serving
from tests.models.llama import LLAMA
from tests.models.retrieval import EMBEDDER, ENCODER

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine, Iterator
    from pathlib import Path

    from tests.contract.scripted_peer import Terminal

PROVIDERS = (
    "llama_cpp",
    "onnxruntime",
    "faster_whisper",
    "piper",
    "espeak",
    "openai_compatible",
    "sentence_transformers",
)
REMOTE = "openai_compatible"
SIX = [kind for kind in ModelType if kind is not ModelType.OCR]  # the types of the contract
LOOPBACK: dict[str, str] = {"server": "deskpilot"}  # the address is filled in once the service runs
VOICE: dict[str, str] = {"server": "deskpilot", "voices": "en_US-tiny-medium"}
STRANGER = {"name": "stranger", "embeds": "stranger-embeds"}  # what its models are called
TALKS: dict[str, str] = {}  # filled in once it runs, as are these
EMBEDS: dict[str, str] = {}
MODULES = {"echo": "tests.echo_provider"} | {n: f"backends.providers.{n}" for n in PROVIDERS}
ONNX: dict[str, str] = {
    "n_threads": "1",
    "max_tokens": "64",
    "device": "cpu",
}  # its folder is filled in once it is made
SWITCH = {ModelType.LLM: "stream", ModelType.TTS: "streaming"}  # speech-to-text streams by `write`


# (provider, model) → its types and credentials; torch takes too long to import for each test
SLOW_START = {
    ("sentence_transformers", "tiny"): {
        ModelType.TEXT_EMBEDDING: EMBEDDER,
        ModelType.RERANK: ENCODER,
    },
    (REMOTE, "tiny-embedder"): {ModelType.TEXT_EMBEDDING: LOOPBACK},
    (REMOTE, "tiny-cross-encoder"): {ModelType.RERANK: LOOPBACK},
}


class Shared:
    """Workers for many tests, in a loop of their own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="shared workers", daemon=True
        )
        self._thread.start()
        self.workers = Workers(MODULES, Budget(idle_seconds=0))  # they are here until the last test

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=120)

    async def begin(self) -> None:
        checks = [
            self.call(provider, kind, "validate_credentials", model=model, credentials=credentials)
            for (provider, model), kinds in SLOW_START.items()
            for kind, credentials in kinds.items()
            if provider != REMOTE
            or "base_url" in credentials  # no remote test was asked for: nothing serves
        ]
        await asyncio.gather(*checks)

    def end(self) -> None:
        self.run(self.workers.aclose())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def invoke(self, provider: str, kind: ModelType, **arguments: Any) -> Any:
        return await self._there(self.workers.invoke(provider, kind, **arguments))

    async def call(self, provider: str, kind: ModelType, method: str, **arguments: Any) -> Any:
        return await self._there(self.workers.call(provider, kind, method, **arguments))

    async def _there(self, work: Coroutine[Any, Any, Any]) -> Any:
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))


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
def onnx_embedder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Write the tiny embedder as a graph, as a pull does with the starter's, if a test wants it."""
    if "onnxruntime" in wanted(request, "provider") | wanted(request, "engine"):
        from backends.catalog.bert_onnx import write_onnx

        folder: Path = tmp_path_factory.mktemp("onnx") / "tiny-embedder"
        shutil.copytree(EMBEDDER["model_path"], folder)
        write_onnx(folder)
        ONNX["model_path"] = str(folder)


@pytest.fixture(scope="session", autouse=True)
def loopback(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
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


@pytest.fixture(scope="session", autouse=True)
def strangers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Start a stranger's servers, one that talks and one that embeds, for the tests that want
    them.
    """
    with ExitStack() as servers:
        asked = wanted(request, "model_id")
        if STRANGER["name"] in asked:
            told = servers.enter_context(
                serving(LLAMA["model_path"], STRANGER["name"], "--n_ctx", "2048")
            )
            TALKS.update(told | {"context_size": "2048"})
        if STRANGER["embeds"] in asked:
            from gguf import PoolingType

            from tests.models.build_llama import write

            model = tmp_path_factory.mktemp("stranger") / "embeds.gguf"
            write(model, PoolingType.MEAN)
            options = ("--embedding", "true", "--n_ctx", "2048")
            EMBEDS.update(servers.enter_context(serving(str(model), STRANGER["embeds"], *options)))
        yield


@pytest.fixture(scope="session", autouse=True)
def shared_workers(request: pytest.FixtureRequest, loopback: None) -> Iterator[Shared | None]:
    """Start the workers that take long, before any test, if one of the tests wants them."""
    slow = [item for item in request.session.items if starts_slowly(item)]
    if not any(param_of(item, "models") == "worker" for item in slow):
        yield None
        return
    shared = Shared()
    asyncio.run(shared.begin())
    yield shared
    shared.end()


def wanted(request: pytest.FixtureRequest, name: str) -> set[Any]:
    """What the tests of this session have as a parameter of that name."""
    return {
        value for item in request.session.items if isinstance(value := param_of(item, name), str)
    }


def is_remote(item: pytest.Item) -> bool:
    return param_of(item, "provider") == REMOTE


def starts_slowly(item: pytest.Item) -> bool:
    base = param_of(item, "base")
    return base is not None and (param_of(item, "provider"), base["model"]) in SLOW_START


def param_of(item: pytest.Item, name: str) -> Any:
    known = getattr(item, "callspec", None)
    return known.params.get(name) if known is not None else None


@pytest.fixture(params=["direct", "worker"])
async def models(
    request: pytest.FixtureRequest, shared_workers: Shared | None
) -> AsyncIterator[Any]:
    if request.param == "direct":
        yield Direct()
        return
    if starts_slowly(request.node):
        yield shared_workers
        return
    async with Workers(MODULES) as workers:
        yield workers


@pytest.fixture
async def here() -> AsyncIterator[Terminal]:
    """A terminal whose copilots are scripted."""
    from tests.contract.scripted_peer import terminal

    async with terminal() as made:
        yield made
