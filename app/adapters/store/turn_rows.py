"""Turns and their items as rows; of a long conversation, only the newest items are read at once."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from app.domain.conversation import Turn
from app.domain.events import Event, State, as_dict, name_of, read_event
from app.domain.stream import Message


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
    """Write items from position `first` on, replacing those there."""
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
    """Write the state of a turn."""
    connection.execute("UPDATE turns SET state = ? WHERE id = ?", (state, turn_id))


def as_item(kind: str, body: str) -> Message | Event:
    """Return the item in a row."""
    fields = json.loads(body)
    return Message(**fields) if kind == "message" else read_event(kind, fields)


PAGE = 32  # turns; more than a window shows
MOST = 500  # turns whose items are read by one statement


def open_turns(connection: sqlite3.Connection, conversation_id: str) -> list[Turn]:
    """Return the turns of a conversation in the order in which they were written. Only the newest
    are read; of the others, only the id and the parent are read, so that a long conversation opens
    at once.

    The order is not taken from the times, because the clock may be set back. Raises: sqlite3.Error.
    """
    sql = "SELECT id, parent FROM turns WHERE conversation_id = ? ORDER BY rowid"
    rows = connection.execute(sql, (conversation_id,))
    turns = [Turn(uid, conversation_id, parent, "", "done", 0.0, [], False) for uid, parent in rows]
    read_items(connection, turns[-PAGE:])
    return turns


def read_items(connection: sqlite3.Connection, turns: Sequence[Turn]) -> None:
    """Read the items of turns that are not read yet. A turn that was removed stays empty.

    Raises: sqlite3.Error.
    """
    unread = [turn for turn in turns if not turn.is_read]
    for start in range(0, len(unread), MOST):
        some = unread[start : start + MOST]
        items: dict[str, list[Message | Event]] = {turn.id: [] for turn in some}
        marks = ", ".join("?" * len(items))
        sql = (
            f"SELECT turn_id, kind, body FROM items WHERE turn_id IN ({marks})"
            " ORDER BY turn_id, position"
        )
        for turn_id, kind, body in connection.execute(sql, list(items)):
            items[turn_id].append(as_item(kind, body))
        sql = f"SELECT id, question, state, created_at FROM turns WHERE id IN ({marks})"
        heads = {row[0]: row[1:] for row in connection.execute(sql, list(items))}
        for turn in some:
            if turn.id in heads:
                turn.question, turn.state, turn.created_at = heads[turn.id]
            turn.items, turn.is_read = items[turn.id], True
