"""Cancellation of a model's computation.

A worker sets a flag around each call. A model that computes for a long time reads the flag at
points where it can stop (between tokens, in an engine's abort callback, between batches) and raises
`InvokeCancelledError`.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from backends.flexai.errors import InvokeCancelledError

if TYPE_CHECKING:
    from collections.abc import Generator

NEVER = threading.Event()
_current: ContextVar[threading.Event] = ContextVar("cancellation", default=NEVER)


@contextmanager
def cancellable(flag: threading.Event) -> Generator[None]:
    """Make `flag` the result of `flag_of_call()` inside the block."""
    token = _current.set(flag)
    try:
        yield
    finally:
        _current.reset(token)


def flag_of_call() -> threading.Event:
    """Return the flag of the running call; call this before starting threads or callbacks."""
    return _current.get()


def stop_if_cancelled() -> None:
    """Raise InvokeCancelledError if the running call was cancelled."""
    if _current.get().is_set():
        raise InvokeCancelledError("The call was stopped.")
