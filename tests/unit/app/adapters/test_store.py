"""The store: on disk, one writer, migrated or untouched."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from app.adapters.store import schema
from app.adapters.store.store import Store
from app.domain.conversation import Turn
from app.domain.dashboard import Tile
from app.domain.errors import StoreError, StoreInUse
from app.domain.events import (
    Artifact,
    Call,
    CallResult,
    CellRef,
    Citation,
    Citations,
    Ended,
    Status,
    Suggestions,
)
from app.domain.stream import Message
from app.domain.widget import Widget

if TYPE_CHECKING:
    from pathlib import Path

ITEMS = [
    Status("INFO", "x", [{"a": 1}]),
    Call("f", {"a": [1]}, '{"function":"f"}'),
    CallResult("f", "content", False, 0.1),
    Message("assistant", "message", "你好", id="1", created_at=1.0),
    Citations([Citation("w", "n", CellRef("h", 2, "c"), 9.6), Citation("w", "n", None)]),
    Artifact("chart", "n", [{"x": 1}], {"xKey": "x"}),
    Suggestions(["a"]),
    Ended("done"),
]


async def test_what_was_written_is_read_back_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    store = await Store.open(path)
    conversation = await store.new_conversation("Title")
    await store.add_turn(Turn("t", conversation.id, None, "q", "running", 1.0))
    await store.put_items("t", 0, list(ITEMS), "done")
    await store.save_widgets([Widget("w", "n", "/p", attached=True)])
    await store.aclose()
    store = await Store.open(path)
    assert [t.items for t in await store.turns(conversation.id)] == [ITEMS]
    assert (await store.widgets())[0].attached
    await store.rename(conversation.id, "Other")
    assert (await store.conversations())[0].title == "Other"
    await store.delete_conversation(conversation.id)
    assert await store.turns(conversation.id) == []
    await store.aclose()


async def test_a_second_writer_is_told(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "s.sqlite")
    with pytest.raises(StoreInUse):
        await Store.open(tmp_path / "s.sqlite")
    await store.aclose()
    await (await Store.open(tmp_path / "s.sqlite")).aclose()


async def test_turns_that_ran_when_the_process_died_are_interrupted(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "s.sqlite")
    conversation = await store.new_conversation("x")
    await store.add_turn(Turn("t", conversation.id, None, "q", "running", 1.0))
    await store.aclose()
    store = await Store.open(tmp_path / "s.sqlite")
    assert (await store.turns(conversation.id))[0].state == "interrupted"
    await store.aclose()


async def test_a_store_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="newer"):
        await Store.open(path)


async def test_a_store_of_the_first_version_gets_tiles_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript(schema.MIGRATIONS[0])
        connection.execute("INSERT INTO conversations VALUES ('c', 't', 0, 0)")
        body = (
            '{"uuid": "w", "name": "n", "path": "/p", "description": "", "type": "table", "attached": true}'
        )
        connection.execute("INSERT INTO widgets VALUES ('w', 0, ?)", (body,))
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    store = await Store.open(path)
    assert await store.tiles() == []
    assert await store.widgets() == [Widget("w", "n", "/p", attached=True)]
    assert [c.id for c in await store.conversations()] == ["c"]
    await store.save_tiles([Tile("w", 0, 0, 12, 9)])
    await store.aclose()
    store = await Store.open(path)
    assert await store.tiles() == [Tile("w", 0, 0, 12, 9)]
    await store.aclose()


def test_a_migration_that_fails_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    schema.migrate(connection)
    connection.execute("INSERT INTO conversations VALUES ('c', 't', 0, 0)")
    monkeypatch.setattr(
        schema, "MIGRATIONS", [*schema.MIGRATIONS, "DROP TABLE widgets; CREATE TABLE widgets (; "]
    )
    with pytest.raises(sqlite3.Error):
        schema.migrate(connection)
    assert connection.execute("PRAGMA user_version").fetchone() == (len(schema.MIGRATIONS) - 1,)
    assert connection.execute("SELECT count(*) FROM widgets").fetchone() == (0,)
    assert connection.execute("SELECT id FROM conversations").fetchone() == ("c",)
    connection.close()
