"""What the service may rely on, whichever pool runs its models."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from backends.flexai.entities import ModelType, UserPromptMessage
from backends.flexai.errors import (
    InvokeBadRequestError,
    InvokeConnectionError,
    InvokeError,
    InvokeRateLimitError,
    InvokeServerUnavailableError,
)
from backends.workers import Workers
from tests.shared_cluster import NEEDS_RAY, pool_on, start_ray, wants_cluster

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

pytestmark = pytest.mark.slow

ECHO: dict[str, Any] = {"model": "echo", "credentials": {}}
MODULES = {"echo": "tests.echo_provider"}


@pytest.fixture(scope="module", autouse=True)
def joined(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    """Start Ray before the first test, if one of this file wants it."""
    mine = [item for item in request.session.items if item.path == request.path]
    if not any(wants_cluster(item) for item in mine):
        yield None
        return
    made = start_ray(tmp_path_factory.mktemp("cluster"))
    yield made
    made.end()


@pytest.fixture(params=["workers", pytest.param("cluster", marks=NEEDS_RAY)])
async def pool(request: pytest.FixtureRequest, joined: Any) -> AsyncIterator[Any]:
    made = pool_on(joined, MODULES) if request.param == "cluster" else Workers(MODULES)
    yield made
    await made.aclose()


def said(text: str) -> dict[str, Any]:
    return ECHO | {"prompt_messages": [UserPromptMessage(content=text)]}


async def answer(pool: Any, text: str) -> str:
    return (await pool.invoke("echo", ModelType.LLM, **said(text))).message.content


async def pid_of(pool: Any) -> int:
    """Return the worker of the language model, which a call has just used."""
    assert await answer(pool, "who") == "who "
    return next(one.pid for one in pool.loaded() if one.model_type is ModelType.LLM)


async def test_chunks_arrive_in_order_and_the_last_says_how_it_ended(pool: Any) -> None:
    text = " ".join(str(n) for n in range(300))
    chunks = [c async for c in pool.stream("echo", ModelType.LLM, **said(text))]
    assert [c.delta.message.content for c in chunks[:-1]] == [f"{n} " for n in range(300)]
    assert [c.delta.finish_reason for c in chunks[-2:]] == [None, "stop"]
    assert chunks[-1].delta.usage.total_tokens == 600


async def test_vectors_sound_and_files_cross_unchanged(pool: Any) -> None:
    result = await pool.invoke("echo", ModelType.TEXT_EMBEDDING, **ECHO, texts=["abc", "eee"])
    assert result.embeddings == [[3.0, 1.0], [3.0, 3.0]]
    pieces = [p async for p in pool.stream("echo", ModelType.TTS, **ECHO, content_text="hello")]
    assert b"".join(pieces) == b"hello"
    sound = io.BytesIO(b"RIFF\x00\x00\x00\x00WAVE" + b"\x00" * 100_000)
    told = await pool.invoke("echo", ModelType.SPEECH2TEXT, **ECHO, file=sound)
    assert told.endswith("of 100012 bytes")


@pytest.mark.parametrize(
    ("word", "error"),
    [("OFFLINE", InvokeConnectionError), ("REFUSED", InvokeRateLimitError), ("BUG", InvokeError)],
)
async def test_errors_keep_their_kind_words_and_remedy_in_mid_stream(
    pool: Any, word: str, error: type[InvokeError]
) -> None:
    so_far: list[str] = []
    with pytest.raises(InvokeError) as caught:
        async for chunk in pool.stream("echo", ModelType.LLM, **said(f"before {word}")):
            so_far.append(chunk.delta.message.content)
    assert so_far == ["before "]
    assert type(caught.value) is error
    assert "Traceback" not in caught.value.text
    assert "Ray" not in caught.value.text


async def test_a_bad_argument_is_told_and_costs_no_process(pool: Any) -> None:
    before = await pid_of(pool)
    with pytest.raises(InvokeBadRequestError):
        await pool.invoke("echo", ModelType.LLM, **said("x"), user=object())
    with pytest.raises(InvokeBadRequestError, match="temperature"):
        await pool.invoke("echo", ModelType.LLM, **said("x"), model_parameters={"temperature": 9})
    with pytest.raises(InvokeBadRequestError):
        await anext(pool.stream("echo", ModelType.MODERATION, **ECHO, text="x"))
    assert await pid_of(pool) == before


async def test_closing_a_stream_frees_the_engine_at_once(pool: Any) -> None:
    before = await pid_of(pool)
    for _ in range(5):
        stream = pool.stream("echo", ModelType.LLM, **said("x FOREVER"))
        assert (await anext(stream)).delta.message.content == "x "
        begun = time.monotonic()
        await stream.aclose()
        assert await answer(pool, "again") == "again "  # it takes one call at a time
        assert time.monotonic() - begun < 5
    assert await pid_of(pool) == before


async def test_cancelling_the_task_stops_the_model(pool: Any) -> None:
    seen = asyncio.Event()

    async def read() -> None:
        async for _ in pool.stream("echo", ModelType.LLM, **said("x FOREVER")):
            seen.set()

    task = asyncio.create_task(read())
    await seen.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with asyncio.timeout(5):
        assert await answer(pool, "again") == "again "


async def test_a_model_that_ignores_the_cancel_is_killed(pool: Any) -> None:
    before = await pid_of(pool)
    stream = pool.stream("echo", ModelType.LLM, **said("x HANG"))
    await anext(stream)
    await stream.aclose()
    assert await answer(pool, "again") == "again "
    assert await pid_of(pool) != before


@pytest.mark.parametrize("how", ["CRASH", "killed"])
async def test_a_dead_engine_is_one_typed_error_and_the_next_call_works(
    pool: Any, how: str
) -> None:
    before = await pid_of(pool)
    stream = pool.stream(
        "echo", ModelType.LLM, **said("x CRASH" if how == "CRASH" else "x FOREVER")
    )
    assert (await anext(stream)).delta.message.content == "x "
    if how == "killed":
        os.kill(before, signal.SIGKILL)
    with pytest.raises(InvokeServerUnavailableError) as caught:
        await anext(stream)
    assert caught.value.remedy
    assert await answer(pool, "again") == "again "


async def test_a_call_that_kills_its_process_is_not_run_again(pool: Any, tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    with pytest.raises(InvokeServerUnavailableError):
        await answer(pool, f"MARK:{marks} CRASH")
    assert marks.read_text() == "x"


async def test_many_calls_at_once_wait_for_each_other_and_none_is_lost(pool: Any) -> None:
    answers = await asyncio.gather(*(answer(pool, f"call {n}") for n in range(30)))
    assert answers == [f"call {n} " for n in range(30)]


async def test_calls_that_run_and_calls_that_wait_are_counted(pool: Any) -> None:
    assert await answer(pool, "ready") == "ready "

    async def read() -> None:
        async for _ in pool.stream("echo", ModelType.LLM, **said("x FOREVER")):
            pass

    def counted() -> tuple[int, int]:
        running = [one.running for one in pool.loaded() if one.model_type is ModelType.LLM]
        return sum(running), pool.waiting().get("echo", 0)

    calls = [asyncio.create_task(read()) for _ in range(3)]
    async with asyncio.timeout(30):
        while counted() != (1, 2):
            await asyncio.sleep(0.05)
    for call in calls:
        call.cancel()
    await asyncio.wait(calls)
    async with asyncio.timeout(30):
        while counted() != (0, 0):
            await asyncio.sleep(0.05)


async def test_unloading_ends_the_process_and_the_answer_it_gives(pool: Any) -> None:
    before = await pid_of(pool)
    stream = pool.stream("echo", ModelType.LLM, **said("x FOREVER"))
    await anext(stream)
    assert await pool.unload("echo", ModelType.LLM, "echo")
    with pytest.raises(InvokeServerUnavailableError):
        await anext(stream)
    process = psutil.Process(before) if psutil.pid_exists(before) else None
    if process is not None:
        process.wait(timeout=5)
    assert not [one for one in pool.loaded() if one.model_type is ModelType.LLM]
    assert not await pool.unload("echo", ModelType.LLM, "echo")
    assert await answer(pool, "again") == "again "
