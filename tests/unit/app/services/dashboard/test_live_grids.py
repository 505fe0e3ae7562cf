"""Rows that change while they are looked at, and widgets that are fetched at certain times."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.openbb.widgets import next_time, read_cron, read_spec
from app.services.dashboard import streams
from app.services.dashboard.fetches import is_old, wait_for
from app.services.dashboard.streams import CellChange, Stream, rose
from tests.unit.app.services.dashboard.test_backends import Terminal, opened
from tests.widget_backend import WIDGETS, Server

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from app.openbb.widgets import Spec

pytestmark = pytest.mark.slow

MONDAY = dt.datetime(2026, 11, 23, 2, 30, tzinfo=dt.UTC)


@pytest.fixture
async def terminal(home: Path, server: Server) -> AsyncGenerator[Terminal]:
    async with opened(home) as made:
        await made.backends.add(server.url)
        yield made


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.01)


def spec_of(**more: Any) -> Spec:
    made = read_spec("x", {"name": "X", "endpoint": "x"} | more)
    assert made is not None
    return made


async def seen(terminal: Terminal, server: Server, widget_id: str) -> str:
    """A widget that is placed and looked at."""
    widget = terminal.live.make(server.url, widget_id)
    await terminal.widgets.add(widget)
    terminal.live.show([widget.uuid])
    await terminal.fetched(widget.uuid)
    return widget.uuid


def rows_on_disk(terminal: Terminal, uid: str) -> list[dict[str, Any]]:
    return json.loads(Path(terminal.widgets.get(uid).path).read_text("utf-8"))


async def test_a_live_grid_is_fetched_then_heard_and_what_changed_is_told_and_kept(
    terminal: Terminal, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "NEW_SECONDS", 0.05)
    told: list[CellChange] = []
    terminal.live.streams.subscribe(lambda _, changes: told.extend(changes))
    uid = await seen(terminal, server, "ticks")
    await until(lambda: server.sockets)
    assert server.hellos == [{"params": {"symbol": ["ORB", "KLM", "ZED"]}}]
    server.tick({"symbol": "KLM", "price": 99.5, "nonsense": 1})
    await until(lambda: told)
    assert told == [CellChange(1, "price", 99.5, up=False)]
    server.tick(
        [
            {"symbol": "ORB", "price": 101.0},
            {"symbol": "NEW", "price": 7.0, "change": 1.0, "volume": 1},
        ]
    )
    await until(lambda: len(rows_on_disk(terminal, uid)) == 4)
    assert [row["price"] for row in rows_on_disk(terminal, uid)] == [101.0, 99.5, 102.0, 7.0]
    await until(lambda: terminal.widgets.profile(uid).rows == 4)
    result = terminal.widgets.sources.run("sum", {"source": uid, "column": "price"})
    assert result.value == 309.5  # a question is answered from what is shown


async def test_other_parameters_are_heard_instead_and_nobody_who_looks_away(
    terminal: Terminal, server: Server
) -> None:
    uid = await seen(terminal, server, "ticks")
    await until(lambda: len(server.hellos) == 1)
    await terminal.live.set_value(uid, "symbol", "ACE")
    await until(lambda: len(server.hellos) == 2)
    assert server.hellos[1] == {"params": {"symbol": ["ACE"]}}
    terminal.live.show([])
    assert terminal.live.streams.state(uid) is None
    await until(lambda: not terminal.tasks.running(f"hear {uid}"))


async def test_a_connection_that_breaks_is_told_and_tried_again(
    terminal: Terminal, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "FIRST_PAUSE", 0.01)
    uid = await seen(terminal, server, "ticks")
    await until(lambda: server.sockets)
    server.tick("no row")
    server.tick({"symbol": "ORB", "price": 1.0})
    stream = terminal.live.streams.state(uid)
    assert stream is not None
    await until(lambda: stream.heard)
    server.tick(None)
    await until(lambda: len(server.hellos) == 2)
    assert stream.error is not None
    server.tick({"symbol": "ORB", "price": 2.0})
    await until(lambda: stream.error is None)


async def test_changes_are_heard_from_nowhere_else(terminal: Terminal, server: Server) -> None:
    uid = await seen(terminal, server, "ticks away")
    stream = terminal.live.streams.state(uid)
    assert stream is not None
    await until(lambda: stream.error is not None)
    assert "points to another server" in str(stream.error)
    assert terminal.live.state(uid).error is None  # what was fetched is there all the same


def test_rows_are_merged_by_their_id_and_no_end_of_new_ones_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(streams, "NEW_ROWS", 2)
    stream = Stream("", [], "id")
    stream.load([{"id": 1, "a": 1, "b": "x"}])
    assert not stream.merge({"id": 1, "a": 1})
    assert not stream.dirty
    stream.merge({"id": 1, "a": 3, "b": "y", "c": 1})
    assert [(c.column, c.up) for c in stream.changed.values()] == [("a", True), ("b", None)]
    for n in range(2, 9):
        stream.merge({"id": n})
    assert [row["id"] for row in stream.rows] == [1, 2, 3]
    assert rose(True, 2) is None


@pytest.mark.parametrize("raw", ["", "every day", "99 * * * *", 5, None, False, "* * *"])
def test_what_is_no_cron_is_none(raw: object) -> None:
    assert read_cron(raw) == ""


def test_cron_tells_when_to_fetch_and_what_is_old() -> None:
    spec = spec_of(refetchInterval="0 3 * * 1-5")
    assert spec.refresh_ms is None
    assert next_time(spec.cron, MONDAY) == MONDAY.replace(hour=3, minute=0)
    fetched = MONDAY.timestamp() - 600
    assert not is_old(spec, fetched, MONDAY)
    assert is_old(spec, fetched, MONDAY + dt.timedelta(minutes=31))
    assert wait_for(spec, fetched, MONDAY + dt.timedelta(minutes=29), failed=False) == 60
    assert (
        wait_for(spec, fetched, MONDAY, failed=False) == 300
    )  # it looks again: a machine may have slept
    told = spec_of(refetchInterval=False, dataUpdateDisplay="0 3 * * *")
    assert wait_for(told, fetched, MONDAY, failed=False) is None
    assert is_old(told, fetched, MONDAY + dt.timedelta(hours=1))
    assert (
        wait_for(spec_of(refetchInterval="0 0 30 2 *"), None, MONDAY, failed=False) is None
    )  # no such day


async def test_what_is_due_by_cron_is_fetched(terminal: Terminal, server: Server) -> None:
    assert WIDGETS["nightly"]["refetchInterval"] == "0 3 * * *"
    uid = await seen(terminal, server, "nightly")
    asked = len(server.asked)
    assert terminal.live.timers.runs(uid)
    terminal.live.timers.fire(uid)  # five minutes later: it is not three o'clock
    assert len(server.asked) == asked
    terminal.live.state(uid).at = MONDAY.timestamp() - 10 * 86_400
    terminal.live.timers.fire(uid)
    await until(lambda: len(server.asked) > asked)
