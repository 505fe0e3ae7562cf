"""One memory budget for all loaded models."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import psutil

from backends.flexai.errors import InvokeMemoryError
from backends.sizes import size

if TYPE_CHECKING:
    from backends.flexai.entities import ModelType


ROOT = Path("/")
# A container's memory limit, its current use, and the line in its statistics that states how much
# memory can be reclaimed immediately.
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
    """Memory in bytes: the total on this machine, and how much is still available to a program."""

    total: int
    free: int


def machine_memory(root: Path = ROOT) -> Memory:
    """Return the memory of this machine, or of the container that this process runs in if that has
    less.

    root: the folder of the kernel's files.
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
    """Return the number in a kernel file, or None if it contains `max` or does not exist."""
    with contextlib.suppress(OSError, ValueError):
        return int(file.read_text())
    return None


def reclaimable(account: Path) -> int:
    """Return how many bytes of cached files have not been used recently. The kernel drops these
    first."""
    with contextlib.suppress(OSError, ValueError):
        lines = dict(line.split() for line in account.read_text().splitlines())
        return max(int(lines.get(name, 0)) for name in RECLAIMABLE)
    return 0


PROCESS_BYTES = 80_000_000  # memory of a worker that has not loaded anything yet
SHARE = 0.75  # share of the machine's memory that models can take up by default
MARGIN_BYTES = 256_000_000  # memory left free for everything else, whatever the limit is
IDLE_SECONDS = 600.0
PATIENCE_SECONDS = 10.0  # seconds that a model to be loaded waits until models in use are released
CLOSE = "Close other programs, or choose a smaller model."
ALLOW = "Choose a smaller model, or allow models more memory: deskpilot models set all memory=8GB"


@dataclass(frozen=True)
class ModelDemand:
    """A model to be loaded. model_type: its type, or None for calls to the provider itself."""

    provider: str
    model_type: ModelType | None
    model: str
    credentials: dict[str, Any]


def process_alone(_: ModelDemand) -> int:
    """Return the memory that a worker takes up if nothing is known about its model."""
    return PROCESS_BYTES


def no_advice(_: ModelDemand, __: int) -> str:
    """Return no advice."""
    return ""


@dataclass(frozen=True)
class Budget:
    """The memory limit for all models together.

    limit: the limit in bytes, or 0 for what the machine can spare. idle_seconds: how long an unused
    model stays loaded, or 0 to keep it loaded forever. need: returns the number of bytes that a
    model will take up. advice: names a smaller model if one needs more than `room` bytes. memory:
    returns the machine's memory.
    """

    limit: int = 0
    idle_seconds: float = IDLE_SECONDS
    patience_seconds: float = PATIENCE_SECONDS
    need: Callable[[ModelDemand], int] = process_alone
    advice: Callable[[ModelDemand, int], str] = no_advice
    memory: Callable[[], Memory] = field(default=machine_memory)

    def total(self) -> int:
        """Return how many bytes all models together can take up."""
        return self.limit or int(self.memory().total * SHARE)

    def free(self, used: int, promised: int) -> int:
        """Return the number of bytes that another model can take up.

        used: the number of bytes that the loaded models take up or will take up. promised: the part
        of `used` that is not yet allocated because the models are still loading.
        """
        machine = self.memory().free - promised - MARGIN_BYTES
        return max(0, min(self.total() - used, machine))

    def refusal(
        self, wanted: ModelDemand, need: int, room: int, used: list[str]
    ) -> InvokeMemoryError:
        """Return the error for a model that does not fit.

        room: the number of bytes that would be available to it if every idle model were unloaded.
        used: the models that are not idle.
        """
        beside = f" (in use: {', '.join(used)})" if used else ""
        text = f"{wanted.model} needs {size(need)} of memory; only {size(room)} is free{beside}."
        limited = self.limit and need <= self.memory().free
        return InvokeMemoryError(text, self.advice(wanted, room) or (ALLOW if limited else CLOSE))
