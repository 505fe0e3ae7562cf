"""How the service starts and ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import httpx
import psutil
import pytest

from tests.service.conftest import start

if TYPE_CHECKING:
    from pathlib import Path

    from tests.service.conftest import Service

COMMAND = [sys.executable, "-m", "backends.service", "--parent-pipe", "--no-warm"]


def launch(repository: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=repository,
    )


def end(process: subprocess.Popen[bytes]) -> None:
    """Let a process end, its pipes closed."""
    process.communicate(timeout=20)


def test_of_services_started_at_once_one_runs_and_the_others_name_it(
    repository: Path, home: Path
) -> None:
    started = [launch(repository) for _ in range(4)]
    lines = [p.stdout.readline() if p.stdout else b"" for p in started]  # a line, or the end
    running = [p for p, line in zip(started, lines, strict=True) if line]
    assert len(running) == 1
    told = json.loads((home / "service.json").read_text())
    assert told["pid"] == running[0].pid
    for process in started:
        if process is not running[0]:
            _, said = process.communicate(timeout=20)
            assert process.returncode == 1
            assert f"http://127.0.0.1:{told['port']}" in said.decode()
    end(running[0])


def test_a_service_killed_outright_does_not_keep_the_next_from_starting(
    repository: Path, home: Path
) -> None:
    first = start(repository, "--no-warm")
    first.process.kill()
    end(first.process)
    left = json.loads((home / "service.json").read_text())
    second = start(repository, "--no-warm")
    assert (
        json.loads((home / "service.json").read_text())["pid"] == second.process.pid != left["pid"]
    )
    end(second.process)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_with_nothing_left(repository: Path, home: Path, number: int) -> None:
    running = start(repository, "--no-warm")
    running.process.send_signal(number)
    end(running.process)
    assert running.process.returncode == 0
    assert not (home / "service.json").exists()


@pytest.mark.starter
def test_a_signal_in_mid_answer_ends_the_workers_too(service: Service, home: Path) -> None:
    body = {
        "messages": [{"role": "user", "content": "Write a very long story about the sea."}],
        "max_tokens": 7000,
        "stream": True,
    }
    with (
        service.client() as client,
        client.stream("POST", "/v1/chat/completions", json=body) as answer,
    ):
        chunks = answer.iter_bytes()
        next(chunks)
        workers = psutil.Process(service.process.pid).children()
        assert workers
        service.process.send_signal(signal.SIGTERM)
        service.process.wait(timeout=20)
        got: list[bytes] = []
        broke_off = False
        try:
            got.extend(chunks)
        except httpx.RemoteProtocolError:
            broke_off = True
        # An answer may end in the grace a signal leaves; a stream that stops without saying so may
        # not.
        assert broke_off or b"".join(got).rstrip().endswith(b"[DONE]")
        _, alive = psutil.wait_procs(workers, timeout=5)
        assert not alive
    assert not (home / "service.json").exists()


@pytest.mark.starter
def test_workers_end_when_the_service_is_killed_in_mid_answer(service: Service) -> None:
    body = {
        "messages": [{"role": "user", "content": "Write a very long story about the sea."}],
        "max_tokens": 7000,
        "stream": True,
    }
    with (
        service.client() as client,
        client.stream("POST", "/v1/chat/completions", json=body) as answer,
    ):
        next(answer.iter_bytes())
        workers = psutil.Process(service.process.pid).children()
        assert workers
        os.kill(service.process.pid, signal.SIGKILL)
        _, alive = psutil.wait_procs(workers, timeout=5)
        assert not alive


def test_without_models_the_service_stays_under_120_megabytes(repository: Path) -> None:
    running = start(repository, "--no-warm")
    try:
        with running.client() as client:
            for _ in range(3):
                assert client.get("/agents.json").status_code == 200
        process = psutil.Process(running.process.pid)
        assert process.memory_info().rss < 120_000_000
        assert not process.children()
    finally:
        end(running.process)


def test_it_serves_without_any_model_and_says_what_to_do(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKPILOT_MODELS", str(tmp_path / "none"))
    running = start(repository)
    with running.client() as client:
        chat = client.post(
            "/v1/chat/completions", json={"messages": [{"role": "user", "content": "Hi"}]}
        )
        assert chat.status_code == 404
        assert "models pull" in chat.json()["error"]["message"]
        for widgets in ([], {"primary": []}):  # the generation of 2024, and today's
            body: dict[str, Any] = {
                "messages": [{"role": "human", "content": "Hi"}],
                "widgets": widgets,
            }
            answer = client.post("/v1/query", json=body)
            assert answer.status_code == 200
            assert "models pull" in answer.text
            assert ("event: copilotStatusUpdate" in answer.text) == isinstance(widgets, dict)
    end(running.process)


@pytest.mark.parametrize(
    ("arguments", "name", "status"),
    [([], "desk.local", 403), (["--allow-host", "desk.local"], "Desk.Local:80", 200)],
)
def test_other_names_are_answered_only_when_allowed(
    repository: Path, arguments: list[str], name: str, status: int
) -> None:
    running = start(repository, "--no-warm", *arguments)
    assert httpx.get(f"{running.url}/healthz", headers={"Host": name}).status_code == status
    assert httpx.get(f"{running.url}/healthz", headers={"Host": "localhost"}).status_code == 200
    end(running.process)


SERVE = [sys.executable, "-c", "from app.cli import main; main()", "serve", "--no-warm"]


def told_by(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    """Return what a service says of itself once it listens."""
    assert process.stdout
    return json.loads(process.stdout.readline())


def answers(told: dict[str, Any]) -> int:
    """Return the status of a question to a service, with its token."""
    address = f"http://{told['host']}:{told['port']}/v1/models"
    return httpx.get(address, headers={"Authorization": f"Bearer {told['token']}"}).status_code


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_ending_serve_ends_the_service_and_the_next_one_starts(
    repository: Path, home: Path, number: int
) -> None:
    for _ in range(2):
        process = subprocess.Popen(SERVE, stdout=subprocess.PIPE, cwd=repository)
        told = told_by(process)
        family = [psutil.Process(told["pid"]), *psutil.Process(process.pid).children(True)]
        assert answers(told) == 200
        process.send_signal(number)
        end(process)
        _, alive = psutil.wait_procs(family, timeout=5)
        assert not alive
        with pytest.raises(httpx.ConnectError):
            answers(told)


def test_where_a_process_cannot_become_another_its_child_ends_with_it(
    repository: Path, home: Path
) -> None:
    code = (
        "import sys; from backends.children import attend_bound;"
        "attend_bound('-m', 'backends.service', '--no-warm', '--parent-pipe')"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=repository)
    child = psutil.Process(told_by(process)["pid"])
    process.kill()
    end(process)
    child.wait(timeout=5)


def test_serve_beside_the_service_of_a_window_works_and_leaves_that_one_known(
    repository: Path, home: Path
) -> None:
    window = start(repository, "--no-warm")
    known = (home / "service.json").read_text()
    process = subprocess.Popen(
        SERVE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=repository
    )
    told = told_by(process)
    assert told["port"] != json.loads(known)["port"]
    assert answers(told) == answers(json.loads(known)) == 200
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=20)
    assert "runs alongside it" in said.decode()
    assert (home / "service.json").read_text() == known
    assert answers(json.loads(known)) == 200
    end(window.process)


def test_a_token_comes_from_a_file_or_the_environment_and_is_never_an_argument(
    repository: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKPILOT_TOKEN", "of-the-environment")
    file = tmp_path / "token"
    file.write_text("of-the-file\n")
    for arguments, token in (
        ([], "of-the-environment"),
        (["--token-file", str(file)], "of-the-file"),
    ):
        process = subprocess.Popen([*SERVE, *arguments], stdout=subprocess.PIPE, cwd=repository)
        told = told_by(process)
        assert told["token"] == token
        assert answers(told) == 200
        assert token not in " ".join(psutil.Process(told["pid"]).cmdline())
        process.terminate()
        end(process)
    refused = subprocess.run([*SERVE, "--token", "seen"], capture_output=True, cwd=repository)
    assert refused.returncode == 2
    for content in ("", "two lines\nof it"):
        file.write_text(content)
        arguments = [*SERVE, "--token-file", str(file)]
        done = subprocess.run(arguments, capture_output=True, text=True, cwd=repository)
        assert (done.returncode, "contains no token" in done.stderr) == (1, True)
