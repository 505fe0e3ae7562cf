"""One memory for all models: who comes, who goes, who waits, who is refused."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from backends.flexai.entities import ModelType, UserPromptMessage
from backends.flexai.errors import InvokeMemoryError, InvokeServerUnavailableError
from backends.sizes import NotASize, read_size
from backends.workers import Budget, Memory, ModelDemand, Workers
from backends.workers.budget import machine_memory
from backends.workers.pool import MemoryRoom, ModelSlot

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

MB = 1_000_000
ONE = 150 * MB  # what every echo here is said to need; its process really takes less


def need(wanted: ModelDemand) -> int:
    return int(wanted.credentials.get("need", ONE))


def plenty() -> Memory:
    return Memory(64_000 * MB, 60_000 * MB)


def budget(limit: int, **changes: Any) -> Budget:
    return Budget(
        **({"limit": limit, "need": need, "memory": plenty, "patience_seconds": 0.2} | changes)
    )


def pool(limit: int, **changes: Any) -> Workers:
    return Workers({"echo": "tests.echo_provider"}, budget(limit, **changes))


def call(text: str, model: str, **credentials: Any) -> dict[str, Any]:
    return {
        "model": model,
        "credentials": credentials,
        "prompt_messages": [UserPromptMessage(content=text)],
    }


async def answer(workers: Workers, text: str, model: str, **credentials: Any) -> str:
    said = await workers.invoke("echo", ModelType.LLM, **call(text, model, **credentials))
    return said.message.content.strip()


def names(workers: Workers) -> list[str]:
    return sorted(loaded.model for loaded in workers.loaded())


async def until_unloaded(workers: Workers, seconds: float = 20) -> None:
    async with asyncio.timeout(seconds):
        while workers.loaded():
            await asyncio.sleep(0.005)


async def test_the_model_that_was_longest_unused_goes_for_a_new_one() -> None:
    async with pool(2 * ONE) as workers:
        for model in ("a", "b", "a"):
            await answer(workers, "hello", model)
        assert await answer(workers, "hello", "c", need=2 * ONE - 100 * MB) == "hello"
        assert names(workers) == ["a", "c"]
        assert await answer(workers, "hello", "d", need=2 * ONE) == "hello"
        assert names(workers) == ["d"]


async def test_nothing_is_unloaded_for_a_model_that_would_not_fit_anyway() -> None:
    async with pool(2 * ONE, advice=lambda _, room: f"Use one below {room / MB:.0f}.") as workers:
        await answer(workers, "hello", "a")
        with pytest.raises(
            InvokeMemoryError, match=r"giant needs 9\.0 GB of memory; only 300 MB is free"
        ) as caught:
            await answer(workers, "hello", "giant", need=9_000 * MB)
        assert caught.value.remedy == "Use one below 300."
        assert names(workers) == ["a"]
        assert await answer(workers, "still", "a") == "still"


async def test_a_model_in_use_is_never_unloaded_and_is_named_in_the_refusal() -> None:
    async with pool(2 * ONE) as workers:
        async with aclosing(
            workers.stream("echo", ModelType.LLM, **call("x FOREVER", "a"))
        ) as stream:
            await anext(stream)
            with pytest.raises(InvokeMemoryError, match="in use: a") as caught:
                await answer(workers, "hello", "b", need=2 * ONE)
            assert "models set all memory=" in caught.value.remedy
            assert [(w.model, w.in_use) for w in workers.loaded()] == [("a", True)]
        assert await answer(workers, "hello", "b", need=2 * ONE) == "hello"
        assert [(w.model, w.in_use) for w in workers.loaded()] == [("b", False)]


async def test_a_load_waits_until_a_model_in_use_is_let_go() -> None:
    async with pool(2 * ONE, patience_seconds=30) as workers:
        stream = workers.stream("echo", ModelType.LLM, **call("x FOREVER", "a"))
        await anext(stream)
        waiting = asyncio.create_task(answer(workers, "hello", "b", need=2 * ONE))
        await asyncio.sleep(0)
        await stream.aclose()
        assert await waiting == "hello"
        assert names(workers) == ["b"]


async def test_many_loads_at_once_never_promise_more_than_there_is() -> None:
    most: list[int] = []

    class Watched(Budget):
        def free(self, used: int, promised: int) -> int:
            most.append(used)
            return super().free(used, promised)

    watched = Watched(limit=2 * ONE, need=need, memory=plenty, patience_seconds=60)
    async with Workers({"echo": "tests.echo_provider"}, watched) as workers:
        said = await asyncio.gather(*(answer(workers, f"call {n}", f"m{n}") for n in range(4)))
        assert said == [f"call {n}" for n in range(4)]
        assert max(most) <= 2 * ONE


async def test_what_a_process_really_takes_counts_once_its_model_is_loaded() -> None:
    async with pool(600 * MB) as workers:
        await answer(workers, f"GROW:{300 * MB}", "liar", need=100 * MB)
        (liar,) = workers.loaded()
        assert 300 * MB < liar.memory_bytes < 600 * MB
        await answer(workers, "hello", "b", need=500 * MB)
        assert names(workers) == ["b"]


async def test_memory_that_others_took_counts_too() -> None:
    async with pool(4_000 * MB, memory=lambda: Memory(8_000 * MB, 300 * MB)) as workers:
        with pytest.raises(InvokeMemoryError, match="only 44 MB is free"):
            await answer(workers, "hello", "a", need=100 * MB)


async def test_an_idle_model_is_unloaded_and_comes_back_when_it_is_asked_again() -> None:
    async with pool(2 * ONE, idle_seconds=0.05) as workers:
        for _ in range(2):
            assert await answer(workers, "hello", "a") == "hello"
            await until_unloaded(workers)


async def test_a_model_in_use_does_not_become_idle() -> None:
    async with pool(2 * ONE, idle_seconds=0.01) as workers:
        stream = workers.stream("echo", ModelType.LLM, **call("x FOREVER", "a"))
        await anext(stream)
        with pytest.raises(TimeoutError):
            await until_unloaded(workers, 0.1)
        await stream.aclose()
        await until_unloaded(workers)


async def test_loads_unloads_and_kills_at_once_leave_a_pool_that_works() -> None:
    async with pool(2 * ONE, patience_seconds=60) as workers:

        async def ask(model: str) -> None:
            for n in range(2):
                # its process may be killed or unloaded in the middle of the call
                with contextlib.suppress(InvokeServerUnavailableError):
                    assert await answer(workers, f"{model} {n}", model) == f"{model} {n}"

        async def disturb() -> None:
            for n in range(9):
                for loaded in workers.loaded():
                    if n % 3 == 0:
                        os.kill(loaded.pid, signal.SIGKILL)
                    elif n % 3 == 1:
                        await workers.unload("echo", ModelType.LLM, loaded.model)
                await asyncio.wait(
                    {asyncio.create_task(workers.unload("echo", ModelType.LLM, "a"))}
                )

        await asyncio.gather(ask("a"), ask("b"), ask("c"), disturb())
        assert await answer(workers, "after", "d") == "after"
        assert len(workers.loaded()) <= 2


async def test_unloading_waits_for_a_model_that_is_just_starting() -> None:
    async with pool(2 * ONE) as workers:
        starting = asyncio.create_task(answer(workers, "hello", "a"))
        while not (unloaded := await workers.unload("echo", ModelType.LLM, "a")):
            await asyncio.sleep(0)
        assert unloaded
        assert (
            await starting == "hello"
        )  # its call had not begun, so it was sent to another process


async def test_models_unloaded_on_purpose_do_not_count_as_failing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "backends.workers.pool.BACK_OFF_SECONDS", (0.0,)
    )  # the fifth start in a row fails
    async with pool(2 * ONE) as workers:
        for _ in range(5):
            await answer(workers, "hello", "a")
            assert await workers.unload("echo", ModelType.LLM, "a")


async def test_closing_ends_a_load_that_waits_for_memory() -> None:
    workers = pool(2 * ONE, patience_seconds=60)
    stream = workers.stream("echo", ModelType.LLM, **call("x FOREVER", "a"))
    await anext(stream)
    waiting = asyncio.create_task(answer(workers, "hello", "b", need=2 * ONE))
    await asyncio.sleep(0)
    async with asyncio.timeout(10):
        await workers.aclose()
        with pytest.raises(InvokeServerUnavailableError):
            await waiting
    assert workers.loaded() == []
    with pytest.raises(InvokeServerUnavailableError):
        await anext(stream)


async def test_one_larger_than_all_memory_is_refused_at_once_whoever_is_busy() -> None:
    async with pool(2 * ONE, patience_seconds=60) as workers:
        stream = workers.stream("echo", ModelType.LLM, **call("x FOREVER", "a"))
        await anext(stream)
        with pytest.raises(InvokeMemoryError, match="only 300 MB is free\\."):
            await answer(workers, "hello", "giant", need=3 * ONE)
        await stream.aclose()


async def test_a_refused_load_keeps_nothing_promised() -> None:
    room = MemoryRoom(budget(ONE), lambda: [slot])
    slot = ModelSlot(ModelDemand("echo", ModelType.LLM, "a", {"need": 2 * ONE}))
    with pytest.raises(InvokeMemoryError):
        await room.make(slot)
    assert room.free() == ONE


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("8GB", 8 * 10**9),
        ("512 MB", 512 * MB),
        ("1.5g", 1_500 * MB),
        ("4GiB", 4 * 2**30),
        ("9000", 9000),
    ],
)
def test_an_amount_of_memory_is_read_as_people_write_it(text: str, size: int) -> None:
    assert read_size(text) == size


@pytest.mark.parametrize("text", ["", "lots", "-3GB", "0", "8 GB of it"])
def test_what_is_no_amount_of_memory_is_told(text: str) -> None:
    with pytest.raises(NotASize, match="not an amount"):
        read_size(text)


def test_a_containers_limit_is_the_machine(tmp_path: Path) -> None:
    group = tmp_path / "sys/fs/cgroup"
    group.mkdir(parents=True)
    assert machine_memory(tmp_path).total == psutil.virtual_memory().total
    (group / "memory.max").write_text("max\n")
    assert machine_memory(tmp_path).total == psutil.virtual_memory().total
    (group / "memory.max").write_text("500000000\n")
    (group / "memory.current").write_text("400000000\n")
    (group / "memory.stat").write_text("anon 250000000\ninactive_file 100000000\n")
    assert machine_memory(tmp_path) == Memory(500 * MB, 200 * MB)
    (group / "memory.current").write_text("900000000\n")
    assert machine_memory(tmp_path).free == 0


def test_the_older_kind_of_container_counts_too(tmp_path: Path) -> None:
    group = tmp_path / "sys/fs/cgroup/memory"
    group.mkdir(parents=True)
    (group / "memory.limit_in_bytes").write_text("300000000")
    (group / "memory.usage_in_bytes").write_text("100000000")
    (group / "memory.stat").write_text("total_inactive_file 50000000\n")
    assert machine_memory(tmp_path) == Memory(300 * MB, 250 * MB)


def test_without_a_limit_three_quarters_of_the_machine_are_for_models() -> None:
    assert Budget(memory=lambda: Memory(16_000 * MB, 9_000 * MB)).total() == 12_000 * MB
    assert Budget(limit=ONE, memory=lambda: Memory(16_000 * MB, 9_000 * MB)).total() == ONE


async def test_a_model_asked_for_with_other_settings_is_loaded_anew_within_the_budget() -> None:
    async with pool(2 * ONE) as workers:
        await answer(workers, "hello", "a", model_path="/a", n_ctx="512")
        (first,) = workers.loaded()
        await answer(workers, "hello", "a", model_path="/a", n_ctx="512")
        assert workers.loaded()[0].pid == first.pid
        with pytest.raises(InvokeMemoryError):
            await answer(workers, "hello", "a", model_path="/a", n_ctx="90000", need=3 * ONE)
        await answer(workers, "hello", "a", model_path="/a", n_ctx="1024")
        assert workers.loaded()[0].pid != first.pid
