"""The list of conversations on disk: pins, folders, trash, branches; copies of it, and migration
that rolls back.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from app.adapters.store import schema
from app.adapters.store.store import Store
from app.domain.conversation import TEMPORARY, Turn
from app.domain.errors import NoConversation, StoreError, StoreInUse
from app.domain.events import Ended
from app.domain.stream import Message
from app.services.conversation.history import History

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path


def turn_of(uid: str, conversation_id: str, parent: str | None, question: str, answer: str) -> Turn:
    items = [Message("assistant", "message", answer), Ended("done")]
    return Turn(uid, conversation_id, parent, question, "done", 1.0, list(items))


def all_bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("*.sqlite*"))


@pytest.fixture
async def store(tmp_path: Path) -> AsyncGenerator[Store, None]:
    made = await Store.open(tmp_path / "deskpilot.sqlite")
    yield made
    await made.aclose()


async def test_pins_folders_and_titles_stay_and_the_trash_gives_back(store: Store) -> None:
    history = History(store)
    first, second = await history.begin("first"), await history.begin("second")
    await history.pin(first.id, pinned=True)
    await history.move(first.id, "  Q3   review ")
    await history.rename(second.id, " Other\n name ")
    await history.rename(second.id, "  ")
    found = {c.id: c for c in await history.conversations()}
    assert (found[first.id].pinned, found[first.id].folder) == (True, "Q3 review")
    assert found[second.id].title == "Other name"
    assert await history.folders() == ["Q3 review"]
    await history.trash(first.id)
    assert [c.id for c in await history.conversations()] == [second.id]
    assert [c.id for c in await history.trashed()] == [first.id]
    assert await history.empty_trash(days=30) == 0
    await history.take_back(first.id)
    assert (await history.get(first.id)).folder == "Q3 review"
    await history.trash(first.id)
    assert await history.empty_trash() == 1
    with pytest.raises(NoConversation):
        await history.get(first.id)


async def test_what_is_in_the_trash_is_not_found_and_titles_are(store: Store) -> None:
    history = History(store)
    begun = await history.begin("Umsatz im Herbst")
    await store.add_turn(turn_of("t", begun.id, None, "How much?", "Nine million."))
    assert [(f.title, f.turn_id) for f in await history.search("herbst UMSATZ")] == [
        ("Umsatz im Herbst", "")
    ]
    assert [f.turn_id for f in await history.search("million")] == ["t"]
    assert await history.search("100%") == []
    await history.trash(begun.id)
    assert await history.search("million") == await history.search("Umsatz") == []


async def test_a_branch_is_shown_again_where_one_left_it(store: Store) -> None:
    history = History(store)
    begun = await history.begin("q")
    parents = {"a": None, "b": "a", "c": "b", "b2": "a", "a2": None}
    for uid, parent in parents.items():
        await store.add_turn(turn_of(uid, begun.id, parent, uid, uid))
    thread = await history.thread(begun.id)
    assert [t.id for t in thread.path] == ["a2"]
    assert thread.place(thread.path[0]) == (2, 2)
    assert thread.switch(thread.path[0], -1)
    assert [t.id for t in thread.path] == ["a", "b2"]
    assert thread.branches() == {"a": (1, 2), "b2": (2, 2)}
    assert thread.switch(thread.path[1], -1)
    assert not thread.switch(thread.path[1], -1)
    await history.show(begun.id, thread.path[-1])
    assert [t.id for t in (await history.thread(begun.id)).path] == ["a", "b", "c"]


async def test_a_conversation_is_opened_without_reading_its_old_answers(store: Store) -> None:
    history = History(store)
    begun = await history.begin("q")
    for n in range(100):
        await store.add_turn(turn_of(f"t{n}", begun.id, f"t{n - 1}" if n else None, "q", "a"))
    thread = await history.thread(begun.id)
    assert len(thread.path) == 100
    assert thread.branches() == {}
    assert [turn.is_read for turn in thread.path] == [False] * 68 + [True] * 32
    assert thread.add(turn_of("x", begun.id, "t49", "q", "a"))
    assert [t.id for t in thread.path[48:]] == ["t48", "t49", "x"]
    assert thread.place(thread.path[-1]) == (2, 2)


async def test_a_temporary_conversation_leaves_nothing_on_disk(
    tmp_path: Path, store: Store
) -> None:
    history = History(store)
    begun = await history.begin("very secret words", temporary=True)
    assert begun.temporary
    await store.add_turn(turn_of(f"{TEMPORARY}t", begun.id, None, "very secret words", "hush"))
    await store.put_items(
        f"{TEMPORARY}t", 0, [Message("assistant", "message", "hush hush")], "done"
    )
    assert await history.conversations() == await history.search("secret") == []
    await store.back_up(tmp_path / "copy.sqlite")
    kept = all_bytes(tmp_path)
    assert b"secret" not in kept
    assert b"hush" not in kept


async def test_a_backup_brings_everything_back(tmp_path: Path, store: Store) -> None:
    history, copy = History(store), tmp_path / "copy.sqlite"
    begun = await history.begin("q")
    await store.add_turn(turn_of("t", begun.id, None, "what?", "that"))
    await history.back_up(copy)
    await history.delete(begun.id)
    await history.begin("later")
    await history.restore(copy)
    assert [c.id for c in await history.conversations()] == [begun.id]
    assert [t.answer() for t in await history.open(begun.id)] == ["that"]
    assert [f.turn_id for f in await history.search("what")] == ["t"]
    await store.add_turn(turn_of("t2", begun.id, "t", "more?", "yes"))


@pytest.mark.parametrize("fault", ["no file", "words", "cut", "newer", "other"])
async def test_a_copy_that_is_not_whole_changes_nothing(
    tmp_path: Path, store: Store, fault: str
) -> None:
    history, copy = History(store), tmp_path / "copy.sqlite"
    begun = await history.begin("q")
    await store.add_turn(turn_of("t", begun.id, None, "what?", "long " * 20_000))
    if fault == "words":
        copy.write_text("not a database, but rather long " * 100)
    elif fault == "cut":
        await history.back_up(copy)
        copy.write_bytes(copy.read_bytes()[:-40_000])
    elif fault in ("newer", "other"):
        with closing(sqlite3.connect(copy)) as connection:
            connection.execute("CREATE TABLE conversations (id)")
            connection.execute(f"PRAGMA user_version = {99 if fault == 'newer' else 3}")
    with pytest.raises(StoreError) as caught:
        await history.restore(copy)
    assert caught.value.remedy
    assert [c.id for c in await history.conversations()] == [begun.id]
    assert (await history.open(begun.id))[0].answer().startswith("long")


def old_store(path: Path, version: int = 3) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for script in schema.MIGRATIONS[:version]:
            connection.executescript(script)
        connection.execute("INSERT INTO conversations VALUES ('c', 'Old', 0, 0)")
        for uid, parent in (("a", None), ("b", "a"), ("b2", "a")):
            connection.execute(
                "INSERT INTO turns VALUES (?, 'c', ?, 'q', 'done', 0)", (uid, parent)
            )
        connection.execute(f"PRAGMA user_version = {version}")


async def test_an_old_store_is_kept_as_it_was_beside_the_migrated_one(tmp_path: Path) -> None:
    path = tmp_path / "deskpilot.sqlite"
    old_store(path)
    store = await Store.open(path)
    thread = await History(store).thread("c")
    assert [t.id for t in thread.path] == ["a", "b2"]
    assert thread.place(thread.path[-1]) == (2, 2)
    copy = tmp_path / "deskpilot-version-3.sqlite"
    with closing(sqlite3.connect(copy)) as connection:
        assert schema.version_of(connection) == 3
        assert connection.execute("SELECT title FROM conversations").fetchall() == [("Old",)]
    await store.delete_conversation("c")
    await store.restore(copy)  # and it comes back, migrated
    assert [c.title for c in await store.conversations()] == ["Old"]
    await store.aclose()


async def test_a_migration_that_fails_in_its_last_step_takes_back_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "deskpilot.sqlite"
    old_store(path)
    broken = [*schema.MIGRATIONS, "CREATE TABLE later (x); DROP TABLE there_is_none;"]
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", broken)
        with pytest.raises(StoreError):
            await Store.open(path)
    with closing(sqlite3.connect(path)) as connection:
        assert schema.version_of(connection) == 3
        columns = [row[1] for row in connection.execute("PRAGMA table_info(conversations)")]
        assert columns == ["id", "title", "created_at", "updated_at"]
    store = await Store.open(path)
    assert [c.title for c in await store.conversations()] == ["Old"]
    await store.aclose()


async def test_one_reads_beside_who_writes_and_changes_nothing(
    tmp_path: Path, store: Store
) -> None:
    path = tmp_path / "deskpilot.sqlite"
    begun = await store.new_conversation("open elsewhere")
    running = Turn("t", begun.id, None, "q", "running", 1.0)
    await store.add_turn(running)
    with pytest.raises(StoreInUse):
        await Store.open(path)
    reading = await Store.open(path, reading=True)
    assert [c.title for c in await reading.conversations()] == ["open elsewhere"]
    assert (await reading.turns(begun.id))[0].state == "running"
    await reading.back_up(tmp_path / "copy.sqlite")
    with pytest.raises(StoreError):
        await reading.new_conversation("x")
    await reading.aclose()
    nowhere = await Store.open(tmp_path / "none.sqlite", reading=True)
    assert await nowhere.conversations() == []
    await nowhere.aclose()
    assert not (tmp_path / "none.sqlite").exists()
