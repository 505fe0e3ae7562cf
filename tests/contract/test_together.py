"""What happens to a model at work: two callers at once, a stop at any point, its process killed, or
unloaded.
"""

from __future__ import annotations

import asyncio
import io
import os
import signal
import threading
from contextlib import aclosing
from typing import Any

import numpy as np
import psutil
import pytest

from backends.flexai.entities import ModelType, UserPromptMessage
from backends.flexai.errors import InvokeServerUnavailableError
from backends.workers import Workers
from tests.contract.conftest import MODULES, ONNX, SWITCH, registry
from tests.contract.together import begun
from tests.models.llama import LLAMA
from tests.models.retrieval import EMBEDDER, ENCODER, documents, questions
from tests.models.speech import ESPEAK, PIPER, SHOW, SYSTEM_VOICE, WHISPER, spoken, wav

LONG = "show me the sales table. " * 400
SOUND = wav(*spoken()).getvalue()
LONG_SOUND = wav(np.tile(spoken()[0], 200), spoken()[1]).getvalue()


def talk(text: str, length: int) -> dict[str, Any]:
    return {
        "credentials": LLAMA | {"n_ctx": "4096"},
        "prompt_messages": [UserPromptMessage(content=text)],
        "model_parameters": {"max_tokens": length, "temperature": 0.0},
    }


def embed(credentials: dict[str, Any], times: int) -> dict[str, Any]:
    return {"credentials": credentials, "texts": documents() * times}


def rank(times: int) -> dict[str, Any]:
    return {"credentials": ENCODER, "query": questions()[0], "docs": documents() * times}


Work = tuple[str, ModelType, dict[str, Any], dict[str, Any]]
ENGINES: dict[str, Work] = {  # provider, type, short work and long work
    # an endless answer: it outlasts what the pipe and the reader hold, however late the test gets
    # its turn
    "llama_cpp": ("llama_cpp", ModelType.LLM, talk("France?", 8), talk("Sing forever", 4000)),
    "piper": (
        "piper",
        ModelType.TTS,
        {"credentials": PIPER, "content_text": SHOW},
        {"credentials": PIPER, "content_text": LONG},
    ),
    "espeak": (
        "espeak",
        ModelType.TTS,
        {"credentials": ESPEAK, "content_text": SHOW},
        {"credentials": ESPEAK, "content_text": LONG},
    ),
    "faster_whisper": (
        "faster_whisper",
        ModelType.SPEECH2TEXT,
        {"credentials": WHISPER, "file": SOUND},
        {"credentials": WHISPER, "file": LONG_SOUND},
    ),
    "onnxruntime": ("onnxruntime", ModelType.TEXT_EMBEDDING, embed(ONNX, 1), embed(ONNX, 300)),
    "embedder": (
        "sentence_transformers",
        ModelType.TEXT_EMBEDDING,
        embed(EMBEDDER, 1),
        embed(EMBEDDER, 300),
    ),
    "reranker": ("sentence_transformers", ModelType.RERANK, rank(1), rank(300)),
}
with_espeak = pytest.mark.skipif(
    not SYSTEM_VOICE, reason="espeak-ng is not installed on this machine"
)


def each(*names: str) -> Any:
    marked = [pytest.param(n, marks=with_espeak if n == "espeak" else ()) for n in names]
    return pytest.mark.parametrize("engine", marked)


STREAMING = ("llama_cpp", "piper", "espeak", "faster_whisper")


def work(engine: str, *, long: bool = False) -> dict[str, Any]:
    """Return the arguments of a call; a sound file is a new one each time."""
    *_, short, other = ENGINES[engine]
    given = {"model": "tiny"} | (other if long else short)
    return given | {"file": io.BytesIO(given["file"])} if "file" in given else given


def outcome(result: Any) -> Any:
    """Return what can be compared: text, sound, rounded vectors, documents in their order."""
    if hasattr(result, "embeddings"):
        return np.round(result.embeddings, 4).tolist()
    if hasattr(result, "docs"):
        return [doc.index for doc in result.docs]
    return result.message.text() if hasattr(result, "message") else result


@each(*STREAMING, "onnxruntime")
async def test_two_callers_of_one_model_both_get_the_right_answer(engine: str) -> None:
    provider, kind, *_ = ENGINES[engine]
    async with Workers(MODULES) as workers:
        first = outcome(await workers.invoke(provider, kind, **work(engine)))
        pairs = await asyncio.gather(
            *(workers.invoke(provider, kind, **work(engine)) for _ in range(4))
        )
        assert [outcome(made) for made in pairs] == [first] * 4
        assert len(workers.loaded()) == 1


@each(*ENGINES)
def test_two_threads_on_one_model_object_both_get_the_right_answer(engine: str) -> None:
    provider, kind, *_ = ENGINES[engine]
    model: Any = registry().model(provider, kind)
    switch = {SWITCH[kind]: False} if kind in SWITCH else {}
    made: list[Any] = []
    start = threading.Barrier(2)

    def run() -> None:
        start.wait()
        for _ in range(3):
            made.append(outcome(model.invoke(**work(engine), **switch)))

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 6
    assert all(one == made[0] for one in made)


@each(*STREAMING)
async def test_a_stop_at_any_point_leaves_the_model_well(engine: str) -> None:
    provider, kind, *_ = ENGINES[engine]
    async with Workers(MODULES) as workers:
        expected = outcome(await workers.invoke(provider, kind, **work(engine)))
        (before,) = workers.loaded()
        for taken in (0, 1, 3):
            async with aclosing(
                workers.stream(provider, kind, **work(engine, long=True))
            ) as pieces:
                for _ in range(taken):
                    await anext(pieces)
            assert outcome(await workers.invoke(provider, kind, **work(engine))) == expected
        (after,) = workers.loaded()
        assert after.pid == before.pid


@each(*STREAMING)
@pytest.mark.parametrize("how", ["killed", "unloaded"])
async def test_a_model_that_goes_while_it_is_used_is_one_error_and_comes_back(
    engine: str, how: str
) -> None:
    provider, kind, *_ = ENGINES[engine]
    async with Workers(MODULES) as workers:
        async with aclosing(workers.stream(provider, kind, **work(engine, long=True))) as pieces:
            await anext(pieces)
            pid = await gone(workers, engine, how)
            with pytest.raises(InvokeServerUnavailableError) as caught:
                async for _ in pieces:
                    pass
            assert caught.value.remedy
        await comes_back(workers, engine, pid)


async def test_a_call_is_stopped_then_its_process_killed_then_unloaded_and_the_model_comes_back() -> (
    None
):
    """As above for a model that answers whole; those of torch are in test_retrieval, which loads
    them once.
    """
    engine = "onnxruntime"
    provider, kind, *_ = ENGINES[engine]
    async with Workers(MODULES) as workers:
        expected = outcome(await workers.invoke(provider, kind, **work(engine)))
        (before,) = workers.loaded()
        call = workers.invoke(provider, kind, **work(engine, long=True))
        stopped = await begun(asyncio.create_task(call), before.pid)
        stopped.cancel()
        with pytest.raises(asyncio.CancelledError):
            await stopped
        assert outcome(await workers.invoke(provider, kind, **work(engine))) == expected
        assert workers.loaded()[0].pid == before.pid
        for how in ("killed", "unloaded"):
            call = workers.invoke(provider, kind, **work(engine, long=True))
            task = await begun(asyncio.create_task(call), workers.loaded()[0].pid)
            pid = await gone(workers, engine, how)
            with pytest.raises(InvokeServerUnavailableError) as caught:
                await task
            assert caught.value.remedy
            await comes_back(workers, engine, pid)


async def gone(workers: Workers, engine: str, how: str) -> int:
    """Take the model's process away and return its number."""
    provider, kind, *_ = ENGINES[engine]
    (loaded,) = workers.loaded()
    if how == "killed":
        os.kill(loaded.pid, signal.SIGKILL)
    else:
        assert await workers.unload(provider, kind, "tiny")
    return loaded.pid


async def comes_back(workers: Workers, engine: str, pid: int) -> None:
    """Ask again: another process answers, and nothing is left of the first."""
    provider, kind, *_ = ENGINES[engine]
    assert outcome(await workers.invoke(provider, kind, **work(engine)))
    assert workers.loaded()[0].pid != pid
    assert not psutil.pid_exists(pid)
