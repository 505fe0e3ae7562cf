"""The controller for the documents page and for library tiles."""

from __future__ import annotations

import threading
import time
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import shiboken6
from PySide6.QtCore import QObject, QTimer, Signal

from app.documents.library import DEFAULT
from app.domain.errors import DeskpilotError
from app.domain.model import OCR
from app.ui.controls import message_boxes
from app.ui.documents.page import time_left
from app.ui.models.row import told_step
from app.ui.theme.i18n import told, tr

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from app.documents.library import UpdateProgress
    from app.domain.model import Model
    from app.services.dashboard.widgets import Widgets
    from app.services.documents import Documents
    from app.services.models.models import ModelCatalog
    from app.services.tasks import Do
    from app.ui.documents.page import DocumentsPage
    from app.ui.documents.panel import DocumentsPanel

LOOK_MS = 2000  # milliseconds between updates of the embedding progress
TOLD_SECONDS = 0.3  # seconds between two progress messages


class LibraryPanel(QObject):
    """Shows the documents of a single library, folder or file in a panel, and searches them."""

    def __init__(self, panel: DocumentsPanel, documents: Documents, do: Do) -> None:
        super().__init__(panel)
        self._panel = panel
        self._documents = documents
        self._do = do
        self._name, self._path = "", ""
        panel.destroyed.connect(documents.subscribe(self._read_again))
        panel.searched.connect(
            lambda words: do(f"search documents {id(self)}", self._search(words))
        )
        panel.shown.connect(
            lambda path, page, quote: do(f"page of {id(self)}", self._show_page(path, page, quote))
        )

    def show(self, name: str, path: str = "") -> None:
        """Show the documents of a library, given by its name, or those at a path."""
        self._name, self._path = name, path
        self._do(f"read documents {id(self)}", self.read())

    def _read_again(self) -> None:
        if shiboken6.isValid(self._panel):
            self._do(f"read documents {id(self)}", self.read())

    async def read(self) -> None:
        """Show the current files.

        Raises: DeskpilotError.
        """
        paths = await self._paths()
        files = await self._documents.files(paths)
        if shiboken6.isValid(self._panel):
            self._panel.show_files(files)

    async def _paths(self) -> list[str]:
        if self._path:
            return [await self._documents.attach(Path(self._path))]
        try:
            return await self._documents.roots(self._name)
        except DeskpilotError:  # the library is still empty
            return []

    async def _show_page(self, path: str, page: int, quote: str) -> None:
        """Show the picture of a page, unless its file has been removed or changed."""
        width = round(self._panel.preview.width() * self._panel.devicePixelRatioF())
        try:
            picture = await self._documents.page_picture(path, page, quote, width)
        except DeskpilotError:  # the passage itself still shows its text
            picture = None
        if shiboken6.isValid(self._panel):
            self._panel.show_picture(path, page, picture)

    async def _search(self, words: str) -> None:
        try:
            findings = await self._documents.search(words, await self._paths(), 20)
        except DeskpilotError as error:
            if shiboken6.isValid(self._panel):
                self._panel.tell(told(error))
            return
        if shiboken6.isValid(self._panel):
            self._panel.show_found(findings.found)


class Libraries(QObject):
    """Keeps the documents page up to date. Added files are read in the background."""

    told = Signal(object)  # the progress, as reported by the thread that reads the files

    def __init__(
        self,
        page: DocumentsPage,
        widgets: Widgets,
        models: ModelCatalog,
        documents: Documents,
        do: Do,
    ) -> None:
        super().__init__(page)
        self._page = page
        self._widgets = widgets
        self._models = models
        self._documents = documents
        self._do = do
        self._library = DEFAULT
        self._panel = LibraryPanel(page.panel, documents, do)
        self._told_at = 0.0
        self._pack: Model | None = None  # the OCR model for scanned pages, once it is downloaded
        self.told.connect(self._tell)
        page.chosen.connect(self._choose)
        page.folder_wanted.connect(self._choose_folder)
        page.files_wanted.connect(lambda: message_boxes.choose_files(page, self._add))
        page.new_wanted.connect(
            lambda: message_boxes.ask_text(page, tr("Name of the library"), "", self._choose)
        )
        page.update_wanted.connect(lambda: do("update documents", self._update()))
        page.attach_wanted.connect(lambda: do("attach library", self._attach()))
        page.remove_wanted.connect(
            lambda path: do(f"remove {path}", self._change(self._remove(path)))
        )
        page.rebuild_wanted.connect(self._ask_to_rebuild)
        page.ocr_wanted.connect(lambda: do("fetch ocr", self._fetch()))
        self._look = QTimer(self)  # updates the embedding progress while the page is visible
        self._look.setInterval(LOOK_MS)
        self._look.timeout.connect(lambda: do("read coverage", self._read_coverage()))
        page.turned.connect(lambda seen: self._look.start() if seen else self._look.stop())

    def read(self) -> None:
        """Update the page, because a shell command may have changed something."""
        self._do("read libraries", self._read())

    async def _read(self) -> None:
        names = await self._documents.libraries()
        shown = list(dict.fromkeys([DEFAULT, self._library, *names]))
        roots = await self._documents.roots(self._library) if self._library in names else []
        if not shiboken6.isValid(self._page):
            return
        self._page.show_libraries(shown, self._library)
        self._page.show_roots(roots)
        self._panel.show(self._library)
        await self._read_coverage()

    async def _read_coverage(self) -> None:
        coverage = await self._documents.coverage()
        if coverage.unread and coverage.ocr is None and self._pack is None:
            shelf = await self._models.shelf()
            packs = [model for model in shelf.models if model.type == OCR and model.fetchable]
            self._pack = packs[0] if packs else None
        size = self._pack.download_bytes if self._pack is not None else 0
        if shiboken6.isValid(self._page):
            self._page.show_coverage(coverage)
            self._page.show_scans(coverage.unread, coverage.ocr, size)

    async def _fetch(self) -> None:
        """Download the OCR model; scanned pages are read afterwards."""
        if self._pack is None:
            return
        try:
            async with aclosing(self._models.pull(self._pack)) as steps:
                async for step in steps:
                    if shiboken6.isValid(self._page):
                        self._page.panel.tell(told_step(step))
        except DeskpilotError as error:
            if shiboken6.isValid(self._page):
                self._page.panel.tell(told(error))
            return
        await self._documents.look_for_models()
        await self._read()

    def _ask_to_rebuild(self) -> None:
        question = tr(
            "Rebuild the index of “{name}”? Every document is read and embedded again, and can "
            "be found only once it has been read.",
            name=self._library,
        )
        message_boxes.ask_first(
            self._page,
            question,
            tr("Rebuild"),
            lambda: self._do("rebuild documents", self._rebuild()),
        )

    async def _rebuild(self) -> None:
        try:
            await self._documents.rebuild(self._library)
        except DeskpilotError as error:
            if shiboken6.isValid(self._page):
                self._page.panel.tell(told(error))
            return
        await self._update()

    async def _attach(self) -> None:
        await self._widgets.add_library(self._library)

    def _choose(self, library: str) -> None:
        self._library = library.strip()
        self._page.panel.field.clear()
        self.read()

    def _choose_folder(self) -> None:
        message_boxes.choose_folder(
            self._page, tr("Add a folder of documents"), lambda path: self._add([path])
        )

    def _add(self, paths: list[str]) -> None:
        self._do(f"add {paths}", self._change(self._add_all(paths)))

    async def _add_all(self, paths: list[str]) -> None:
        for path in paths:
            await self._documents.add(Path(path), self._library)
        await self._read()
        self._do("update documents", self._update())

    async def _remove(self, path: str) -> None:
        await self._documents.remove(Path(path), self._library)

    async def _change(self, work: Coroutine[Any, Any, None]) -> None:
        """Make a change, show any error, and update the page."""
        try:
            await work
        except DeskpilotError as error:
            if shiboken6.isValid(self._page):
                self._page.panel.tell(told(error))
            return
        await self._read()

    async def _update(self) -> None:
        ended = threading.Event()
        try:
            await self._documents.update(self._library, self.told.emit, ended)
        except DeskpilotError as error:
            if shiboken6.isValid(self._page):
                self._page.panel.tell(told(error))
            return
        finally:
            ended.set()  # if this is cancelled, the thread stops after the current file
        await self._read()

    def _tell(self, progress: UpdateProgress) -> None:
        now = time.monotonic()
        if now - self._told_at < TOLD_SECONDS and progress.done + 1 < progress.total:
            return
        self._told_at = now
        left = time_left(progress.left) if progress.left else ""
        reading = tr(
            "Reading {done} of {total}: {name}",
            done=progress.done + 1,
            total=progress.total,
            name=Path(progress.path).name,
        )
        self._page.panel.tell(f"{reading} · {left}" if left else reading)
