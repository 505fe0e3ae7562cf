"""The file that tells other programs on this machine the address of a gateway."""

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
    """Publish the gateway's address to programs on this machine while the block runs."""
    path, made = gateway_file(), {"url": address, "pid": os.getpid()}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(made), "utf-8")
    try:
        yield
    finally:
        if read() == made:  # another gateway may have started since then
            path.unlink(missing_ok=True)


def gateway_address() -> str:
    """Return the address of a gateway; empty if none is running, even if a gateway that was killed
    left its file behind.
    """
    found = read()
    pid, url = found.get("pid"), found.get("url")
    alive = isinstance(pid, int) and psutil.pid_exists(pid)
    return url if alive and isinstance(url, str) else ""


def read() -> dict[str, Any]:
    """Return the content of the file; empty if the file has none."""
    try:
        found = json.loads(gateway_file().read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
