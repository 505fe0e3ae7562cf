"""Turns and their items as rows, and back."""

from __future__ import annotations

import json
import sqlite3

from app.domain.conversation import Turn
from app.domain.events import Event, State, as_dict, name_of, read_event
from app.domain.stream import Message

FIELDS = ("id", "conversation_id", "parent", "question", "state", "created_at")


def add_turn(connection: sqlite3.Connection, turn: Turn) -> None:
    """Write a turn and what it holds so far."""
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
    """Write items from position `first` on, over what stood there."""
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
