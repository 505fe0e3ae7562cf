"""Files that take long to read: they stand there meanwhile, and a question waits for them."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

import pytest

from app.adapters.store.store import Store
from app.data.sources import Sources
from app.data.tables import OpenTable
from app.domain.dashboard import find
from app.domain.errors import SourceError
from app.services.dashboard.tiles import TABLE_H, Dashboard
from app.services.dashboard.widgets import Widgets

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path


class SlowSources(Sources):
    """Sources that wait for a gate before they read."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()

    def add_file(self, path: Path) -> OpenTable:
        self.gate.wait(20)
        return super().add_file(path)


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    path = tmp_path / "prices.csv"
    path.write_text("day,close\n2024-01-01,2.5\n", "utf-8")
    return path


@pytest.fixture
async def store(home: Path) -> AsyncGenerator[Store]:
    store = await Store.open(home / "s.sqlite")
    yield store
    await store.aclose()


def once(widgets: Widgets, condition: str) -> asyncio.Event:
    """An event that is set after the change that leaves so many files being opened."""
    seen = asyncio.Event()
    widgets.subscribe(lambda: seen.set() if str(len(widgets.opening)) == condition else None)
    return seen


async def test_a_file_that_takes_long_stands_there_meanwhile_and_fits_then(
    store: Store, prices: Path
) -> None:
    sources = SlowSources()
    widgets = Widgets(sources, store)
    dashboard = Dashboard(widgets, store)
    shown = once(widgets, "1")
    adding = asyncio.create_task(dashboard.add_file(prices, (0, 0)))
    await shown.wait()
    (widget,) = widgets.all()
    assert (widget.name, widget.attached, widgets.opening) == ("prices", True, {widget.uuid})
    assert find(dashboard.tiles, widget.uuid).h == TABLE_H
    waiting = asyncio.create_task(widgets.opened())
    sources.gate.set()
    assert (await adding).attached
    await waiting
    assert find(dashboard.tiles, widget.uuid).h == 4


async def test_a_file_that_cannot_be_read_is_gone_again(store: Store, tmp_path: Path) -> None:
    (tmp_path / "bad.xyz").write_text("?", "utf-8")
    sources = SlowSources()
    widgets = Widgets(sources, store)
    dashboard = Dashboard(widgets, store)
    shown = once(widgets, "1")
    adding = asyncio.create_task(widgets.add_file(tmp_path / "bad.xyz"))
    await shown.wait()
    sources.gate.set()
    with pytest.raises(SourceError):
        await adding
    assert (widgets.all(), widgets.opening, dashboard.tiles) == ([], set(), ())


async def test_opening_may_be_given_up(store: Store, prices: Path) -> None:
    sources = SlowSources()
    widgets = Widgets(sources, store)
    shown = once(widgets, "1")
    adding = asyncio.create_task(widgets.add_file(prices))
    await shown.wait()
    adding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await adding
    assert (widgets.all(), widgets.opening) == ([], set())
    sources.gate.set()


async def test_widgets_of_the_last_session_stand_there_before_they_are_read(
    store: Store, prices: Path
) -> None:
    before = Widgets(Sources(), store)
    await before.restore()
    uid = (await before.add_file(prices)).uuid
    sources = SlowSources()
    widgets = Widgets(sources, store)
    shown = once(widgets, "1")
    restoring = asyncio.create_task(widgets.restore())
    await shown.wait()
    assert [w.uuid for w in widgets.attached()] == [uid]
    assert (
        widgets.offered([uid]) == []
    )  # there is nothing to offer yet: a question waits for `opened`
    sources.gate.set()
    await widgets.opened()
    assert [w.name for w in widgets.offered([uid])] == ["prices"]
    await restoring
