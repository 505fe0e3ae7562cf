"""One service per data folder, and the file with its address."""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import psutil
from filelock import FileLock, Timeout

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Endpoint:
    """The address of a service, and the token that it requires. started: the start time of its
    process, in seconds since 1970.
    """

    pid: int
    started: float
    host: str
    port: int
    token: str
    version: str


def write_endpoint(path: Path, endpoint: Endpoint) -> None:
    """Write the file so that only its owner can read it, and so that it appears completely or not
    at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{endpoint.pid}")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w") as file:
        json.dump(asdict(endpoint), file)
    os.replace(part, path)


def read_endpoint(path: Path) -> Endpoint | None:
    """Return the endpoint of a running service, or None if the file is missing, damaged or from a
    service that has ended.
    """
    try:
        endpoint = Endpoint(**json.loads(path.read_text()))
        process = psutil.Process(endpoint.pid)
    except (OSError, ValueError, TypeError, psutil.Error):
        return None
    same = abs(process.create_time() - endpoint.started) < 1  # process ids are reused
    return endpoint if same and process.status() != psutil.STATUS_ZOMBIE else None


def remove_endpoint(path: Path, pid: int) -> None:
    """Remove the file if it belongs to this service."""
    try:
        if json.loads(path.read_text()).get("pid") == pid:
            path.unlink()
    except (OSError, ValueError):
        pass  # the file is gone, or another service is writing it, so it is left alone


START_SECONDS = 30.0
STEP_SECONDS = 0.1


class FolderTaken(Exception):
    """Another service has the folder. `endpoint` is its address, or None if it never reported
    one."""

    def __init__(self, endpoint: Endpoint | None) -> None:
        super().__init__()
        self.endpoint = endpoint


def claim(endpoint_file: Path) -> FileLock:
    """Claim an endpoint file's folder until this process ends, for whatever reason.

    If another service is starting, wait until it listens, so that the process that started this one
    can find it. Raises: FolderTaken.
    """
    endpoint_file.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(endpoint_file.with_suffix(".lock"), mode=0o600)
    last = time.monotonic() + START_SECONDS
    while True:
        try:
            lock.acquire(timeout=STEP_SECONDS, poll_interval=STEP_SECONDS / 2)
        except Timeout:
            running = read_endpoint(endpoint_file)
            if running is not None or time.monotonic() > last:
                raise FolderTaken(running) from None
        else:
            return lock
