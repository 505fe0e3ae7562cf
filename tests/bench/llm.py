"""Language model: ratios against raw eval and sample of the same library, in the same process.

    python -m tests.bench.llm [--pairs 9] [--tokens 1000] [--model FILE]

Without a file the starter model is measured. Pairs alternate A B A B; the median ratio and its
range are printed. Counts do not depend on the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import llama_cpp

from backends.catalog import Catalog
from backends.flexai.entities import AssistantPromptMessage, ModelType, UserPromptMessage
from backends.flexai.errors import InvokeCancelledError
from backends.flexai.models.ai_model import cancellable
from backends.providers.llama_cpp.engine import LlamaEngine, engine_for
from backends.providers.llama_cpp.hardware import usable_cores
from backends.providers.llama_cpp.llm import LlamaCppLLM, sampling
from backends.providers.llama_cpp.loader import LlamaCredentials
from tests.contract import loopback

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Marks = list[tuple[int, float]]  # how many tokens, and in how many seconds


def show(name: str, ratios: list[float], target: str) -> None:
    print(
        f"{name}: {statistics.median(ratios):.3f}  [{min(ratios):.3f} – {max(ratios):.3f}],"
        f" {len(ratios)} pairs; target {target}"
    )


def raw(
    engine: LlamaEngine,
    prompt: list[int],
    tokens: int,
    marks: Marks | None = None,
    clock: Callable[[], float] = time.process_time,
) -> float:
    """Seconds (of CPU) for `tokens` by eval and sample alone, prompt evaluated before."""
    llama = engine.llama
    engine.context.forget()
    llama.reset()
    llama.eval(prompt)
    values = sampling({"temperature": 0.0, "repeat_penalty": 1.0})
    llama._sampler = llama._init_sampler(**values)  # else it makes one for each token
    begun = clock()
    for made in range(1, tokens + 1):
        token = llama.sample(**values)
        llama.eval([token])
        if marks is not None:
            marks.append((made, clock() - begun))
    return clock() - begun


def ours(model: LlamaCppLLM, credentials: dict[str, Any], said: list[Any], tokens: int) -> Marks:
    """How many tokens were made after the first piece, and in how many seconds of CPU, at each
    piece.
    """
    greedy = {"temperature": 0.0, "repeat_penalty": 1.0, "max_tokens": tokens}
    first, begun = 0, 0.0
    marks: Marks = []
    for chunk in model._stream("m", credentials, said, greedy, None, None):
        now = time.process_time()
        if not begun:
            first, begun = chunk.delta.index, now
        made = chunk.delta.usage.completion_tokens if chunk.delta.usage else chunk.delta.index
        marks.append((made - first, now - begun))
    return marks


def streaming(credentials: dict[str, Any], pairs: int, tokens: int) -> None:
    """Added CPU a token, and how the cost of a token grows with the answer."""
    model = LlamaCppLLM("llama_cpp")
    engine = engine_for(credentials)
    said = [UserPromptMessage(content="Count upwards forever, from one in words, and never stop.")]
    prompt = engine.render([{"role": "user", "content": said[0].text()}], None)
    # no token ends the answer, so both arms make the same number
    ends, llama_cpp.llama_vocab_is_eog = llama_cpp.llama_vocab_is_eog, lambda *_: False
    ratios, growth, added = [], [], []
    for _ in range(pairs):
        marks = ours(model, credentials, said, tokens)
        made, spent = marks[-1]
        theirs = raw(engine, prompt, made)
        ratios.append(spent / theirs)
        added.append((spent - theirs) / made * 1e6)
        raw_marks: Marks = []
        raw(engine, prompt, made, raw_marks)
        growth.append(late_to_early(marks) / late_to_early(raw_marks))
    show(f"streaming {tokens} tokens, CPU ours / raw eval+sample", ratios, "≤ 1.02")
    print(
        f"added CPU a token: {statistics.median(added):.0f} µs; raw: {theirs / made * 1e6:.0f} µs"
    )
    show(f"cost of a token at {tokens} / at {min(100, tokens // 4)}, over raw's", growth, "≤ 1.10")
    llama_cpp.llama_vocab_is_eog = ends


def late_to_early(marks: Marks) -> float:
    """What a token cost among the last hundred against the hundred from the hundredth on; quarters
    of a shorter answer.
    """
    made = marks[-1][0]
    width = min(100, made // 4)
    return cost(marks, made - width, made) / cost(marks, width, 2 * width)


def cost(marks: Marks, first: int, last: int) -> float:
    """Seconds a token between two numbers of tokens, or the pieces next to them."""
    begin, end = (next(mark for mark in marks if mark[0] >= made) for made in (first, last))
    return (end[1] - begin[1]) / (end[0] - begin[0])


def turns(credentials: dict[str, Any], pairs: int) -> None:
    """Time to the first token of turn 10, kept prefix against a cold context."""
    model = LlamaCppLLM("llama_cpp")
    engine = engine_for(credentials)
    ratios, evaluated = [], []
    for pair in range(pairs):
        said: list[Any] = []
        for turn in range(9):
            said.append(
                UserPromptMessage(
                    content=f"Question {pair} {turn}: " + "tell me about rivers and hills. " * 8
                )
            )
            answer = model.invoke(
                "m", credentials, said, {"max_tokens": 12, "temperature": 0.0}, stream=False
            )
            said.append(AssistantPromptMessage(content=answer.message.text()))  # type: ignore[union-attr]
        said.append(UserPromptMessage(content="And why is that?"))
        before = answer.usage.total_tokens  # type: ignore[union-attr]
        times = []
        for cold in (False, True):
            if cold:
                engine.context.forget()
            begun = time.perf_counter()
            chunks = list(
                model.invoke("m", credentials, said, {"max_tokens": 1, "temperature": 0.0})
            )
            times.append(time.perf_counter() - begun)
            if not cold:
                usage = chunks[-1].delta.usage
                reused = int((chunks[-1].system_fingerprint or "=0").split("=")[1])
                evaluated.append((usage.prompt_tokens - reused) - (usage.prompt_tokens - before))  # type: ignore[union-attr]
        ratios.append(times[0] / times[1])
    show("turn 10, time to first token, kept prefix / cold", ratios, "≤ 0.10")
    print(f"tokens evaluated beyond the new ones: {max(evaluated)}; target ≤ 16")


def stopping(credentials: dict[str, Any], pairs: int) -> None:
    """Time to stop in mid-prefill against the time the prefill had left."""
    model = LlamaCppLLM("llama_cpp")
    engine = engine_for(credentials)
    ratios = []
    for pair in range(pairs):
        said = [UserPromptMessage(content=f"{pair} " + "word " * 1200)]
        engine.context.forget()
        begun = time.perf_counter()
        list(model.invoke("m", credentials, said, {"max_tokens": 1}))
        whole = time.perf_counter() - begun
        engine.context.forget()
        flag, stopped = threading.Event(), [0.0]

        def stop(flag: threading.Event = flag, stopped: list[float] = stopped) -> None:
            stopped[0] = time.perf_counter()
            flag.set()

        timer = threading.Timer(whole / 4, stop)
        with cancellable(flag):
            timer.start()
            try:
                list(model.invoke("m", credentials, said, {"max_tokens": 1}))
            except InvokeCancelledError:
                ratios.append((time.perf_counter() - stopped[0]) / (whole * 3 / 4))
        timer.join()
    show("stop in mid-prefill / prefill left", ratios, "≤ 0.05")


def service(credentials: dict[str, Any], pairs: int, tokens: int) -> None:
    """Tokens a second through worker, service and SSE, against eval and sample in this process.

    With as many threads as there are cores each moment of the service is taken from the model; with
    one fewer it is not. Both arms have the same threads.
    """
    threads = int(credentials.get("n_threads") or usable_cores())
    engine = engine_for(credentials)
    text = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,"  # it counts on, and does not end
    prompt = engine.tokens_of(text, special=False, begin=True)
    ratios, made = [], 0
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder), credentials | {"mode": "completion"}) as told,
    ):
        spoken(told, text, 8)  # the model is loaded now
        for _ in range(pairs):
            made, seconds = spoken(told, text, tokens)
            ratios.append(raw(engine, prompt, made, clock=time.perf_counter) / seconds)
    told = f"{made} tokens through service and SSE, {threads} threads on {usable_cores()} cores"
    show(f"{told}, tokens/s ours / raw eval+sample", ratios, "≥ 0.95")


@contextmanager
def serving(folder: Path, credentials: dict[str, Any]) -> Iterator[dict[str, str]]:
    """Run our service with this model; yield its address and key."""
    environment = os.environ | {"BENCH_MODEL": json.dumps(credentials)}
    command = [sys.executable, "-m", "tests.bench.llm", "--serve", str(folder)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdin
        assert process.stdout
        yield json.loads(process.stdout.readline())
        process.stdin.close()


def serve(folder: str) -> None:
    """Be that service."""
    loopback.LOCAL = {"bench": ("llama_cpp", ModelType.LLM, json.loads(os.environ["BENCH_MODEL"]))}
    sys.argv = ["loopback", folder]
    loopback.main()


def spoken(told: dict[str, str], text: str, tokens: int) -> tuple[int, float]:
    """Return how many tokens a streamed answer had after its first, and in how many seconds they
    came.

    What comes is only kept with its time until the end: on a machine all of whose cores compute, a
    client's own work would be measured, too.
    """
    body: dict[str, Any] = {"model": "bench", "messages": [{"role": "user", "content": text}]}
    body |= {"stream": True, "stream_options": {"include_usage": True}}
    body |= {"max_tokens": tokens, "temperature": 0.0, "repeat_penalty": 1.0}
    at = urlsplit(told["base_url"])
    sent = json.dumps(body).encode()
    head = f"POST {at.path}/chat/completions HTTP/1.1\r\nHost: {at.netloc}\r\nConnection: close\r\n"
    head += f"Authorization: Bearer {told['api_key']}\r\nContent-Type: application/json\r\n"
    came: list[tuple[float, bytes]] = []
    with socket.create_connection((at.hostname, at.port), timeout=300) as wire:
        wire.sendall(f"{head}Content-Length: {len(sent)}\r\n\r\n".encode() + sent)
        while data := wire.recv(65536):
            came.append((time.perf_counter(), data))
    whole = b"".join(data for _, data in came).decode()
    assert whole.startswith("HTTP/1.1 200"), whole[:500]
    events = [json.loads(found) for found in re.findall(r"data: (\{.*\})", whole)]
    made = next(event["usage"]["completion_tokens"] for event in events if event.get("usage"))
    begun = first_word(came)
    return made - 1, came[-1][0] - begun


def first_word(came: list[tuple[float, bytes]]) -> float:
    """When the first piece of the answer was there; the event before it, of who speaks, is
    empty.
    """
    seen = b""
    for moment, data in came:
        seen += data
        if re.search(rb'"content": "[^"]', seen):
            return moment
    raise AssertionError("nothing was said")


def memory(credentials: dict[str, Any], tokens: int) -> None:
    """Peak memory of a process that answers once, against one that uses the library as it comes."""
    peaks = {}
    for arm in ("ours", "raw"):
        environment = os.environ | {"BENCH_MODEL": json.dumps(credentials)}
        command = [sys.executable, "-m", "tests.bench.llm", "--arm", arm, "--tokens", str(tokens)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        peaks[arm] = int(done.stdout.split()[-1])
    ratio = peaks["ours"] / peaks["raw"]
    print(
        f"peak memory, ours / raw library: {ratio:.2f} ({peaks['ours'] / 1e6:.0f} MB /"
        f" {peaks['raw'] / 1e6:.0f} MB); target ≤ 1.10"
    )


def arm(name: str, tokens: int) -> None:
    """Answer once and print the peak of this process in bytes."""
    credentials = json.loads(os.environ["BENCH_MODEL"])
    text = "Tell me about rivers and hills. " * 60
    if name == "ours":
        model = LlamaCppLLM("llama_cpp")
        list(
            model.invoke(
                "m", credentials, [UserPromptMessage(content=text)], {"max_tokens": tokens}
            )
        )
    else:
        llama = llama_cpp.Llama(
            credentials["model_path"],
            n_ctx=int(credentials["n_ctx"]),
            flash_attn=True,
            verbose=False,
        )
        said: Any = [{"role": "user", "content": text}]
        for _ in llama.create_chat_completion(said, max_tokens=tokens, stream=True):
            pass
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(peak if sys.platform == "darwin" else peak * 1024)


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--tokens", type=int, default=1000)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--arm", choices=["ours", "raw"], help=argparse.SUPPRESS)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.tokens < 20:
        parser.error("--tokens is at least 20")
    if options.arm:
        return arm(options.arm, options.tokens)
    if options.serve:
        return serve(options.serve)
    found = None if options.model else Catalog().installed("smollm2-135m")
    assert found or options.model, "pull the starter model first, or name a file"
    known = found.credentials if found else {"model_path": str(options.model.absolute())}
    credentials = known | {"n_ctx": "8192"}
    assert LlamaCredentials.model_validate(credentials)
    memory(credentials, 100)
    for threads in range(usable_cores(), max(0, usable_cores() - 2), -1):
        service(credentials | {"n_threads": str(threads)}, options.pairs, options.tokens)
    streaming(credentials, options.pairs, options.tokens)
    turns(credentials, options.pairs)
    stopping(credentials, options.pairs)
    return None


if __name__ == "__main__":
    main()
