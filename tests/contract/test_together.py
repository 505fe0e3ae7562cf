"""What happens to a model at work: two callers at once, a stop at any point, its process killed, or unloaded."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import threading
from contextlib import aclosing
from typing import Any

import psutil
import pytest

from backends.flexai.entities import ModelType, UserPromptMessage
from backends.flexai.errors import InvokeServerUnavailableError
from backends.workers import Workers
from tests.contract.conftest import MODULES, SWITCH, registry
from tests.models.llama import LLAMA
from tests.models.speech import ESPEAK, PIPER, SHOW, SYSTEM_VOICE, WHISPER, spoken, wav

LONG = "show me the sales table. " * 400
SOUND = wav(*spoken()).getvalue()


def talk(text: str, length: int) -> dict[str, Any]:
    return {
        "credentials": LLAMA,
        "prompt_messages": [UserPromptMessage(content=text)],
        "model_parameters": {"max_tokens": length, "temperature": 0.0},
    }


ENGINES: dict[str, tuple[ModelType, dict[str, Any], dict[str, Any]]] = {  # short work and long work
    "llama_cpp": (ModelType.LLM, talk("France?", 8), talk("Tell me a story", 200)),
    "piper": (
        ModelType.TTS,
        {"credentials": PIPER, "content_text": SHOW},
        {"credentials": PIPER, "content_text": LONG},
    ),
    "espeak": (
        ModelType.TTS,
        {"credentials": ESPEAK, "content_text": SHOW},
        {"credentials": ESPEAK, "content_text": LONG},
    ),
    "faster_whisper": (ModelType.SPEECH2TEXT, {"credentials": WHISPER}, {"credentials": WHISPER}),
}
with_espeak = pytest.mark.skipif(not SYSTEM_VOICE, reason="espeak-ng is not installed on this machine")
EACH = pytest.mark.parametrize(
    "provider", [pytest.param(name, marks=with_espeak if name == "espeak" else ()) for name in ENGINES]
)
LONG_WORK = pytest.mark.parametrize(
    "provider",
    [pytest.param(n, marks=with_espeak if n == "espeak" else ()) for n in ("llama_cpp", "piper", "espeak")],
)


def work(provider: str, *, long: bool = False) -> dict[str, Any]:
    """Return the arguments of a call; a sound file is a new one each time."""
    _, short, other = ENGINES[provider]
    given = {"model": "tiny"} | (other if long else short)
    return given | {"file": io.BytesIO(SOUND)} if provider == "faster_whisper" else given


def outcome(result: Any) -> Any:
    return result.message.text() if hasattr(result, "message") else result


@EACH
async def test_two_callers_of_one_model_both_get_the_right_answer(provider: str) -> None:
    kind = ENGINES[provider][0]
    async with Workers(MODULES) as workers:
        first = outcome(await workers.invoke(provider, kind, **work(provider)))
        pairs = await asyncio.gather(*(workers.invoke(provider, kind, **work(provider)) for _ in range(4)))
        assert [outcome(made) for made in pairs] == [first] * 4
        assert len(workers.loaded()) == 1


@EACH
def test_two_threads_on_one_model_object_both_get_the_right_answer(provider: str) -> None:
    kind, given = ENGINES[provider][0], work(provider)
    model: Any = registry().model(provider, kind)
    switch = {SWITCH[kind]: False} if kind in SWITCH else {}
    made: list[Any] = []
    start = threading.Barrier(2)

    def run() -> None:
        own = dict(given) | ({"file": io.BytesIO(SOUND)} if "file" in given else {})
        start.wait()
        for _ in range(3):
            made.append(outcome(model.invoke(**own, **switch)))

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 6
    assert all(one == made[0] for one in made)


@LONG_WORK
async def test_a_stop_at_any_point_leaves_the_model_well(provider: str) -> None:
    kind = ENGINES[provider][0]
    async with Workers(MODULES) as workers:
        expected = outcome(await workers.invoke(provider, kind, **work(provider)))
        (before,) = workers.loaded()
        for taken in (0, 1, 3):
            async with aclosing(workers.stream(provider, kind, **work(provider, long=True))) as pieces:
                for _ in range(taken):
                    await anext(pieces)
            assert outcome(await workers.invoke(provider, kind, **work(provider))) == expected
        (after,) = workers.loaded()
        assert after.pid == before.pid


@pytest.mark.parametrize("provider", ["piper", pytest.param("espeak", marks=with_espeak)])
@pytest.mark.parametrize("how", ["killed", "unloaded"])
async def test_a_model_that_goes_while_it_is_used_is_one_error_and_comes_back(
    provider: str, how: str
) -> None:
    kind = ENGINES[provider][0]
    async with Workers(MODULES) as workers:
        async with aclosing(workers.stream(provider, kind, **work(provider, long=True))) as pieces:
            await anext(pieces)
            (loaded,) = workers.loaded()
            if how == "killed":
                os.kill(loaded.pid, signal.SIGKILL)
            else:
                assert await workers.unload(provider, kind, "tiny")
            with pytest.raises(InvokeServerUnavailableError) as caught:
                async for _ in pieces:
                    pass
            assert caught.value.remedy
        assert outcome(await workers.invoke(provider, kind, **work(provider)))
        assert workers.loaded()[0].pid != loaded.pid
        assert not psutil.pid_exists(loaded.pid)
