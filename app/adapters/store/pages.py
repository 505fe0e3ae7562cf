"""Turns and their items as rows; long conversations are read in pages."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from typing import Any

from app.domain.conversation import Turn
from app.domain.events import Ended, Event, State, as_dict, name_of, read_event
from app.domain.stream import Message

FIELDS = ("id", "conversation_id", "parent", "question", "state", "created_at")


def add_turn(connection: sqlite3.Connection, turn: Turn) -> None:
    """Write a turn with its content so far."""
    newest = "SELECT id FROM turns WHERE conversation_id = ? ORDER BY rowid DESC LIMIT 1"
    last = connection.execute(newest, (turn.conversation_id,)).fetchone()
    values = (
        turn.id,
        turn.conversation_id,
        turn.parent,
        turn.question,
        turn.state,
        turn.created_at,
    )
    connection.execute("INSERT INTO turns VALUES (?, ?, ?, ?, ?, ?)", values)
    put_items(connection, turn.id, 0, turn.items)
    changed = (
        "UPDATE conversations SET updated_at = ?, shown = ?, branched = branched OR ? WHERE id = ?"
    )
    branches = last is not None and last[0] != turn.parent
    connection.execute(changed, (turn.created_at, turn.id, branches, turn.conversation_id))


def put_items(
    connection: sqlite3.Connection, turn_id: str, first: int, items: list[Message | Event]
) -> None:
    """Write items from position `first` on, over what was there."""
    for position, item in enumerate(items, first):
        kind, fields = (
            ("message", item.as_dict())
            if isinstance(item, Message)
            else (name_of(item), as_dict(item))
        )
        body = json.dumps(fields, ensure_ascii=False)
        connection.execute(
            "INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?)", (turn_id, position, kind, body)
        )


def put_state(connection: sqlite3.Connection, turn_id: str, state: State) -> None:
    """Write how a turn stands."""
    connection.execute("UPDATE turns SET state = ? WHERE id = ?", (state, turn_id))


def as_item(kind: str, body: str) -> Message | Event:
    """Return the item of a row."""
    fields = json.loads(body)
    return Message(**fields) if kind == "message" else read_event(kind, fields)


PAGE = 32  # turns; more than a window shows


class StoredTurn(Turn):
    """A turn of the store; its content is read with its page."""

    def __init__(self, page: TurnPage) -> None:
        self.page = page

    def __getattr__(self, name: str) -> Any:
        if name != "items" and name not in FIELDS:
            raise AttributeError(name)
        self.page.read()
        return self.__dict__[name]

    def is_read(self) -> bool:
        """Return whether its page was read."""
        return "items" in self.__dict__


class TurnPage:
    """Turns `first` to `first + size` of a conversation; view: reads them at once for a view."""

    def __init__(
        self, conversation_id: str, first: int, size: int, view: Callable[[TurnPage], None]
    ) -> None:
        self.conversation_id = conversation_id
        self.first = first
        self.turns = [StoredTurn(self) for _ in range(size)]
        self._view = view

    def read(self) -> None:
        """Read all of it. What is gone or cannot be read is reported as the end of a turn: a view
        cannot raise.
        """
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
    connection: sqlite3.Connection, conversation_id: str, view: Callable[[TurnPage], None]
) -> list[StoredTurn]:
    """Return the turns of a conversation, oldest first, the newest page read; the others are only
    counted.
    """
    sql = "SELECT count(*) FROM turns WHERE conversation_id = ?"
    (count,) = connection.execute(sql, (conversation_id,)).fetchone()
    starts = range(
        count % PAGE - PAGE if count % PAGE else 0, count, PAGE
    )  # the oldest page is the short one
    pages = [TurnPage(conversation_id, max(0, at), min(PAGE, at + PAGE), view) for at in starts]
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


def read_page(connection: sqlite3.Connection, page: TurnPage) -> None:
    """Read the turns of a page and their items, in the order they were written.

    The clock may go back, so times do not give the order. Raises: sqlite3.Error.
    """
    rows = connection.execute(
        f"SELECT {', '.join(FIELDS)} FROM turns WHERE conversation_id = ? ORDER BY rowid LIMIT ?"
        " OFFSET ?",
        (page.conversation_id, len(page.turns), page.first),
    ).fetchall()
    items: dict[str, list[Message | Event]] = {row[0]: [] for row in rows}
    marks = ", ".join("?" * len(rows))
    sql = (
        f"SELECT turn_id, kind, body FROM items WHERE turn_id IN ({marks}) ORDER BY turn_id,"
        " position"
    )
    for turn_id, kind, body in connection.execute(sql, list(items)):
        items[turn_id].append(as_item(kind, body))
    for turn, row in zip(page.turns, rows, strict=False):  # fewer if they were removed meanwhile
        turn.__dict__.update(zip(FIELDS, row, strict=True))
        turn.items = items[turn.id]
