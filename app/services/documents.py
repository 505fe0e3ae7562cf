"""Documents: libraries of files, kept up to date behind everything else, and searched."""

from __future__ import annotations

import asyncio
import contextlib
import time
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from app.documents.library import is_below
from app.documents.search import Embedder
from app.domain.errors import DeskpilotError, DocumentError

if TYPE_CHECKING:
    import threading
    from collections.abc import AsyncGenerator, Callable, Sequence

    import numpy as np

    from app.documents.index import Index, IndexedFile
    from app.documents.library import DocumentLibrary, Progress, Update
    from app.documents.search import Found
    from app.documents.text import Page
    from app.services.tasks import Tasks

TASK = "documents"
ATTACHED = "Attached files"  # the library of what was attached to a chat and is in no other
CALM = 5.0  # seconds after the start, and between two looks whether somebody waits
SETTLED_MS = 1000  # milliseconds in which changes on the disk are taken together
POLL = 300.0  # seconds between two looks where the system cannot watch
COVERED = 0.95  # of the passages have to have vectors before these count in a search
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
    """What a library holds. passages: of all libraries; embedded: of those, how many have
    vectors.
    """

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
        self,
        opened: Callable[[], DocumentLibrary],
        embedder: EmbedderPort,
        tasks: Tasks,
        exists: Callable[[], bool] = lambda: True,
    ) -> None:
        """opened: opens the libraries; called when they are first used, for most never are.

        exists: whether there is an index already.
        """
        self._opened, self._embedder, self._tasks, self._exists = opened, embedder, tasks, exists
        self._library: DocumentLibrary | None = None
        self._opening = asyncio.Lock()

        self._urgent = 0  # questions that wait for files; an update of everything makes way

        self._listeners: list[Callable[[], None]] = []
        self._rooted = (
            asyncio.Event()
        )  # something was added or removed, so other folders are watched
        self.is_polling = False  # the system cannot watch; folders are looked at now and then

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
        added = await asyncio.to_thread((await self.library()).add, path, library)
        self._rooted.set()
        return added

    async def watch(self, busy: Callable[[], bool] = lambda: False) -> None:
        """Keep the index in step with the disk, until it is cancelled, and embed what is new.

        Where the system cannot watch, it looks every few minutes. busy: whether somebody waits for
        an answer, who goes first.
        Raises: DocumentError.
        """
        await asyncio.sleep(CALM)
        if self._library is None and not await asyncio.to_thread(self._exists):
            await self._rooted.wait()
        while True:
            self._rooted.clear()
            opened = await self.library()
            roots = await asyncio.to_thread(reachable_roots, opened)
            await self.update()
            await self._embed_quietly(busy)
            if not roots:
                await self._rooted.wait()
                continue
            async with aclosing(self._changes(roots)) as changes:
                async for paths in changes:
                    await self.update(paths=paths)
                    await self._embed_quietly(busy)

    async def _changes(self, roots: list[str]) -> AsyncGenerator[list[str] | None, None]:
        """Yield what changed on the disk; None for anything. It ends when something is added or
        removed.
        """
        from watchfiles import awatch

        try:
            self.is_polling = False
            async for found in awatch(
                *roots,
                stop_event=self._rooted,
                debounce=SETTLED_MS,
                recursive=True,
                ignore_permission_denied=True,
            ):
                yield sorted({path for _, path in found})
        except OSError:  # too many folders for the system to watch
            self.is_polling = True
            while not self._rooted.is_set():
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(POLL):
                        await self._rooted.wait()
                        return
                yield None

    async def _embed_quietly(self, busy: Callable[[], bool]) -> None:
        """Give vectors to what has none; words find it until then, and after an error, too."""
        with contextlib.suppress(DeskpilotError):
            await self.embed_new(busy=busy)

    async def remove(self, path: Path, library: str) -> None:
        """Remove a file or folder from a library; nothing on the disk is touched.

        Raises: DocumentError.
        """
        await asyncio.to_thread((await self.library()).remove, path, library)
        self._rooted.set()
        for listener in list(self._listeners):
            listener()

    async def update(
        self,
        library: str | None = None,
        tell: Callable[[Progress], None] | None = None,
        ended: threading.Event | None = None,
        paths: Sequence[str] | None = None,
    ) -> Update:
        """Read what is new or changed, and forget what is gone; a question that waits for files
        goes first.

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

        def add() -> tuple[str, bool]:
            whole = str(path.expanduser().resolve())
            roots = [r for name in opened.index.libraries() for r in opened.index.roots(name)]
            if not any(is_below(whole, [root]) for root in roots):
                opened.add(path, ATTACHED)
                return whole, True
            return whole, False

        found, is_new = await asyncio.to_thread(add)
        if is_new:
            self._rooted.set()
        return found

    async def refresh(
        self,
        paths: Sequence[str],
        seconds: float = PATIENCE,
        tell: Callable[[Progress], None] | None = None,
    ) -> None:
        """Read what is new or changed in files and folders, for at most some seconds; the rest
        waits.

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
        """Return the hash of a document's content as it was read last; empty for one that is not
        known.
        """
        files = await asyncio.to_thread((await self.library()).files_below, [path])
        return files[0].hash if files else ""

    async def quote_boxes(self, path: str, page: int, quote: str) -> list[list[float]]:
        """Return where a quote stands on a page of a PDF file: left, top, right, bottom of each
        line.

        Raises: DocumentError.
        """
        return await asyncio.to_thread((await self.library()).quote_boxes, path, page, quote)

    async def embed_new(
        self,
        tell: Callable[[int, int], None] | None = None,
        busy: Callable[[], bool] = lambda: False,
    ) -> int:
        """Give vectors to passages that have none; return how many. Without an embedder, none.

        What was embedded stays, however this ends. tell: how many are done and how many there are.
        busy: it waits while this is so, and while the machine runs on battery.
        Raises: DeskpilotError.
        """
        import numpy as np

        index = (await self.library()).index
        _, passages = await asyncio.to_thread(index.counts)
        if await asyncio.to_thread(is_embedded, index, passages):
            return 0  # and no service is started to find that out
        model = await self._embedder.model()
        done = 0
        while model is not None:
            while busy() or await asyncio.to_thread(is_on_battery):
                await asyncio.sleep(CALM)
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
            _, passages = await asyncio.to_thread(index.counts)
            embedded, _ = await asyncio.to_thread(index.vector_version, model)
            if embedded < COVERED * passages:
                return None  # what has no vector yet would stand behind what has one
            (vector,) = await self._embedder.embed(model, [question], asked=True)
        except DeskpilotError:  # words find what they find without it
            return None
        languages = frozenset({"*"} if "multilingual" in model else {"en"})
        return Embedder(model, languages, lambda _: vector)


def reachable_roots(library: DocumentLibrary) -> list[str]:
    """Return the files and folders of all libraries that are there now."""
    index = library.index
    roots = {root for name in index.libraries() for root in index.roots(name)}
    return sorted(root for root in roots if Path(root).exists())


def is_embedded(index: Index, passages: int) -> bool:
    """Tell whether there is nothing to embed: no passage, or a vector of one model for each."""
    return not passages or any(
        index.vector_version(model)[0] >= passages for model in index.embedders()
    )


def is_on_battery() -> bool:
    """Tell whether the machine runs on battery."""
    import psutil

    battery = psutil.sensors_battery()
    return battery is not None and not battery.power_plugged
