"""A caller that hangs up stops the computation, whatever it had asked for and however far it was.

Judged by the processor time of the model's process, which a busy machine does not change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import psutil
import pytest

if TYPE_CHECKING:
    from tests.service.conftest import Service

pytestmark = pytest.mark.starter

CHAT, QUERY, EMBED = "/v1/chat/completions", "/v1/query", "/v1/embeddings"
LONG = "word " * 7000  # many seconds of prefill
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "a whole answer, in prefill": (CHAT, {"messages": [{"role": "user", "content": LONG}]}),
    "a stream, in prefill": (
        CHAT,
        {"messages": [{"role": "user", "content": LONG}], "stream": True},
    ),
    "a copilot's answer, in prefill": (QUERY, {"messages": [{"role": "human", "content": LONG}]}),
}
SECONDS = 6.0  # of processor time; the whole prompt takes 40 and more


def worker(client: httpx.Client, kind: str) -> psutil.Process:
    loaded = client.get("/v1/manage/models").json()["loaded"]
    return psutil.Process(next(w["pid"] for w in loaded if w["type"] == kind))


def spent(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def say(client: httpx.Client, tokens: int) -> None:
    body = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": tokens}
    assert client.post(CHAT, json=body).status_code == 200


@pytest.mark.parametrize("case", CASES)
def test_a_prefill_nobody_waits_for_ends(service: Service, case: str) -> None:
    path, body = CASES[case]
    with service.client() as client:
        say(client, 1)
        model = worker(client, "llm")
        with pytest.raises(httpx.ReadTimeout):
            client.post(path, json=body, timeout=httpx.Timeout(60, read=1))
        before = spent(model)
        say(client, 1)  # waits for its turn: the model takes one call at a time
        assert spent(model) - before < SECONDS
        assert worker(client, "llm").pid == model.pid


def test_an_answer_nobody_reads_ends(service: Service) -> None:
    body = {
        "messages": [{"role": "user", "content": "Write a very long story about the sea."}],
        "max_tokens": 7000,
        "stream": True,
    }
    with service.client() as client:
        say(client, 1)
        model = worker(client, "llm")
        with client.stream("POST", CHAT, json=body) as answer:
            next(answer.iter_bytes())
        before = spent(model)
        say(client, 1)
        assert spent(model) - before < SECONDS
        assert worker(client, "llm").pid == model.pid


def test_embeddings_nobody_waits_for_leave_the_embedder_ready(service: Service) -> None:
    with service.client() as client:
        client.post(EMBED, json={"input": "a"})
        with pytest.raises(httpx.ReadTimeout):
            client.post(
                EMBED, json={"input": ["word " * 100] * 3000}, timeout=httpx.Timeout(60, read=0.5)
            )
        assert client.post(EMBED, json={"input": "a"}).status_code == 200
