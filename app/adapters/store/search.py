"""Find turns by what was asked and answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.domain.conversation import Found

if TYPE_CHECKING:
    import sqlite3

SHORT = 3  # the trigram index knows nothing shorter; two Chinese characters are a word all the same
AROUND = 40
WORDS = """
    SELECT t.id, t.question || char(10) || coalesce((
        SELECT group_concat(json_extract(i.body, '$.content'), '') FROM items i
        WHERE i.turn_id = t.id AND i.kind = 'message' AND json_extract(i.body, '$.role') = 'assistant'
    ), '') FROM turns t"""


def index(connection: sqlite3.Connection, turn_id: str) -> None:
    """Take up what a turn says now."""
    connection.execute(
        f"INSERT INTO texts (turn_id, text) {WORDS} WHERE t.id = ?"
        " ON CONFLICT (turn_id) DO UPDATE SET text = excluded.text",
        (turn_id,),
    )


def search(connection: sqlite3.Connection, wanted: str, limit: int) -> list[Found]:
    """Return where every word of `wanted` occurs, wherever in a word: titles first, then turns, the
    newest first.

    Case does not matter. What is in the trash is not looked at.
    """
    words = wanted.split()
    if not words:
        return []
    titles = " AND ".join("title LIKE ? ESCAPE '\\'" for _ in words)
    sql = (
        f"SELECT id, title FROM conversations WHERE trashed_at IS NULL AND {titles} ORDER BY"
        " updated_at DESC"
    )
    named = connection.execute(f"{sql} LIMIT ?", [*(f"%{literal(w)}%" for w in words), limit])
    return [Found(uid, title, "", title) for uid, title in named] + turns_with(
        connection, words, limit
    )


def turns_with(connection: sqlite3.Connection, words: list[str], limit: int) -> list[Found]:
    """Return the turns in which every word occurs."""
    long, short = [w for w in words if len(w) >= SHORT], [w for w in words if len(w) < SHORT]
    parts = ["texts.text LIKE ? ESCAPE '\\'" for _ in short]
    bound: list[str | int] = [f"%{literal(w)}%" for w in short]
    if long:
        parts.append("texts.id IN (SELECT rowid FROM text_index WHERE text_index MATCH ?)")
        quoted = (word.replace('"', '""') for word in long)
        bound.append(" ".join(f'"{word}"' for word in quoted))
    rows = connection.execute(
        "SELECT turns.conversation_id, conversations.title, turns.id, texts.text FROM texts JOIN"
        " turns ON turns.id = texts.turn_id JOIN conversations ON conversations.id ="
        f" turns.conversation_id WHERE conversations.trashed_at IS NULL AND {' AND '.join(parts)}"
        " ORDER BY turns.created_at DESC LIMIT ?",
        [*bound, limit],
    )
    return [Found(c, title, turn, excerpt(text, words[0])) for c, title, turn, text in rows]


def literal(word: str) -> str:
    """Return a word as LIKE takes it at its letters."""
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def excerpt(text: str, word: str) -> str:
    """Return the words around the first place a word occurs, on one line."""
    at = max(0, text.lower().find(word.lower()))
    start, end = max(0, at - AROUND), at + len(word) + AROUND
    shown = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{shown}{'…' if end < len(text) else ''}"
