"""How much memory this machine has and how much of it is free, containers' limits respected."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import NamedTuple

import psutil

ROOT = Path("/")
# The limit of a container, its use, and the line of its account that says what can be given back at once.
LIMITS = (
    ("sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory.current", "sys/fs/cgroup/memory.stat"),
    (
        "sys/fs/cgroup/memory/memory.limit_in_bytes",
        "sys/fs/cgroup/memory/memory.usage_in_bytes",
        "sys/fs/cgroup/memory/memory.stat",
    ),
)
RECLAIMABLE = ("inactive_file", "total_inactive_file")


class Memory(NamedTuple):
    """Bytes this machine has, and bytes a program may still take."""

    total: int
    free: int


def machine_memory(root: Path = ROOT) -> Memory:
    """Return the memory of this machine, or of the container this process runs in if that is less.

    root: where the kernel's files are.
    """
    system = psutil.virtual_memory()
    total, free = system.total, system.available
    for limit_file, use_file, account in LIMITS:
        limit = number_in(root / limit_file)
        if limit is not None and limit < total:
            used = (number_in(root / use_file) or 0) - reclaimable(root / account)
            total, free = limit, max(0, min(free, limit - used))
    return Memory(total, free)


def number_in(file: Path) -> int | None:
    """Return the number a file of the kernel holds; None for `max`, or where there is no such file."""
    with contextlib.suppress(OSError, ValueError):
        return int(file.read_text())
    return None


def reclaimable(account: Path) -> int:
    """Return the bytes of files kept in memory that nobody used of late: the kernel drops them first."""
    with contextlib.suppress(OSError, ValueError):
        lines = dict(line.split() for line in account.read_text().splitlines())
        return max(int(lines.get(name, 0)) for name in RECLAIMABLE)
    return 0
