"""One model's place in the pool: its process, who uses it, how much memory it takes."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import psutil

if TYPE_CHECKING:
    from backends.flexai.entities import ModelType
    from backends.workers.budget import Wanted
    from backends.workers.worker import Worker

Key = tuple[str, "ModelType | None", str, str]  # provider, type, model, and which server


@dataclass(eq=False)
class Slot:
    """A model that is, was or will be loaded.

    users: calls that run or wait. need: bytes it was let in with; 0 while it is not loaded.
    loaded_with: the settings its process was started for. measured: whether the model is in memory, so that the process itself tells what it takes.
    starts: when its last processes were started (monotonic seconds). lock: held while its process
    starts or is ended on request.
    """

    wanted: Wanted
    worker: Worker | None = None
    users: int = 0
    need: int = 0
    loaded_with: dict[str, Any] = field(default_factory=dict[str, Any])
    measured: bool = False
    used_at: float = 0.0
    starts: list[float] = field(default_factory=list[float])
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def alive(self) -> bool:
        """Whether its process runs."""
        return self.worker is not None and self.worker.alive

    @property
    def idle(self) -> bool:
        """Whether it is loaded and nobody uses it."""
        return self.alive and self.users == 0

    def resident(self) -> int:
        """Return the bytes its process holds now."""
        return resident(self.worker.pid) if self.worker is not None and self.worker.alive else 0

    def takes(self) -> int:
        """Return the bytes it takes, or will take once it is loaded; 0 once its process has died."""
        if self.worker is not None and not self.worker.alive:
            return 0
        return self.resident() if self.measured else max(self.need, self.resident())

    def promised(self) -> int:
        """Return the bytes it will take that it does not hold yet."""
        return self.takes() - self.resident()

    def let_go(self) -> Worker | None:
        """Take the process out; who asks for the model from now on gets another."""
        worker, self.worker = self.worker, None
        self.need, self.measured = 0, False
        return worker

    def is_stale(self) -> bool:
        """Tell whether a local model was loaded with other settings and nobody else uses it that way.

        Loaded again in the same process, with a longer context perhaps, it would not be asked for its memory.
        """
        now = self.wanted.credentials
        return self.users <= 1 and "model_path" in now and now != self.loaded_with

    def touch(self) -> None:
        """Remember that it was used now."""
        self.used_at = time.monotonic()


def resident(pid: int) -> int:
    """Return the resident bytes of a process; 0 once it is gone."""
    try:
        return psutil.Process(pid).memory_info().rss
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return 0


def key_of(wanted: Wanted) -> Key:
    """Return what a process is kept under.

    A model's file may be loaded once, whatever its settings; with other ones it is loaded again. What runs behind a
    server is told apart by its credentials, of which only a hash is kept here.
    """
    asked = (
        ""
        if "model_path" in wanted.credentials
        else json.dumps(wanted.credentials, sort_keys=True, default=repr)
    )
    server = hashlib.sha256(asked.encode()).hexdigest() if asked else ""
    return wanted.provider, wanted.model_type, wanted.model, server
