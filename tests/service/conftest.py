"""A real service process for each test that wants one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

import httpx
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

REPOSITORY = Path(__file__).resolve().parents[2]
# `DESKPILOT_TEST_CLUSTER=local` runs these tests on Ray: python3 packaging/dev.py test --cluster
ON_RAY = ["--cluster", named] if (named := os.environ.get("DESKPILOT_TEST_CLUSTER")) else []


@dataclass
class Service:
    """A running service."""

    process: subprocess.Popen[bytes]
    url: str
    token: str

    def client(self) -> httpx.Client:
        return httpx.Client(
            base_url=self.url, headers={"Authorization": f"Bearer {self.token}"}, timeout=60
        )


def start(repository: Path, *arguments: str, stderr: IO[str] | None = None) -> Service:
    command = [sys.executable, "-m", "backends.service", "--parent-pipe", *ON_RAY, *arguments]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, cwd=repository
    )
    assert process.stdout
    told = json.loads(process.stdout.readline())
    return Service(process, f"http://{told['host']}:{told['port']}", told["token"])


def stop(service: Service) -> None:
    """End a service and wait for it."""
    assert service.process.stdin
    assert service.process.stdout
    service.process.stdin.close()
    service.process.wait(timeout=10)
    service.process.stdout.close()


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One service for those tests of a file that only ask: they neither end it nor count what it
    has loaded.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DESKPILOT_HOME", str(tmp_path_factory.mktemp("lasting")))
        running = start(REPOSITORY)
    yield running
    stop(running)


@pytest.fixture
def service(repository: Path, home: Path) -> Iterator[Service]:
    running = start(repository)
    yield running
    stop(running)
