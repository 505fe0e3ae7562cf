"""Libraries: files and folders that the user added, kept in sync with the disk."""

from __future__ import annotations

import fnmatch
import hashlib
import os
import re
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.documents.formats import document_kind, is_document
from app.documents.index import about_file
from app.documents.passages import LARGEST, scan_text
from app.documents.reader import DocumentReader
from app.documents.search import DocumentSearch, Embedder, FoundPassages, Hit
from app.domain.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from app.documents.index import Index, IndexedFile
    from app.documents.passages import Box, PagePicture

DEFAULT = "Documents"  # the library that is used if none is named
IGNORED = ("node_modules", "__pycache__", ".*", "~$*", "*.tmp", "*.part", "Thumbs.db")
IGNORING = re.compile("|".join(fnmatch.translate(pattern) for pattern in IGNORED))
BLOCK = 1024 * 1024


@dataclass(frozen=True)
class UpdateProgress:
    """The progress of an update. left: the estimated number of seconds left, or None while it is
    unknown."""

    done: int
    total: int
    path: str
    left: float | None


@dataclass(frozen=True)
class Update:
    """The numbers of files that an update found and processed."""

    read: int
    unchanged: int
    removed: int
    failed: int
    unreachable: tuple[str, ...] = ()  # missing or currently unreadable paths; their files are kept
    waiting: int = 0  # files that have not been read because the update was stopped


class DocumentLibrary:
    """The user's documents. Its methods block, and can be called from threads."""

    def __init__(self, index: Index, reader: DocumentReader | None = None) -> None:
        self._index = index
        self._reader = reader or DocumentReader()
        self._locator = DocumentReader()
        self._scanner = DocumentReader()
        self._search = DocumentSearch(index)
        self._updating = threading.Lock()
        self._closed = threading.Event()

    @property
    def index(self) -> Index:
        """The index."""
        return self._index

    def close(self) -> None:
        """End the process that reads files, wait for a running update to notice this, and close the
        index.
        """
        self._closed.set()
        self._reader.close()
        self._locator.close()
        self._scanner.close()
        with self._updating:
            self._index.close()

    def add(self, path: Path, library: str = DEFAULT) -> Path:
        """Add a file or folder, which the next update reads, and return its absolute path.

        Raises: DocumentError if it does not exist or its type isn't supported.
        """
        whole = path.expanduser().resolve()
        if not whole.exists():
            raise DocumentError(f"There is no file or folder {path}.", "Check the path.")
        if printable(str(whole)) != str(whole):
            raise DocumentError("The name of this file or folder is not valid text.", "Rename it.")
        if whole.is_file() and document_kind(whole) is None:
            raise DocumentError(
                f"{whole.name}: this file type isn't supported.",
                "Use PDF, Word, PowerPoint, Excel, EPUB, HTML, mail, Markdown or text.",
            )
        self._index.add_root(library, str(whole))
        return whole

    def remove(self, path: Path, library: str = DEFAULT) -> None:
        """Remove a file or folder from a library. Nothing on the disk is changed.

        Raises: DocumentError if it was never added.
        """
        if not self._index.remove_root(library, str(path.expanduser().resolve())):
            raise DocumentError(
                f"{path} is not in the library “{library}”.",
                "Remove it the way it was added.",
            )

    def forget(self, library: str | None = None) -> None:
        """Delete the text of the files in one library, or in all of them. The next update reads
        them again.
        """
        with self._updating:
            self._index.forget_texts(library)

    def files(self, library: str | None = None) -> list[IndexedFile]:
        """Return the files in one library, or in all of them."""
        return self._index.files(library)

    def update(
        self,
        library: str | None = None,
        *,
        paths: Sequence[str] | None = None,
        tell: Callable[[UpdateProgress], None] | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Update:
        """Read new and changed files, and remove deleted ones. Only one update runs at a time.

        paths: update only roots that are, or contain, one of these. tell: a function called with
        each file before it is read. stopped: a function called between files. If it returns True,
        the update stops.
        """

        def meant(path: str) -> bool:
            return paths is None or is_below(path, paths)

        with self._updating:
            counts = {"read": 0, "unchanged": 0, "removed": 0, "failed": 0}
            unreachable: list[str] = []
            for name in self._index.libraries() if library is None else [library]:
                for root in self._index.roots(name):
                    holds = paths is None or any(is_below(one, [root]) for one in paths)
                    if holds or meant(root):
                        unreachable += self._compare(name, root, counts)
            found = self._index.files(library, state="waiting")
            waiting = [file for file in found if meant(file.path)]
            left = self._read_waiting(waiting, counts, tell, stopped)
            if counts["removed"] or counts["read"] or counts["failed"]:
                self._index.drop_unused()
            return Update(**counts, unreachable=tuple(unreachable), waiting=left)

    def _compare(self, library: str, root: str, counts: dict[str, int]) -> list[str]:
        """Compare a root with the disk, and return the parts of it that cannot be reached."""
        known = self._index.known(library, root)
        device = device_of(root)
        if device is None:
            return [root]
        before_on = self._index.device(library, root)
        if known and before_on not in (0, device) and is_empty(root):
            return [root]  # a drive that is not mounted leaves an empty folder
        if device != before_on:
            self._index.set_device(library, root, device)
        unseen: list[str] = []
        for path, size, changed in walk(Path(root), unseen):
            if self._closed.is_set():  # checked here because the folder may be a whole disk
                return unseen
            _, *before, state = known.pop(path, (0, -1, -1, ""))
            if before != [size, changed]:
                self._index.note_file(library, root, path, size, changed)
            elif state != "waiting":
                counts["unchanged"] += 1
        gone = [file for path, (file, *_) in known.items() if not is_below(path, unseen)]
        if gone:
            self._index.forget_files(gone)
        counts["removed"] += len(gone)
        return unseen

    def _read_waiting(
        self,
        waiting: list[IndexedFile],
        counts: dict[str, int],
        tell: Callable[[UpdateProgress], None] | None,
        stopped: Callable[[], bool],
    ) -> int:
        """Read files one after the other. If stopped, return how many are left."""
        sizes = sum(file.size for file in waiting)
        began, seen = time.monotonic(), 0
        for done, file in enumerate(waiting):
            if stopped() or self._closed.is_set():
                return len(waiting) - done
            if tell is not None:
                spent = time.monotonic() - began
                left = spent / seen * (sizes - seen) if seen else None
                tell(UpdateProgress(done, len(waiting), file.path, left))
            counts["read" if self._read(file) else "failed"] += 1
            seen += file.size
        return 0

    def _read(self, file: IndexedFile) -> bool:
        """Read one file into the index, and return whether it could be read."""
        path = Path(file.path)
        try:
            if file.size > LARGEST:
                raise DocumentError(f"{path.name} is larger than 2 GB.", "Split it.")
            hash_ = content_hash(path)
            if self._index.link_content(file.id, hash_):
                return True
            document = self._reader.read(path)
            if content_hash(path) != hash_:
                raise DocumentError(
                    f"{path.name} changed while it was being read.",
                    "It will be read again at the next update.",
                )
        except OSError:
            self._index.mark_failed(
                file.id, f"{path.name} can't be read.", "Check its name and its permissions."
            )
            return False
        except DocumentError as error:
            # otherwise, reading was interrupted; the file is read at the next start
            if not self._closed.is_set():
                self._index.mark_failed(file.id, error.text, error.remedy)
            return False
        self._index.put_content(file.id, about_file(file.path), hash_, document)
        return True

    def find(
        self,
        question: str,
        limit: int = 8,
        *,
        paths: Sequence[str] | None = None,
        embedder: Embedder | None = None,
    ) -> FoundPassages:
        """Return the passages that best fit a question.

        paths: limit the search to these files or folders. A passage then refers to a file among
        them, even if the same content exists elsewhere, too.
        """
        return self.judge(question, self.rank(question, paths=paths, embedder=embedder), limit)

    def rank(
        self,
        question: str,
        *,
        paths: Sequence[str] | None = None,
        embedder: Embedder | None = None,
    ) -> list[Hit]:
        """Return the passages found by keyword and by vector, best first, for a reranker or for
        `judge`.

        paths: the same as for `find`.
        """
        if paths is None:
            return self._search.rank(question, embedder=embedder)
        places = self._index.places(paths)
        all_ = len(places) == self._index.counts()[0]  # searching the whole index needs no filter
        hits = self._search.rank(question, hashes=None if all_ else list(places), embedder=embedder)
        return [
            replace(hit, passage=replace(hit.passage, path=places[hit.passage.hash]))
            for hit in hits
            if hit.passage.hash in places
        ]

    def judge(self, question: str, hits: Sequence[Hit], limit: int = 8) -> FoundPassages:
        """Return the best of the passages that `rank` found, and whether they answer the
        question."""
        return self._search.judge(question, hits, limit)

    def forget_vectors(self) -> None:
        """Release the vectors from memory. The next search loads them again."""
        self._search.forget_vectors()

    def quote_boxes(self, path: str, page: int, quote: str) -> list[Box]:
        """Return the position of a quote on a page: the left, top, right and bottom edges of each
        line, in points.

        Only PDF files have positions. This does not wait for an update, because it runs in a
        separate process. Raises: DocumentError.
        """
        if document_kind(Path(path)) != "pdf":
            return []
        boxes = self._locator.quote_boxes(Path(path), page, quote)
        return boxes or self._scan_boxes(path, page, quote)

    def _scan_boxes(self, path: str, page: int, quote: str) -> list[Box]:
        """Return the position of a quote on a page that OCR has read, as a box for each of its
        lines.
        """
        files = self.files_below([path])
        lines = self._index.scan_lines(files[0].hash, page) if files else []
        words = [re.escape(word) for word in quote.split()]
        text, starts = scan_text(lines)
        found = re.search(r"\s+".join(words), text)
        if found is None or not words:
            return []
        return [
            line.box
            for start, line in zip(starts, lines, strict=True)
            if start < found.end() and found.start() < start + len(line.text)
        ]

    def page_scan(self, path: str, hash_: str, page: int) -> PagePicture:
        """Return a page in greyscale, as needed for OCR. hash_: the expected hash of the file.

        Raises: DocumentError, also if the file has changed.
        """
        try:
            same = content_hash(Path(path)) == hash_
        except OSError:
            same = False
        if not same:
            raise DocumentError(f"{Path(path).name} has changed.", "It will be read again.")
        return self._scanner.page_scan(Path(path), page)

    def page_picture(self, path: str, page: int, quote: str, width: int) -> PagePicture | None:
        """Return a page as an image with the position of a quote, or None if the file is not a PDF
        file.

        width: the width in pixels. This does not wait for an update. Raises: DocumentError.
        """
        if document_kind(Path(path)) != "pdf":
            return None
        picture = self._locator.page_picture(Path(path), page, quote, width)
        if picture.boxes:
            return picture
        boxes = self._scan_boxes(path, page, quote)
        return replace(
            picture,
            boxes=tuple(
                (a * picture.scale, b * picture.scale, c * picture.scale, d * picture.scale)
                for a, b, c, d in boxes
            ),
        )

    def files_below(self, paths: Sequence[str]) -> list[IndexedFile]:
        """Return the given files and the files inside the given folders, each once."""
        found = {f.path: f for f in self._index.files(below=paths)}
        return list(found.values())


def is_below(path: str, tops: Sequence[str]) -> bool:
    """Return whether a path is one of the given files or inside one of the given folders."""
    return any(path == top or path.startswith(top.rstrip(os.sep) + os.sep) for top in tops)


def device_of(path: str) -> int | None:
    """Return the device that a file or folder is on, or None if it cannot be reached."""
    try:
        return os.stat(path).st_dev  # noqa: PTH116 - beside scandir
    except OSError:
        return None


def is_empty(folder: str) -> bool:
    """Return whether a folder is empty."""
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is None
    except OSError:
        return False


def walk(root: Path, unseen: list[str]) -> Iterator[tuple[str, int, int]]:
    """Yield the documents in a folder and its subfolders, each with its path, its size in bytes and
    its time of last change in nanoseconds.

    Hidden files, temporary files and special files such as pipes are skipped, and links are not
    followed. unseen: collects the paths that could not be read.
    """
    if root.is_file():
        found = root.stat()
        yield str(root), found.st_size, found.st_mtime_ns
        return
    folders = [str(root)]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except FileNotFoundError:
            continue
        except OSError:
            unseen.append(printable(folder))
            continue
        below: list[str] = []
        for entry in found:
            try:
                if entry.is_symlink() or is_ignored(entry.name):
                    continue
                if entry.is_dir():
                    below.append(entry.path)
                elif is_document(entry.name) and entry.is_file():
                    stat = entry.stat()
                    yield printable(entry.path), stat.st_size, stat.st_mtime_ns
            except FileNotFoundError:
                continue
            except OSError:
                unseen.append(printable(entry.path))
        folders += reversed(below)


def printable(path: str) -> str:
    """Return a path in a form that can be printed, with invalid bytes as escapes.

    A file with such a name cannot be opened; this is reported.
    """
    return path.encode("utf-8", "backslashreplace").decode() if not path.isascii() else path


def is_ignored(name: str) -> bool:
    """Return whether a file or folder with this name is skipped."""
    return IGNORING.fullmatch(name) is not None


def content_hash(path: Path) -> str:
    """Return the hash of a file's content."""
    digest = hashlib.blake2b(digest_size=20)
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()
