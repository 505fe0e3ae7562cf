"""How many cores of the processor a model may take."""

from __future__ import annotations

import os


def usable_cores() -> int:
    """Return the cores this process may use; containers are often given fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
