"""What turns mean: vectors of the parts of their texts, removed with these, and read anew when they
change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.domain.conversation import Found
from app.domain.meaning import Told

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Awaitable, Callable

    from app.domain.meaning import Part

    Work = Callable[[sqlite3.Connection], object]

SHOWN = 160  # characters of a part that was found
MARKS = 900  # values that one statement is given, at most


class Meanings:
    """The vectors of one store. run, write: do work on the thread of its connection, the second as
    one transaction.
    """

    def __init__(
        self, run: Callable[..., Awaitable[object]], write: Callable[..., Awaitable[object]]
    ) -> None:
        self._run, self._write = run, write

    async def unread(self, model: str, below: int | None, limit: int) -> list[Told]:
        """Return texts a model has not read yet, the newest first; below: an id they are to be
        under.

        An answer that is still coming is left out. Raises: StoreError.
        """

        def read(connection: sqlite3.Connection) -> list[Told]:
            rows = connection.execute(
                "SELECT texts.id, texts.text, length(turns.question) FROM texts JOIN turns ON"
                " turns.id = texts.turn_id AND turns.state != 'running' WHERE texts.id < ? AND NOT"
                " EXISTS (SELECT 1 FROM meanings WHERE text_id = texts.id AND model = ?) ORDER BY"
                " texts.id DESC LIMIT ?",
                (below if below is not None else 1 << 62, model, limit),
            )
            return [Told(*row) for row in rows]

        found = await self._run(read)
        assert isinstance(found, list)
        return found

    async def put(self, model: str, told: Told, parts: list[Part]) -> None:
        """Keep what a text means in place of what another model made of it; nothing if it was
        changed or removed meanwhile.

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
        """Return the vectors of a model with ids above one, in their order, one behind the other.
        Raises: StoreError.
        """

        def read(connection: sqlite3.Connection) -> tuple[list[int], bytes]:
            sql = "SELECT id, vector FROM meanings WHERE model = ? AND id > ? ORDER BY id"
            rows = connection.execute(sql, (model, after)).fetchall()
            return [row[0] for row in rows], b"".join(row[1] for row in rows)

        found = await self._run(read)
        assert isinstance(found, tuple)
        return found

    async def found(self, ids: list[int]) -> dict[int, Found]:
        """Return the turns that vectors belong to, by these ids; those gone or in the trash are
        left out.

        Raises: StoreError.
        """

        def read(connection: sqlite3.Connection) -> dict[int, Found]:
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
                uid: Found(
                    chat, title, turn, " ".join(text.split()) + ("…" if cut else ""), by="meaning"
                )
                for uid, chat, title, turn, text, cut in rows
            }

        found = await self._run(read)
        assert isinstance(found, dict)
        return found

    async def count(self, model: str) -> tuple[int, int]:
        """Return how many texts a model has read, and how many there are. Raises: StoreError."""

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
