"""Many streams through Ray: order, cost of a token, and more or fewer replicas."""

from __future__ import annotations

import asyncio
import os
import time
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from backends.flexai.entities import ModelType, UserPromptMessage
from backends.workers import Workers
from tests.shared_cluster import NEEDS_RAY, pool_on, start_ray, wants_cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = list(NEEDS_RAY)

MODULES = {"echo": "tests.echo_provider"}
STREAMS = int(os.environ.get("DESKPILOT_STREAMS", "1000"))
AT_ONCE, WORDS = 12, 30
# The engine of the test with one and three replicas sleeps so long before each word of an answer.
SLEEP_SECONDS, SLEEPS = 0.2, 20
GROWTH = 2.6
MICROSECONDS = 250.0  # of processor a token may cost through Ray beyond a worker's pipe


@pytest.fixture(scope="module", autouse=True)
def joined(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    if not any(wants_cluster(one) for one in request.session.items if one.path == request.path):
        yield None
        return
    made = start_ray(tmp_path_factory.mktemp("load"))
    yield made
    made.end()


async def answer(pool: Any, text: str, **credentials: str) -> list[str]:
    said = [UserPromptMessage(content=text)]
    chunks = pool.stream(
        "echo", ModelType.LLM, model="echo", credentials=credentials, prompt_messages=said
    )
    return [c.delta.message.content async for c in chunks if c.delta.message.content]


async def test_a_thousand_streams_arrive_in_order_and_no_word_is_anothers(joined: Any) -> None:
    pool = pool_on(joined, MODULES)
    left = iter(range(STREAMS))
    wrong: list[int] = []

    async def caller() -> None:
        for number in left:
            words = [f"{number}-{n}" for n in range(WORDS)]
            if await answer(pool, " ".join(words)) != [f"{word} " for word in words]:
                wrong.append(number)

    await asyncio.gather(*(caller() for _ in range(AT_ONCE)))
    assert not wrong
    await pool.unload("echo", ModelType.LLM, "echo")
    await pool.aclose()


def spent(processes: list[psutil.Process]) -> float:
    times = [one.cpu_times() for one in processes]
    return sum(one.user + one.system for one in times)


async def cost(pool: Any, words: int) -> float:
    """Return the processor seconds a token takes in this process, the replica and the engine."""
    await answer(pool, "warm")
    engine = psutil.Process(pool.loaded()[0].pid)
    above = engine.parent()
    counted = {one.pid: one for one in (psutil.Process(), engine, above) if one is not None}
    before = spent(list(counted.values()))
    assert len(await answer(pool, " ".join(map(str, range(words))))) == words
    return (spent(list(counted.values())) - before) / words


async def test_a_token_through_ray_costs_little_more_than_through_a_pipe(joined: Any) -> None:
    async with Workers(MODULES) as workers:
        plain = await cost(workers, 5000)
    pool = pool_on(joined, MODULES)
    through = await cost(pool, 5000)
    await pool.unload("echo", ModelType.LLM, "echo")
    await pool.aclose()
    print(f"a token: pipe {plain * 1e6:.0f} µs, Ray {through * 1e6:.0f} µs of processor")  # noqa: T201 - a figure
    assert (through - plain) * 1e6 <= MICROSECONDS


async def test_more_callers_bring_more_replicas_and_fewer_break_no_stream(
    joined: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine sleeps, so that three replicas need three times its time and not three
    processors; it sleeps long, so that the rest of the machine's work does not decide.
    """
    monkeypatch.setattr("backends.cluster.pool.DOWN_SECONDS", 5.0)
    one, three = pool_on(joined, MODULES), pool_on(joined, MODULES, replicas=3)
    words = [f"{n}" for n in range(SLEEPS)]

    async def rate(pool: Any, seconds: float) -> float:
        """Return the words a second that six callers get together."""
        end = time.monotonic() + seconds
        come = 0

        async def caller() -> None:
            nonlocal come
            text = " ".join(f"NAP:{SLEEP_SECONDS} {word}" for word in words)
            while time.monotonic() < end:
                said = [UserPromptMessage(content=text)]
                so_far: list[str] = []
                async for chunk in pool.stream(
                    "echo", ModelType.LLM, model="echo", credentials={}, prompt_messages=said
                ):
                    if word := chunk.delta.message.content:
                        so_far.append(word.strip())
                        come += time.monotonic() < end
                assert so_far == words

        await asyncio.gather(*(caller() for _ in range(6)))
        return come / seconds

    await answer(one, "ready")  # it is deployed before it is measured
    alone = await rate(one, 30)
    await one.unload("echo", ModelType.LLM, "echo")
    await answer(three, "ready")
    grown = time.monotonic()
    while len(three.loaded()) < 3:
        await rate(three, 5)
        assert time.monotonic() - grown < 120
    together = await rate(three, 30)
    print(  # noqa: T201 - a figure
        f"1 → 3 replicas: {alone:.2f} → {together:.2f} words/s, ×{together / alone:.2f};"
        f" the engine sleeps {SLEEP_SECONDS} s a word, {SLEEPS} words an answer"
    )
    assert together / alone >= GROWTH
    # with one caller left, two replicas end; its long answers are whole, wherever they are given
    long = " ".join(f"NAP:0.05 {n}" for n in range(100))
    shrunk = time.monotonic()
    while len(three.loaded()) > 1:
        assert await answer(three, long) == [f"{n} " for n in range(100)]
        assert time.monotonic() - shrunk < 180
    await three.unload("echo", ModelType.LLM, "echo")
    await one.aclose()
    await three.aclose()
