"""Found on PYTHONPATH by every Python that a test starts: writes down each try to reach past this
machine, and refuses it.

The file to write to is named by DESKPILOT_WATCHED; each process that is watched says so first.
"""

from __future__ import annotations

import os
import sys
from ipaddress import ip_address
from pathlib import Path
from typing import Any

SENDING = {"socket.connect", "socket.sendto", "socket.sendmsg"}
ASKING = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}
VARIABLE = "DESKPILOT_WATCHED"


def is_here(host: Any) -> bool:
    """Tell whether a host is this machine."""
    name = host.decode() if isinstance(host, bytes) else host
    if not name or name == "localhost":
        return True
    try:
        return ip_address(name.partition("%")[0]).is_loopback
    except ValueError:
        return False


def note(line: str) -> None:
    with Path(os.environ[VARIABLE]).open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def on_event(event: str, given: tuple[Any, ...]) -> None:
    if event not in SENDING | ASKING or VARIABLE not in os.environ:
        return
    host = given[0] if event in ASKING else given[1][0] if isinstance(given[1], tuple) else None
    if not is_here(host):
        note(f"{event} {host}")
        raise PermissionError(f"this test allows nothing past this machine: {event} {host}")


if VARIABLE in os.environ:
    note(f"watching {' '.join(sys.orig_argv)}")
sys.addaudithook(on_event)
