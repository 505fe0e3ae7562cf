"""`deskpilot data design` as a process of its own: killed, stopped by Ctrl+C, gone on with; and
with the starter model.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.data.design.definition import State
from app.data.library.entry import LibraryEntry

if TYPE_CHECKING:
    from collections.abc import Iterator

LONG = 120


class Service(ThreadingHTTPServer):
    """A model service that chooses what stands first, and holds the request it is told to. held: it
    came; left: whoever asked hung up.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Chat)
        self.asked, self.hold_at = 0, 0
        self.held, self.left = threading.Event(), threading.Event()

    def announce(self, home: Path) -> None:
        """Say where it listens, as the service of a data folder does."""
        told = {
            "host": "127.0.0.1",
            "port": self.server_port,
            "token": "t",
            "pid": os.getpid(),
            "version": version("deskpilot"),
        }
        (home / "service.json").write_text(json.dumps(told), "utf-8")


class Chat(BaseHTTPRequestHandler):
    """Answers one request after the other."""

    server: Service

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked += 1
        if self.server.asked == self.server.hold_at:
            self.server.held.set()
            self.rfile.read(1)  # nothing, once whoever asked is gone
            self.server.left.set()
            return
        first = body["response_format"]["json_schema"]["schema"]["enum"][0]
        message = {"message": {"content": str(first)}}
        answer = json.dumps({"model": "first", "choices": [message]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def service(home: Path) -> Iterator[Service]:
    made = Service()
    made.announce(home)
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


@pytest.fixture
def tables(tmp_path: Path) -> list[str]:
    made: list[str] = []
    for name, factor in (("gdp", 3), ("cpi", 7)):
        rows = [
            f"{y}-{q * 3:02}-28,{100 + (y * q * factor) % 23}"
            for y in range(2018, 2024)
            for q in (1, 2, 3, 4)
        ]
        path = tmp_path / f"{name}.csv"
        path.write_text("\n".join([f"date,{name}", *rows]) + "\n", "utf-8")
        made.append(str(path))
    return made


def start(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "app", "data", "design", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, error = process.communicate(timeout=LONG)
    return process.returncode, out, error


def kept(home: Path) -> State:
    return State.model_validate_json((home / "design.json").read_text("utf-8"))


def entries(home: Path) -> dict[str, list[LibraryEntry]]:
    told = json.loads((home / "library.json").read_text("utf-8"))["entries"]
    return {
        name: [LibraryEntry.model_validate(raw) for raw in versions]
        for name, versions in told.items()
    }


def test_killed_it_goes_on_where_it_was(service: Service, home: Path, tables: list[str]) -> None:
    service.hold_at = 6
    process = start(*tables, "--requests", "7", "--chance", "1")
    assert service.held.wait(LONG)
    process.kill()
    assert ended(process)[0] == -signal.SIGKILL
    before = kept(home)
    assert (before.phase, len(before.requests)) == ("asking", 5)
    code, out, error = ended(start())
    assert code == 0, error
    after = kept(home)
    assert after.id == before.id
    assert [r.request for r in after.requests[:5]] == [r.request for r in before.requests]
    assert len({r.request for r in after.requests}) == 7
    assert after.phase == "done"
    assert "7 requests" in out
    assert all(len(versions) == 1 for versions in entries(home).values())
    assert sorted(entries(home)) == sorted(k.name for k in after.kept)


def test_ctrl_c_reaches_the_model_and_loses_nothing(
    service: Service, home: Path, tables: list[str]
) -> None:
    service.hold_at = 4
    process = start(tables[0], "--requests", "4", "--chance", "1")
    assert service.held.wait(LONG)
    code, _, error = ended(start())  # one at a time
    assert code == 1
    assert "is already running" in error
    process.send_signal(signal.SIGINT)
    assert service.left.wait(LONG)
    code, _, error = ended(process)
    assert code == 130
    assert "To resume: deskpilot data design" in error
    assert len(kept(home).requests) == 3
    code, out, error = ended(start("--json"))
    assert code == 0, error
    assert len(State.model_validate_json(out).requests) == 4


@pytest.mark.starter
def test_the_starter_model_designs(home: Path, tables: list[str]) -> None:
    code, _, error = ended(start(tables[0], "--requests", "2", "--chance", "1"))
    assert code == 0, error
    state = kept(home)
    assert state.phase == "done"
    assert state.model == "smollm2-135m"
    assert {r.model for r in state.requests} == {"smollm2-135m"}
    assert len({r.request for r in state.requests}) == 2
    assert state.validated
