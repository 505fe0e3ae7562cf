"""Where a gateway listens, told to others on this machine by a file."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psutil

from backends.paths import gateway_file

if TYPE_CHECKING:
    from collections.abc import Generator


@contextmanager
def told_to_others(address: str) -> Generator[None]:
    """Let others on this machine find the gateway while the block runs."""
    path, made = gateway_file(), {"url": address, "pid": os.getpid()}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(made), "utf-8")
    try:
        yield
    finally:
        if read() == made:  # another one may have begun since
            path.unlink(missing_ok=True)


def gateway_address() -> str:
    """Return where a gateway listens; nothing if none does, though one that was killed left its
    file.
    """
    found = read()
    pid, url = found.get("pid"), found.get("url")
    alive = isinstance(pid, int) and psutil.pid_exists(pid)
    return url if alive and isinstance(url, str) else ""


def read() -> dict[str, Any]:
    """Return what the file says; nothing where it says nothing."""
    try:
        found = json.loads(gateway_file().read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
