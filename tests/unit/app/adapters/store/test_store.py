"""The store: on disk, one writer, migrated or untouched."""

from __future__ import annotations

import dataclasses
import sqlite3
from typing import TYPE_CHECKING

import pytest

from app.adapters.store import schema
from app.adapters.store.store import PAGE, Store
from app.domain.conversation import Turn
from app.domain.dashboard import Tab, TilePlace, Widget
from app.domain.errors import StoreError, StoreInUse
from app.domain.events import (
    Artifact,
    CallResult,
    CellRef,
    Citation,
    Citations,
    CopilotCall,
    Ended,
    Status,
    Suggestions,
)
from app.domain.stream import Message

if TYPE_CHECKING:
    from pathlib import Path

ITEMS = [
    Status("INFO", "x", [{"a": 1}]),
    CopilotCall("f", {"a": [1]}, '{"function":"f"}'),
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
            '{"uuid": "w", "name": "n", "path": "/p", "description": "", "type": "table",'
            ' "attached": true}'
        )
        connection.execute("INSERT INTO widgets VALUES ('w', 0, ?)", (body,))
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    store = await Store.open(path)
    assert await store.tabs() == [Tab("first", "Dashboard")]
    assert await store.widgets() == [Widget("w", "n", "/p", attached=True)]
    assert [c.id for c in await store.conversations()] == ["c"]
    tabs = [Tab("b", "Second"), Tab("first", "One", (TilePlace("w", 0, 0, 12, 9),))]
    await store.save_tabs(tabs)
    await store.aclose()
    store = await Store.open(path)
    assert await store.tabs() == tabs
    assert await store.setting("x") is None
    await store.save_setting("x", "1")
    await store.save_setting("x", "2")
    assert await store.setting("x") == "2"
    await store.aclose()


def test_a_migration_that_fails_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    schema.migrate(connection)
    added = "INSERT INTO conversations (id, title, created_at, updated_at) VALUES ('c', 't', 0, 0)"
    connection.execute(added)
    monkeypatch.setattr(
        schema,
        "MIGRATIONS",
        [*schema.MIGRATIONS, "DROP TABLE widgets; CREATE TABLE widgets (; "],
    )
    with pytest.raises(sqlite3.Error):
        schema.migrate(connection)
    assert connection.execute("PRAGMA user_version").fetchone() == (len(schema.MIGRATIONS) - 1,)
    assert connection.execute("SELECT count(*) FROM widgets").fetchone() == (0,)
    assert connection.execute("SELECT id FROM conversations").fetchone() == ("c",)
    connection.close()


def said(number: int, words: str) -> Turn:
    items = [Message("assistant", "message", words, id=str(number), created_at=1.0), Ended("done")]
    return Turn(
        f"t{number}",
        "c",
        f"t{number - 1}",
        f"question {number}",
        "done",
        float(number),
        list(items),
    )


async def filled(path: Path | None, turns: list[Turn]) -> tuple[Store, str]:
    store = await Store.open(path)
    conversation = await store.new_conversation("Title")
    for turn in turns:
        await store.add_turn(dataclasses.replace(turn, conversation_id=conversation.id))
    return store, conversation.id


@pytest.mark.parametrize("in_memory", [True, False])
async def test_of_a_long_conversation_the_newest_answers_come_at_once_the_others_are_read(
    tmp_path: Path, in_memory: bool
) -> None:
    path = None if in_memory else tmp_path / "s.sqlite"
    store, uid = await filled(path, [said(n, f"answer {n}") for n in range(100)])
    turns = await store.turns(uid)
    assert [turn.is_read for turn in turns] == [False] * (100 - PAGE) + [True] * PAGE
    assert [(t.id, t.parent, t.items) for t in turns[:2]] == [("t0", "t-1", []), ("t1", "t0", [])]
    await store.read(turns[:6])
    assert [t.is_read for t in turns[:7]] == [True] * 6 + [False]
    assert (turns[5].question, turns[5].created_at) == ("question 5", 5.0)
    assert turns[5].answer() == "answer 5"
    await store.read(turns)
    assert [t.answer() for t in turns] == [f"answer {n}" for n in range(100)]
    await store.aclose()


async def test_a_turn_that_was_removed_meanwhile_has_no_items(tmp_path: Path) -> None:
    store, uid = await filled(tmp_path / "s.sqlite", [said(n, "x") for n in range(PAGE * 2)])
    turns = await store.turns(uid)
    await store.delete_conversation(uid)
    await store.read(turns[:1])
    assert (turns[0].question, turns[0].is_read, turns[0].items) == ("", True, [])
    assert (await store.turns(uid), await store.search("question")) == ([], [])
    await store.aclose()


@pytest.mark.parametrize(
    ("wanted", "ids"),
    [
        ("UNEMPLOY", ["t2", "t0"]),
        ("employment 1982", ["t2"]),
        ("失业", ["t1"]),
        ("失业率 最高", ["t1"]),
        ("question", ["t3", "t2", "t1", "t0"]),
        ("100%", ["t3"]),
        ("0_", []),
        ('say "hi" OR', ["t3"]),
        ("  ", []),
    ],
)
async def test_words_are_found_wherever_they_stand(wanted: str, ids: list[str]) -> None:
    words = [
        "Unemployment was high", "1982年失业率最高", "unemployment in 1982", 'I would say "hi" or 100% bye',
    ]  # fmt: skip
    store, uid = await filled(None, [said(n, text) for n, text in enumerate(words)])
    found = await store.search(wanted)
    assert [f.turn_id for f in found] == ids
    assert all(f.conversation_id == uid and f.title == "Title" for f in found)
    assert not found or wanted.split()[0].lower() in found[0].excerpt.lower()
    await store.aclose()


async def test_an_answer_is_found_once_its_turn_has_ended() -> None:
    store, uid = await filled(None, [])
    await store.add_turn(Turn("t", uid, None, "a question", "running", 1.0))
    assert [f.turn_id for f in await store.search("question")] == ["t"]
    await store.put_items("t", 0, [Message("assistant", "message", "nine point six")])
    await store.put_items("t", 0, [Message("assistant", "message", "nine point seven")], "done")
    assert [len(await store.search(w)) for w in ("seven", "point six")] == [1, 0]
    await store.aclose()


async def test_a_store_of_the_first_version_is_searched_once_it_is_migrated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s.sqlite"
    connection = sqlite3.connect(path, isolation_level=None)
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:1])
        schema.migrate(connection)
    connection.execute("INSERT INTO conversations VALUES ('c', 'Old', 0, 0)")
    connection.execute("INSERT INTO turns VALUES ('t', 'c', NULL, 'old question', 'done', 0)")
    body = '{"role": "assistant", "type": "message", "content": "old answer"}'
    connection.execute("INSERT INTO items VALUES ('t', 0, 'message', ?)", (body,))
    connection.close()
    store = await Store.open(path)
    assert [f.excerpt for f in await store.search("old answer")] == ["old question old answer"]
    await store.aclose()


async def test_a_file_that_is_no_store_is_told_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(StoreError, match="are damaged") as caught:
        await Store.open(path)
    assert caught.value.remedy
    assert path.read_bytes().startswith(b"not a database")


async def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be saved") as caught:
        await Store.open(tmp_path / "file" / "s.sqlite")
    assert "DESKPILOT_HOME" in caught.value.remedy
