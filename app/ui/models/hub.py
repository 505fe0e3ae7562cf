"""The dialog that searches the model hub. For each result, it shows the size, the licence, and
whether the model fits.
"""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.domain.errors import DeskpilotError
from app.domain.model import Shelf, size
from app.domain.settings import MODEL
from app.ui.controls.fields import Chooser
from app.ui.controls.labels import label
from app.ui.models.page import notes_of
from app.ui.models.picker import why_of
from app.ui.models.row import ModelRow
from app.ui.theme.i18n import mark, told, tr

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from app.domain.model import DownloadStep, HubResult, HubSearch, Model
    from app.services.models.models import ModelCatalog
    from app.services.network import Network
    from app.services.settings import Settings
    from app.services.tasks import Do, Tasks

SIZE = 760, 620
ABOUT = mark("Searches the model hub for chat models (GGUF). Only your search words are sent.")
OFFLINE = mark("Offline mode is on: the model hub can't be searched.")
SEARCH, SEARCHING = mark("Search"), mark("Searching …")
CLOSED = mark("needs an account on the hub")
TASK = "search models"


class FoundRow(QWidget):
    """A repository, with a choice of its sizes and the row for the chosen size.

    Signals: download_wanted(model), stop_wanted(id), talk_wanted(id).
    """

    download_wanted = Signal(object)
    stop_wanted = Signal(str)
    talk_wanted = Signal(str)

    def __init__(self, found: HubResult, shelf: Shelf, parent: QWidget) -> None:
        super().__init__(parent)
        self.found, self._shelf = found, shelf
        self.kind = Chooser(tr("Size of {name}", name=found.repo), self)
        self.kind.set_options(
            [
                (model.id, " · ".join(filter(None, (kind, size(model.download_bytes)))))
                for model, kind in zip(found.models, found.kinds, strict=True)
            ],
            found.suggested(shelf).id,
        )
        self.kind.chosen.connect(lambda _: self._show())
        about = [tr("{count:,} downloads a month", count=found.downloads)]
        about += [tr(CLOSED)] if found.gated else []
        head = QHBoxLayout()
        head.addWidget(label(found.repo, "strong", self, copied=True), 1)
        head.addWidget(self.kind)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 10, 0, 0)
        self._column.setSpacing(0)
        self._column.addLayout(head)
        self._column.addWidget(label(" · ".join(about), "caption", self))
        self._row: ModelRow | None = None
        self._show()

    @property
    def row(self) -> ModelRow:
        """Return the row for the chosen size."""
        assert self._row is not None
        return self._row

    def set_step(self, step: DownloadStep | None) -> None:
        """Show the progress of the download. None means that it has ended."""
        self.kind.setEnabled(step is None)
        self.row.set_step(step)

    def set_here(self, model: Model) -> None:
        """Show that a model is now on this machine."""
        self._show(model)

    def _show(self, here: Model | None = None) -> None:
        model = here or next(one for one in self.found.models if one.id == self.kind.value)
        if self._row is not None:
            self._row.setParent(None)
            self._row.deleteLater()
        self._row = row = ModelRow(
            # because its description only names the repository, which is shown above
            replace(model, good_for=""),
            talks=False,
            fits=self._shelf.fits(model),
            notes=notes_of(self._shelf, model),
            parent=self,
        )
        row.facts.setToolTip(why_of(self._shelf, model))
        for name in ("download_wanted", "stop_wanted", "talk_wanted"):
            getattr(row, name).connect(getattr(self, name))
        for button in (row.tune, row.measure, row.verify, row.discard, row.remove):
            button.hide()  # because the models page has these buttons
        self._column.addWidget(row)


class HubDialog(QDialog):
    """The dialog that searches the model hub.

    Signals: search_wanted(words); download_wanted(model), stop_wanted(id), talk_wanted(id) as in
    `ModelRow`.
    """

    search_wanted = Signal(str)
    download_wanted = Signal(object)
    stop_wanted = Signal(str)
    talk_wanted = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Search for models"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(*SIZE)
        self.rows: list[FoundRow] = []
        self._offline = False
        self.words = QLineEdit(self)
        self.words.setAccessibleName(tr("Search for models"))
        self.words.setPlaceholderText(tr("Name of a model, for example qwen3"))
        self.words.returnPressed.connect(self._search)
        self.words.textChanged.connect(self._enable)
        self.go = QPushButton(tr(SEARCH), self)
        self.go.setObjectName("primary")
        self.go.setDefault(True)
        self.go.clicked.connect(self._search)
        self.about = label(tr(ABOUT), "caption", self)
        self.told = label("", "problem", self)
        self.told.hide()
        self._scroll = QScrollArea(self)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(QWidget(self))
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self.words, 1)
        top.addWidget(self.go)
        close = QPushButton(tr("Close"), self)
        close.setAutoDefault(False)
        close.clicked.connect(self.reject)
        end = QHBoxLayout()
        end.addStretch(1)
        end.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(8)
        column.addLayout(top)
        column.addWidget(self.about)
        column.addWidget(self.told)
        column.addWidget(self._scroll, 1)
        column.addLayout(end)
        self._enable()

    def set_offline(self, offline: bool) -> None:
        """Show whether connections to other machines are refused."""
        self._offline = offline
        self.about.setText(tr(OFFLINE) if offline else tr(ABOUT))
        self.words.setEnabled(not offline)
        self._enable()

    def tell(self, text: str) -> None:
        """Show an error; an empty text hides it."""
        self.told.setText(text)
        self.told.setVisible(bool(text))
        self._ended()

    def show_found(self, found: HubSearch, shelf: Shelf) -> None:
        """Show the results of a search."""
        self.tell("")
        self.about.setText(
            tr("{host}: chat models (GGUF), the most downloaded first.", host=found.host)
            if found.found
            else tr("{host} has no matching chat model (GGUF).", host=found.host)
        )
        body = QWidget(self)
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 12, 0)
        column.setSpacing(0)
        self.rows = [FoundRow(one, shelf, body) for one in found.found]
        for row in self.rows:
            line = QFrame(body)
            line.setObjectName("line")
            line.setFixedHeight(1)
            column.addWidget(line)
            column.addWidget(row)
            for name in ("download_wanted", "stop_wanted", "talk_wanted"):
                getattr(row, name).connect(getattr(self, name))
        column.addStretch(1)
        self._scroll.setWidget(body)

    def row_of(self, model_id: str) -> FoundRow | None:
        """Return the row that shows a model; None if no row shows it."""
        return next((row for row in self.rows if row.row.model.id == model_id), None)

    def _search(self) -> None:
        words = self.words.text().strip()
        if self.go.isEnabled() and words:
            self.go.setText(tr(SEARCHING))
            self.go.setEnabled(False)
            self.search_wanted.emit(words)

    def _ended(self) -> None:
        self.go.setText(tr(SEARCH))
        self._enable()

    def _enable(self) -> None:
        searching = self.go.text() == tr(SEARCHING)
        self.go.setEnabled(bool(self.words.text().strip()) and not self._offline and not searching)


class HubController(QObject):
    """Opens the dialog and handles its signals. do: a function that starts a named task. read: a
    function that updates the models page.
    """

    def __init__(
        self,
        window: QWidget,
        models: ModelCatalog,
        settings: Settings,
        network: Network,
        tasks: Tasks,
        do: Do,
        read: Callable[[], Coroutine[Any, Any, None]],
    ) -> None:
        super().__init__(window)
        self._window, self._models, self._settings = window, models, settings
        self._network, self._tasks, self._do, self._read = network, tasks, do, read
        self.dialog: HubDialog | None = None

    def open(self) -> None:
        """Open the dialog."""
        if self.dialog is not None:
            self.dialog.activateWindow()
            return
        self.dialog = dialog = HubDialog(self._window)
        dialog.set_offline(self._network.is_offline)
        dialog.search_wanted.connect(lambda words: self._do(TASK, self._search(dialog, words)))
        dialog.download_wanted.connect(
            lambda model: self._do(f"pull {model.id}", self._pull(model))
        )
        dialog.stop_wanted.connect(lambda name: self._tasks.cancel(f"window pull {name}"))
        dialog.talk_wanted.connect(lambda name: self._do("choose model", self._use(name)))
        dialog.finished.connect(self._closed)
        dialog.open()
        dialog.words.setFocus()

    async def _search(self, dialog: HubDialog, words: str) -> None:
        try:
            found, shelf = await self._models.search(words), await self._models.shelf()
        except DeskpilotError as error:
            if self.dialog is dialog:
                dialog.tell(told(error))
            return
        if self.dialog is dialog:
            dialog.show_found(found, shelf)

    async def _pull(self, model: Model) -> None:
        """Download a model; the download continues even if the dialog is closed."""
        problem = tr("Paused.")
        try:
            async with aclosing(self._models.pull(model)) as steps:
                async for step in steps:
                    if (row := self._row_of(model)) is not None:
                        row.set_step(step)
            problem = ""
        except DeskpilotError as error:
            problem = told(error)
        finally:
            if (row := self._row_of(model)) is not None:
                row.set_step(None)
                row.row.tell(problem)
            if problem:  # on the models page, it can be resumed or the downloaded part removed
                self._do("read shelf", self._read())
        shelf = await self._models.shelf()
        here = next((one for one in shelf.models if one.id == model.id and one.usable), None)
        if (row := self._row_of(model)) is not None and here is not None:
            row.set_here(here)
        await self._read()

    async def _use(self, name: str) -> None:
        await self._settings.put(MODEL, name)
        if (dialog := self.dialog) is not None and (row := dialog.row_of(name)) is not None:
            row.row.talk.hide()
            row.row.tell(tr("In use for chat"), good=True)

    def _row_of(self, model: Model) -> FoundRow | None:
        return self.dialog.row_of(model.id) if self.dialog is not None else None

    def _closed(self) -> None:
        self.dialog = None
