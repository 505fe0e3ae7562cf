"""Libraries: the files and folders a person added, kept in step with what is on the disk."""

from __future__ import annotations

import fnmatch
import hashlib
import os
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.documents.reader import DocumentReader
from app.documents.search import Embedder, Found, Search
from app.documents.text import LARGEST, document_kind
from app.domain.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from app.documents.index import Index, IndexedFile

DEFAULT = "Documents"  # the library one adds to without naming any
IGNORED = ("node_modules", "__pycache__", ".*", "~$*", "*.tmp", "*.part", "Thumbs.db")
BLOCK = 1024 * 1024


@dataclass(frozen=True)
class Progress:
    """How far an update is. left: seconds, estimated; None while nothing is known."""

    done: int
    total: int
    path: str
    left: float | None


@dataclass(frozen=True)
class Update:
    """What an update found and did, in files."""

    read: int
    unchanged: int
    removed: int
    failed: int
    unreachable: tuple[str, ...] = ()  # roots that are not there now; their files are kept
    waiting: int = 0  # not read yet, as it was stopped before


class DocumentLibrary:
    """The documents of a person. Its methods block; threads may call them."""

    def __init__(self, index: Index, reader: DocumentReader | None = None) -> None:
        self._index = index
        self._reader = reader or DocumentReader()
        self._locator = DocumentReader()
        self._search = Search(index)
        self._updating = threading.Lock()
        self._closed = threading.Event()

    @property
    def index(self) -> Index:
        """What it holds."""
        return self._index

    def close(self) -> None:
        """End the process that reads, wait until an update that runs has noticed, close the
        index.
        """
        self._closed.set()
        self._reader.close()
        self._locator.close()
        with self._updating:
            self._index.close()

    def add(self, path: Path, library: str = DEFAULT) -> Path:
        """Add a file or folder; it is read by the next update. Return its whole path.

        Raises: DocumentError if there is none, or its type isn't supported.
        """
        whole = path.expanduser().resolve()
        if not whole.exists():
            raise DocumentError(f"There is no file or folder {path}.", "Check the path.")
        if whole.is_file() and document_kind(whole) is None:
            raise DocumentError(
                f"{whole.name}: this file type isn't supported.",
                "Use PDF, Word, PowerPoint, Excel, EPUB, HTML, mail, Markdown or text.",
            )
        self._index.add_root(library, str(whole))
        return whole

    def remove(self, path: Path, library: str = DEFAULT) -> None:
        """Remove a file or folder from a library; nothing on the disk is touched.

        Raises: DocumentError if it was never added.
        """
        if not self._index.remove_root(library, str(path.expanduser().resolve())):
            raise DocumentError(
                f"{path} is not in the library “{library}”.",
                "Remove what was added, as it was added.",
            )

    def files(self, library: str | None = None) -> list[IndexedFile]:
        """Return the files of a library, or all."""
        return self._index.files(library)

    def update(
        self,
        library: str | None = None,
        *,
        paths: Sequence[str] | None = None,
        tell: Callable[[Progress], None] | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Update:
        """Read what is new or changed and forget what is gone; one update at a time.

        paths: only roots that are, or hold, one of these. tell: hears of each file before it is
        read.
        stopped: asked between two files.
        """

        def meant(path: str) -> bool:
            return paths is None or is_below(path, paths)

        with self._updating:
            counts = {"read": 0, "unchanged": 0, "removed": 0, "failed": 0}
            unreachable: list[str] = []
            for name in self._index.libraries() if library is None else [library]:
                for root in self._index.roots(name):
                    holds = paths is None or any(is_below(one, [root]) for one in paths)
                    if (holds or meant(root)) and not self._compare(name, root, counts):
                        unreachable.append(root)
            waiting = [
                file
                for file in self._index.files(library)
                if file.state == "waiting" and meant(file.path)
            ]
            left = self._read_waiting(waiting, counts, tell, stopped)
            self._index.drop_unused()
            return Update(**counts, unreachable=tuple(unreachable), waiting=left)

    def _compare(self, library: str, root: str, counts: dict[str, int]) -> bool:
        """Compare a root with the disk; tell whether it can be reached."""
        known = {file.path: file for file in self._index.files(library, root)}
        if not Path(root).exists():
            return False
        for path, size, changed in walk(Path(root)):
            file = known.pop(path, None)
            if file is None or (file.size, file.changed) != (size, changed):
                self._index.note_file(library, root, path, size, changed)
            elif file.state != "waiting":
                counts["unchanged"] += 1
        self._index.forget_files([file.id for file in known.values()])
        counts["removed"] += len(known)
        return True

    def _read_waiting(
        self,
        waiting: list[IndexedFile],
        counts: dict[str, int],
        tell: Callable[[Progress], None] | None,
        stopped: Callable[[], bool],
    ) -> int:
        """Read files one after the other; return how many are left when it is stopped."""
        sizes = sum(file.size for file in waiting)
        began, seen = time.monotonic(), 0
        for done, file in enumerate(waiting):
            if stopped() or self._closed.is_set():
                return len(waiting) - done
            if tell is not None:
                spent = time.monotonic() - began
                left = spent / seen * (sizes - seen) if seen else None
                tell(Progress(done, len(waiting), file.path, left))
            counts["read" if self._read(file) else "failed"] += 1
            seen += file.size
        return 0

    def _read(self, file: IndexedFile) -> bool:
        """Read one file into the index; tell whether it could be read."""
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
                    f"{path.name} changed while it was read.",
                    "It is read again at the next update.",
                )
        except OSError:
            self._index.mark_failed(file.id, f"{path.name} can't be read.", "Check the file.")
            return False
        except DocumentError as error:
            if not self._closed.is_set():  # else it was broken off, and is read at the next start
                self._index.mark_failed(file.id, error.text, error.remedy)
            return False
        self._index.put_content(file.id, f"{path.stem} {path.parent.name}", hash_, document)
        return True

    def find(
        self,
        question: str,
        limit: int = 8,
        *,
        paths: Sequence[str] | None = None,
        embedder: Embedder | None = None,
    ) -> Found:
        """Return the passages that fit a question best.

        paths: files or folders to stay in; a passage is then told of a file among them, wherever
        else the same content lies.
        """
        if paths is None:
            return self._search.find(question, limit, embedder=embedder)
        places = {f.hash: f.path for f in self.files_below(paths) if f.hash}
        found = self._search.find(question, limit, hashes=list(places), embedder=embedder)
        hits = [
            replace(hit, passage=replace(hit.passage, path=places[hit.passage.hash]))
            for hit in found.hits
        ]
        return replace(found, hits=tuple(hits))

    def quote_boxes(self, path: str, page: int, quote: str) -> list[list[float]]:
        """Return where a quote stands on a page: left, top, right, bottom of each line, in points.

        Only PDF files have such places. It waits for no update: a process of its own looks.
        Raises: DocumentError.
        """
        if document_kind(Path(path)) != "pdf":
            return []
        return self._locator.quote_boxes(Path(path), page, quote)

    def files_below(self, paths: Sequence[str]) -> list[IndexedFile]:
        """Return the files that are one of some files, or inside one of some folders; each once."""
        found = {f.path: f for f in self._index.files() if is_below(f.path, paths)}
        return list(found.values())


def is_below(path: str, tops: Sequence[str]) -> bool:
    """Tell whether a path is one of some files, or inside one of some folders."""
    return any(path == top or path.startswith(top.rstrip(os.sep) + os.sep) for top in tops)


def walk(root: Path) -> Iterator[tuple[str, int, int]]:
    """Yield the documents in a folder and below: path, bytes, time of change in nanoseconds.

    Hidden and temporary files are left out, links are not followed, and what cannot be looked at is
    passed over.
    """
    if root.is_file():
        found = root.stat()
        yield str(root), found.st_size, found.st_mtime_ns
        return
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not is_ignored(name))
        for name in sorted(names):
            path = Path(folder, name)
            if is_ignored(name) or document_kind(path) is None:
                continue
            try:
                found = path.stat(follow_symlinks=False)
            except OSError:
                continue
            if not path.is_symlink():
                yield str(path), found.st_size, found.st_mtime_ns


def is_ignored(name: str) -> bool:
    """Tell whether a file or folder of this name is left out."""
    return any(fnmatch.fnmatch(name, pattern) for pattern in IGNORED)


def content_hash(path: Path) -> str:
    """Return the hash of a file's content."""
    digest = hashlib.blake2b(digest_size=20)
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()
