"""Fetch the data of one widget, and determine when it is out of date. For tables with too many
rows, only the ranges that are shown are fetched.
"""

from __future__ import annotations

import asyncio
import base64
import datetime as dt
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urljoin

from app.data.views import BETWEEN, COMPARED, RowOrder
from app.domain.errors import BackendError, BackendRefused
from app.openbb.candles import asked, earlier, read_candles
from app.openbb.content import Content, json_of, read_content, rows_of
from app.openbb.content import files as as_files
from app.openbb.parameters import ParameterOption, filled, plain, query_of
from app.openbb.widgets import next_time
from app.openbb.wire import as_dict, number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from app.domain.errors import DeskpilotError
    from app.openbb.content import Reply
    from app.openbb.widgets import Spec
    from app.services.dashboard.backends import Backends


EACH, MOST = 5000, 100_000  # number of rows per request, and maximum per table
WORDS = {
    "=": "equals",
    "!=": "notEqual",
    ">": "greaterThan",
    ">=": "greaterThanOrEqual",
    "<": "lessThan",
    "<=": "lessThanOrEqual",
}


async def read_ranges(
    backends: Backends,
    backend: str,
    spec: Spec,
    sent: dict[str, Any],
    order: RowOrder,
    kinds: Mapping[str, str],
) -> Content:
    """Return the first rows of a table, requested range by range, and the total number of rows.

    kinds: the types of the columns, if known. Raises: UnknownWidget, BackendError, SecretsError.
    """
    rows: list[dict[str, Any]] = []
    asked = (
        sent
        | grouping()
        | {
            "sortModel": sort_model(order),
            "filterModel": filter_model(order, kinds),
        }
    )
    total: int | None = None
    while len(rows) < (MOST if total is None else min(total, MOST)):
        body = asked | {"startRow": len(rows), "endRow": min(len(rows) + EACH, MOST)}
        value = json_of(await backends.fetch(backend, spec.endpoint, {}, body))
        found, told = range_of(spec, value, first=not rows)
        rows += found[: MOST - len(rows)]
        total = told if told is not None else total
        if not found or (total is None and len(found) < EACH):
            break
    return Content("table", rows, total if total is not None and total > len(rows) else 0)


async def read_one(
    backends: Backends, backend: str, spec: Spec, sent: dict[str, Any], asked: dict[str, Any]
) -> Content:
    """Return the rows of a range that a copilot requests itself, in the format of such a server.

    Raises: UnknownWidget, BackendError, SecretsError.
    """
    first = max(int(number(asked.get("startRow")) or 0), 0)
    last = int(number(asked.get("endRow")) or first + EACH)
    told = {
        key: value
        for key, value in asked.items()
        if key in ("sortModel", "filterModel", *grouping())
    }
    body = sent | grouping() | {"sortModel": [], "filterModel": {}} | told
    body |= {"startRow": first, "endRow": min(max(last, first + 1), first + EACH)}
    value = json_of(await backends.fetch(backend, spec.endpoint, {}, body))
    return Content("table", range_of(spec, value, first=True)[0])


def range_of(spec: Spec, value: Any, *, first: bool) -> tuple[list[dict[str, Any]], int | None]:
    """Return the rows in one response, and the total number of rows if the response states it.

    Raises: BackendError if the format is unexpected, or the table has no rows.
    """
    told = as_dict(value)
    listed = told.get("rowData", told.get("rows"))
    count = number(told.get("rowCount", told.get("lastRow")))
    if isinstance(listed, list) and not listed and not first:
        return [], int(count) if count is not None and count >= 0 else None
    if told and not isinstance(listed, list):
        raise BackendError(f"{spec.name}: the backend did not answer with rows.", "Ask its maker.")
    found = rows_of(spec, listed if isinstance(listed, list) else value)
    return found, int(count) if count is not None and count >= 0 else None


def grouping() -> dict[str, Any]:
    """Return the part of such a request that describes grouping, which Deskpilot does not use."""
    return {
        "rowGroupCols": [],
        "valueCols": [],
        "pivotCols": [],
        "pivotMode": False,
        "groupKeys": [],
    }


def sort_model(order: RowOrder) -> list[dict[str, str]]:
    """Return an order in the format of such a server."""
    return (
        [{"colId": order.column, "sort": "desc" if order.descending else "asc"}]
        if order.column
        else []
    )


def filter_model(order: RowOrder, kinds: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Return filters in the format of such a server."""
    return {
        name: filter_of(text, kinds.get(name) == "number") for name, text in order.filters.items()
    }


def filter_of(text: str, numeric: bool) -> dict[str, Any]:
    """Return one filter.

    Raises: BackendError if a filter for numbers contains none.
    """
    kind = {"filterType": "number" if numeric else "text"}
    if found := BETWEEN.match(text):
        low, high = (as_value(part, numeric) for part in found.groups())
        return kind | {"type": "inRange", "filter": low, "filterTo": high}
    if found := COMPARED.match(text):
        return kind | {"type": WORDS[found[1]], "filter": as_value(found[2], numeric)}
    return kind | {
        "type": "equals" if numeric else "contains",
        "filter": as_value(text.strip(), numeric),
    }


def as_value(text: str, numeric: bool) -> str | float:
    """Return the value to compare with.

    Raises: BackendError.
    """
    if not numeric:
        return text.strip()
    try:
        return float(text.replace(",", ""))
    except ValueError as error:
        raise BackendError(
            f"{text!r} is not a number.", "Write it like > 5, 1..3 or = 2."
        ) from error


@dataclass
class Fetch:
    """The state of a widget's data. at: the time at which it was fetched, or None if it never was.
    error: the error from the last attempt. run: the running fetch, or None. total: the number of
    rows on the server, if this is more than were fetched. order: the sorting and filtering
    requested from the server.
    """

    at: float | None = None
    run: object | None = None
    error: DeskpilotError | None = None
    total: int = 0
    order: RowOrder = field(default_factory=RowOrder)
    options: dict[str, tuple[ParameterOption, ...]] = field(
        default_factory=dict[str, tuple[ParameterOption, ...]]
    )


def now() -> dt.datetime:
    """Return the current time in the user's time zone."""
    return dt.datetime.now().astimezone()


# in seconds; limits how late a fetch can be after the machine was asleep
SOONEST, LONGEST = 1.0, 300.0


def is_old(spec: Spec, at: float, now: dt.datetime) -> bool:
    """Return whether data fetched at a time, in seconds since 1970, is older than its backend
    allows.

    If the backend publishes refresh times, these decide.
    """
    times = spec.cron or spec.updates
    if times:
        since = next_time(times, dt.datetime.fromtimestamp(at, now.tzinfo))
        return since is not None and since <= now
    return now.timestamp() - at > spec.stale_ms / 1000


def wait_for(spec: Spec, at: float | None, now: dt.datetime, *, failed: bool) -> float | None:
    """Return the number of seconds until a widget is fetched again, or None if only the user
    refreshes it.

    at: when its data was fetched. failed: whether the last attempt failed, in which case it is not
    repeated immediately.
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
    """Timers, one for each name. due: a function that is called with the name when a timer
    expires.
    """

    def __init__(self, due: Callable[[str], None]) -> None:
        self._due = due
        self._ended = False
        self._running: dict[str, asyncio.TimerHandle] = {}

    def runs(self, name: str) -> bool:
        """Return whether a timer is running."""
        return name in self._running

    def start(self, name: str, seconds: float | None) -> None:
        """Call `due` after some seconds, or not at all for None. An earlier call under the same
        name is cancelled.
        """
        self.stop(name)
        if seconds is not None and not self._ended:
            self._running[name] = asyncio.get_running_loop().call_later(seconds, self.fire, name)

    def begin(self, name: str, seconds: float) -> None:
        """Call `due` after some seconds, unless a timer with that name is already running."""
        if not self.runs(name):
            self.start(name, seconds)

    def stop(self, name: str) -> None:
        """Stop a timer if it is running."""
        running = self._running.pop(name, None)
        if running is not None:
            running.cancel()

    def end(self) -> None:
        """Stop all timers, and do not start any more."""
        self._ended = True  # a fetch that is stopped at the end would schedule the next one
        for name in list(self._running):
            self.stop(name)

    def fire(self, name: str) -> None:
        """Call `due` now instead of when the timer expires."""
        self.stop(name)
        self._due(name)


THEMED = ("plotly", "html")  # kinds of widgets that a backend draws in a theme
LINKED_FILES = 20  # maximum number of linked files per response
NOT_ALLOWED = 405
PLAIN = RowOrder()


async def read_widget(
    backends: Backends,
    backend: str,
    widget_id: str,
    values: dict[str, Any],
    now: dt.datetime,
    order: RowOrder = PLAIN,
    kinds: dict[str, str] | None = None,
    theme: str = "",
) -> Content:
    """Return the content of a backend's widget for some parameters.

    order, kinds: for a table that its server sorts, the order and the types of its columns. theme:
    light or dark, which is sent for the kinds of widgets that a backend draws. Raises:
    UnknownWidget, BackendError, SecretsError.
    """
    spec = backends.spec(backend, widget_id)
    sent = filled(spec.params, values, now)
    if spec.type == "candles":
        return await read_bars(backends, backend, spec, sent, now)
    if spec.by_range:
        return await read_ranges(backends, backend, spec, sent, order, kinds or {})
    if spec.kind == "iframe":  # the page is shown only in a browser
        return Content(
            "raw", {"url": address(backends.get(backend).url, spec.endpoint, query_of(sent))}
        )
    if spec.kind == "multi_file_viewer":
        content = await read_files(backends, backend, spec, sent)
    elif spec.posts:
        content = await understood(spec, await backends.fetch(backend, spec.endpoint, {}, sent))
    else:
        told = {"theme": theme} if theme and spec.type in THEMED else {}
        query = told | query_of(sent)
        content = await understood(spec, await backends.fetch(backend, spec.endpoint, query))
    if content.type in ("pdf", "image", "files"):
        await fetch_linked(backends, backend, content.value)
    return content


def address(base: str, endpoint: str, query: dict[str, str]) -> str:
    """Return the address of a page that is shown outside Deskpilot."""
    whole = urljoin(base.rstrip("/") + "/", endpoint if "://" in endpoint else endpoint.lstrip("/"))
    sign = "&" if "?" in whole else "?"
    return f"{whole}{sign}{urlencode(query)}" if query else whole


async def read_files(backends: Backends, backend: str, spec: Spec, sent: dict[str, Any]) -> Content:
    """Fetch the chosen files with one POST request or, if that is not allowed, with one GET request
    per file.

    Raises: UnknownWidget, BackendError, SecretsError.
    """
    picks = next((p.name for p in spec.params if p.picks_files), "")
    files = [one for one in plain(sent.get(picks, "")).split(",") if one]
    if picks:
        sent = sent | {picks: files}
    try:
        return await understood(spec, await backends.fetch(backend, spec.endpoint, {}, sent))
    except BackendRefused as error:
        if error.status != NOT_ALLOWED:
            raise
    made: list[dict[str, str]] = []
    for one in files[:LINKED_FILES] or [""]:
        query = query_of(
            {k: v for k, v in sent.items() if k != picks} | ({picks: one} if one else {})
        )
        content = await understood(spec, await backends.fetch(backend, spec.endpoint, query))
        if content.type not in ("pdf", "image", "files"):
            return content
        made += [{"kind": content.type, **file} for file in content.value]
    return as_files("pdf", made)


async def read_bars(
    backends: Backends, backend: str, spec: Spec, sent: dict[str, Any], now: dt.datetime
) -> Content:
    """Return the bars up to now or, if there are none, up to the time of the last ones.

    Raises: UnknownWidget, BackendError, SecretsError.
    """
    where = f"{spec.endpoint.rstrip('/')}/history"
    query = query_of({k: v for k, v in sent.items() if k != "bars"}) | asked(sent, now)
    value = json_of(await backends.fetch(backend, where, query))
    before = earlier(value)
    if before is not None:
        query |= asked(sent, dt.datetime.fromtimestamp(before + 1, now.tzinfo))
        value = json_of(await backends.fetch(backend, where, query))
    return await asyncio.to_thread(read_candles, spec.name, value, int(query["countback"]))


async def understood(spec: Spec, reply: Reply) -> Content:
    """Return the content of a response. A large response is parsed outside the event loop."""
    return await asyncio.to_thread(read_content, spec, reply)


async def fetch_linked(backends: Backends, backend: str, files: list[dict[str, str]]) -> None:
    """Fetch the files of a response that contains only their addresses.

    Raises: BackendError, SecretsError.
    """
    for file in files[:LINKED_FILES]:
        if "content" not in file:
            reply = await backends.fetch(backend, file["url"], {})
            file["content"] = base64.b64encode(reply.body).decode()
