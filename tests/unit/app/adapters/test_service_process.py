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
from app.adapters.model_service.process import ServiceProcess, is_running, read_address

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
