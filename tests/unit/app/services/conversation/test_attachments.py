"""What goes along with questions belongs to one conversation."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.adapters.store import schema
from app.adapters.store.store import Store
from app.data.sources import Sources
from app.data.tables import uuid_of
from app.domain.conversation import Attachment
from app.services.conversation.attachments import Attachments
from app.services.dashboard.widgets import Widgets
from app.services.tasks import Tasks

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator


class Window:
    """The services of one start."""

    def __init__(self, store: Store) -> None:
        self.store, self.tasks = store, Tasks()
        self.widgets = Widgets(Sources(), store)
        self.attachments = Attachments(self.widgets, store, self.tasks)

    def names(self) -> list[str]:
        return sorted(widget.name for widget in self.widgets.attached())

    async def open(self, conversation_id: str | None) -> None:
        found = await self.attachments.of(conversation_id) if conversation_id else []
        await self.attachments.open(conversation_id, found)

    async def settle(self) -> None:
        async with asyncio.timeout(20):
            while self.tasks._tasks:
                await asyncio.sleep(0.01)


@pytest.fixture
async def window(home: Path) -> AsyncGenerator[Window]:
    store = await Store.open(home / "s.sqlite")
    made = Window(store)
    await made.widgets.restore()
    yield made
    await made.tasks.aclose()
    await store.aclose()


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    made = tmp_path / "sales.csv", tmp_path / "staff.csv"
    for path in made:
        path.write_text("day,count\n2024-01-01,2\n2024-01-02,3\n", "utf-8")
    return made


async def begun(window: Window, title: str) -> str:
    conversation = await window.store.new_conversation(title)
    window.attachments.begin(conversation.id)
    return conversation.id


async def test_each_conversation_gets_its_own_back_and_a_new_one_begins_with_none(
    window: Window, files: tuple[Path, Path]
) -> None:
    await window.widgets.add_file(files[0])
    first = await begun(window, "Sales")
    await window.settle()
    await window.open(None)
    assert window.names() == []
    await window.widgets.add_file(files[1])
    second = await begun(window, "Staff")
    await window.settle()
    await window.open(first)
    assert window.names() == ["sales"]
    await window.open(second)
    assert window.names() == ["staff"]


async def test_they_survive_a_restart_and_open_what_was_taken_off_the_dashboard(
    window: Window, files: tuple[Path, Path]
) -> None:
    made = await window.widgets.add_file(files[0])
    first = await begun(window, "Sales")
    await window.settle()
    await window.open(None)
    await window.widgets.remove(made.uuid)
    later = Window(window.store)
    await later.widgets.restore()
    await later.open(first)
    await later.settle()
    assert later.names() == ["sales"]
    assert later.attachments.missing == ()
    await later.tasks.aclose()


async def test_one_whose_file_is_gone_is_told_and_found_again_or_removed(
    window: Window, files: tuple[Path, Path], tmp_path: Path
) -> None:
    made = [await window.widgets.add_file(path) for path in files]
    first = await begun(window, "Both")
    await window.settle()
    await window.open(None)
    for widget in made:
        await window.widgets.remove(widget.uuid)
    moved = files[0].rename(tmp_path / "moved.csv")
    files[1].unlink()
    await window.open(first)
    await window.settle()
    missing = [(m.attachment.name, m.replaceable) for m in window.attachments.missing]
    assert missing == [("sales", True), ("staff", True)]
    sales, staff = (m.attachment for m in window.attachments.missing)
    await window.attachments.find_again(sales, moved)
    await window.settle()
    assert [m.attachment for m in window.attachments.missing] == [staff]
    await window.attachments.remove(staff)
    await window.settle()
    assert window.attachments.missing == ()
    assert await window.attachments.of(first) == [Attachment(uuid_of(moved), "moved", str(moved))]


async def test_what_a_temporary_chat_reads_is_kept_nowhere(
    window: Window, files: tuple[Path, Path]
) -> None:
    window.attachments.begin("temporary-1")
    await window.widgets.add_file(files[0])
    await window.settle()
    assert await window.attachments.of("temporary-1") == []


async def test_an_older_store_gives_each_chat_the_tables_it_cited(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with sqlite3.connect(path) as connection:
        before = next(n for n, s in enumerate(schema.MIGRATIONS) if "TABLE attachments" in s)
        for script in schema.MIGRATIONS[:before]:
            connection.executescript(script)
        connection.execute(f"PRAGMA user_version = {before}")
        for number, (uid, attached) in enumerate((("a", False), ("b", True))):
            body = {"uuid": uid, "name": uid.upper(), "path": f"/{uid}.csv", "attached": attached}
            connection.execute(
                "INSERT INTO widgets VALUES (?, ?, ?)", (uid, number, json.dumps(body))
            )
        sql = "INSERT INTO conversations (id, title, created_at, updated_at) VALUES (?, 't', ?, ?)"
        connection.executemany(sql, [("old", 1, 1), ("new", 2, 2)])
        turn = "INSERT INTO turns VALUES ('t', 'old', NULL, 'q', 'done', 1)"
        connection.execute(turn)
        cited = json.dumps({"citations": [{"widget": "a"}, {"widget": "gone"}]})
        connection.execute("INSERT INTO items VALUES ('t', 0, 'citations', ?)", (cited,))
    connection.close()
    store = await Store.open(path)
    assert await store.attachments("old") == [Attachment("a", "A", "/a.csv")]
    assert await store.attachments("new") == [Attachment("b", "B", "/b.csv")]
    await store.delete_conversation("old")
    assert await store.attachments("old") == []
    await store.aclose()
