"""When a widget is fetched again, and when what it shows is old."""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import TYPE_CHECKING

from app.domain.widget_backend import next_time

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.domain.widget_backend import Spec

SOONEST, LONGEST = 1.0, 300.0  # seconds; a machine that slept is late by no more than that


def is_old(spec: Spec, at: float, now: dt.datetime) -> bool:
    """Tell whether data of a moment, in seconds since 1970, are older than their backend wants them unmarked.

    Times at which the backend has new data tell more than any age.
    """
    times = spec.cron or spec.updates
    if times:
        since = next_time(times, dt.datetime.fromtimestamp(at, now.tzinfo))
        return since is not None and since <= now
    return now.timestamp() - at > spec.stale_ms / 1000


def wait_for(spec: Spec, at: float | None, now: dt.datetime, *, failed: bool) -> float | None:
    """Return in how many seconds a widget is fetched again; None if only a person does that.

    at: when its data came. failed: the last try, so that it is not tried again at once.
    """
    if spec.run_button:
        return None
    if spec.cron:
        due = next_time(spec.cron, now)
        if due is None:
            return None
        return min(max((due - now).total_seconds(), SOONEST), LONGEST)
    if spec.refresh_ms is None:
        return None
    every = spec.refresh_ms / 1000
    since = now.timestamp() - (at or now.timestamp())
    return max(every - since, every if failed else SOONEST)


class Timers:
    """One timer for each of some names. due: called with the name whose time it is."""

    def __init__(self, due: Callable[[str], None]) -> None:
        self._due = due
        self._running: dict[str, asyncio.TimerHandle] = {}

    def runs(self, name: str) -> bool:
        """Tell whether a timer runs."""
        return name in self._running

    def start(self, name: str, seconds: float | None) -> None:
        """Call in so many seconds, not at all for None; what ran under the name before is stopped."""
        self.stop(name)
        if seconds is not None:
            self._running[name] = asyncio.get_running_loop().call_later(seconds, self.fire, name)

    def begin(self, name: str, seconds: float) -> None:
        """Call in so many seconds, unless a timer of that name runs already."""
        if not self.runs(name):
            self.start(name, seconds)

    def stop(self, name: str) -> None:
        """Stop a timer, if it runs."""
        running = self._running.pop(name, None)
        if running is not None:
            running.cancel()

    def end(self) -> None:
        """Stop all."""
        for name in list(self._running):
            self.stop(name)

    def fire(self, name: str) -> None:
        """Call now, and not when the time comes."""
        self.stop(name)
        self._due(name)
