"""Computations that can be stopped: cancelled, a query is broken off inside DuckDB, too."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar

from backends.kernel.errors import Interrupted

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    import duckdb

T = TypeVar("T")
EVERY = 0.01  # seconds


class Computation:
    """One computation in a thread, and the queries it runs right now."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queries: set[duckdb.DuckDBPyConnection] = set()
        self._begun = self._stopped = False
        self._ended = threading.Event()

    def run(self, function: Callable[..., T], *arguments: object) -> T:
        """Compute in this thread.

        Raises: Interrupted if it was stopped, and what the function raises.
        """
        with self._lock:
            self._begun = True
        _current.set(self)
        try:
            self.check()
            return function(*arguments)
        finally:
            self._ended.set()

    def stop(self) -> None:
        """Break it off, from any thread; returns at once."""
        with self._lock:
            self._stopped = True
            begun = self._begun
        if begun:
            threading.Thread(target=self._insist, name="stop a computation", daemon=True).start()

    def _insist(self) -> None:
        # DuckDB forgets an interrupt that comes just before a query begins, so one is not enough.
        while True:
            with self._lock:
                for query in self._queries:
                    query.interrupt()
            if self._ended.wait(EVERY):
                return

    def check(self) -> None:
        """Raise Interrupted if it was stopped."""
        if self._stopped:
            raise Interrupted("The computation was stopped.")

    @contextmanager
    def querying(self, cursor: duckdb.DuckDBPyConnection) -> Generator[None]:
        """Let `stop` reach what a cursor runs.

        Raises: Interrupted if it was stopped before.
        """
        with self._lock:
            self.check()
            self._queries.add(cursor)
        try:
            yield
        finally:
            with self._lock:
                self._queries.discard(cursor)


_current: ContextVar[Computation | None] = ContextVar("computation", default=None)


@contextmanager
def stoppable(cursor: duckdb.DuckDBPyConnection) -> Generator[None]:
    """Let whoever waits for this computation stop what a cursor runs.

    Raises: Interrupted if it was stopped before.
    """
    computation = _current.get()
    if computation is None:
        yield
        return
    with computation.querying(cursor):
        yield


def stop_if_asked() -> None:
    """Raise Interrupted if whoever waits for this computation stopped it; for work that runs no query meanwhile."""
    computation = _current.get()
    if computation is not None:
        computation.check()


async def interruptibly(function: Callable[..., T], *arguments: object) -> T:
    """Compute in a thread; cancelled, the query that runs there ends as well.

    Raises: what the function raises.
    """
    computation = Computation()
    try:
        return await asyncio.to_thread(computation.run, function, *arguments)
    except asyncio.CancelledError:
        computation.stop()
        raise
