"""A hundred callers at one service for ten minutes: hangs, lost and mixed-up answers, memory.

    python -m tests.bench.callers [--callers 100] [--minutes 10] [--slots 4] [--tokens 10]
                                  [--cluster] [--replicas 3]

The service is a process of its own with its real application; the engine of the test provider
sleeps between words of its own, so that the machine is not what is measured. Every question has
words no other question has. Some answers are streamed, some come whole, and some callers hang up in
the middle. With --cluster the model runs on Ray.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil
import uvicorn

from backends.flexai.entities import ModelType
from backends.service.access import TokenFile
from tests.shared_cluster import FILES

CHAT = "/v1/chat/completions"
MODULES = {"echo": "tests.echo_provider"}
MODEL = "office/echo"
OWNER = "owner"
WORDS, NAP_SECONDS = 24, 0.02
HANG_SECONDS = 600.0  # an answer that takes longer never comes
SAMPLE_SECONDS = 2.0


@dataclass
class Outcome:
    """What the callers saw. seconds: of the answers that came whole."""

    counts: Counter[str] = field(default_factory=Counter[str])
    seconds: list[float] = field(default_factory=list[float])
    wrong: list[str] = field(default_factory=list[str])


def serve(options: argparse.Namespace) -> None:
    """Run the service until standard input closes; print its port."""
    from backends.cluster.settings import prepare
    from backends.service.__main__ import end_with_parent
    from backends.service.app import create_app, start_workers
    from backends.workers import Budget, Pool

    folder = Path(os.environ["DESKPILOT_HOME"])
    start_pool = start_workers
    if options.cluster:
        prepare(loopback=True)
        from backends.cluster.nodes import RayCluster
        from backends.cluster.pool import Cluster

        joined = RayCluster("local", Budget())

        async def start_on_ray(modules: dict[str, str] | None, budget: Budget) -> Pool:
            return Cluster(joined, budget, replicas=options.replicas, modules=modules)

        start_pool = start_on_ray
    credentials = {"n_parallel": str(options.slots), **(FILES if options.cluster else {})}
    model = {"model": "echo", "type": ModelType.LLM.value, "credentials": credentials}
    app = create_app(
        OWNER,
        frozenset({"127.0.0.1"}),
        "bench",
        warm=False,
        modules=MODULES,
        lent={"office": {"provider": "echo", "models": [model]}},
        tokens_file=folder / "tokens",
        metrics=True,
        start_pool=start_pool,
    )
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False))
    from threading import Thread

    Thread(target=end_with_parent, args=(server,), daemon=True).start()
    print(listener.getsockname()[1], flush=True)
    server.run(sockets=[listener])


class Caller:
    """Asks one question after the other, each with words of its own."""

    def __init__(self, number: int, client: httpx.AsyncClient, outcome: Outcome) -> None:
        self._number = number
        self._client = client
        self._outcome = outcome
        self._chance = random.Random(number)

    async def ask_until(self, end: float) -> None:
        """Ask until a moment; the last answer is waited for."""
        at = 0
        while time.monotonic() < end:
            at += 1
            words = [f"c{self._number}q{at}w{n}" for n in range(WORDS)]
            kind = self._chance.choices(["stream", "whole", "hang up"], [60, 30, 10])[0]
            try:
                async with asyncio.timeout(HANG_SECONDS):
                    await self._ask(kind, words)
            except TimeoutError:
                self._outcome.counts["hung"] += 1
            except httpx.HTTPError as error:
                self._outcome.counts[f"lost: {type(error).__name__}"] += 1

    async def _ask(self, kind: str, words: list[str]) -> None:
        text = " ".join(f"NAP:{NAP_SECONDS} {word}" for word in words)
        body = {
            "model": MODEL,
            "messages": [{"role": "user", "content": text}],
            "stream": kind != "whole",
        }
        expected = "".join(f"{word} " for word in words)
        begun = time.monotonic()
        so_far = ""
        async with self._client.stream("POST", CHAT, json=body) as answer:
            if answer.status_code == 429:
                self._outcome.counts["told to come back"] += 1
                await asyncio.sleep(float(answer.headers["Retry-After"]))
                return
            if answer.status_code != 200:
                await answer.aread()
                self._outcome.counts[f"lost: {answer.status_code}"] += 1
                return
            if kind == "whole":
                told = json.loads(await answer.aread())
                so_far = told["choices"][0]["message"]["content"]
            else:
                leave_after = self._chance.randrange(1, WORDS) if kind == "hang up" else WORDS + 1
                pieces = 0
                async for line in answer.aiter_lines():
                    if not line.startswith("data: {"):
                        continue
                    told = json.loads(line.removeprefix("data: "))
                    if "error" in told:
                        self._outcome.counts[f"lost: {told['error']['type']}"] += 1
                        self._outcome.wrong.append(str(told["error"]))
                        return
                    piece = told["choices"][0]["delta"].get("content") if "choices" in told else ""
                    so_far += piece or ""
                    pieces += bool(piece)
                    if pieces == leave_after:
                        break
        right = so_far == expected if kind != "hang up" else expected.startswith(so_far)
        self._outcome.counts[kind if right else "mixed up"] += 1
        if not right:
            self._outcome.wrong.append(f"{expected[:60]!r} came as {so_far[:200]!r}")
        elif kind != "hang up":
            self._outcome.seconds.append(time.monotonic() - begun)


def computed_and_waited(pid: int) -> tuple[float, float]:
    """Return the seconds the threads of a process computed, and those they waited for a processor
    (Linux): how busy the machine was with other things.
    """
    computed = waited = 0
    for file in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        with suppress(OSError):
            told = file.read_text().split()
            computed, waited = computed + int(told[0]), waited + int(told[1])
    return computed / 1e9, waited / 1e9


def memory_of(top: psutil.Process) -> dict[str, float]:
    """Return the resident megabytes of the service and of its engines."""
    found = {"service": top.memory_info().rss / 1e6, "engines": 0.0, "replicas": 0.0}
    for one in top.children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if "backends.workers.child" in one.cmdline():
                found["engines"] += one.memory_info().rss / 1e6
            elif one.name().startswith("ray::Serve"):
                found["replicas"] += one.memory_info().rss / 1e6
    return found


async def sample(top: psutil.Process, kept: list[tuple[float, dict[str, float]]]) -> None:
    """Note the memory again and again."""
    while True:
        kept.append((time.monotonic(), memory_of(top)))
        await asyncio.sleep(SAMPLE_SECONDS)


async def call(options: argparse.Namespace, port: int, folder: Path, top: psutil.Process) -> bool:
    """Have everybody ask; print what was seen and return whether nothing went wrong."""
    file = TokenFile(folder / "tokens")
    tokens = [file.add(f"desk {n}") for n in range(options.tokens)]
    outcome, memory = Outcome(), list[tuple[float, dict[str, float]]]()
    clients = [
        httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}",
            headers={"Authorization": f"Bearer {token}"},
            timeout=None,
            limits=httpx.Limits(max_connections=None),
        )
        for token in tokens
    ]
    sampling = asyncio.create_task(sample(top, memory))
    begun = time.monotonic()
    callers = [
        Caller(n, clients[n % len(clients)], outcome).ask_until(begun + options.minutes * 60)
        for n in range(options.callers)
    ]
    await asyncio.gather(*callers)
    took = time.monotonic() - begun
    await asyncio.sleep(2)
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {OWNER}"}) as owner:
        figures = (await owner.get(f"http://127.0.0.1:{port}/metrics")).text
    sampling.cancel()
    for client in clients:
        await client.aclose()
    print_outcome(outcome, took, options)
    held = [one for one in figures.splitlines() if one.startswith("deskpilot_queue")]
    computed, waited = computed_and_waited(top.pid)
    print(f"the service computed {computed:.0f} s and waited {waited:.0f} s for a processor")
    print("afterwards:", "; ".join(one for one in held if "created" not in one))
    print_memory(memory)
    counts = outcome.counts
    return not any(one.startswith(("lost", "hung", "mixed")) for one in counts)


def print_outcome(outcome: Outcome, took: float, options: argparse.Namespace) -> None:
    counts, seconds = outcome.counts, sorted(outcome.seconds)
    print(
        f"{options.callers} callers, {options.tokens} tokens, {took:.0f} s: {dict(counts)};"
        f" {len(seconds) / took:.1f} answers a second, median {statistics.median(seconds):.1f} s,"
        f" longest {seconds[-1]:.1f} s"
    )
    lost = sum(number for kind, number in counts.items() if kind.startswith("lost"))
    print(f"hung {counts['hung']}, lost {lost}, mixed up {counts['mixed up']}")
    for one in outcome.wrong[:5]:
        print(f"  {one}")


def print_memory(kept: list[tuple[float, dict[str, float]]]) -> None:
    """Print the memory in the first, middle and last tenth, and its slope in the second half."""
    tenth = max(1, len(kept) // 10)
    half = kept[len(kept) // 2 :]
    for name in kept[-1][1]:
        parts = [kept[:tenth], kept[len(kept) // 2 - 1 :][:tenth], kept[-tenth:]]
        first, middle, last = (statistics.mean(told[name] for _, told in part) for part in parts)
        times, values = [at for at, _ in half], [told[name] for _, told in half]
        slope = statistics.linear_regression(times, values).slope * 60 if len(half) > 2 else 0.0
        print(
            f"memory of {name}: {first:.1f} MB at first, {middle:.1f} in the middle, {last:.1f} at"
            f" the end; {slope:+.3f} MB a minute in the second half"
        )


def main() -> int:
    """Return 0 if no answer hung, was lost or was another's."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--callers", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--slots", type=int, default=4)
    parser.add_argument("--tokens", type=int, default=10)
    parser.add_argument("--cluster", action="store_true")
    parser.add_argument("--replicas", type=int, default=3)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options)
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = [sys.executable, "-m", "tests.bench.callers", "--serve", *sys.argv[1:]]
        variables = os.environ | {"DESKPILOT_HOME": name, "DESKPILOT_MODELS": f"{name}/models"}
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=variables
        ) as process:
            assert process.stdin
            assert process.stdout
            port = int(process.stdout.readline())
            fine = asyncio.run(call(options, port, folder, psutil.Process(process.pid)))
            process.stdin.close()
            left = psutil.Process(process.pid).children(recursive=True)
            process.wait(timeout=60)
            _, alive = psutil.wait_procs(left, timeout=20)
            print(f"left running: {len(alive)}")
    return 0 if fine and not alive else 1


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main())
