"""Documents: libraries of files that are searched, and updated in the background."""

from __future__ import annotations

import asyncio
import contextlib
import time
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from app.documents.library import is_below
from app.documents.search import (
    RERANKED,
    Embedder,
    knows_question,
    knows_script,
    place_and_text,
    reordered,
)
from app.domain.errors import DeskpilotError, DocumentError
from app.domain.model import RetrievalModel, RetrievalModels

if TYPE_CHECKING:
    import threading
    from collections.abc import AsyncGenerator, Callable, Sequence

    import numpy as np

    from app.documents.index import Index, IndexedFile
    from app.documents.library import DocumentLibrary, Update, UpdateProgress
    from app.documents.passages import (
        Box,
        DocumentPage,
        PagePicture,
        ScanLine,
    )
    from app.documents.search import FoundPassages, Hit
    from app.services.tasks import Tasks

TASK = "documents"
EMBEDDING = "embed documents"
# the library for files that are attached to a chat and not in any other library
ATTACHED = "Attached files"
CALM = 5.0  # seconds after the start, and between two checks for a waiting question
SETTLED_MS = 1000  # milliseconds during which changes on the disk are collected
AGAIN = 60.0  # seconds before a path that could not be reached or written is tried again
POLL = 300.0  # seconds between two checks if the system cannot watch files
# share of the passages that a new embedder must have embedded before it replaces the old one
COVERED = 0.95
KNOWN = 30.0  # seconds for which the list of installed models is cached
RETRIES = (10.0, 60.0, 600.0)  # seconds before embedding is tried again after an error
REST = 120.0  # seconds after a search until its vectors are removed from memory
GIVE_UP = 3  # number of consecutive pages that OCR fails to read before it stops
TOLD_PAGES = 10  # number of pages read by OCR between two reports
# seconds that a question waits for a reranker; after that, its order is not used
RERANK_SECONDS = 4.0
PATIENCE = 20.0  # seconds that a question waits for new files
BATCH = 16  # number of passages embedded at a time; small, so that a question does not wait long


class EmbedderPort(Protocol):
    """Turns texts into vectors, scores how well texts answer a query, and reads the text in
    images."""

    async def retrieval(self) -> RetrievalModels:
        """Return the available models.

        Raises: DeskpilotError.
        """
        ...

    async def embed(self, model: str, texts: list[str], *, asked: bool) -> np.ndarray:
        """Return a float32 unit vector for each text.

        Raises: DeskpilotError.
        """
        ...

    async def rerank(self, model: str, query: str, texts: list[str]) -> list[float]:
        """Return how well each text answers a query.

        Raises: DeskpilotError.
        """
        ...

    async def read_picture(
        self, model: str, width: int, height: int, pixels: bytes
    ) -> list[ScanLine]:
        """Return the lines of text in a greyscale image, in reading order, with positions in
        pixels.

        Raises: DeskpilotError.
        """
        ...


@dataclass(frozen=True)
class SearchCoverage:
    """How well all libraries can be searched. passages: the number of passages. embedded: how many
    of them the embedder has processed. ocr: the model that reads scanned pages. unread: how many
    scanned pages are left to read. size: the size of the index in bytes. left: the number of
    seconds until all passages are embedded, or None if this is unknown or nothing is being
    embedded. unsupported: how many of the processed passages are found by keyword only, because
    they are in a script that the embedder does not support.
    """

    passages: int
    embedded: int
    embedder: str | None
    reranker: str | None = None
    ocr: str | None = None
    unread: int = 0
    size: int = 0
    left: float | None = None
    unsupported: int = 0


@dataclass(frozen=True)
class Findings:
    """The results of a search in some files and folders.

    files: how many of the files can be searched. waiting: how many have not been read yet. unread:
    the number of pages that consist only of an image. problems: why other files can't be read, in
    one or two sentences each.
    """

    found: FoundPassages
    files: int
    waiting: int
    unread: int
    problems: tuple[str, ...]


class Documents:
    """The user's documents."""

    def __init__(
        self,
        opened: Callable[[], DocumentLibrary],
        embedder: EmbedderPort,
        tasks: Tasks,
        exists: Callable[[], bool] = lambda: True,
    ) -> None:
        """opened: a function that opens the libraries. It is called when they are first used,
        because most users never use them.

        exists: whether there is already an index.
        """
        self._opened, self._embedder, self._tasks, self._exists = opened, embedder, tasks, exists
        self._library: DocumentLibrary | None = None
        self._opening = asyncio.Lock()

        # questions that are waiting for files, for which an update of everything is paused
        self._urgent = 0

        self._listeners: list[Callable[[], None]] = []
        self._rooted = (
            asyncio.Event()
        )  # whether something was added or removed, so that other folders must be watched
        self.is_polling = False  # the system cannot watch folders, so they are checked at intervals
        self._embeddable = asyncio.Event()  # whether there may be passages that have no vector yet
        # the models, and when they were listed
        self._models: tuple[float, RetrievalModels] | None = None
        self._rest: asyncio.TimerHandle | None = None
        # when everything is compared with the disk again
        self._later: asyncio.TimerHandle | None = None
        self._ocr_tried = ""  # the OCR model that was used last
        self._left: float | None = None  # seconds until all passages are embedded
        # an embedder, the version of its vectors, and how many passages it does not support
        self._unsupported: tuple[str, tuple[int, int], int] | None = None

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` when files have been read, changed or removed. Return the unsubscribe
        function.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _changed(self, update: Update) -> None:
        if update.read or update.failed or update.removed:
            self._tell_listeners()

    async def aclose(self) -> None:
        """Stop reading, and close the index."""
        if self._rest is not None:
            self._rest.cancel()
        if self._library is not None:
            await asyncio.to_thread(self._library.close)

    async def library(self) -> DocumentLibrary:
        """Return the opened libraries.

        Raises: DocumentError.
        """
        async with self._opening:
            if self._library is None:
                self._library = await asyncio.to_thread(self._opened)
            return self._library

    async def add(self, path: Path, library: str) -> Path:
        """Add a file or folder, which the next update reads.

        Raises: DocumentError.
        """
        added = await asyncio.to_thread((await self.library()).add, path, library)
        self._rooted.set()
        return added

    async def watch(self, busy: Callable[[], bool] = lambda: False) -> None:
        """Keep the index in sync with the disk and embed new passages, until cancelled.

        If the system cannot watch files, they are checked every few minutes. busy: returns whether
        the user is waiting for an answer, which has priority. Raises: DocumentError.
        """
        await asyncio.sleep(CALM)
        if self._library is None and not await asyncio.to_thread(self._exists):
            await self._rooted.wait()
        self._tasks.start(EMBEDDING, self._keep_embedded(busy))
        try:
            while True:
                self._rooted.clear()
                opened = await self.library()
                roots = await asyncio.to_thread(reachable_roots, opened)
                await self._follow()
                if not roots:
                    await self._rooted.wait()
                    continue
                async with aclosing(self._changes(roots)) as changes:
                    async for paths in changes:
                        await self._follow(paths)
        finally:
            self._tasks.cancel(EMBEDDING)
            if self._later is not None:
                self._later.cancel()

    async def _follow(self, paths: Sequence[str] | None = None) -> None:
        """Update the index when files change. If a drive is missing or the disk is full, everything
        is compared again later.
        """
        try:
            update = await self.update(paths=paths)
        except DocumentError:  # the files read so far stay, and searches report the problem
            update = None
        if update is None or update.unreachable:
            if self._later is not None:
                self._later.cancel()
            self._later = asyncio.get_running_loop().call_later(AGAIN, self._rooted.set)
        self._embeddable.set()

    async def _changes(self, roots: list[str]) -> AsyncGenerator[list[str] | None, None]:
        """Yield paths that changed on the disk, or None if it is unknown what changed. This ends
        when something is added or removed.
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

    async def _keep_embedded(self, busy: Callable[[], bool]) -> None:
        """Embed new passages in the background. After an error, try again, each time after a longer
        pause, and immediately when files have changed.
        """
        tries = 0
        while True:
            self._embeddable.clear()
            failed = False
            for step in (self.read_scans, self.embed_new):
                try:
                    await step(busy=busy)
                except DeskpilotError:
                    failed = True
            wait = RETRIES[min(tries, len(RETRIES) - 1)] if failed else None
            tries = tries + 1 if failed else 0
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._embeddable.wait()

    async def remove(self, path: Path, library: str) -> None:
        """Remove a file or folder from a library. Nothing on the disk is changed.

        Raises: DocumentError.
        """
        await asyncio.to_thread((await self.library()).remove, path, library)
        self._rooted.set()
        self._tell_listeners()

    async def update(
        self,
        library: str | None = None,
        tell: Callable[[UpdateProgress], None] | None = None,
        ended: threading.Event | None = None,
        paths: Sequence[str] | None = None,
    ) -> Update:
        """Read new and changed files, and remove deleted ones. Files that a question is waiting for
        come first.

        tell: a function that is called in another thread. ended: an event that, once set, stops
        this after the current file. paths: update only these. Raises: DocumentError.
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
        """Make a file or folder searchable, even if it is not in any library. Return its absolute
        path.

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
        tell: Callable[[UpdateProgress], None] | None = None,
    ) -> None:
        """Read the new and changed files in some folders, for at most `seconds`. The rest is read
        later. If a file or drive takes longer, reading it continues in the background.

        tell: a function that is called in another thread. Raises: DocumentError.
        """
        opened = await self.library()
        until = time.monotonic() + seconds
        self._urgent += 1
        try:
            work = asyncio.ensure_future(
                asyncio.to_thread(
                    opened.update, paths=paths, tell=tell, stopped=lambda: time.monotonic() > until
                )
            )
            work.add_done_callback(self._refreshed)
            try:
                done, _ = await asyncio.wait({work}, timeout=seconds + 1)
            except asyncio.CancelledError:
                work.cancel()
                raise
        finally:
            self._urgent -= 1
        if done:
            work.result()

    def _refreshed(self, work: asyncio.Future[Update]) -> None:
        """Report the files that an update has read, even if its caller no longer waits."""
        if not work.cancelled() and work.exception() is None:
            self._changed(work.result())

    async def libraries(self) -> list[str]:
        """Return the names of the libraries.

        Raises: DocumentError.
        """
        return await asyncio.to_thread((await self.library()).index.libraries)

    async def files(self, paths: Sequence[str]) -> list[IndexedFile]:
        """Return those of the given files, and of the files in the given folders, that are in the
        index.

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
                f"There is no folder and no library “{library}”.", f"Available: {names}."
            )
        return found

    async def search(self, question: str, paths: Sequence[str], limit: int = 8) -> Findings:
        """Search some files and folders, including new and changed files in them.

        Raises: DocumentError.
        """
        unwritten: tuple[str, ...] = ()
        try:
            await self.refresh(paths)
        except DocumentError as error:  # the disk is full, so search what was read before
            unwritten = (f"{error.text} {error.remedy}",)
        found = await self.find(question, limit, paths)
        index = (await self.library()).index
        states = await asyncio.to_thread(index.states, paths)
        failed = await asyncio.to_thread(lambda: index.files(state="failed", below=paths))
        problems = {file.path: f"{file.error} {file.remedy}".strip() for file in failed}
        return Findings(
            found,
            states.get("ready", 0),
            states.get("waiting", 0),
            states["unread"],
            (*unwritten, *problems.values()),
        )

    async def pages(self, path: Path) -> list[DocumentPage]:
        """Return the current text of a document, page by page.

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
                error or f"{path.name} has not been read yet.", remedy or "Try again in a moment."
            )
        return await asyncio.to_thread(opened.index.pages, files[0].hash)

    async def current_hash(self, path: str) -> str:
        """Return the hash that a document's content had when it was last read, or an empty string
        if the document is unknown.
        """
        files = await asyncio.to_thread((await self.library()).files_below, [path])
        return files[0].hash if files else ""

    async def quote_boxes(self, path: str, page: int, quote: str) -> list[Box]:
        """Return the position of a quote on a page of a PDF file: the left, top, right and bottom
        edges of each line.

        Raises: DocumentError.
        """
        return await asyncio.to_thread((await self.library()).quote_boxes, path, page, quote)

    async def page_picture(
        self, path: str, page: int, quote: str, width: int
    ) -> PagePicture | None:
        """Return a page as an image with the position of a quote, or None if the file is not a PDF
        file.

        width: the width in pixels. Raises: DocumentError.
        """
        opened = await self.library()
        return await asyncio.to_thread(opened.page_picture, path, page, quote, width)

    async def embed_new(
        self,
        tell: Callable[[int, int], None] | None = None,
        busy: Callable[[], bool] = lambda: False,
    ) -> int:
        """Embed the passages that have no vector yet, and return how many there were. Do nothing if
        there is no embedder.

        Finished work is always kept. The vectors of another embedder are used until this one has
        processed all passages, and are then deleted. tell: called with how many are done and how
        many there are. busy: while this function returns True, embedding pauses. It also pauses
        while the machine runs on battery. Raises: DeskpilotError.
        """
        index = (await self.library()).index
        _, passages = await asyncio.to_thread(index.counts)
        if not passages or (self._models is None and await asyncio.to_thread(is_embedded, index)):
            return 0  # checked without starting the service
        models = await self._retrieval(anew=True)
        if not models.embedders:
            return 0
        model = models.embedders[0]
        done, after, began, waited = 0, 0, time.monotonic(), 0.0
        embedded = (await asyncio.to_thread(index.embedded)).get(model.key, 0)
        try:
            while True:
                waited += await self._wait_for_calm(busy)
                batch = await asyncio.to_thread(index.without_vectors, model.key, BATCH, after)
                if not batch:
                    break
                after = batch[-1][0]
                rows = await self._vectors_of(model, batch)
                await asyncio.to_thread(index.put_vectors, model.key, rows)
                done += len(rows)
                _, passages = await asyncio.to_thread(index.counts)
                spent = time.monotonic() - began - waited
                self._left = max(0, passages - embedded - done) * spent / done
                if tell is not None:
                    tell(embedded + done, passages)
        finally:
            self._left = None
        for name, count in (await asyncio.to_thread(index.embedded)).items():
            if name != model.key and count:
                await asyncio.to_thread(index.drop_vectors, name)
        if done:
            self._tell_listeners()
        return done

    async def read_scans(
        self,
        tell: Callable[[int, int], None] | None = None,
        busy: Callable[[], bool] = lambda: False,
    ) -> int:
        """Read scanned pages by OCR, and return how many there were. Without an OCR model, they
        stay listed as unread.

        Finished work is always kept, and an unreadable page does not stop the others. tell: called
        with how many are done and how many there are. busy: the same as for `embed_new`. Raises:
        DeskpilotError.
        """
        opened = await self.library()
        pages = await asyncio.to_thread(opened.index.unread_pages)
        if not pages:
            return 0  # checked without starting the service
        models = await self._retrieval(anew=True)
        if not models.ocr:
            return 0
        self._ocr_tried = models.ocr[0].key
        done, failures = 0, 0
        error: DeskpilotError | None = None
        for number, (hash_, path, page) in enumerate(pages, 1):
            await self._wait_for_calm(busy)
            try:
                picture = await asyncio.to_thread(opened.page_scan, path, hash_, page)
            except DocumentError:  # gone, changed or damaged; the next update reports it
                continue
            try:
                lines = await self._embedder.read_picture(
                    models.ocr[0].id, picture.width, picture.height, picture.pixels
                )
            except DeskpilotError as raised:
                error, failures = raised, failures + 1
                if failures == GIVE_UP:
                    break
                continue
            failures = 0
            placed = [
                replace(line, box=tuple(side / picture.scale for side in line.box))
                for line in lines
            ]
            await asyncio.to_thread(opened.index.put_scan, hash_, page, placed)
            done += 1
            if tell is not None:
                tell(number, len(pages))
            if done % TOLD_PAGES == 0:
                self._tell_listeners()
        if done:
            self._embeddable.set()
            self._tell_listeners()
        if error is not None:
            raise error
        return done

    async def _wait_for_calm(self, busy: Callable[[], bool]) -> float:
        """Wait while the user is waiting for an answer or files, or while the machine runs on
        battery. Return how many seconds this took.
        """
        began = time.monotonic()
        while busy() or self._urgent or await asyncio.to_thread(is_on_battery):
            await asyncio.sleep(0.5 if self._urgent else CALM)
        return time.monotonic() - began

    def _tell_listeners(self) -> None:
        for listener in list(self._listeners):
            listener()

    async def _vectors_of(
        self, model: RetrievalModel, batch: Sequence[tuple[int, str, str]]
    ) -> list[tuple[int, bytes]]:
        """Return the float16 vectors of passages, which are empty for passages in scripts that the
        model does not support.

        Raises: DeskpilotError.
        """
        import numpy as np

        read = [
            (one, f"{about}\n{text}".strip())
            for one, about, text in batch
            if knows_script(text, model.languages)
        ]
        kept: dict[int, bytes] = {}
        if read:
            vectors = await self._embedder.embed(model.id, [text for _, text in read], asked=False)
            made = vectors.astype(np.float16)
            kept = {one: row.tobytes() for (one, _), row in zip(read, made, strict=True)}
        return [(one, kept.get(one, b"")) for one, _, _ in batch]

    async def rebuild(self, library: str | None = None) -> None:
        """Delete the text and the vectors of one library, or of all libraries. The next update
        reads the files again.

        Raises: DocumentError.
        """
        opened = await self.library()
        await asyncio.to_thread(opened.forget, library)
        self._rooted.set()
        self._tell_listeners()

    async def find(
        self, question: str, limit: int = 8, paths: Sequence[str] | None = None
    ) -> FoundPassages:
        """Return the passages that best fit a question. Without an embedder, they are found by
        keyword only.

        paths: the files or folders to search, or None for all. Raises: DocumentError.
        """
        library = await self.library()
        embedder = await self._embedder_for(question)
        hits = await asyncio.to_thread(library.rank, question, paths=paths, embedder=embedder)
        hits = await self._reranked(question, hits)
        found = await asyncio.to_thread(library.judge, question, hits, limit)
        if self._rest is not None:
            self._rest.cancel()
        if embedder is not None:
            loop = asyncio.get_running_loop()
            # This runs in a thread because it waits for any search that is loading the vectors.
            self._rest = loop.call_later(REST, loop.run_in_executor, None, library.forget_vectors)
        return found

    async def files_of(self, library: str | None = None) -> list[IndexedFile]:
        """Return the files in one library, or in all of them.

        Raises: DocumentError.
        """
        return await asyncio.to_thread((await self.library()).files, library)

    async def look_for_models(self) -> None:
        """Check for new models, and use them to read scanned pages and embed passages.

        Raises: DeskpilotError.
        """
        await self._retrieval(anew=True)
        self._embeddable.set()

    async def coverage(self) -> SearchCoverage:
        """Return how well all libraries can be searched.

        Raises: DocumentError.
        """
        opened = await self.library()
        _, passages = await asyncio.to_thread(opened.index.counts)
        try:
            models = await self._retrieval()
        except DeskpilotError:  # the service cannot be started, but keyword search works without it
            models = RetrievalModels()
        known = await asyncio.to_thread(opened.index.embedded)
        unread = len(await asyncio.to_thread(opened.index.unread_pages))
        if unread and models.ocr and models.ocr[0].key != self._ocr_tried:
            self._embeddable.set()  # a model was installed in the meantime
        embedder = models.embedders[0] if models.embedders else None
        embedded = known.get(embedder.key, 0) if embedder is not None else 0
        return SearchCoverage(
            passages,
            embedded,
            embedder.id if embedder is not None else None,
            models.rerankers[0].id if models.rerankers else None,
            models.ocr[0].id if models.ocr else None,
            unread,
            await asyncio.to_thread(opened.index.size),
            self._left,
            await self._count_unsupported(opened.index, embedder, embedded),
        )

    async def _count_unsupported(
        self, index: Index, embedder: RetrievalModel | None, embedded: int
    ) -> int:
        """Return how many passages an embedder does not support. They are counted only when its
        vectors have changed, since that means reading all of them.
        """
        if embedder is None or "*" in embedder.languages or not embedded:
            return 0
        version = await asyncio.to_thread(index.vector_version, embedder.key)
        if self._unsupported is None or self._unsupported[:2] != (embedder.key, version):
            count = await asyncio.to_thread(index.unsupported, embedder.key)
            self._unsupported = embedder.key, version, count
        return self._unsupported[2]

    async def _retrieval(self, *, anew: bool = False) -> RetrievalModels:
        """Return the embedders and rerankers on this machine.

        Raises: DeskpilotError.
        """
        now = time.monotonic()
        if anew or self._models is None or now - self._models[0] > KNOWN:
            self._models = now, await self._embedder.retrieval()
        return self._models[1]

    async def _embedder_for(self, question: str) -> Embedder | None:
        """Return the embedder for a question, with the question's vector, or None if there is none.

        This is the preferred embedder if it has processed nearly all passages, and otherwise the
        embedder that has processed the most.
        """
        index = (await self.library()).index
        known = await asyncio.to_thread(index.embedded)
        if not any(known.values()):
            return None  # checked without starting the service
        try:
            here = (await self._retrieval()).embedders
            usable = [one for one in here if known.get(one.key)]
            if not usable:
                return None
            _, passages = await asyncio.to_thread(index.counts)
            if known.get(here[0].key, 0) < passages:
                self._embeddable.set()
            whole = [one for one in usable if known[one.key] >= COVERED * passages]
            model = whole[0] if whole else max(usable, key=lambda one: known[one.key])
            if not knows_question(question, model.languages):
                return None
            (vector,) = await self._embedder.embed(model.id, [question], asked=True)
        except DeskpilotError:  # keyword search works without it
            return None
        return Embedder(model.key, model.languages, lambda _: vector)

    async def _reranked(self, question: str, hits: list[Hit]) -> list[Hit]:
        """Return hits in a reranker's order, if one that supports the script is installed."""
        models = self._models[1].rerankers if self._models is not None else ()
        usable = [one for one in models if knows_script(question, one.languages)]
        if not usable or len(hits) < 2:
            return hits
        texts = [place_and_text(hit.passage) for hit in hits[:RERANKED]]
        try:
            async with asyncio.timeout(RERANK_SECONDS):
                scores = await self._embedder.rerank(usable[0].id, question, texts)
        except (DeskpilotError, TimeoutError):  # keep the original order
            return hits
        return reordered(question, hits, scores)


def reachable_roots(library: DocumentLibrary) -> list[str]:
    """Return the files and folders of all libraries that are currently reachable."""
    index = library.index
    roots = {root for name in index.libraries() for root in index.roots(name)}
    return sorted(root for root in roots if Path(root).exists())


def is_embedded(index: Index) -> bool:
    """Return whether one embedder has processed every passage."""
    return max(index.embedded().values(), default=0) >= index.counts()[1]


def is_on_battery() -> bool:
    """Return whether the machine runs on battery."""
    import psutil

    battery = psutil.sensors_battery()
    return battery is not None and not battery.power_plugged
