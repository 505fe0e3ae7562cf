"""One service for each data folder."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from backends.service.endpoint import read_endpoint

if TYPE_CHECKING:
    from pathlib import Path

    from backends.service.endpoint import Endpoint

START_SECONDS = 30.0
STEP_SECONDS = 0.1


class Taken(Exception):
    """Another service has the folder; `endpoint` says where it listens, None if it never said."""

    def __init__(self, endpoint: Endpoint | None) -> None:
        super().__init__()
        self.endpoint = endpoint


def claim(endpoint_file: Path) -> FileLock:
    """Take the folder of an endpoint file until this process ends, however it ends.

    While another service is starting, wait until it listens, so that whoever started us finds it.
    Raises: Taken.
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
                raise Taken(running) from None
        else:
            return lock
