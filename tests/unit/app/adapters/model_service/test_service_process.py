"""Whether a service that left its address behind still runs."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from app.adapters.model_service.client import ServiceManage
from app.adapters.model_service.process import ServiceProcess, is_running, read_address, release
from app.domain.errors import ServiceError

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

ENDPOINT = {"host": "127.0.0.1", "port": 8000, "token": "t", "pid": os.getpid()}


def test_a_process_runs_until_it_has_ended_even_if_nobody_took_note() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert is_running(child.pid)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # dead, and still in the table
    assert psutil.pid_exists(child.pid)
    assert not is_running(child.pid)
    child.communicate()
    assert not is_running(child.pid)


def test_asking_whether_a_process_runs_sends_it_no_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows `os.kill` ends a process, whatever the signal."""
    monkeypatch.delattr(os, "kill")
    assert is_running(os.getpid())


@pytest.mark.parametrize(
    "told",
    [[], "x", None, {}, ENDPOINT | {"pid": "x"}, ENDPOINT | {"pid": None}, ENDPOINT | {"pid": -1}],
)
def test_an_address_of_another_shape_is_none(tmp_path: Path, told: Any) -> None:
    (tmp_path / "service.json").write_text(json.dumps(told))
    assert read_address(tmp_path / "service.json") is None


def test_the_address_of_a_running_service_is_read(tmp_path: Path) -> None:
    (tmp_path / "service.json").write_text(json.dumps(ENDPOINT))
    address = read_address(tmp_path / "service.json")
    assert address is not None
    assert (address.url, address.pid) == ("http://127.0.0.1:8000", os.getpid())


async def test_the_service_starts_with_the_limits_of_the_settings(home: Path) -> None:
    async def limits() -> dict[str, str]:
        return {"DESKPILOT_MEMORY": "3GB"}

    process = ServiceProcess(limits)
    try:
        told = await ServiceManage(process).get("/v1/manage/models")
    finally:
        await process.aclose()
    assert told["budget"]["bytes"] == 3_000_000_000


async def test_a_start_goes_on_when_the_one_who_asked_goes_away(home: Path) -> None:
    process = ServiceProcess()
    try:
        asking = asyncio.create_task(process.address())
        while process.pid is None:
            await asyncio.sleep(0)
        asking.cancel()
        first = await process.address()
        assert (await process.address()) == first
        assert first.pid == process.pid
    finally:
        await process.aclose()


async def test_a_service_another_one_started_is_used_and_goes_on_being_used(home: Path) -> None:
    """Ours ends at once where one runs; that is no death of the service."""
    theirs, ours = ServiceProcess(), ServiceProcess()
    first = await theirs.address()
    try:
        (home / "service.json").rename(
            home / "hidden.json"
        )  # not written yet when ours looks for it
        asking = asyncio.create_task(ours.address())
        while ours.pid is None:
            await asyncio.sleep(0)
        (home / "hidden.json").rename(home / "service.json")
        assert await asking == first
        for _ in range(5):
            assert await ours.address() == first
    finally:
        await ours.aclose()
        assert is_running(first.pid)
        await theirs.aclose()


async def test_a_start_under_way_ends_with_the_one_who_began_it(home: Path) -> None:
    process = ServiceProcess()
    asking = asyncio.create_task(process.address())
    while process.pid is None:
        await asyncio.sleep(0)
    pid = process.pid
    await process.aclose()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert not is_running(pid)


def launch(command: list[str], folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)


def pretend(home: Path, version: str) -> None:
    """Let the running service be of another version."""
    told = json.loads((home / "service.json").read_text()) | {"version": version}
    (home / "service.json").write_text(json.dumps(told))


async def test_a_service_of_an_older_version_is_ended_and_replaced(home: Path) -> None:
    """An update was installed while a window of the old version is open."""
    old, new = ServiceProcess(), ServiceProcess()
    first = await old.address()
    try:
        pretend(home, "0.0.9")
        second = await new.address()
        assert second.pid == new.pid != first.pid
        assert not is_running(first.pid)
        assert (await ServiceManage(new).get("/v1/manage/models"))["budget"]["bytes"] > 0
        assert json.loads((home / "service.json").read_text())["pid"] == second.pid
    finally:
        await new.aclose()
        await old.aclose()


async def test_an_older_program_leaves_a_newer_service_alone(home: Path) -> None:
    new, old = ServiceProcess(), ServiceProcess()
    first = await new.address()
    try:
        pretend(home, "99.0")
        with pytest.raises(ServiceError, match=r"A newer Deskpilot \(99.0\) is running"):
            await old.address()
        assert is_running(first.pid)
        assert old.pid is None
    finally:
        await old.aclose()
        await new.aclose()


async def test_an_older_service_that_a_person_serves_is_not_ended_behind_their_back(
    home: Path, repository: Path
) -> None:
    command = [sys.executable, "-m", "backends.service", "--no-warm"]
    served = launch(command, repository)
    ours = ServiceProcess()
    try:
        assert served.stdout is not None
        assert served.stdout.readline()
        pretend(home, "0.0.9")
        with pytest.raises(ServiceError, match=r"older Deskpilot.*Stop it \(process \d+\)"):
            await ours.address()
        assert is_running(served.pid)
    finally:
        served.terminate()
        served.communicate(timeout=20)


async def test_a_program_that_was_updated_while_it_runs_says_so(home: Path) -> None:
    """Its children are of the new version already; what they speak is not what it knows."""
    old = ServiceProcess(version="0.0.1")
    with pytest.raises(ServiceError, match=r"updated to version .* while running"):
        await old.address()
    assert old.pid is None
    assert not (home / "service.json").exists()


async def test_a_number_that_another_process_has_by_now_is_not_ended(home: Path) -> None:
    stranger = launch([sys.executable, "-c", "input()", "--parent-pipe"], home)
    told = ENDPOINT | {"pid": stranger.pid, "version": "0.0.9", "started": 1.0}
    (home / "service.json").write_text(json.dumps(told))
    ours = ServiceProcess()
    try:
        assert (await ours.address()).pid == ours.pid != stranger.pid
        assert is_running(stranger.pid)
    finally:
        await ours.aclose()
        stranger.communicate(timeout=20)


def test_versions_are_compared_by_their_numbers() -> None:
    assert release("0.10.0") > release("0.9.1") > release("0.9") > release("")
    assert release("1.2.0rc1") == (1, 2, 0)
