"""The model service as a process: who may ask, how it ends, what it answers."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import httpx
import psutil
import pytest

from backends.service.__main__ import listen

if TYPE_CHECKING:
    from pathlib import Path

    from tests.service.conftest import Service

pytestmark = pytest.mark.starter


def events(text: str) -> list[tuple[str, Any]]:
    """Return the events of a stream that was read whole."""
    found: list[tuple[str, Any]] = []
    for block in text.replace("\r\n", "\n").split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
        if "data" in fields:
            found.append((fields.get("event", ""), json.loads(fields["data"])))
    return found


def test_only_health_is_open_and_only_under_our_names(service: Service) -> None:
    assert httpx.get(f"{service.url}/healthz").json()["status"] == "ok"
    assert httpx.get(f"{service.url}/v1/models").status_code == 401
    wrong = httpx.get(f"{service.url}/v1/models", headers={"Authorization": "Bearer nope"})
    assert wrong.status_code == 401
    with service.client() as client:
        assert client.get("/v1/models", headers={"Host": "evil.example"}).status_code == 403
        answer = client.get("/v1/models", headers={"Origin": "http://evil.example"})
        assert "access-control-allow-origin" not in answer.headers


def test_the_endpoint_file_is_for_its_owner_alone_and_goes_with_the_service(
    service: Service, home: Path
) -> None:
    file = home / "service.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads(file.read_text())["token"] == service.token
    assert service.process.stdin
    service.process.stdin.close()
    assert service.process.wait(timeout=10) == 0
    assert not file.exists()


def test_a_second_service_of_the_same_folder_says_who_runs(
    service: Service, repository: Path
) -> None:
    second = subprocess.run(
        [sys.executable, "-m", "backends.service"],
        capture_output=True,
        text=True,
        check=False,
        cwd=repository,
    )
    assert second.returncode == 1
    assert "is already running" in second.stderr


def test_no_word_of_a_stream_waits_for_the_one_before_to_be_acknowledged() -> None:
    """Without it each stream begins 40 ms late: its headers and its first event are two small
    writes.
    """
    with listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_listening_to_other_machines_needs_a_token(repository: Path) -> None:
    command = [sys.executable, "-m", "backends.service", "--host", "0.0.0.0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=repository)
    assert done.returncode == 1
    assert "--token-file" in done.stderr


def test_sigterm_ends_it_cleanly(service: Service, home: Path) -> None:
    service.process.send_signal(signal.SIGTERM)
    service.process.wait(timeout=10)
    assert not (home / "service.json").exists()


def test_service_and_workers_end_when_the_parent_is_killed(repository: Path) -> None:
    code = (
        "import subprocess, sys, json, httpx, time\n"
        "p = subprocess.Popen([sys.executable, '-m', 'backends.service', '--parent-pipe'],"
        " stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "told = json.loads(p.stdout.readline())\n"
        "base = f\"http://127.0.0.1:{told['port']}\"\n"
        "head = {'Authorization': 'Bearer ' + told['token']}\n"
        "httpx.post(base + '/v1/embeddings', json={'input': 'x'}, headers=head, timeout=60)\n"
        "loaded = httpx.get(base + '/v1/manage/models', headers=head).json()['loaded']\n"
        "print(json.dumps([p.pid] + [w['pid'] for w in loaded]), flush=True)\n"
        "time.sleep(3600)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=repository
    ) as parent:
        assert parent.stdout
        family = [psutil.Process(pid) for pid in json.loads(parent.stdout.readline())]
        assert len(family) == 2
        parent.kill()
        _, alive = psutil.wait_procs(family, timeout=8)
        assert not alive


@pytest.mark.parametrize("generation", ["2024", "today"])
def test_the_seeds_conversation_sent_with_curl_ends_in_the_value_of_its_data(
    service: Service, repository: Path, generation: str
) -> None:
    seed = json.loads(
        (repository / "tests" / "data" / f"seed_conversation_{generation}.json").read_text()
    )
    head = ["-H", f"Authorization: Bearer {service.token}", "-H", "Content-Type: application/json"]
    streams: list[list[tuple[str, Any]]] = []
    for request in seed["requests"]:
        command = ["curl", "-sS", *head, "-d", json.dumps(request), f"{service.url}/v1/query"]
        streams.append(
            events(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        )
    calls = [data for name, data in streams[0] if name == "copilotFunctionCall"]
    assert calls == [seed["call"]]
    answer = "".join(data["delta"] for name, data in streams[1] if name == "copilotMessageChunk")
    assert seed["answer_contains"] in answer
    assert "150.75" not in answer
    known = {"copilotMessageChunk", "copilotFunctionCall"}
    names = {name for stream in streams for name, _ in stream}
    assert names <= known if generation == "2024" else names > {"copilotCitationCollection"}


@pytest.mark.parametrize("shape", ["data:{content}", "content", "flat list", "items"])
def test_a_result_is_read_in_all_four_shapes_seen_in_the_wild(
    service: Service, repository: Path, shape: str
) -> None:
    seed = json.loads((repository / "tests" / "data" / "seed_conversation_2024.json").read_text())
    request = seed["requests"][1]
    content = request["messages"][2].pop("data")["content"]
    entry = {"content": content}
    request["messages"][2] |= {
        "data:{content}": {"data": entry},
        "content": entry,
        "flat list": {"data": [entry]},
        "items": {"data": [{"items": [entry]}]},
    }[shape]
    with service.client() as client:
        assert "233.85" in client.post("/v1/query", json=request).text


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b'{"messages": []}',
        b'{"messages": [{"role": "king", "content": "x"}]}',
        b'{"messages": [1]}',
    ],
)
def test_what_is_no_query_is_refused_in_words(service: Service, body: bytes) -> None:
    with service.client() as client:
        answer = client.post(
            "/v1/query", content=body, headers={"Content-Type": "application/json"}
        )
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["msg"]


def test_openai_style_chat_streams_and_counts(service: Service) -> None:
    body = {"messages": [{"role": "user", "content": "Say hi"}], "max_tokens": 5, "temperature": 0}
    with service.client() as client:
        whole = client.post("/v1/chat/completions", json=body).json()
        assert whole["choices"][0]["message"]["content"]
        assert whole["usage"]["completion_tokens"] <= 5
        options = {"stream": True, "stream_options": {"include_usage": True}}
        text = client.post("/v1/chat/completions", json=body | options).text
    lines = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ")]
    assert lines[-1] == "[DONE]"
    chunks = [json.loads(line) for line in lines[:-1]]
    said = "".join(c["choices"][0]["delta"].get("content", "") for c in chunks if c["choices"])
    assert said == whole["choices"][0]["message"]["content"]
    assert chunks[-1]["usage"]["total_tokens"] > 0


def test_openai_style_embeddings_come_as_floats_and_as_base64(service: Service) -> None:
    with service.client() as client:
        floats = client.post("/v1/embeddings", json={"input": ["a", "b"]}).json()
        packed = client.post(
            "/v1/embeddings", json={"input": "a", "encoding_format": "base64"}
        ).json()
        missing = client.post("/v1/embeddings", json={"input": "a", "model": "nope"})
    assert len(floats["data"]) == 2
    assert len(floats["data"][0]["embedding"]) == 384
    assert isinstance(packed["data"][0]["embedding"], str)
    assert missing.status_code == 404
    assert "models list" in missing.json()["error"]["message"]


def test_a_killed_worker_is_one_error_and_the_next_request_works(service: Service) -> None:
    body = {
        "messages": [{"role": "user", "content": "Write a very long story about the sea."}],
        "max_tokens": 2000,
        "stream": True,
    }
    with service.client() as client:
        with client.stream("POST", "/v1/chat/completions", json=body) as answer:
            lines = answer.iter_lines()
            next(lines)
            loaded = client.get("/v1/manage/models").json()["loaded"]
            os.kill(next(w["pid"] for w in loaded if w["type"] == "llm"), signal.SIGKILL)
            rest = "\n".join(lines)
        assert "InvokeServerUnavailableError" in rest
        again = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 2}
        assert client.post("/v1/chat/completions", json=again).status_code == 200


def test_a_model_is_freed_on_request(service: Service) -> None:
    with service.client() as client:
        client.post("/v1/embeddings", json={"input": "a"})
        loaded = client.get("/v1/manage/models").json()["loaded"]
        assert client.post("/v1/manage/unload", json={"model": "minilm-l6"}).json() == {
            "unloaded": True
        }
        assert not psutil.pid_exists(loaded[0]["pid"])
