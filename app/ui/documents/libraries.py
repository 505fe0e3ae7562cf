"""What the page of documents and the tiles of libraries do: joins them to the services."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import shiboken6
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog

from app.documents.library import DEFAULT
from app.domain.errors import DeskpilotError
from app.ui.main import boxes
from app.ui.words import told, tr

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from app.documents.library import Progress
    from app.services.deskpilot import Deskpilot
    from app.services.tasks import Do
    from app.ui.documents.page import DocumentsPage
    from app.ui.documents.panel import DocumentsPanel
    from app.ui.main.window import Window

TOLD_SECONDS = 0.3  # between two lines of progress


class LibraryPanel(QObject):
    """Shows the documents of one library, folder or file in a panel, and searches them."""

    def __init__(self, panel: DocumentsPanel, deskpilot: Deskpilot, do: Do) -> None:
        super().__init__(panel)
        self._panel, self._documents, self._do = panel, deskpilot.documents, do
        self._name, self._path = "", ""
        panel.destroyed.connect(deskpilot.documents.subscribe(self._read_again))
        panel.searched.connect(
            lambda words: do(f"search documents {id(self)}", self._search(words))
        )

    def show(self, name: str, path: str = "") -> None:
        """Show the documents of a library by its name, or those at a path."""
        self._name, self._path = name, path
        self._do(f"read documents {id(self)}", self.read())

    def _read_again(self) -> None:
        if shiboken6.isValid(self._panel):
            self._do(f"read documents {id(self)}", self.read())

    async def read(self) -> None:
        """Show the files there are now.

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
        except DeskpilotError:  # nothing was added yet
            return []

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
    """Keeps the page of documents; what is added is read behind everything else."""

    told = Signal(object)  # Progress, from the thread that reads

    def __init__(self, page: DocumentsPage, window: Window, deskpilot: Deskpilot, do: Do) -> None:
        super().__init__(page)
        self._page, self._window, self._deskpilot, self._do = page, window, deskpilot, do
        self._documents, self._library = deskpilot.documents, DEFAULT
        self._panel = LibraryPanel(page.panel, deskpilot, do)
        self._told_at = 0.0
        self.told.connect(self._tell)
        page.chosen.connect(self._choose)
        page.folder_wanted.connect(self._choose_folder)
        page.files_wanted.connect(lambda: boxes.choose_files(page, self._add))
        page.new_wanted.connect(
            lambda: boxes.ask_text(page, tr("Name of the library"), "", self._choose)
        )
        page.update_wanted.connect(lambda: do("update documents", self._update()))
        page.attach_wanted.connect(lambda: do("attach library", self._attach()))
        page.remove_wanted.connect(
            lambda path: do(f"remove {path}", self._change(self._remove(path)))
        )
        page.panel.opened.connect(window.passage_wanted)
        page.panel.asked.connect(window.asking_wanted)

    def read(self) -> None:
        """Show what there is now; the shell may have changed it."""
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

    async def _attach(self) -> None:
        await self._deskpilot.widgets.add_library(self._library)

    def _choose(self, library: str) -> None:
        self._library = library.strip()
        self._page.panel.field.clear()
        self.read()

    def _choose_folder(self) -> None:
        dialog = QFileDialog(self._page, tr("Add a folder of documents"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly, True)
        dialog.filesSelected.connect(self._add)
        dialog.open()

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
        """Do something, say what went wrong, and show what there is then."""
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
            ended.set()  # closed before its end, the thread stops after a file
        await self._read()

    def _tell(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self._told_at < TOLD_SECONDS and progress.done + 1 < progress.total:
            return
        self._told_at = now
        left = tr("about %n s left", "", round(progress.left)) if progress.left else ""
        reading = tr(
            "Reading {done} of {total}: {name}",
            done=progress.done + 1,
            total=progress.total,
            name=Path(progress.path).name,
        )
        self._page.panel.tell(f"{reading} · {left}" if left else reading)
