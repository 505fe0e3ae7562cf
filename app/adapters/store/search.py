"""Find turns by the words in their questions and answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.domain.conversation import FoundTurn
from app.domain.semantic_search import TurnText

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Awaitable, Callable

    from app.domain.semantic_search import EmbeddedPart

    Work = Callable[[sqlite3.Connection], object]

# the trigram index has no terms shorter than this, but two Chinese characters can form a word
SHORT = 3
AROUND = 40
WORDS = """
    SELECT t.id, t.question || char(10) || coalesce((
        SELECT group_concat(json_extract(i.body, '$.content'), '') FROM items i
        WHERE i.turn_id = t.id AND i.kind = 'message' AND json_extract(i.body, '$.role') = 'assistant'
    ), '') FROM turns t"""


def index(connection: sqlite3.Connection, turn_id: str) -> None:
    """Index the current text of a turn."""
    connection.execute(
        f"INSERT INTO texts (turn_id, text) {WORDS} WHERE t.id = ?"
        " ON CONFLICT (turn_id) DO UPDATE SET text = excluded.text",
        (turn_id,),
    )


def search(connection: sqlite3.Connection, wanted: str, limit: int) -> list[FoundTurn]:
    """Return the places where every word of `wanted` occurs, even inside other words: titles come
    first, then turns, newest first.

    Case is ignored. The trash is not searched.
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
    return [FoundTurn(uid, title, "", title) for uid, title in named] + turns_with(
        connection, words, limit
    )


def turns_with(connection: sqlite3.Connection, words: list[str], limit: int) -> list[FoundTurn]:
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
    return [FoundTurn(c, title, turn, excerpt(text, words[0])) for c, title, turn, text in rows]


def literal(word: str) -> str:
    """Return a word escaped for LIKE, so that it matches only itself."""
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def excerpt(text: str, word: str) -> str:
    """Return, on one line, the text around the first occurrence of a word."""
    at = max(0, text.lower().find(word.lower()))
    start, end = max(0, at - AROUND), at + len(word) + AROUND
    shown = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{shown}{'…' if end < len(text) else ''}"


SHOWN = 160  # number of characters in an excerpt
MARKS = 900  # maximum number of values passed to one statement


class Meanings:
    """The embeddings of one store. run, write: functions that run work on the connection's thread;
    `write` runs it as a transaction.
    """

    def __init__(
        self, run: Callable[..., Awaitable[object]], write: Callable[..., Awaitable[object]]
    ) -> None:
        self._run, self._write = run, write

    async def unread(self, model: str, below: int | None, limit: int) -> list[TurnText]:
        """Return texts that a model has not embedded yet, newest first. below: an id; only texts
        with a smaller id are returned. None sets no limit.

        An answer that is still being written is left out. Raises: StoreError.
        """

        def read(connection: sqlite3.Connection) -> list[TurnText]:
            rows = connection.execute(
                "SELECT texts.id, texts.text, length(turns.question) FROM texts JOIN turns ON"
                " turns.id = texts.turn_id AND turns.state != 'running' WHERE texts.id < ? AND NOT"
                " EXISTS (SELECT 1 FROM meanings WHERE text_id = texts.id AND model = ?) ORDER BY"
                " texts.id DESC LIMIT ?",
                (below if below is not None else 1 << 62, model, limit),
            )
            return [TurnText(*row) for row in rows]

        found = await self._run(read)
        assert isinstance(found, list)
        return found

    async def put(self, model: str, told: TurnText, parts: list[EmbeddedPart]) -> None:
        """Save the embedding of a text, replacing that of an older model. Do nothing if the text
        has changed in the meantime.

        Raises: StoreError.
        """

        def write(connection: sqlite3.Connection) -> None:
            same = "SELECT 1 FROM texts WHERE id = ? AND text = ?"
            if connection.execute(same, (told.id, told.text)).fetchone() is None:
                return
            connection.execute("DELETE FROM meanings WHERE text_id = ?", (told.id,))
            connection.executemany(
                "INSERT INTO meanings (text_id, model, first, past, vector) VALUES (?, ?, ?, ?, ?)",
                [(told.id, model, part.start, part.end, part.vector) for part in parts],
            )

        await self._write(write)

    async def vectors(self, model: str, after: int) -> tuple[list[int], bytes]:
        """Return a model's vectors with ids above `after`, concatenated in order of their ids.

        Raises: StoreError.
        """

        def read(connection: sqlite3.Connection) -> tuple[list[int], bytes]:
            sql = "SELECT id, vector FROM meanings WHERE model = ? AND id > ? ORDER BY id"
            rows = connection.execute(sql, (model, after)).fetchall()
            return [row[0] for row in rows], b"".join(row[1] for row in rows)

        found = await self._run(read)
        assert isinstance(found, tuple)
        return found

    async def found(self, ids: list[int]) -> dict[int, FoundTurn]:
        """Return the turns that vectors belong to, by the ids of the vectors, leaving out turns
        that are deleted or in the trash.

        Raises: StoreError.
        """

        def read(connection: sqlite3.Connection) -> dict[int, FoundTurn]:
            marks = ", ".join("?" * len(ids[:MARKS]))
            rows = connection.execute(
                "SELECT meanings.id, turns.conversation_id, conversations.title, turns.id,"
                " substr(texts.text, first + 1, min(past - first, ?)), past - first > ? FROM"
                " meanings JOIN texts ON texts.id = text_id JOIN turns ON turns.id = texts.turn_id"
                " JOIN conversations ON conversations.id = turns.conversation_id WHERE"
                f" conversations.trashed_at IS NULL AND meanings.id IN ({marks})",
                [SHOWN, SHOWN, *ids[:MARKS]],
            )
            return {
                uid: FoundTurn(
                    chat, title, turn, " ".join(text.split()) + ("…" if cut else ""), by="meaning"
                )
                for uid, chat, title, turn, text, cut in rows
            }

        found = await self._run(read)
        assert isinstance(found, dict)
        return found

    async def count(self, model: str) -> tuple[int, int]:
        """Return how many texts a model has embedded, and how many there are.

        Raises: StoreError.
        """

        def read(connection: sqlite3.Connection) -> tuple[int, int]:
            sql = (
                "SELECT (SELECT count(DISTINCT text_id) FROM meanings WHERE model = ?), (SELECT"
                " count(*) FROM texts JOIN turns ON turns.id = turn_id AND state != 'running')"
            )
            done, every = connection.execute(sql, (model,)).fetchone()
            return int(done), int(every)

        found = await self._run(read)
        assert isinstance(found, tuple)
        return found
