"""Models in child processes."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from backends.flexai.entities import ModelType, UserPromptMessage
from backends.flexai.errors import (
    InvokeBadRequestError,
    InvokeConnectionError,
    InvokeRateLimitError,
    InvokeServerUnavailableError,
)
from backends.workers import Workers, frames

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

pytestmark = pytest.mark.slow

ECHO: dict[str, Any] = {"model": "echo", "credentials": {}}


@pytest.fixture
async def workers() -> AsyncIterator[Workers]:
    async with Workers({"echo": "tests.echo_provider"}) as pool:
        yield pool


def said(text: str, **credentials: str) -> dict[str, Any]:
    return ECHO | {"prompt_messages": [UserPromptMessage(content=text)], "credentials": credentials}


async def answer(workers: Workers, text: str) -> str:
    return (await workers.invoke("echo", ModelType.LLM, **said(text))).message.content


async def test_chunks_arrive_as_the_model_makes_them(workers: Workers) -> None:
    chunks = [c async for c in workers.stream("echo", ModelType.LLM, **said("one two"))]
    assert [c.delta.message.content for c in chunks] == ["one ", "two ", ""]
    assert [c.delta.finish_reason for c in chunks] == [None, None, "stop"]
    assert chunks[-1].delta.usage.total_tokens == 4


async def test_what_an_engine_prints_does_not_break_the_pipe(workers: Workers) -> None:
    assert await answer(workers, "PRINT this") == "PRINT this "


async def test_vectors_cross_unchanged(workers: Workers) -> None:
    result = await workers.invoke("echo", ModelType.TEXT_EMBEDDING, **ECHO, texts=["abc", "eee"])
    assert result.embeddings == [[3.0, 1.0], [3.0, 3.0]]


@pytest.mark.parametrize(
    ("word", "error"), [("OFFLINE", InvokeConnectionError), ("REFUSED", InvokeRateLimitError)]
)
async def test_errors_keep_their_kind_in_mid_stream(
    workers: Workers, word: str, error: type[Exception]
) -> None:
    said_so_far: list[str] = []
    with pytest.raises(error):
        async for chunk in workers.stream("echo", ModelType.LLM, **said(f"before {word}")):
            said_so_far.append(chunk.delta.message.content)
    assert said_so_far == ["before "]


async def test_a_bad_parameter_is_told_with_its_remedy(workers: Workers) -> None:
    with pytest.raises(InvokeBadRequestError) as caught:
        await workers.invoke(
            "echo", ModelType.LLM, **said("x"), model_parameters={"temperature": 9}
        )
    assert "temperature" in caught.value.text
    assert caught.value.remedy


async def test_closing_a_stream_stops_the_model_and_keeps_the_process(workers: Workers) -> None:
    stream = workers.stream("echo", ModelType.LLM, **said("x FOREVER"))
    await anext(stream)
    before = workers.loaded()[0].pid
    async with asyncio.timeout(1):
        await stream.aclose()
    assert await answer(workers, "again") == "again "
    assert workers.loaded()[0].pid == before


async def test_cancelling_the_task_stops_the_model(workers: Workers) -> None:
    async def read() -> None:
        async for _ in workers.stream("echo", ModelType.LLM, **said("x FOREVER")):
            seen.set()

    seen = asyncio.Event()
    task = asyncio.create_task(read())
    await seen.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with asyncio.timeout(1):
        assert await answer(workers, "again") == "again "


async def test_a_model_that_ignores_the_cancel_is_killed(workers: Workers) -> None:
    stream = workers.stream("echo", ModelType.LLM, **said("x HANG"))
    await anext(stream)
    before = workers.loaded()[0].pid
    await stream.aclose()
    assert await answer(workers, "again") == "again "
    assert workers.loaded()[0].pid != before


@pytest.mark.parametrize("bad", [object(), {1: {2}}, io.StringIO("text"), float])
async def test_an_argument_that_cannot_cross_costs_no_process(workers: Workers, bad: Any) -> None:
    assert await answer(workers, "first") == "first "
    before = workers.loaded()[0].pid
    with pytest.raises(InvokeBadRequestError) as caught:
        await workers.invoke("echo", ModelType.LLM, **said("x"), user=bad)
    assert caught.value.remedy
    assert await answer(workers, "again") == "again "
    assert workers.loaded()[0].pid == before


async def test_a_call_that_kills_its_process_is_not_run_again(
    workers: Workers, tmp_path: Path
) -> None:
    marks = tmp_path / "marks"
    with pytest.raises(InvokeServerUnavailableError):
        await answer(workers, f"MARK:{marks} CRASH")
    assert marks.read_text() == "x"


async def test_a_process_that_died_unnoticed_costs_no_question(workers: Workers) -> None:
    assert await answer(workers, "first") == "first "
    os.kill(workers.loaded()[0].pid, signal.SIGKILL)
    assert await answer(workers, "again") == "again "


async def test_only_models_that_stream_are_streamed(workers: Workers) -> None:
    with pytest.raises(InvokeBadRequestError):
        await anext(workers.stream("echo", ModelType.MODERATION, **ECHO, text="x"))


async def test_closing_waits_for_a_process_that_is_starting() -> None:
    pool = Workers({"echo": "tests.echo_provider"})
    call = asyncio.create_task(answer(pool, "x FOREVER"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    await pool.aclose()
    with pytest.raises(InvokeServerUnavailableError):
        await call
    assert pool.loaded() == []


async def test_a_model_that_ignores_a_cancel_is_not_killed_while_it_answers_others(
    workers: Workers,
) -> None:
    two = ECHO | {"credentials": {"n_parallel": "2"}}
    words = " ".join(f"NAP:0.25 {n}" for n in range(20))
    other = asyncio.create_task(
        workers.invoke(
            "echo", ModelType.LLM, **two, prompt_messages=[UserPromptMessage(content=words)]
        )
    )
    deaf = workers.stream(
        "echo", ModelType.LLM, **two, prompt_messages=[UserPromptMessage(content="x NAP:4 y")]
    )
    await anext(deaf)
    await deaf.aclose()
    assert (await other).message.content == "".join(f"{n} " for n in range(20))


@pytest.mark.parametrize("how", ["CRASH", "killed"])
async def test_a_dead_worker_is_one_typed_error_and_the_next_call_works(
    workers: Workers, how: str
) -> None:
    stream = workers.stream(
        "echo", ModelType.LLM, **said("x CRASH" if how == "CRASH" else "x FOREVER")
    )
    await anext(stream)
    if how == "killed":
        os.kill(workers.loaded()[0].pid, signal.SIGKILL)
    with pytest.raises(InvokeServerUnavailableError):
        await anext(stream)
    assert await answer(workers, "again") == "again "


async def test_calls_of_two_tasks_wait_for_each_other(workers: Workers) -> None:
    answers = await asyncio.gather(*(answer(workers, f"call {n}") for n in range(20)))
    assert answers == [f"call {n} " for n in range(20)]
    assert len(workers.loaded()) == 1


async def test_unloading_frees_the_process_even_while_it_answers(workers: Workers) -> None:
    stream = workers.stream("echo", ModelType.LLM, **said("x FOREVER"))
    await anext(stream)
    pid = workers.loaded()[0].pid
    assert await workers.unload("echo", ModelType.LLM, "echo")
    assert not psutil.pid_exists(pid)
    with pytest.raises(InvokeServerUnavailableError):
        await anext(stream)
    assert not await workers.unload("echo", ModelType.LLM, "echo")


async def test_a_worker_that_dies_at_once_is_not_started_for_ever(
    workers: Workers, monkeypatch: Any
) -> None:
    monkeypatch.setattr("backends.workers.pool.BACK_OFF_SECONDS", (0.0, 0.0))
    with pytest.raises(InvokeServerUnavailableError, match="keeps stopping"):
        for _ in range(20):
            try:
                await answer(workers, "CRASH")
            except InvokeServerUnavailableError as error:
                if "keeps" in error.text:
                    raise


async def test_a_worker_that_answers_between_its_ends_is_always_started_again(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backends.workers.pool.BACK_OFF_SECONDS", (0.0,))
    for _ in range(6):
        assert await answer(workers, "again") == "again "
        psutil.Process(workers.loaded()[0].pid).kill()


def test_workers_end_when_their_parent_is_killed(repository: Path) -> None:
    code = (
        "import asyncio\nfrom backends.workers import Workers\nfrom backends.flexai.entities import"
        " ModelType, UserPromptMessage\nasync def main():\n    workers = Workers({'echo':"
        " 'tests.echo_provider'})\n    said = [UserPromptMessage(content='x FOREVER')]\n    stream"
        " = workers.stream('echo', ModelType.LLM, model='echo', credentials={},"
        " prompt_messages=said)\n    await anext(stream)\n    print(workers.loaded()[0].pid,"
        " flush=True)\n    await asyncio.sleep(3600)\nasyncio.run(main())\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=repository
    ) as parent:
        assert parent.stdout
        worker = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
        worker.wait(timeout=5)


async def test_two_servers_with_one_model_name_answer_beside_each_other(workers: Workers) -> None:
    here, there = {"endpoint_url": "http://here"}, {"endpoint_url": "http://there"}
    slow = workers.stream("echo", ModelType.LLM, **said("one two", **here))
    assert (await anext(slow)).delta.message.content == "one "
    other = await workers.invoke(
        "echo", ModelType.LLM, **said("three", **there)
    )  # though the first still talks
    assert other.message.content == "three "
    assert (await anext(slow)).delta.message.content == "two "
    await slow.aclose()
    assert len({one.pid for one in workers.loaded()}) == 2


async def test_a_key_that_changes_gets_a_process_of_its_own_and_the_old_one_ends(
    workers: Workers,
) -> None:
    old, new = (
        {"endpoint_url": "http://here", "api_key": "a"},
        {"endpoint_url": "http://here", "api_key": "b"},
    )
    for credentials in (old, new, new):
        await workers.invoke("echo", ModelType.LLM, **said("hello", **credentials))
    before = {one.pid for one in workers.loaded()}
    assert len(before) == 2
    assert await workers.unload("echo", ModelType.LLM, "echo", old)
    assert not await workers.unload("echo", ModelType.LLM, "echo", old)
    assert len({one.pid for one in workers.loaded()} & before) == 1


async def test_a_file_is_loaded_once_whatever_it_is_loaded_with(workers: Workers) -> None:
    for size in ("1024", "2048"):
        await workers.invoke(
            "echo", ModelType.LLM, **said("hello", model_path="model.gguf", n_ctx=size)
        )
    assert len(workers.loaded()) == 1


def test_a_worker_whose_reader_is_gone_ends_without_a_crash(repository: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "backends.workers.child", "echo", "llm"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=repository,
        env=os.environ | {"PYTHONPATH": str(repository)},
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        hello = frames.read(process.stdout)
        assert hello is not None
        assert hello["hello"] == process.pid
        process.stdout.close()
        call = {"id": 1, "method": "nothing", "arguments": {}, "stream": False, "at_once": 1}
        process.stdin.write(frames.encode(call))
        process.stdin.flush()
        assert process.wait(timeout=60) == 0
        assert b"Fatal" not in process.stderr.read()
