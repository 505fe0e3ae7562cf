"""A damaged store is found and its last copy brought back; nothing is thrown away."""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from app.adapters.store import copies
from app.adapters.store.store import Store
from app.domain.conversation import Turn
from app.domain.errors import StoreDamaged, StoreError
from app.domain.stream import Message

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.expects_log("conversations were damaged")

LONG = "The answer was nine point six. " * 400


async def written(path: Path, name: str, turns: int = 20) -> str:
    """Write a conversation into a store, once it is copied as it was; return its id."""
    store = await Store.open(path)
    assert store._copying is not None  # pyright: ignore[reportPrivateUsage]
    await store._copying  # pyright: ignore[reportPrivateUsage]
    made = await store.new_conversation(name)
    for number in range(turns):
        turn = Turn(f"{name} {number}", made.id, None, f"Question {number}", "done", float(number))
        turn.items = [Message("assistant", "message", LONG)]
        await store.add_turn(turn)
    await store.aclose()
    return made.id


async def copied(path: Path, name: str = "first") -> str:
    """Write a store and have it copied as the next start does."""
    uid = await written(path, name)
    store = await Store.open(path)
    assert store._copying is not None  # pyright: ignore[reportPrivateUsage]
    await store._copying  # pyright: ignore[reportPrivateUsage]
    await store.aclose()
    assert copies.newest_copy(path).exists()
    return uid


def names(folder: Path, start: str) -> list[str]:
    return [name for name in os.listdir(folder) if name.startswith(start)]  # noqa: PTH208


def spoil(path: Path, at: float) -> None:
    """Write over some pages of a file, `at` of the way through it."""
    with path.open("r+b") as file:
        file.seek(int(at * path.stat().st_size) // 4096 * 4096)
        file.write(os.urandom(3 * 4096))


async def test_a_store_whose_head_is_damaged_comes_back_from_its_copy(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    uid = await copied(path)
    spoil(path, 0)
    damaged = path.read_bytes()
    store = await Store.open(path)
    assert re.search(r"were damaged; the copy from 20.* was restored\.", str(store.note))
    assert [t.answer() for t in await store.turns(uid)] == [LONG] * 20
    await store.aclose()
    (aside,) = names(tmp_path, "s-damaged-")
    assert (tmp_path / aside).read_bytes() == damaged
    store = await Store.open(path)
    assert store.note is None
    await store.aclose()


async def test_damage_that_shows_while_the_store_is_open_is_mended_at_the_next_start(
    tmp_path: Path,
) -> None:
    path = tmp_path / "s.sqlite"
    uid = await copied(path)
    spoil(path, 0.5)
    store = await Store.open(path)
    assert store.note is None  # it was closed well, so that it was not read whole
    with pytest.raises(StoreError, match="are damaged"):
        for turn in await store.turns(uid):
            await store.put_items(turn.id, 0, [Message("assistant", "message", LONG * 2)])
        await store.search("nine")
    await store.aclose()
    store = await Store.open(path)
    assert "were damaged" in str(store.note)
    assert len(await store.turns(uid)) == 20
    await store.aclose()


async def test_a_store_that_was_killed_and_damaged_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    await copied(path)
    spoil(path, 0.5)
    path.with_name("s.sqlite-wal").touch()  # as a killed writer leaves it
    store = await Store.open(path)
    assert "were damaged" in str(store.note)
    await store.aclose()


async def test_a_damaged_copy_is_passed_over_for_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    first = await copied(path)
    newest, before = copies.copies_of(path)
    os.utime(newest, (1.0, 1.0))
    await written(path, "second")
    assert before.exists()
    spoil(newest, 0)
    spoil(path, 0)
    store = await Store.open(path)
    assert [c.id for c in await store.conversations()] == [first]
    await store.aclose()


async def test_without_a_copy_damage_is_told_and_nothing_touched(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    await written(path, "first")
    copies.newest_copy(path).unlink(missing_ok=True)
    spoil(path, 0)
    damaged = path.read_bytes()
    with pytest.raises(StoreDamaged, match="are damaged") as caught:
        await Store.open(path)
    assert "deskpilot chats restore" in caught.value.remedy
    assert path.read_bytes() == damaged


async def test_copies_are_made_once_an_hour_and_are_whole(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    await copied(path)
    newest, before = copies.copies_of(path)
    at = newest.stat().st_mtime_ns
    await written(path, "second")
    assert newest.stat().st_mtime_ns == at
    assert not before.exists()
    with closing(sqlite3.connect(newest)) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert newest.stat().st_mode & 0o777 == 0o600
    assert not names(tmp_path, ".")
