"""Files that take long to read: how far they are is told, and stopped, nothing of them is left."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from app.data import tables
from app.data.sources import Sources
from app.data.tables import uuid_of
from app.domain.errors import ReadingStopped
from app.services.dashboard.widgets import Readings
from backends.data import table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.data.tables import OpenTable

pytestmark = pytest.mark.slow

ROWS = 250_000


@pytest.fixture(scope="module", params=["csv", "parquet", "duckdb"])
def large(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("large") / f"large.{request.param}"
    select = (
        "SELECT i AS n, 'name ' || (i * 7919) AS name, i * 1.5 AS v, 'x' || (i % 90000) AS w FROM"
        f" range({ROWS}) t(i)"
    )
    with duckdb.connect(str(path) if path.suffix == ".duckdb" else ":memory:") as connection:
        if path.suffix == ".duckdb":
            connection.execute(f"CREATE TABLE large AS {select}")
        else:
            connection.execute(f"COPY ({select}) TO '{path}'")
    return path


async def test_how_far_a_file_is_read_only_rises(large: Path) -> None:
    readings, uid = Readings(Sources().add_file), uuid_of(large)
    reading = asyncio.ensure_future(readings.read(large, uid))
    seen: list[float] = []
    while not reading.done():
        far = readings.far(uid)
        seen += [far] if far is not None else []
        await asyncio.sleep(0.005)
    source = await reading
    assert source.profile.rows == ROWS
    assert seen == sorted(seen)
    assert all(0 <= one <= 1 for one in seen)
    assert len({round(one, 2) for one in seen}) >= 3
    assert readings.far(uid) is None


def until_ended(sources: Sources) -> tuple[Callable[[Path], OpenTable], threading.Event]:
    """Return what reads a file, and what is set once its thread is through with it."""
    ended = threading.Event()

    def read(path: Path) -> OpenTable:
        try:
            return sources.add_file(path)
        finally:
            ended.set()

    return read, ended


@pytest.mark.parametrize(
    ("module", "name"), [(tables, "hash_of"), (table, "type_columns"), (tables, "profile")]
)
async def test_stopped_at_any_point_nothing_of_it_is_left(
    large: Path, module: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached, go, work = threading.Event(), threading.Event(), getattr(module, name)

    def held(*arguments: Any, **more: Any) -> Any:
        reached.set()
        assert go.wait(60)
        return work(*arguments, **more)

    monkeypatch.setattr(module, name, held)
    opened, uid = Sources(), uuid_of(large)
    read, ended = until_ended(opened)
    readings = Readings(read)
    reading = asyncio.ensure_future(readings.read(large, uid))
    assert await asyncio.to_thread(reached.wait, 60)
    assert readings.stop(uid)
    with pytest.raises(ReadingStopped, match=r"Stopped reading .*; nothing was saved"):
        await reading
    go.set()
    assert await asyncio.to_thread(ended.wait, 60)
    assert uid not in opened
    assert not readings.stop(uid)
    monkeypatch.undo()
    assert (await readings.read(large, uid)).profile.rows == ROWS


async def test_a_task_that_is_cancelled_ends_the_reading_too(large: Path) -> None:
    opened, uid = Sources(), uuid_of(large)
    read, ended = until_ended(opened)
    readings = Readings(read)
    reading = asyncio.ensure_future(readings.read(large, uid))
    while not readings.far(uid):
        await asyncio.sleep(0)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert await asyncio.to_thread(ended.wait, 60)
    assert uid not in opened
    assert readings.far(uid) is None


async def test_who_asks_another_table_does_not_wait_for_a_large_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "large.csv").write_text("a,b\n1,2\n")
    (tmp_path / "small.csv").write_text("a,b\n3,4\n")
    reached, go, work = threading.Event(), threading.Event(), tables.profile

    def held(*arguments: Any, **more: Any) -> Any:
        if arguments[1] == "large":
            reached.set()
            assert go.wait(60)
        return work(*arguments, **more)

    monkeypatch.setattr(tables, "profile", held)
    opened = Sources()
    reading = asyncio.ensure_future(asyncio.to_thread(opened.add_file, tmp_path / "large.csv"))
    assert await asyncio.to_thread(reached.wait, 60)
    small = opened.add_file(tmp_path / "small.csv")  # on the loop itself: it waits for nobody
    opened.renote(small.uuid)
    opened.close(small.uuid)
    go.set()
    assert (await reading).profile.rows == 1
