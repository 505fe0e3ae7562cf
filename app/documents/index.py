"""The index: the files in each library, their passages, and the words and vectors used to find
them.

The index is one SQLite file. Text is stored once for each content hash, so that a moved or copied
file is not read again. All methods block, so call them from a thread.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from app.documents.passages import DocumentPage, ScanLine, scan_text, split_page
from app.documents.terms import index_text
from app.domain.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    import numpy as np

    from app.documents.passages import DocumentText

State = Literal["waiting", "ready", "failed"]
VERSION = 4
READ_AT_ONCE = 4096  # number of vectors fetched at a time when all of them are loaded
# What OCR read on pages that are images: the lines and their positions.
SCANS = """
CREATE TABLE scans (
    content_id INTEGER NOT NULL REFERENCES contents (id) ON DELETE CASCADE,
    page INTEGER NOT NULL, lines TEXT NOT NULL, PRIMARY KEY (content_id, page)
);
"""
SCANNED, READ_BY_OCR = 1, 2  # states of a page that is an image: not read yet, and read by OCR
# Row numbers of vectors are never reused, because a reused number would hide a change.
VECTORS = """
CREATE TABLE embedders (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE vectors (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    embedder_id INTEGER NOT NULL REFERENCES embedders (id) ON DELETE CASCADE,
    passage_id INTEGER NOT NULL REFERENCES passages (id) ON DELETE CASCADE,
    vector BLOB NOT NULL, UNIQUE (embedder_id, passage_id)
);
CREATE INDEX vectors_of_passage ON vectors (passage_id);
"""
# Version 1 stored vectors in a table ordered by passage, so counting them meant reading all of it.
FROM_1 = f"""
ALTER TABLE vectors RENAME TO old_vectors;
{VECTORS}
INSERT INTO embedders (name) SELECT DISTINCT model FROM old_vectors;
INSERT INTO vectors (embedder_id, passage_id, vector)
    SELECT e.id, o.passage_id, o.vector FROM old_vectors o JOIN embedders e ON e.name = o.model;
DROP TABLE old_vectors;
{SCANS}
"""
# Version 2 did not record the device that a folder is on. An empty folder may be the mount point of
# a drive that is not mounted.
FROM_2 = "ALTER TABLE roots ADD COLUMN device INTEGER NOT NULL DEFAULT 0;"
# Version 3 stored no page headings. A file's headings are known once it has been read again.
FROM_3 = "ALTER TABLE pages ADD COLUMN headings TEXT NOT NULL DEFAULT '[]';"
SCHEMA = f"""
CREATE TABLE libraries (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE roots (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL,
    library_id INTEGER NOT NULL REFERENCES libraries (id) ON DELETE CASCADE,
    device INTEGER NOT NULL DEFAULT 0, UNIQUE (library_id, path)
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
    headings TEXT NOT NULL DEFAULT '[]', PRIMARY KEY (content_id, number)
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
{VECTORS}
{SCANS}
"""


@dataclass(frozen=True)
class IndexedFile:
    """A file in a library.

    size: its size in bytes. changed: when its content last changed, in nanoseconds since 1970.
    pages: how many pages it has. unread: how many of them are images that have not been read.
    error, remedy: why the file could not be read, and what to do.
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
class Vectors:
    """The vectors of one embedder. Each row has the id of a passage, the id of its content and a
    row of the float16 matrix. last: the number of the newest row.
    """

    ids: np.ndarray
    contents: np.ndarray
    matrix: np.ndarray
    last: int


@dataclass(frozen=True)
class WordMatch:
    """A passage found by keyword. score: its BM25 score, where higher is better. content, page: the
    content and the page that it is in."""

    id: int
    score: float
    content: int
    page: int


@dataclass(frozen=True)
class IndexedPassage:
    """A passage and its position: from character `start` to `end` of the text of a page."""

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
    """The index in one file. Threads can share it."""

    def __init__(self, path: Path | None) -> None:
        """Open or create the index. path: its file, or None to keep it in memory.

        Raises: DocumentError if it cannot be opened or was created by a newer version.
        """
        self._lock = threading.RLock()
        # Searches have their own connection so that they do not wait for a writer.
        self._reading = threading.RLock()
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path or ":memory:", check_same_thread=False)
            self._connection.executescript("PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON;")
            (version,) = self._connection.execute("PRAGMA user_version").fetchone()
            script = {
                0: SCHEMA,
                1: FROM_1 + FROM_2 + FROM_3,
                2: FROM_2 + FROM_3,
                3: FROM_3,
            }.get(version)
            if script is not None:
                self._connection.executescript(
                    f"BEGIN; {script}; PRAGMA user_version = {VERSION}; COMMIT;"
                )
            self._reader = self._connection
            if path is None:
                self._reading = self._lock
            else:
                self._reader = sqlite3.connect(path, check_same_thread=False)
                self._reader.execute("PRAGMA query_only = ON")
        except (OSError, sqlite3.Error) as error:
            raise DocumentError(
                "The document index can't be opened.",
                "Check that the disk is not full and that the data folder is writable.",
            ) from error
        if version > VERSION:
            raise DocumentError(
                "The document index was created by a newer Deskpilot.", "Update Deskpilot."
            )

    def close(self) -> None:
        """Close the file."""
        with self._lock, self._reading:
            self._reader.close()
            self._connection.close()

    @contextmanager
    def _write(self) -> Generator[sqlite3.Connection]:
        """Write in one transaction: all or nothing.

        Raises: DocumentError, for example if the disk is full.
        """
        with self._lock:
            try:
                with self._connection:
                    yield self._connection
            except sqlite3.DatabaseError as error:
                raise DocumentError(
                    f"The document index can't be written: {error}.",
                    "Free some space and try again.",
                ) from error

    def _read(self, sql: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        """Return the rows of a query.

        Raises: DocumentError, for example if the file is damaged.
        """
        with self._reading:
            try:
                return self._reader.execute(sql, values).fetchall()
            except sqlite3.DatabaseError as error:
                raise DocumentError(
                    f"The document index can't be read: {error}.",
                    "Check the disk; rebuild the library if the problem remains.",
                ) from error

    # libraries and roots

    def libraries(self) -> list[str]:
        """Return the names of all libraries, in alphabetical order."""
        return [str(name) for (name,) in self._read("SELECT name FROM libraries ORDER BY name")]

    def roots(self, library: str) -> list[str]:
        """Return the files and folders that have been added to a library."""
        found = self._read(
            "SELECT path FROM roots WHERE library_id = (SELECT id FROM libraries WHERE name = ?)"
            " ORDER BY path",
            [library],
        )
        return [str(path) for (path,) in found]

    def add_root(self, library: str, path: str) -> None:
        """Add a file or folder to a library, which is created if necessary."""
        with self._write() as connection:
            connection.execute("INSERT OR IGNORE INTO libraries (name) VALUES (?)", [library])
            connection.execute(
                "INSERT OR IGNORE INTO roots (library_id, path)"
                " SELECT id, ? FROM libraries WHERE name = ?",
                [path, library],
            )

    def device(self, library: str, path: str) -> int:
        """Return the device that a file or folder was on when it was last compared with the index,
        or 0 if it never was.
        """
        found = self._read(
            "SELECT device FROM roots WHERE path = ?"
            " AND library_id = (SELECT id FROM libraries WHERE name = ?)",
            [path, library],
        )
        return int(found[0][0]) if found else 0  # type: ignore[call-overload]

    def set_device(self, library: str, path: str, device: int) -> None:
        """Record the device that a file or folder is on."""
        with self._write() as connection:
            connection.execute(
                "UPDATE roots SET device = ? WHERE path = ?"
                " AND library_id = (SELECT id FROM libraries WHERE name = ?)",
                [device, path, library],
            )

    def remove_root(self, library: str, path: str) -> bool:
        """Remove a file or folder from a library, and return whether it was there."""
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

    def files(
        self,
        library: str | None = None,
        *,
        state: State | None = None,
        below: Sequence[str] | None = None,
    ) -> list[IndexedFile]:
        """Return the files in one library, or in all of them, sorted by path.

        state: return only files in this state. below: return only these files, and the files inside
        these folders.
        """
        chosen, values = _below(below)
        found = self._read(
            "SELECT f.id, f.path, f.size, f.changed, f.state, f.error, f.remedy,"
            " coalesce(c.hash, ''), coalesce(c.kind, ''), coalesce(c.title, ''),"
            " coalesce(c.pages, 0), coalesce(c.unread, 0) FROM files f"
            " JOIN roots r ON r.id = f.root_id JOIN libraries l ON l.id = r.library_id"
            " LEFT JOIN contents c ON c.id = f.content_id"
            " WHERE (? IS NULL OR l.name = ?) AND (? IS NULL OR f.state = ?)"
            f" {chosen} ORDER BY f.path",
            [library, library, state, state, *values],
        )
        return [IndexedFile(*row) for row in found]  # type: ignore[arg-type]

    def known(self, library: str, root: str) -> dict[str, tuple[int, int, int, str]]:
        """Return the files of a root by path, each with its id, size in bytes, time of last change
        and state.
        """
        found = self._read(
            "SELECT f.path, f.id, f.size, f.changed, f.state FROM files f"
            " JOIN roots r ON r.id = f.root_id JOIN libraries l ON l.id = r.library_id"
            " WHERE l.name = ? AND r.path = ?",
            [library, root],
        )
        return {str(path): rest for path, *rest in found}  # type: ignore[misc]

    def places(self, paths: Sequence[str]) -> dict[str, str]:
        """Return the hash and path of everything searchable in the given files and folders."""
        chosen, values = _below(paths)
        sql = (
            "SELECT c.hash, f.path FROM files f JOIN contents c ON c.id = f.content_id"
            f" WHERE TRUE {chosen} ORDER BY f.path DESC"
        )
        return {str(hash_): str(path) for hash_, path in self._read(sql, values)}

    def states(self, paths: Sequence[str]) -> dict[str, int]:
        """Return how many of the given files, including those inside given folders, are in each
        state. `unread` is the number of their pages that have not been read.
        """
        chosen, values = _below(paths)
        found = self._read(
            "SELECT state, count(*), sum(unread) FROM (SELECT DISTINCT f.path, f.state,"
            " coalesce(c.unread, 0) AS unread FROM files f LEFT JOIN contents c"
            f" ON c.id = f.content_id WHERE TRUE {chosen}) GROUP BY state",
            values,
        )
        states = {str(state): int(count) for state, count, _ in found}  # type: ignore[call-overload]
        return states | {"unread": sum(int(unread) for _, _, unread in found)}  # type: ignore[call-overload]

    def note_file(self, library: str, root: str, path: str, size: int, changed: int) -> None:
        """Record that a file is new or changed and has to be read."""
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
        """Remove files that are gone, so that searches no longer find them.

        Their content stays until `drop_unused` is called, so that a file that was moved is not read
        again.
        """
        with self._write() as connection:
            connection.executemany("DELETE FROM files WHERE id = ?", [(one,) for one in ids])

    def drop_unused(self) -> None:
        """Remove the text of files that are gone."""
        with self._write() as connection:
            self._forget_contents(connection)

    def forget_texts(self, library: str | None = None) -> None:
        """Mark all files of a library, or of all libraries, as unread, and delete their text.

        Files with the same content in other libraries are marked, too.
        """
        with self._write() as connection:
            connection.execute(
                "CREATE TEMP TABLE forgotten AS SELECT DISTINCT f.content_id AS id FROM files f"
                " JOIN roots r ON r.id = f.root_id JOIN libraries l ON l.id = r.library_id"
                " WHERE (? IS NULL OR l.name = ?) AND f.content_id IS NOT NULL",
                [library, library],
            )
            connection.execute(
                "UPDATE files SET state = 'waiting', error = '', remedy = '', content_id = NULL"
                " WHERE content_id IN (SELECT id FROM forgotten) OR (state = 'failed'"
                " AND root_id IN (SELECT r.id FROM roots r JOIN libraries l ON l.id = r.library_id"
                " WHERE ? IS NULL OR l.name = ?))",
                [library, library],
            )
            connection.execute("DELETE FROM contents WHERE id IN (SELECT id FROM forgotten)")
            connection.execute("DROP TABLE forgotten")

    def size(self) -> int:
        """Return the size of the index in bytes."""
        (pages,), (each,) = self._read("PRAGMA page_count")[0], self._read("PRAGMA page_size")[0]
        return int(pages) * int(each)  # type: ignore[call-overload]

    def mark_failed(self, file: int, error: str, remedy: str) -> None:
        """Record why a file could not be read. It is read again when it changes."""
        with self._write() as connection:
            connection.execute(
                "UPDATE files SET state = 'failed', error = ?, remedy = ?, content_id = NULL"
                " WHERE id = ?",
                [error, remedy, file],
            )

    def link_content(self, file: int, hash_: str) -> bool:
        """If a file's content is already in the index, use the stored text. Return whether it was
        in the index.
        """
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
            if not made.rowcount:  # another process has read the same content in the meantime
                (content,) = connection.execute(
                    "SELECT id FROM contents WHERE hash = ?", [hash_]
                ).fetchone()
                pages = ()
            for page in pages:
                connection.execute(
                    "INSERT INTO pages VALUES (?, ?, ?, ?, ?, ?)",
                    [
                        *(content, page.number, page.label, page.scanned, page.text),
                        json.dumps(page.headings, ensure_ascii=False),
                    ],
                )
                self._put_passages(connection, content, page, about)
            connection.execute(
                "UPDATE files SET state = 'ready', error = '', remedy = '', content_id = ?"
                " WHERE id = ?",
                [content, file],
            )

    def _put_passages(
        self, connection: sqlite3.Connection, content: object, page: DocumentPage, about: str
    ) -> None:
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

    def pages(self, hash_: str) -> list[DocumentPage]:
        """Return the pages of a file's content."""
        found = self._read(
            "SELECT p.number, p.text, p.label, p.scanned, p.headings FROM pages p"
            " JOIN contents c ON c.id = p.content_id WHERE c.hash = ? ORDER BY p.number",
            [hash_],
        )
        return [
            DocumentPage(
                int(number),  # type: ignore[call-overload]
                str(text),
                str(label),
                tuple((int(at), str(heading)) for at, heading in json.loads(str(headings))),
                scanned=state == SCANNED,
            )
            for number, text, label, state, headings in found
        ]

    def unread_pages(self) -> list[tuple[str, str, int]]:
        """Return the unread pages that consist only of an image, each as hash, path and page. The
        pages of a file follow each other.
        """
        found = self._read(
            "SELECT c.hash, (SELECT min(f.path) FROM files f WHERE f.content_id = c.id) AS path,"
            " p.number FROM pages p JOIN contents c ON c.id = p.content_id"
            " WHERE p.scanned = ? AND c.kind = 'pdf' AND path IS NOT NULL ORDER BY c.id, p.number",
            [SCANNED],
        )
        return [(str(hash_), str(path), int(page)) for hash_, path, page in found]  # type: ignore[call-overload]

    def put_scan(self, hash_: str, page: int, lines: Sequence[ScanLine]) -> None:
        """Save the lines that OCR read on a page, even if there are none.

        Do nothing if the content is gone or the page has been read in the meantime.
        """
        with self._write() as connection:
            found = connection.execute(
                "SELECT c.id, c.title, (SELECT min(f.path) FROM files f WHERE f.content_id = c.id),"
                " p.label FROM contents c JOIN pages p ON p.content_id = c.id"
                " WHERE c.hash = ? AND p.number = ? AND p.scanned = ?",
                [hash_, page, SCANNED],
            ).fetchone()
            if found is None:
                return
            content, title, path, label = found
            text, _ = scan_text(lines)
            connection.execute(
                "UPDATE pages SET scanned = ?, text = ? WHERE content_id = ? AND number = ?",
                [READ_BY_OCR, text, content, page],
            )
            connection.execute(
                "DELETE FROM passages WHERE content_id = ? AND page = ?", [content, page]
            )
            connection.execute("UPDATE contents SET unread = unread - 1 WHERE id = ?", [content])
            connection.execute(
                "INSERT OR REPLACE INTO scans VALUES (?, ?, ?)",
                [content, page, json.dumps([[line.text, *line.box] for line in lines])],
            )
            self._put_passages(
                connection,
                content,
                DocumentPage(page, text, label),
                f"{about_file(path or '')} {title}",
            )

    def scan_lines(self, hash_: str, page: int) -> list[ScanLine]:
        """Return the lines that OCR read on a page, or an empty list if OCR has not read it."""
        found = self._read(
            "SELECT s.lines FROM scans s JOIN contents c ON c.id = s.content_id"
            " WHERE c.hash = ? AND s.page = ?",
            [hash_, page],
        )
        rows: list[list[Any]] = json.loads(str(found[0][0])) if found else []
        return [ScanLine(text, (a, b, c, d)) for text, a, b, c, d in rows]

    def page_text(self, hash_: str, number: int) -> str | None:
        """Return the text of a page, or None if the page is not in the index."""
        found = self._read(
            "SELECT p.text FROM pages p JOIN contents c ON c.id = p.content_id"
            " WHERE c.hash = ? AND p.number = ?",
            [hash_, number],
        )
        return str(found[0][0]) if found else None

    # search

    def contents(self, hashes: Sequence[str]) -> frozenset[int]:
        """Return the ids of the contents that have the given hashes."""
        found = self._read(
            "SELECT id FROM contents WHERE hash IN (SELECT value FROM json_each(?))",
            [json.dumps(list(hashes))],
        )
        return frozenset(int(one) for (one,) in found)  # type: ignore[call-overload]

    def find_words(
        self, expression: str, limit: int, contents: frozenset[int] | None = None
    ) -> list[WordMatch]:
        """Return passages that match an FTS5 expression, best first.

        contents: the ids of the contents to search, or None for all.
        """
        sql = (
            "SELECT found.id, found.score, p.content_id, p.page FROM (SELECT words.rowid AS id,"
            " -bm25(words, 0.6, 1.0) AS score FROM words WHERE words MATCH ? {}"
            " ORDER BY score DESC LIMIT ?) found JOIN passages p ON p.id = found.id"
            " ORDER BY found.score DESC"
        )
        values: list[object] = [expression]
        chosen = ""
        if contents is not None:
            chosen = (
                "AND (SELECT content_id FROM passages p WHERE p.id = words.rowid)"
                " IN (SELECT value FROM json_each(?))"
            )
            values.append(json.dumps(sorted(contents)))
        found = self._read(sql.format(chosen), [*values, limit])
        return [WordMatch(*row) for row in found]  # type: ignore[arg-type]

    def frequency(self, expression: str, most: int = 1000) -> int:
        """Return the number of passages that match an FTS5 expression, counting up to `most`."""
        sql = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
        return int(self._read(sql, [expression, most])[0][0])  # type: ignore[call-overload]

    def passages(self, ids: Sequence[int]) -> list[IndexedPassage]:
        """Return the passages with the given ids, in the same order, without those that are
        gone."""
        found = self._read(
            "SELECT p.id, min(f.path), c.hash, c.title, p.page, g.label, p.heading, p.start, p.end,"
            " substr(g.text, p.start + 1, p.end - p.start) FROM passages p"
            " JOIN contents c ON c.id = p.content_id JOIN files f ON f.content_id = c.id"
            " JOIN pages g ON g.content_id = c.id AND g.number = p.page"
            " WHERE p.id IN (SELECT value FROM json_each(?)) GROUP BY p.id",
            [json.dumps(list(ids))],
        )
        made = {int(row[0]): IndexedPassage(*row) for row in found}  # type: ignore[call-overload,arg-type]
        return [made[one] for one in ids if one in made]

    def counts(self) -> tuple[int, int]:
        """Return the number of contents and the number of passages."""
        sql = "SELECT (SELECT count(*) FROM contents), (SELECT count(*) FROM passages)"
        contents, passages = self._read(sql)[0]
        return int(contents), int(passages)  # type: ignore[call-overload]

    # vectors

    def without_vectors(
        self, embedder: str, limit: int, after: int = 0
    ) -> list[tuple[int, str, str]]:
        """Return the next passages after a given one that an embedder has not embedded yet, each
        with its id, its context (the document's title or file name, and the heading) and its text.
        """
        found = self._read(
            "SELECT p.id, c.title, (SELECT min(f.path) FROM files f WHERE f.content_id = c.id),"
            " p.heading, substr(g.text, p.start + 1, p.end - p.start) FROM passages p"
            " JOIN contents c ON c.id = p.content_id"
            " JOIN pages g ON g.content_id = p.content_id AND g.number = p.page"
            " WHERE p.id > ? AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.passage_id = p.id"
            " AND v.embedder_id = (SELECT id FROM embedders WHERE name = ?))"
            " ORDER BY p.id LIMIT ?",
            [after, embedder, limit],
        )
        rows: list[tuple[int, str, str]] = []
        for one, title, path, heading, text in found:
            name = str(title or Path(str(path or "")).stem)
            about = " · ".join(part for part in (name, str(heading)) if part)
            rows.append((int(one), about, str(text)))  # type: ignore[call-overload]
        return rows

    def put_vectors(self, embedder: str, vectors: Sequence[tuple[int, bytes]]) -> None:
        """Write float16 vectors for passages. Vectors for passages that are gone are dropped.

        An empty vector means that the embedder does not support the script of the passage.
        """
        with self._write() as connection:
            connection.execute("INSERT OR IGNORE INTO embedders (name) VALUES (?)", [embedder])
            connection.executemany(
                "INSERT OR REPLACE INTO vectors (embedder_id, passage_id, vector)"
                " SELECT e.id, p.id, ? FROM passages p, embedders e WHERE p.id = ? AND e.name = ?",
                [(vector, one, embedder) for one, vector in vectors],
            )

    def embedded(self) -> dict[str, int]:
        """Return how many passages each embedder has embedded, by the embedder's name."""
        found = self._read(
            "SELECT e.name, (SELECT count(*) FROM vectors v WHERE v.embedder_id = e.id)"
            " FROM embedders e ORDER BY e.name"
        )
        return {str(name): int(count) for name, count in found}  # type: ignore[call-overload]

    def unsupported(self, embedder: str) -> int:
        """Return how many passages are in a script that an embedder does not support."""
        sql = (
            "SELECT count(*) FROM vectors v WHERE length(v.vector) = 0"
            " AND v.embedder_id = (SELECT id FROM embedders WHERE name = ?)"
        )
        return int(self._read(sql, [embedder])[0][0])  # type: ignore[call-overload]

    def drop_vectors(self, embedder: str) -> None:
        """Remove all vectors of an embedder."""
        with self._write() as connection:
            connection.execute("DELETE FROM embedders WHERE name = ?", [embedder])

    def vector_version(self, embedder: str, after: int = 0) -> tuple[int, int]:
        """Return a value that changes whenever the vectors of an embedder do: how many vectors were
        added after a given row, and the number of the newest row.
        """
        sql = (
            "SELECT count(*), coalesce(max(v.id), 0) FROM vectors v"
            " WHERE v.embedder_id = (SELECT id FROM embedders WHERE name = ?) AND v.id > ?"
        )
        count, last = self._read(sql, [embedder, after])[0]
        return int(count), int(last)  # type: ignore[call-overload]

    def vectors(self, embedder: str, after: int = 0) -> Vectors | None:
        """Return the vectors that were added after a row, or None if there are none.

        They are read in parts so that memory holds them only once instead of three times.
        """
        import numpy as np

        sql = (
            "FROM vectors v JOIN passages p ON p.id = v.passage_id"
            " WHERE v.embedder_id = (SELECT id FROM embedders WHERE name = ?) AND v.id > ?"
            " AND length(v.vector) > 0"
        )
        with self._reading:
            count, width = self._reader.execute(
                f"SELECT count(*), max(length(v.vector)) {sql}", [embedder, after]
            ).fetchone()
            if not count:
                return None
            ids = np.empty(count, dtype=np.int64)
            contents = np.empty(count, dtype=np.int64)
            matrix = np.empty((count, width // 2), dtype=np.float16)
            cursor = self._reader.execute(
                f"SELECT v.id, v.passage_id, p.content_id, v.vector {sql} ORDER BY v.id LIMIT ?",
                [embedder, after, count],
            )
            at, last = 0, after
            while rows := cursor.fetchmany(READ_AT_ONCE):
                end = at + len(rows)
                ids[at:end] = [row[1] for row in rows]
                contents[at:end] = [row[2] for row in rows]
                joined = b"".join(row[3] for row in rows)
                matrix[at:end] = np.frombuffer(joined, dtype=np.float16).reshape(len(rows), -1)
                at, last = end, rows[-1][0]
        return Vectors(ids[:at], contents[:at], matrix[:at], last)


def about_file(path: str) -> str:
    """Return the words in a path by which a file's passages can be found: the names of the file and
    its folder.
    """
    return f"{Path(path).stem} {Path(path).parent.name}"


def _below(paths: Sequence[str] | None) -> tuple[str, list[str]]:
    """Return the SQL clause that limits a query to the given files and the files inside the given
    folders, and the clause's values.
    """
    if paths is None:
        return "", []
    tops: list[str] = []
    for path in paths:
        inside = path.rstrip(os.sep) + os.sep
        # SQLite compares text byte by byte, so all paths inside a folder lie between two limits.
        tops += [path, inside, inside[:-1] + chr(ord(os.sep) + 1)]
    one = "f.path = ? OR (f.path >= ? AND f.path < ?)"
    return f"AND ({' OR '.join([one] * len(paths)) or 'FALSE'})", tops
