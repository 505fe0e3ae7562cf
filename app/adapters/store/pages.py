"""Turns of a long conversation, read in pages when somebody first looks at one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

from app.adapters.store.rows import FIELDS, as_item
from app.domain.conversation import Turn
from app.domain.events import Ended, Event
from app.domain.stream import Message

PAGE = 32  # turns; more than a window shows


class StoredTurn(Turn):
    """A turn of the store. It knows its page, and everything else once that was read."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def __getattr__(self, name: str) -> Any:
        if name != "items" and name not in FIELDS:
            raise AttributeError(name)
        self.page.read()
        return self.__dict__[name]

    def is_read(self) -> bool:
        """Tell whether its page was read."""
        return "items" in self.__dict__


class Page:
    """Turns `first` to `first + size` of a conversation; view: reads them at once, for whoever looks."""

    def __init__(
        self, conversation_id: str, first: int, size: int, view: Callable[[Page], None]
    ) -> None:
        self.conversation_id = conversation_id
        self.first = first
        self.turns = [StoredTurn(self) for _ in range(size)]
        self._view = view

    def read(self) -> None:
        """Read all of it. What is gone or cannot be read is told as the end of a turn: a view cannot raise."""
        text = "It was removed."
        try:
            self._view(self)
        except sqlite3.Error as error:
            text = f"It cannot be read: {error}."
        for number, turn in enumerate(self.turns, self.first):
            if not turn.is_read():
                turn.id, turn.conversation_id, turn.parent = (
                    f"turn {number}",
                    self.conversation_id,
                    None,
                )
                turn.question, turn.state, turn.created_at = "", "failed", 0.0
                turn.items = [Ended("failed", text, "Open the conversation again.")]


def open_pages(
    connection: sqlite3.Connection, conversation_id: str, view: Callable[[Page], None]
) -> list[StoredTurn]:
    """Return the turns of a conversation, oldest first, the newest page read; the others are only counted."""
    sql = "SELECT count(*) FROM turns WHERE conversation_id = ?"
    (count,) = connection.execute(sql, (conversation_id,)).fetchone()
    starts = range(
        count % PAGE - PAGE if count % PAGE else 0, count, PAGE
    )  # the oldest page is the short one
    pages = [Page(conversation_id, max(0, at), min(PAGE, at + PAGE), view) for at in starts]
    for page in pages[-1:]:
        read_page(connection, page)
    turns = [turn for page in pages for turn in page.turns]
    sql = "SELECT branched FROM conversations WHERE id = ?"
    found = connection.execute(sql, (conversation_id,)).fetchone()
    if found is not None and found[0]:  # to know a branch one has to know what each turn follows
        sql = "SELECT id, parent FROM turns WHERE conversation_id = ? ORDER BY rowid"
        for turn, (uid, parent) in zip(
            turns, connection.execute(sql, (conversation_id,)), strict=True
        ):
            turn.__dict__.update(id=uid, parent=parent)
    return turns


def read_page(connection: sqlite3.Connection, page: Page) -> None:
    """Read the turns of a page and their items.

    Turns are in the order they were written: a clock may go back, and none is ever put between others.
    Raises: sqlite3.Error.
    """
    rows = connection.execute(
        f"SELECT {', '.join(FIELDS)} FROM turns WHERE conversation_id = ? ORDER BY rowid LIMIT ? OFFSET ?",
        (page.conversation_id, len(page.turns), page.first),
    ).fetchall()
    items: dict[str, list[Message | Event]] = {row[0]: [] for row in rows}
    marks = ", ".join("?" * len(rows))
    sql = f"SELECT turn_id, kind, body FROM items WHERE turn_id IN ({marks}) ORDER BY turn_id, position"
    for turn_id, kind, body in connection.execute(sql, list(items)):
        items[turn_id].append(as_item(kind, body))
    for turn, row in zip(page.turns, rows, strict=False):  # fewer if they were removed meanwhile
        turn.__dict__.update(zip(FIELDS, row, strict=True))
        turn.items = items[turn.id]
