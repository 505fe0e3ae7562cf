"""Computations that can be cancelled, even while DuckDB runs a query."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar

from backends.data.errors import ComputationStopped

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    import duckdb

T = TypeVar("T")
EVERY = 0.01  # seconds
STOPPED = "The computation was stopped."
FOLLOWED = (  # settings that make DuckDB report a query's progress
    "SET enable_progress_bar = true",
    "SET enable_progress_bar_print = false",
    "SET progress_bar_time = 0",
)


class Computation:
    """A computation in a thread, and the queries that it is currently running."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queries: set[duckdb.DuckDBPyConnection] = set()
        self._begun = self._stopped = False
        self._ended = threading.Event()
        self._part, self._done = (0.0, 1.0), 0.0
        self._followed: duckdb.DuckDBPyConnection | None = None

    @property
    def is_stopped(self) -> bool:
        """Return whether the computation was stopped."""
        return self._stopped

    def progress(self) -> float:
        """Return the share that is completed, from 0 to 1, as far as it is known. Any thread may
        call this.
        """
        begin, end = self._part
        cursor = self._followed
        share = max(0.0, cursor.query_progress()) / 100 if cursor is not None else 0.0
        self._done = max(self._done, begin + (end - begin) * min(1.0, share))
        return self._done

    def run(self, function: Callable[..., T], *arguments: object) -> T:
        """Compute in this thread.

        Raises: ComputationStopped if the computation was stopped; otherwise whatever the function
        raises.
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
        """Stop the computation. Any thread may call this; it returns immediately."""
        with self._lock:
            self._stopped = True
            begun = self._begun
        if begun:
            threading.Thread(target=self._insist, name="stop a computation", daemon=True).start()

    def _insist(self) -> None:
        # DuckDB forgets an interrupt that comes just before a query starts, so it is repeated.
        while True:
            with self._lock:
                for query in self._queries:
                    query.interrupt()
            if self._ended.wait(EVERY):
                return

    def check(self) -> None:
        """Raise ComputationStopped if the computation was stopped."""
        if self._stopped:
            raise ComputationStopped(STOPPED)

    @contextmanager
    def part(
        self, begin: float, end: float, cursor: duckdb.DuckDBPyConnection | None
    ) -> Generator[None]:
        """Count the block as a part of the enclosing part."""
        self.check()
        around = self._part
        width = around[1] - around[0]
        self._part = (around[0] + begin * width, around[0] + end * width)
        if cursor is not None:
            for said in FOLLOWED:
                cursor.execute(said)
            self._followed = cursor
        try:
            yield
            self._done = max(self._done, self._part[1])
        finally:
            self._part, self._followed = around, None

    @contextmanager
    def querying(self, cursor: duckdb.DuckDBPyConnection) -> Generator[None]:
        """Within the block, allow `stop` to interrupt a cursor's query.

        Raises: ComputationStopped if the computation was already stopped.
        """
        with self._lock:
            self.check()
            self._queries.add(cursor)
        import duckdb  # already loaded, since there is a cursor

        try:
            yield
        except duckdb.InterruptException as error:
            if not self._stopped:  # it took too long; the caller that set the limit reports it
                raise
            raise ComputationStopped(STOPPED) from error
        finally:
            with self._lock:
                self._queries.discard(cursor)


_current: ContextVar[Computation | None] = ContextVar("computation", default=None)


@contextmanager
def stoppable(cursor: duckdb.DuckDBPyConnection) -> Generator[None]:
    """Within the block, allow the caller that waits for this computation to stop a cursor's query.

    Raises: ComputationStopped if the computation was already stopped.
    """
    computation = _current.get()
    if computation is None:
        yield
        return
    with computation.querying(cursor):
        yield


def stop_if_asked() -> None:
    """Raise ComputationStopped if the caller that waits for this computation has stopped it.

    This is for work that does not run queries.
    """
    computation = _current.get()
    if computation is not None:
        computation.check()


@contextmanager
def part(
    begin: float, end: float, cursor: duckdb.DuckDBPyConnection | None = None
) -> Generator[None]:
    """Report that the block covers the part of the enclosing work from `begin` to `end`, between 0
    and 1.

    While `cursor` runs a query, its progress is taken from DuckDB. Nothing happens if there is no
    listener. Raises: ComputationStopped if the computation was stopped.
    """
    computation = _current.get()
    if computation is None:
        yield
        return
    with computation.part(begin, end, cursor):
        yield


async def interruptibly(function: Callable[..., T], *arguments: object) -> T:
    """Compute in a thread. Cancelling the call also ends the query that the thread is running.

    Raises: whatever the function raises.
    """
    computation = Computation()
    try:
        return await asyncio.to_thread(computation.run, function, *arguments)
    except asyncio.CancelledError:
        computation.stop()
        raise
