"""Several users of one language model: tokens a second together, texts, fairness, the first token.

    python -m tests.bench.parallel [--users 8] [--slots 4] [--tokens 64] [--rounds 3] [--model FILE]
                                   [--peer]

Without a file the starter model is measured. Arms alternate in one run: one call at a time (one
sequence), and as many sequences as slots; with `--peer` also `llama_cpp.server` of the same
library, which takes one call at a time. Every arm is asked over the same worker pool or HTTP.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import statistics
import subprocess
import sys
import time
from contextlib import aclosing, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx
import psutil

from backends.catalog import Catalog
from backends.flexai.entities import AssistantPromptMessage, ModelType, UserPromptMessage
from backends.workers import Workers

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator

TOPICS = ["rivers", "hills", "bread", "ships", "glass", "wool", "rain", "clocks", "maps", "salt"]


class TimedAnswer(NamedTuple):
    """An answer: its text, how many tokens, seconds to the first and to the last."""

    text: str
    tokens: int
    first: float
    whole: float


def question(user: int) -> str:
    return f"Tell me about {TOPICS[user % len(TOPICS)]}, story number {user}. " * 6


async def ask(
    pool: Workers, credentials: dict[str, Any], said: list[Any], most: int
) -> TimedAnswer:
    parameters = {"temperature": 0.0, "repeat_penalty": 1.0, "max_tokens": most}
    begun = time.perf_counter()
    first, text, tokens = 0.0, "", 0
    stream: AsyncGenerator[Any, None] = pool.stream(
        "llama_cpp",
        ModelType.LLM,
        model="bench",
        credentials=credentials,
        prompt_messages=said,
        model_parameters=parameters,
    )
    async with aclosing(stream) as chunks:
        async for chunk in chunks:
            first = first or time.perf_counter() - begun
            text += chunk.delta.message.text()
            tokens = chunk.delta.usage.completion_tokens if chunk.delta.usage else tokens
    return TimedAnswer(text, tokens, first, time.perf_counter() - begun)


async def round_of(pool: Workers, credentials: dict[str, Any], users: int, most: int, salt: str):
    """Have everybody ask at once; return the answers and the seconds of all."""
    begun = time.perf_counter()
    said = [[UserPromptMessage(content=f"{salt}{question(user)}")] for user in range(users)]
    answers = await asyncio.gather(*(ask(pool, credentials, one, most) for one in said))
    return answers, time.perf_counter() - begun


def cpu_of(pool: Workers) -> float:
    """Return the processor seconds a pool's model took so far, which other work does not change."""
    times = psutil.Process(pool.loaded()[0].pid).cpu_times()
    return times.user + times.system


async def alternating(pool: Workers, credentials: dict[str, Any], talks: int) -> float:
    """Seconds to the first token of turn 10 while `talks` conversations alternate, over cold."""
    said: list[list[Any]] = [[] for _ in range(talks)]
    for turn in range(9):
        for at, talk in enumerate(said):
            talk.append(UserPromptMessage(content=f"{at} {turn} " + "tell me about rivers. " * 12))
            answer = await ask(pool, credentials, talk, 8)
            talk.append(AssistantPromptMessage(content=answer.text))
    for talk in said:
        talk.append(UserPromptMessage(content="And why is that?"))
    kept = [(await ask(pool, credentials, talk, 1)).first for talk in said]
    cold = []
    for at, talk in enumerate(said):
        other = [UserPromptMessage(content=f"cold {at} {talk[0].text()}"), *talk[1:]]
        cold.append((await ask(pool, credentials, other, 1)).first)
    return statistics.median(kept) / statistics.median(cold)


@contextmanager
def peer(credentials: dict[str, Any]) -> Generator[str]:
    """Run `llama_cpp.server` with the same file, context and threads; yield its address."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "llama_cpp.server", "--model", credentials["model_path"]]
    command += ["--n_ctx", credentials["n_ctx"], "--port", str(port), "--host", "127.0.0.1"]
    command += ["--flash_attn", "true", "--verbose", "false"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        address = f"http://127.0.0.1:{port}"
        while True:
            try:
                httpx.get(f"{address}/v1/models", timeout=2)
                break
            except httpx.TransportError:
                time.sleep(0.2)
        yield address
        process.terminate()


async def peer_round(address: str, users: int, most: int, salt: str) -> float:
    """Return the tokens a second of the peer for the same questions."""
    async with httpx.AsyncClient(timeout=600) as client:

        async def one(user: int) -> int:
            body = {
                "messages": [{"role": "user", "content": f"{salt}{question(user)}"}],
                "max_tokens": most,
                "temperature": 0.0,
                "repeat_penalty": 1.0,
                "stream": True,
            }
            made = 0
            async with client.stream(
                "POST", f"{address}/v1/chat/completions", json=body
            ) as response:
                async for line in response.aiter_lines():
                    if line.startswith("data: {"):
                        delta = json.loads(line[6:])["choices"][0]["delta"]
                        made += bool(delta.get("content"))
            return made

        begun = time.perf_counter()
        made = sum(await asyncio.gather(*(one(user) for user in range(users))))
        return made / (time.perf_counter() - begun)


async def measure(options: argparse.Namespace, credentials: dict[str, Any]) -> None:
    arms = {"one at a time": "1", f"{options.slots} slots": str(options.slots)}
    pools = {name: Workers() for name in arms}
    rates: dict[str, list[float]] = {name: [] for name in arms}
    texts: dict[str, list[str]] = {}
    waits: list[float] = []
    spent: dict[str, list[float]] = {name: [] for name in arms}
    try:
        for pool, parallel in zip(pools.values(), arms.values(), strict=True):
            given = credentials | {"n_parallel": parallel}
            await round_of(pool, given, options.users, 4, "warm ")
        for at in range(options.rounds):
            for name, parallel in arms.items():
                given = credentials | {"n_parallel": parallel}
                before = cpu_of(pools[name])
                answers, seconds = await round_of(
                    pools[name], given, options.users, options.tokens, f"{at} "
                )
                made = sum(one.tokens for one in answers)
                rates[name].append(made / seconds)
                spent[name].append((cpu_of(pools[name]) - before) / made)
                texts[f"{name} {at}"] = [one.text for one in answers]
                if parallel != "1":
                    whole = [one.whole for one in answers]
                    waits.append(max(whole) / min(whole))
        print(f"{options.users} users, {options.tokens} tokens each, {options.rounds} rounds")
        for name, found in rates.items():
            print(
                f"{name}: {statistics.median(found):.1f} tokens/s ({min(found):.1f}-{max(found):.1f})"
            )
        for name, found in spent.items():
            cost = statistics.median(found) * 1e3
            print(f"{name}: {cost:.2f} ms of processor a token, prompts included")
        cheaper = [a / b for a, b in zip(*spent.values(), strict=True)]
        ratio = statistics.median(cheaper)
        print(f"tokens for each processor second, together / one at a time: {ratio:.2f}")
        one, many = rates.values()
        ratios = [b / a for a, b in zip(one, many, strict=True)]
        print(
            f"together / one at a time: {statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f}); target ≥ 1.6"
        )
        first, second = arms
        same = sum(
            a == b
            for at in range(options.rounds)
            for a, b in zip(texts[f"{first} {at}"], texts[f"{second} {at}"], strict=True)
        )
        print(f"same texts as alone: {same} of {options.users * options.rounds}")
        print(f"longest wait / shortest: {max(waits):.2f}; target ≤ 2")
        given = credentials | {"n_parallel": str(options.slots)}
        print(
            f"turn 10 while two alternate, kept / cold: {await alternating(pools[second], given, 2):.3f}; target ≤ 0.15"
        )
    finally:
        for pool in pools.values():
            await pool.aclose()
    if options.peer:
        with peer(credentials) as address:
            await peer_round(address, options.users, 4, "warm ")
            found = [
                await peer_round(address, options.users, options.tokens, f"{at} ")
                for at in range(options.rounds)
            ]
        print(
            f"llama_cpp.server: {statistics.median(found):.1f} tokens/s ({min(found):.1f}-{max(found):.1f})"
        )


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--users", type=int, default=8)
    parser.add_argument("--slots", type=int, default=4)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--peer", action="store_true")
    options = parser.parse_args()
    found = None if options.model else Catalog().installed("smollm2-135m")
    assert found or options.model, "pull the starter model first, or name a file"
    known = found.credentials if found else {"model_path": str(options.model.absolute())}
    asyncio.run(measure(options, known | {"n_ctx": "2048"}))


if __name__ == "__main__":
    main()
