"""Whether a service that left its address behind still runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from app.adapters.service.manage import ServiceManage
from app.adapters.service.process import ServiceProcess, is_running, read_address

if TYPE_CHECKING:
    from pathlib import Path

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
    "told", [[], "x", None, {}, ENDPOINT | {"pid": "x"}, ENDPOINT | {"pid": None}, ENDPOINT | {"pid": -1}]
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
