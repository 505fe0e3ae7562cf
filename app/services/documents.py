"""Documents: libraries of files, kept up to date behind everything else, and searched."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from app.documents.library import is_below
from app.documents.search import Embedder
from app.domain.errors import DeskpilotError, DocumentError

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import numpy as np

    from app.documents.index import IndexedFile
    from app.documents.library import DocumentLibrary, Progress, Update
    from app.documents.search import Found
    from app.documents.text import Page
    from app.services.tasks import Tasks

TASK = "documents"
ATTACHED = "Attached files"  # the library of what was attached to a chat and is in no other
PATIENCE = 20.0  # seconds a question waits for files that are new
BATCH = 16  # passages embedded at once, so that a question waits for few


class EmbedderPort(Protocol):
    """Turns texts into vectors."""

    async def model(self) -> str | None:
        """Return the embedder to use; None without one. Raises: DeskpilotError."""
        ...

    async def embed(self, model: str, texts: list[str], *, asked: bool) -> np.ndarray:
        """Return a unit vector, float32, for each text. Raises: DeskpilotError."""
        ...


@dataclass(frozen=True)
class Status:
    """What a library holds. passages: of all libraries; embedded: of those, how many have vectors."""

    files: list[IndexedFile]
    passages: int
    embedded: int
    embedder: str | None


@dataclass(frozen=True)
class Findings:
    """What a search in some files and folders found.

    files: how many of them can be searched; waiting: how many are not read yet; unread: pages that
    are only a picture. problems: why others can't be read, a sentence or two each.
    """

    found: Found
    files: int
    waiting: int
    unread: int
    problems: tuple[str, ...]


class Documents:
    """The documents of a person."""

    def __init__(
        self, opened: Callable[[], DocumentLibrary], embedder: EmbedderPort, tasks: Tasks
    ) -> None:
        """opened: opens the libraries; called when they are first used, for most never are."""
        self._opened, self._embedder, self._tasks = opened, embedder, tasks
        self._library: DocumentLibrary | None = None
        self._opening = asyncio.Lock()

        self._urgent = 0  # questions that wait for files; an update of everything makes way

        self._listeners: list[Callable[[], None]] = []

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` when files were read, found changed or removed; return what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _changed(self, update: Update) -> None:
        if update.read or update.failed or update.removed:
            for listener in list(self._listeners):
                listener()

    async def aclose(self) -> None:
        """End what reads, and close the index."""
        if self._library is not None:
            await asyncio.to_thread(self._library.close)

    async def library(self) -> DocumentLibrary:
        """Return the libraries, opened.

        Raises: DocumentError.
        """
        async with self._opening:
            if self._library is None:
                self._library = await asyncio.to_thread(self._opened)
            return self._library

    async def add(self, path: Path, library: str) -> Path:
        """Add a file or folder; the next update reads it.

        Raises: DocumentError.
        """
        return await asyncio.to_thread((await self.library()).add, path, library)

    async def remove(self, path: Path, library: str) -> None:
        """Remove a file or folder from a library; nothing on the disk is touched.

        Raises: DocumentError.
        """
        await asyncio.to_thread((await self.library()).remove, path, library)
        for listener in list(self._listeners):
            listener()

    async def update(
        self,
        library: str | None = None,
        tell: Callable[[Progress], None] | None = None,
        ended: threading.Event | None = None,
        paths: Sequence[str] | None = None,
    ) -> Update:
        """Read what is new or changed, and forget what is gone; a question that waits for files goes first.

        tell: called in another thread. ended: set, it stops after a file. paths: stay in these.
        Raises: DocumentError.
        """

        def stopped() -> bool:
            return self._urgent > 0 or (ended is not None and ended.is_set())

        opened = await self.library()
        while True:
            update = await asyncio.to_thread(
                opened.update, library, paths=paths, tell=tell, stopped=stopped
            )
            self._changed(update)
            if not update.waiting or (ended is not None and ended.is_set()):
                return update
            while self._urgent:  # a question is waiting for its own files
                await asyncio.sleep(0.05)

    async def attach(self, path: Path) -> str:
        """Make a file or folder searchable that may be in no library; return its whole path.

        Raises: DocumentError.
        """
        opened = await self.library()

        def add() -> str:
            whole = str(path.expanduser().resolve())
            roots = [r for name in opened.index.libraries() for r in opened.index.roots(name)]
            if not any(is_below(whole, [root]) for root in roots):
                opened.add(path, ATTACHED)
            return whole

        return await asyncio.to_thread(add)

    async def refresh(
        self,
        paths: Sequence[str],
        seconds: float = PATIENCE,
        tell: Callable[[Progress], None] | None = None,
    ) -> None:
        """Read what is new or changed in files and folders, for at most some seconds; the rest waits.

        tell: called in another thread.
        Raises: DocumentError.
        """
        opened = await self.library()
        until = time.monotonic() + seconds
        self._urgent += 1
        try:
            update = await asyncio.to_thread(
                opened.update, paths=paths, tell=tell, stopped=lambda: time.monotonic() > until
            )
        finally:
            self._urgent -= 1
        self._changed(update)

    async def libraries(self) -> list[str]:
        """Return the names of the libraries.

        Raises: DocumentError.
        """
        return await asyncio.to_thread((await self.library()).index.libraries)

    async def files(self, paths: Sequence[str]) -> list[IndexedFile]:
        """Return the known files that are one of some files, or inside one of some folders.

        Raises: DocumentError.
        """
        return await asyncio.to_thread((await self.library()).files_below, paths)

    async def roots(self, library: str) -> list[str]:
        """Return the files and folders of a library.

        Raises: DocumentError if there is no such library.
        """
        opened = await self.library()
        found = await asyncio.to_thread(opened.index.roots, library)
        if not found:
            names = ", ".join(await asyncio.to_thread(opened.index.libraries)) or "none"
            raise DocumentError(
                f"There is no folder and no library “{library}”.", f"There is: {names}."
            )
        return found

    async def search(self, question: str, paths: Sequence[str], limit: int = 8) -> Findings:
        """Search some files and folders, what is new or changed in them included.

        Raises: DocumentError.
        """
        await self.refresh(paths)
        found = await self.find(question, limit, paths)
        files = await asyncio.to_thread((await self.library()).files_below, paths)
        return Findings(
            found,
            sum(file.state == "ready" for file in files),
            sum(file.state == "waiting" for file in files),
            sum(file.unread for file in files),
            tuple(f"{f.error} {f.remedy}".strip() for f in files if f.state == "failed"),
        )

    async def pages(self, path: Path) -> list[Page]:
        """Return the text of a document, page by page, as it is now.

        Raises: DocumentError if it can't be read.
        """
        whole = await self.attach(path)
        await self.refresh([whole])
        opened = await self.library()
        files = await asyncio.to_thread(opened.files_below, [whole])
        if not files or not files[0].hash:
            error = files[0].error if files else ""
            remedy = files[0].remedy if files else ""
            raise DocumentError(
                error or f"{path.name} is not read yet.", remedy or "Try again in a moment."
            )
        return await asyncio.to_thread(opened.index.pages, files[0].hash)

    async def current_hash(self, path: str) -> str:
        """Return the hash of a document's content as it was read last; empty for one that is not known."""
        files = await asyncio.to_thread((await self.library()).files_below, [path])
        return files[0].hash if files else ""

    async def quote_boxes(self, path: str, page: int, quote: str) -> list[list[float]]:
        """Return where a quote stands on a page of a PDF file: left, top, right, bottom of each line.

        Raises: DocumentError.
        """
        return await asyncio.to_thread((await self.library()).quote_boxes, path, page, quote)

    async def embed_new(self, tell: Callable[[int, int], None] | None = None) -> int:
        """Give vectors to passages that have none; return how many. Without an embedder, none.

        What was embedded stays, however this ends. tell: how many are done and how many there are.
        Raises: DeskpilotError.
        """
        import numpy as np

        index = (await self.library()).index
        model = await self._embedder.model()
        done = 0
        while model is not None:
            waiting = await asyncio.to_thread(index.without_vectors, model, BATCH)
            if not waiting:
                break
            vectors = await self._embedder.embed(model, [text for _, text in waiting], asked=False)
            kept = vectors.astype(np.float16)
            rows = [(one, row.tobytes()) for (one, _), row in zip(waiting, kept, strict=True)]
            await asyncio.to_thread(index.put_vectors, model, rows)
            done += len(rows)
            if tell is not None:
                _, passages = await asyncio.to_thread(index.counts)
                embedded, _ = await asyncio.to_thread(index.vector_version, model)
                tell(embedded, passages)
        return done

    async def find(
        self, question: str, limit: int = 8, paths: Sequence[str] | None = None
    ) -> Found:
        """Return the passages that fit a question best; without an embedder, by their words alone.

        paths: files or folders to stay in.
        Raises: DocumentError.
        """
        library = await self.library()
        embedder = await self._embedder_for(question)
        return await asyncio.to_thread(
            library.find, question, limit, paths=paths, embedder=embedder
        )

    async def status(self, library: str | None = None) -> Status:
        """Return what a library holds, or all of them.

        Raises: DocumentError.
        """
        opened = await self.library()
        files = await asyncio.to_thread(opened.files, library)
        _, passages = await asyncio.to_thread(opened.index.counts)
        try:
            model = await self._embedder.model()
        except DeskpilotError:  # the service cannot be started; words are searched without it
            model = None
        embedded = 0
        if model is not None:
            embedded, _ = await asyncio.to_thread(opened.index.vector_version, model)
        return Status(files, passages, embedded, model)

    async def _embedder_for(self, question: str) -> Embedder | None:
        """Return the embedder with the vector of a question; None where there is none to use."""
        index = (await self.library()).index
        known = await asyncio.to_thread(index.embedders)
        if not known:
            return None  # and no service need be started to find that out
        try:
            model = await self._embedder.model()
            if model is None or model not in known:
                return None
            (vector,) = await self._embedder.embed(model, [question], asked=True)
        except DeskpilotError:  # words find what they find without it
            return None
        languages = frozenset({"*"} if "multilingual" in model else {"en"})
        return Embedder(model, languages, lambda _: vector)
