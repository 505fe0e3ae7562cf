"""Live grids: changed rows are merged into the fetched rows and reported a few times a second."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from app.domain.errors import BackendError, DeskpilotError
from app.openbb.content import Content
from app.services.dashboard.fetches import Timers

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from app.openbb.widgets import Spec
    from app.services.dashboard.backends import Backends
    from app.services.tasks import Tasks

    Settle = Callable[[str, Content], Awaitable[None]]

TELL_SECONDS = 0.1  # seconds between two reports of changes
SETTLE_SECONDS, NEW_SECONDS = 10.0, 1.0  # seconds until changes and until new rows are saved
AT_ONCE, NEW_ROWS = (
    500,
    5000,
)  # maximum number of rows merged between two reports, and of rows added to those fetched
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0  # seconds before a broken connection is tried again


@dataclass(frozen=True)
class CellChange:
    """A changed cell. row: its row in the source. up: whether the value rose, or None if this is
    unknown."""

    row: int
    column: str
    value: Any
    up: bool | None = None


@dataclass
class Stream:
    """The stream of one widget. hello: the subscription message. error: the reason why nothing is
    being received now.

    heard: whether anything has been received. changed: the changed cells that have not been
    reported yet. since: the cells that have changed since the rows were stored.
    """

    hello: str
    rows: list[dict[str, Any]]
    row_id: str
    places: dict[str, int] = field(default_factory=dict[str, int])
    changed: dict[tuple[int, str], CellChange] = field(
        default_factory=dict[tuple[int, str], CellChange]
    )
    since: dict[tuple[int, str], CellChange] = field(
        default_factory=dict[tuple[int, str], CellChange]
    )
    fetched: int = 0
    dirty: bool = False
    heard: bool = False
    error: DeskpilotError | None = None

    def load(self, rows: list[dict[str, Any]]) -> None:
        """Start with fetched rows."""
        self.rows, self.fetched = rows, len(rows)
        self.places = {str(row.get(self.row_id)): place for place, row in enumerate(rows)}
        self.changed.clear()
        self.since.clear()

    def merge(self, row: dict[str, Any]) -> bool:
        """Merge a row, which updates a known row or adds a new one. Return whether anything
        changed.
        """
        key = str(row.get(self.row_id))
        place = self.places.get(key)
        if place is None:
            if len(self.rows) - self.fetched < NEW_ROWS:
                self.places[key] = len(self.rows)
                self.rows.append(row)
                self.dirty = True
            return self.dirty
        before = self.rows[place]
        for name, value in row.items():
            if name in before and before[name] != value:
                self.changed[place, name] = CellChange(
                    place, name, value, rose(before[name], value)
                )
                self.since[place, name] = CellChange(place, name, value)
                before[name] = value
                self.dirty = True
        return False


class Streams:
    """Receives changes for the visible widgets. settle: a function that saves rows as a widget's
    data.

    Subscribers are called with a uuid and the cells that changed. If the list is empty, the
    connection's state has changed.
    """

    def __init__(self, backends: Backends, tasks: Tasks, settle: Settle) -> None:
        self._backends, self._tasks, self._settle = backends, tasks, settle
        self._streams: dict[str, Stream] = {}
        self._timers = Timers(self._due)
        self._listeners: list[Callable[[str, list[CellChange]], None]] = []

    def subscribe(self, listener: Callable[[str, list[CellChange]], None]) -> None:
        """Call `listener` after changes."""
        self._listeners.append(listener)

    def state(self, uid: str) -> Stream | None:
        """Return the state of a widget's stream, or None if there is no stream."""
        return self._streams.get(uid)

    def since(self, uid: str) -> list[CellChange]:
        """Return the cells that changed since a widget's rows were stored."""
        stream = self._streams.get(uid)
        return list(stream.since.values()) if stream is not None else []

    def follow(
        self, uid: str, backend: str, spec: Spec, values: dict[str, Any], rows: list[dict[str, Any]]
    ) -> None:
        """Receive changes for a widget whose rows were fetched with some parameters."""
        hello = {"params": {name: listed(spec, name, value) for name, value in values.items()}}
        told = json.dumps(hello, default=str)
        known = self._streams.get(uid)
        if known is not None and known.hello == told and self._tasks.running(task_of(uid)):
            known.load(rows)
            return
        stream = self._streams[uid] = Stream(told, [], spec.row_id)
        stream.load(rows)
        self._tasks.start(task_of(uid), self._hear(uid, stream, backend, spec.socket))

    def keep(self, uids: frozenset[str]) -> None:
        """Stop receiving changes for all widgets except these."""
        for uid in self._streams.keys() - uids:
            stream = self._streams.pop(uid)
            self._tasks.cancel(task_of(uid))
            if stream.dirty:
                self._tasks.start(f"keep {uid}", self._keep(uid, stream))

    def end(self) -> None:
        """Stop reporting and saving."""
        self._timers.end()

    async def _hear(self, uid: str, stream: Stream, backend: str, endpoint: str) -> None:
        pause = FIRST_PAUSE
        while True:
            began = time.monotonic()
            try:
                await self._listen(uid, stream, backend, endpoint)
                stream.error = BackendError(
                    "The backend closed the stream of changes.", "They will be requested again."
                )
            except DeskpilotError as error:
                stream.error = error
            self._tell(uid, [])
            if time.monotonic() - began > LONGEST_PAUSE:
                pause = FIRST_PAUSE
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)

    async def _listen(self, uid: str, stream: Stream, backend: str, endpoint: str) -> None:
        began, taken = time.monotonic(), 0
        source = await self._backends.changes(backend, endpoint, json.loads(stream.hello))
        async with aclosing(source) as messages:
            async for rows in messages:
                if stream.error is not None or not stream.heard:
                    stream.error, stream.heard = None, True
                    self._tell(uid, [])
                new = sum(stream.merge(row) for row in rows)
                if stream.changed:
                    self._timers.begin(f"tell {uid}", TELL_SECONDS)
                if new:  # new rows are shown only once they are saved
                    self._timers.begin(f"new {uid}", NEW_SECONDS)
                elif stream.dirty:
                    self._timers.begin(f"keep {uid}", SETTLE_SECONDS)
                taken += len(rows)
                if taken > AT_ONCE:  # a server that sends without a pause has to wait
                    await asyncio.sleep(max(TELL_SECONDS - (time.monotonic() - began), 0))
                    began, taken = time.monotonic(), 0

    def _due(self, name: str) -> None:
        what, _, uid = name.partition(" ")
        stream = self._streams.get(uid)
        if stream is None:
            return
        if what == "tell":
            found = list(stream.changed.values())
            stream.changed.clear()
            self._tell(uid, found)
        else:
            self._tasks.start(f"keep {uid}", self._keep(uid, stream))

    async def _keep(self, uid: str, stream: Stream) -> None:
        if stream.dirty:
            stream.dirty = False
            stream.since.clear()
            await self._settle(uid, Content("table", [dict(row) for row in stream.rows]))

    def _tell(self, uid: str, changes: list[CellChange]) -> None:
        for listener in self._listeners:
            listener(uid, changes)


def task_of(uid: str) -> str:
    """Return the name of the task that receives changes for a widget."""
    return f"hear {uid}"


def rose(before: Any, after: Any) -> bool | None:
    """Return whether a number rose, or None if a value is not a number."""
    numbers = all(
        isinstance(one, int | float) and not isinstance(one, bool) for one in (before, after)
    )
    return after > before if numbers else None


def listed(spec: Spec, name: str, value: Any) -> Any:
    """Return a parameter as it is sent to a socket. Several values, and the requested rows, are
    sent as a list.
    """
    many = name == spec.row_id or any(p.name == name and (p.many or p.free) for p in spec.params)
    return [one.strip() for one in str(value).split(",") if one.strip()] if many else value
