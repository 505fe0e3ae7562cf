"""The index: which files a library holds, their passages, and the words and vectors to find them
by.

One SQLite file. The text of a file is kept once for each content hash, so that a moved or copied
file is not read again. All methods block; call them from a thread.
"""

from __future__ import annotations

import sqlite3
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from app.documents.passages import split_page
from app.documents.terms import index_text
from app.documents.text import Page
from app.domain.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

    from app.documents.text import DocumentText

State = Literal["waiting", "ready", "failed"]
VERSION = 1
SCHEMA = """
CREATE TABLE libraries (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE roots (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL,
    library_id INTEGER NOT NULL REFERENCES libraries (id) ON DELETE CASCADE,
    UNIQUE (library_id, path)
);
CREATE TABLE contents (
    id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, title TEXT NOT NULL,
    pages INTEGER NOT NULL, unread INTEGER NOT NULL
);
CREATE TABLE files (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL,
    root_id INTEGER NOT NULL REFERENCES roots (id) ON DELETE CASCADE,
    size INTEGER NOT NULL, changed INTEGER NOT NULL, state TEXT NOT NULL,
    error TEXT NOT NULL DEFAULT '', remedy TEXT NOT NULL DEFAULT '',
    content_id INTEGER REFERENCES contents (id), UNIQUE (root_id, path)
);
CREATE INDEX files_of_content ON files (content_id);
CREATE TABLE pages (
    content_id INTEGER NOT NULL REFERENCES contents (id) ON DELETE CASCADE,
    number INTEGER NOT NULL, label TEXT NOT NULL, scanned INTEGER NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (content_id, number)
);
CREATE TABLE passages (
    id INTEGER PRIMARY KEY,
    content_id INTEGER NOT NULL REFERENCES contents (id) ON DELETE CASCADE,
    page INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL, heading TEXT NOT NULL
);
CREATE INDEX passages_of_content ON passages (content_id);
CREATE VIRTUAL TABLE words USING fts5 (about, body, tokenize = 'porter unicode61 remove_diacritics 2');
CREATE TRIGGER passage_removed AFTER DELETE ON passages BEGIN
    DELETE FROM words WHERE rowid = old.id;
END;
CREATE TABLE vectors (
    passage_id INTEGER NOT NULL REFERENCES passages (id) ON DELETE CASCADE,
    model TEXT NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (passage_id, model)
) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class IndexedFile:
    """One file of a library.

    size: bytes. changed: when its content last changed, in nanoseconds since 1970. pages: how many
    it has; unread: how many of them are pictures whose words are not known. error, remedy: why it
    could not be read.
    """

    id: int
    path: str
    size: int
    changed: int
    state: State
    error: str = ""
    remedy: str = ""
    hash: str = ""
    kind: str = ""
    title: str = ""
    pages: int = 0
    unread: int = 0


@dataclass(frozen=True)
class IndexedPassage:
    """A passage with where it stands: characters `start` to `end` of the text of a page."""

    id: int
    path: str
    hash: str
    title: str
    page: int
    label: str
    heading: str
    start: int
    end: int
    text: str


class Index:
    """The index in one file; threads may share it."""

    def __init__(self, path: Path | None) -> None:
        """Open or make the index. path: None keeps it in memory.

        Raises: DocumentError if it cannot be opened or a newer version made it.
        """
        self._lock = threading.RLock()
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path or ":memory:", check_same_thread=False)
            self._connection.executescript("PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON;")
            (version,) = self._connection.execute("PRAGMA user_version").fetchone()
            if version == 0:
                self._connection.executescript(f"{SCHEMA}; PRAGMA user_version = {VERSION};")
        except (OSError, sqlite3.Error) as error:
            raise DocumentError(
                "The index of the documents can't be opened.",
                "Check that the disk is not full and the data folder can be written.",
            ) from error
        if version > VERSION:
            raise DocumentError(
                "A newer version of Deskpilot made the index of the documents.", "Update Deskpilot."
            )

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def _write(self) -> Generator[sqlite3.Connection]:
        """Write in one transaction: all or nothing.

        Raises: DocumentError, on a full disk for instance.
        """
        with self._lock:
            try:
                with self._connection:
                    yield self._connection
            except sqlite3.OperationalError as error:
                raise DocumentError(
                    f"The index can't be written: {error}.", "Free some space and try again."
                ) from error

    def _read(self, sql: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        with self._lock:
            return self._connection.execute(sql, values).fetchall()

    # libraries and roots

    def libraries(self) -> list[str]:
        """Return the names of all libraries, in alphabetical order."""
        return [str(name) for (name,) in self._read("SELECT name FROM libraries ORDER BY name")]

    def roots(self, library: str) -> list[str]:
        """Return the files and folders that were added to a library."""
        found = self._read(
            "SELECT path FROM roots WHERE library_id = (SELECT id FROM libraries WHERE name = ?)"
            " ORDER BY path",
            [library],
        )
        return [str(path) for (path,) in found]

    def add_root(self, library: str, path: str) -> None:
        """Add a file or folder to a library, and the library if there is none of that name."""
        with self._write() as connection:
            connection.execute("INSERT OR IGNORE INTO libraries (name) VALUES (?)", [library])
            connection.execute(
                "INSERT OR IGNORE INTO roots (library_id, path)"
                " SELECT id, ? FROM libraries WHERE name = ?",
                [path, library],
            )

    def remove_root(self, library: str, path: str) -> bool:
        """Remove a file or folder from a library; tell whether it was there."""
        with self._write() as connection:
            removed = connection.execute(
                "DELETE FROM roots WHERE path = ?"
                " AND library_id = (SELECT id FROM libraries WHERE name = ?)",
                [path, library],
            ).rowcount
            connection.execute(
                "DELETE FROM libraries WHERE name = ? AND NOT EXISTS"
                " (SELECT 1 FROM roots WHERE library_id = libraries.id)",
                [library],
            )
            self._forget_contents(connection)
        return removed > 0

    def _forget_contents(self, connection: sqlite3.Connection) -> None:
        connection.execute(
            "DELETE FROM contents WHERE id NOT IN"
            " (SELECT content_id FROM files WHERE content_id IS NOT NULL)"
        )

    # files

    def files(self, library: str | None = None, root: str | None = None) -> list[IndexedFile]:
        """Return the files of a library or of one of its roots, or all, in the order of their
        paths.
        """
        found = self._read(
            "SELECT f.id, f.path, f.size, f.changed, f.state, f.error, f.remedy,"
            " coalesce(c.hash, ''), coalesce(c.kind, ''), coalesce(c.title, ''),"
            " coalesce(c.pages, 0), coalesce(c.unread, 0) FROM files f"
            " JOIN roots r ON r.id = f.root_id JOIN libraries l ON l.id = r.library_id"
            " LEFT JOIN contents c ON c.id = f.content_id"
            " WHERE (? IS NULL OR l.name = ?) AND (? IS NULL OR r.path = ?) ORDER BY f.path",
            [library, library, root, root],
        )
        return [IndexedFile(*row) for row in found]  # type: ignore[arg-type]

    def note_file(self, library: str, root: str, path: str, size: int, changed: int) -> None:
        """Write down that a file is new or has changed and waits to be read."""
        with self._write() as connection:
            connection.execute(
                "INSERT INTO files (root_id, path, size, changed, state)"
                " SELECT r.id, ?, ?, ?, 'waiting' FROM roots r JOIN libraries l"
                " ON l.id = r.library_id WHERE l.name = ? AND r.path = ?"
                " ON CONFLICT (root_id, path) DO UPDATE SET size = excluded.size,"
                " changed = excluded.changed, state = 'waiting', error = '', remedy = ''",
                [path, size, changed, library, root],
            )

    def forget_files(self, ids: Sequence[int]) -> None:
        """Remove files that are gone; nothing finds them any more.

        What they held stays until `drop_unused`, for a file that was moved is not read again.
        """
        with self._write() as connection:
            connection.executemany("DELETE FROM files WHERE id = ?", [(one,) for one in ids])

    def drop_unused(self) -> None:
        """Remove the text of files that are gone."""
        with self._write() as connection:
            self._forget_contents(connection)

    def mark_failed(self, file: int, error: str, remedy: str) -> None:
        """Write down why a file could not be read; it is tried again when it changes."""
        with self._write() as connection:
            connection.execute(
                "UPDATE files SET state = 'failed', error = ?, remedy = ?, content_id = NULL"
                " WHERE id = ?",
                [error, remedy, file],
            )

    def link_content(self, file: int, hash_: str) -> bool:
        """Use what was read of the same content before; tell whether there was any."""
        with self._write() as connection:
            linked = connection.execute(
                "UPDATE files SET state = 'ready', error = '', remedy = '',"
                " content_id = (SELECT id FROM contents WHERE hash = ?)"
                " WHERE id = ? AND EXISTS (SELECT 1 FROM contents WHERE hash = ?)",
                [hash_, file, hash_],
            ).rowcount
        return linked > 0

    def put_content(self, file: int, name: str, hash_: str, document: DocumentText) -> None:
        """Write the pages, passages and words of a file in one transaction."""
        about = f"{name} {document.title}"
        with self._write() as connection:
            made = connection.execute(
                "INSERT OR IGNORE INTO contents (hash, kind, title, pages, unread)"
                " VALUES (?, ?, ?, ?, ?)",
                [hash_, document.kind, document.title, len(document.pages), len(document.unread)],
            )
            content = made.lastrowid
            pages = document.pages
            if not made.rowcount:  # another process has read the same content meanwhile
                (content,) = connection.execute(
                    "SELECT id FROM contents WHERE hash = ?", [hash_]
                ).fetchone()
                pages = ()
            for page in pages:
                connection.execute(
                    "INSERT INTO pages VALUES (?, ?, ?, ?, ?)",
                    [content, page.number, page.label, page.scanned, page.text],
                )
                for passage in split_page(page):
                    row = connection.execute(
                        "INSERT INTO passages (content_id, page, start, end, heading)"
                        " VALUES (?, ?, ?, ?, ?)",
                        [content, page.number, passage.start, passage.end, passage.heading],
                    ).lastrowid
                    connection.execute(
                        "INSERT INTO words (rowid, about, body) VALUES (?, ?, ?)",
                        [row, index_text(f"{about} {passage.heading}"), index_text(passage.text)],
                    )
            connection.execute(
                "UPDATE files SET state = 'ready', error = '', remedy = '', content_id = ?"
                " WHERE id = ?",
                [content, file],
            )

    def pages(self, hash_: str) -> list[Page]:
        """Return the pages of a content, without their headings."""
        found = self._read(
            "SELECT p.number, p.text, p.label, p.scanned FROM pages p"
            " JOIN contents c ON c.id = p.content_id WHERE c.hash = ? ORDER BY p.number",
            [hash_],
        )
        return [Page(int(row[0]), str(row[1]), str(row[2]), scanned=bool(row[3])) for row in found]  # type: ignore[call-overload]

    def page_text(self, hash_: str, number: int) -> str | None:
        """Return the text of a page; None if it is not in the index."""
        found = self._read(
            "SELECT p.text FROM pages p JOIN contents c ON c.id = p.content_id"
            " WHERE c.hash = ? AND p.number = ?",
            [hash_, number],
        )
        return str(found[0][0]) if found else None

    # search

    def find_words(
        self, expression: str, limit: int, hashes: Sequence[str] | None = None
    ) -> list[tuple[int, float]]:
        """Return passages that match an FTS5 expression, best first: id and BM25, higher is better.

        hashes: only in these contents.
        """
        chosen, values = _among(hashes)
        found = self._read(
            "SELECT words.rowid, -bm25(words, 0.6, 1.0) AS score FROM words"
            f" WHERE words MATCH ? {chosen} ORDER BY score DESC LIMIT ?",
            [expression, *values, limit],
        )
        return [(int(row), float(score)) for row, score in found]  # type: ignore[arg-type]

    def frequency(self, expression: str) -> int:
        """Return in how many passages an FTS5 expression occurs, counting to 1,000."""
        sql = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT 1000)"
        return int(self._read(sql, [expression])[0][0])  # type: ignore[call-overload]

    def passages(self, ids: Sequence[int]) -> list[IndexedPassage]:
        """Return passages by their ids, in the order of the ids; those that are gone are left
        out.
        """
        marks = ", ".join("?" * len(ids))
        found = self._read(
            "SELECT p.id, min(f.path), c.hash, c.title, p.page, g.label, p.heading, p.start, p.end,"
            " substr(g.text, p.start + 1, p.end - p.start) FROM passages p"
            " JOIN contents c ON c.id = p.content_id JOIN files f ON f.content_id = c.id"
            " JOIN pages g ON g.content_id = c.id AND g.number = p.page"
            f" WHERE p.id IN ({marks}) GROUP BY p.id",
            list(ids),
        )
        made = {int(row[0]): IndexedPassage(*row) for row in found}  # type: ignore[call-overload,arg-type]
        return [made[one] for one in ids if one in made]

    def counts(self) -> tuple[int, int]:
        """Return how many contents and passages there are."""
        sql = "SELECT (SELECT count(*) FROM contents), (SELECT count(*) FROM passages)"
        contents, passages = self._read(sql)[0]
        return int(contents), int(passages)  # type: ignore[call-overload]

    # vectors

    def without_vectors(self, model: str, limit: int) -> list[tuple[int, str]]:
        """Return the next passages a model has not embedded: id, and text with its heading."""
        found = self._read(
            "SELECT p.id, p.heading, substr(g.text, p.start + 1, p.end - p.start) FROM passages p"
            " JOIN pages g ON g.content_id = p.content_id AND g.number = p.page"
            " WHERE NOT EXISTS"
            " (SELECT 1 FROM vectors v WHERE v.passage_id = p.id AND v.model = ?)"
            " ORDER BY p.id LIMIT ?",
            [model, limit],
        )
        return [(int(i), f"{heading}\n{text}".strip()) for i, heading, text in found]  # type: ignore[call-overload]

    def put_vectors(self, model: str, vectors: Sequence[tuple[int, bytes]]) -> None:
        """Write float16 vectors of passages; those of passages that are gone are dropped."""
        with self._write() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO vectors (passage_id, model, vector)"
                " SELECT id, ?, ? FROM passages WHERE id = ?",
                [(model, vector, one) for one, vector in vectors],
            )

    def embedders(self) -> list[str]:
        """Return the models that some passages have vectors of."""
        return [str(model) for (model,) in self._read("SELECT DISTINCT model FROM vectors")]

    def vectors(self, model: str) -> list[tuple[int, bytes]]:
        """Return the vectors of a model: passage id, and float16 bytes."""
        found = self._read("SELECT passage_id, vector FROM vectors WHERE model = ?", [model])
        return [(int(one), bytes(vector)) for one, vector in found]  # type: ignore[call-overload,arg-type]

    def vector_version(self, model: str) -> tuple[int, int]:
        """Return what changes whenever the vectors of a model do: how many, and the last
        passage.
        """
        sql = "SELECT count(*), coalesce(max(passage_id), 0) FROM vectors WHERE model = ?"
        count, last = self._read(sql, [model])[0]
        return int(count), int(last)  # type: ignore[call-overload]


def _among(hashes: Sequence[str] | None) -> tuple[str, list[str]]:
    """Return the clause, and its values, that keeps a search to some contents."""
    if hashes is None:
        return "", []
    marks = ", ".join("?" * len(hashes))
    clause = (
        "AND words.rowid IN (SELECT p.id FROM passages p JOIN contents c ON c.id = p.content_id"
        f" WHERE c.hash IN ({marks}))"
    )
    return clause, list(hashes)
