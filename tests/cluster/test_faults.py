"""Two nodes on this machine: what is killed costs the words to come, one typed error, and seconds.

DESKPILOT_ROUNDS=20 kills each part at twenty moments.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import time
import warnings
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from backends.flexai.entities import ModelType, UserPromptMessage
from backends.flexai.errors import InvokeServerUnavailableError
from tests.shared_cluster import (
    NEEDS_RAY,
    of_cluster,
    pool_on,
    print_waits,
    start_ray,
    wants_cluster,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

pytestmark = [
    *NEEDS_RAY,
    pytest.mark.expects_log("could not be deployed|replica of echo failed"),
]
ROUNDS = int(os.environ.get("DESKPILOT_ROUNDS", "3"))
MODULES = {"echo": "tests.echo_provider"}
# The next answer after a loss. A new replica is a new process; on a busy machine it takes as long
# as it takes, so the start of the first one is the measure.
NEXT_SECONDS, NEXT_STARTS = 5.0, 2.0
NODE_SECONDS = 10.0  # until the head knows that a machine is gone
WORDS = 200


class TwoNodes:
    """A head, and a second node from time to time. ray: our connection to them."""

    def __init__(self, folder: Path) -> None:
        from pathlib import Path as AnyPath

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            start_ray_settings(folder)
            from ray.cluster_utils import Cluster

            # it writes its address there, whatever folder it is given
            AnyPath("/tmp/ray").mkdir(exist_ok=True)
            self.cluster = Cluster(
                initialize_head=True,
                head_node_args={"num_cpus": 1, "include_dashboard": False, **SMALL},
            )
            self.second: Any = None
            self.folder = folder
            self.ray = start_ray(folder, f"ray://{self.cluster.address}")

    def kill_second(self) -> None:
        """Kill all its processes, as a machine that goes takes them along."""
        raylet = psutil.Process(raylet_of(self.second))
        for process in [raylet, *raylet.children(recursive=True)]:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        self.cluster.remove_node(self.second, allow_graceful=False)

    def add_second(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.second = self.cluster.add_node(num_cpus=1, **SMALL)

    def end(self) -> None:
        from ray import serve

        serve.shutdown()
        self.ray.end()
        self.cluster.shutdown()
        _, alive = psutil.wait_procs(of_cluster(self.folder), timeout=20)
        assert not alive

    def engines(self) -> list[psutil.Process]:
        """Return the engines that run, those included whose replica or node is gone."""
        found = of_cluster(self.folder)
        return [one for one in found if "backends.workers.child" in told_to(one)]


def told_to(process: psutil.Process) -> list[str]:
    """Return the arguments of a process; none if it has just ended."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.cmdline()
    return []


SMALL = {"object_store_memory": 100_000_000, "memory": 4_000_000_000}


def start_ray_settings(folder: Path) -> None:
    from backends.cluster.settings import prepare

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DESKPILOT_HOME", str(folder))
        prepare(loopback=True)


@pytest.fixture(scope="module", autouse=True)
def nodes(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TwoNodes | None]:
    mine = [item for item in request.session.items if item.path == request.path]
    if not any(wants_cluster(item) for item in mine):
        yield None
        return
    made = TwoNodes(tmp_path_factory.mktemp("two-nodes"))
    yield made
    made.end()


@pytest.fixture
async def pool(nodes: TwoNodes) -> AsyncIterator[Any]:
    made = pool_on(nodes.ray, MODULES)
    yield made
    await made.unload("echo", ModelType.LLM, "echo")
    await made.aclose()


@pytest.fixture
async def wide_pool(nodes: TwoNodes) -> AsyncIterator[Any]:
    made = pool_on(nodes.ray, MODULES, replicas=3)
    yield made
    await made.unload("echo", ModelType.LLM, "echo")
    await made.aclose()


def said(text: str, **credentials: str) -> dict[str, Any]:
    return {
        "model": "echo",
        "credentials": credentials,
        "prompt_messages": [UserPromptMessage(content=text)],
    }


def slow(words: int = WORDS, seconds: float = 0.01) -> str:
    return " ".join(f"NAP:{seconds} {n}" for n in range(words))


async def answer(pool: Any, text: str, **credentials: str) -> list[str]:
    chunks = pool.stream("echo", ModelType.LLM, **said(text, **credentials))
    return [c.delta.message.content async for c in chunks if c.delta.message.content]


def engine_of(pool: Any) -> psutil.Process:
    return psutil.Process(next(one.pid for one in pool.loaded()))


def kill_engine(pool: Any, _: TwoNodes) -> None:
    engine_of(pool).kill()


def kill_replica(pool: Any, _: TwoNodes) -> None:
    parent = engine_of(pool).parent()
    assert parent is not None
    assert "ServeReplica" in " ".join(parent.cmdline())
    parent.kill()


@pytest.mark.parametrize("kill", [kill_engine, kill_replica])
async def test_what_is_killed_in_mid_answer_costs_one_typed_error_and_the_next_answer_comes_soon(
    pool: Any, nodes: TwoNodes, kill: Any
) -> None:
    chance = random.Random(24)
    begun = time.monotonic()
    assert await answer(pool, "ready") == ["ready "]
    most = max(NEXT_SECONDS, NEXT_STARTS * (time.monotonic() - begun))
    seconds: list[float] = []
    for _ in range(ROUNDS):
        engine, so_far, moment = engine_of(pool), list[str](), chance.randrange(1, WORDS - 20)
        with pytest.raises(InvokeServerUnavailableError) as caught:
            async for chunk in pool.stream("echo", ModelType.LLM, **said(slow())):
                so_far.append(chunk.delta.message.content)
                if len(so_far) == moment:
                    kill(pool, nodes)
        assert caught.value.remedy
        assert len(so_far) >= moment
        assert so_far == [f"{n} " for n in range(len(so_far))]
        begun = time.monotonic()
        assert await answer(pool, "again") == ["again "]
        seconds.append(time.monotonic() - begun)
        assert seconds[-1] < most
        engine.wait(timeout=5)
        assert [one.pid for one in nodes.engines()] == [engine_of(pool).pid]
    print_waits(kill.__name__.removeprefix("kill_"), seconds)


async def test_a_killed_node_breaks_the_answers_it_gave_and_no_other(
    nodes: TwoNodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(42)
    seconds: list[float] = []
    for _ in range(ROUNDS):
        nodes.add_second()
        pool, begun = pool_on(nodes.ray, MODULES), time.monotonic()
        only = [nodes.second.node_id]
        with monkeypatch.context() as patch:
            patch.setattr(nodes.ray, "nodes_with", lambda *_, only=only: only)
            assert await answer(pool, "ready") == ["ready "]
        most = NODE_SECONDS + NEXT_STARTS * (time.monotonic() - begun)
        replica = engine_of(pool).parent()
        assert replica is not None
        assert replica.ppid() == raylet_of(nodes.second)  # it was placed where its files are
        # another model is on the head
        head = [nodes.cluster.head_node.node_id]
        with monkeypatch.context() as patch:
            patch.setattr(nodes.ray, "nodes_with", lambda *_, head=head: head)
            other = asyncio.create_task(answer(pool, slow(400), model_path=__file__))
            so_far = list[str]()
            moment = chance.randrange(1, WORDS - 20)
            with pytest.raises(InvokeServerUnavailableError):
                async for chunk in pool.stream("echo", ModelType.LLM, **said(slow())):
                    so_far.append(chunk.delta.message.content)
                    if len(so_far) == moment:
                        await asyncio.to_thread(nodes.kill_second)
            assert so_far == [f"{n} " for n in range(len(so_far))]
            assert await other == [f"{n} " for n in range(400)]
        begun = time.monotonic()
        assert await answer(pool, "again") == ["again "]
        seconds.append(time.monotonic() - begun)
        assert seconds[-1] < most
        await pool.unload("echo", ModelType.LLM, "echo")
        await pool.aclose()
        assert not nodes.engines()
    print_waits("node", seconds)


async def test_a_machine_that_joins_later_is_used_and_no_answer_is_broken(nodes: TwoNodes) -> None:
    pool = pool_on(nodes.ray, MODULES, replicas=2)
    assert await answer(pool, "ready") == ["ready "]
    nodes.add_second()
    begun = time.monotonic()
    places: set[int] = set()
    whole = [f"{n} " for n in range(WORDS)]
    while raylet_of(nodes.second) not in places:
        answers = await asyncio.gather(*(answer(pool, slow()) for _ in range(3)))
        assert answers == [whole] * 3
        engines = [psutil.Process(one.pid) for one in pool.loaded()]
        places = {parent.ppid() for one in engines if (parent := one.parent()) is not None}
        assert time.monotonic() - begun < 240
    await pool.unload("echo", ModelType.LLM, "echo")
    await pool.aclose()
    await asyncio.to_thread(nodes.kill_second)


def raylet_of(node: Any) -> int:
    (process,) = node.all_processes["raylet"]
    return process.process.pid
