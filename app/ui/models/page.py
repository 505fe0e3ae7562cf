"""The models page, divided into sections; it removes models after a confirmation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from PySide6.QtCore import QEvent, QObject, QPoint, QTimer, Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.domain.errors import DeskpilotError
from app.domain.model import TYPES, DownloadStep, Model, Shelf, size
from app.domain.settings import MODEL
from app.ui.controls import message_boxes
from app.ui.controls.fields import Chooser
from app.ui.controls.labels import label
from app.ui.models.picker import rounded, why_of
from app.ui.models.row import ModelRow
from app.ui.theme.i18n import mark, spoken_language, told, tr

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from app.domain.model import Model
    from app.services.models.models import ModelCatalog
    from app.services.settings import Settings


SECTIONS = {
    "loaded": mark("Loaded"),
    "here": mark("On this machine"),
    "provider": mark("From providers"),
    "available": mark("Available to download"),
}
ALL = mark("All kinds")
VERIFIED = mark("Verified: all files are intact.")
SIGNALS = (
    "download_wanted",
    "stop_wanted",
    "unload_wanted",
    "talk_wanted",
    "remove_wanted",
    "tune_wanted",
    "measure_wanted",
    "verify_wanted",
    "discard_wanted",
)


class PlacedRow(NamedTuple):
    """The position of a model's row. place: the row's section. top: the row's top edge in the view,
    in pixels.
    """

    key: tuple[str, str]
    place: str
    top: int


class ModelsPage(QWidget):
    """The models page.

    Signals: those of `ModelRow`; add_wanted() to add a provider, import_wanted(path),
    search_wanted() to search the model hub.
    """

    download_wanted = Signal(object)
    stop_wanted = Signal(str)
    unload_wanted = Signal(object)
    talk_wanted = Signal(str)
    remove_wanted = Signal(str)
    tune_wanted = Signal(object)
    measure_wanted = Signal(object)
    verify_wanted = Signal(object)
    discard_wanted = Signal(object)
    add_wanted = Signal()
    import_wanted = Signal(str)
    search_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: dict[tuple[str, str], ModelRow] = {}
        self._shelf = Shelf((), 0)
        self._talks = self._wanted = ""
        self._steps: dict[str, DownloadStep] = {}
        self._problems: dict[str, str] = {}
        self._good: dict[str, str] = {}
        self._measuring: set[str] = set()
        head = QLabel(tr("Models"), self)
        head.setObjectName("title")
        self.kind = Chooser(tr("Kind of model"), self)
        self.kind.set_options(
            [("", tr(ALL)), *((kind, tr(name)) for kind, name in TYPES.items())], ""
        )
        self.kind.chosen.connect(self._fill)
        self.add = QPushButton(tr("Add provider …"), self)
        self.add.clicked.connect(self.add_wanted)
        self.search = QPushButton(tr("Search …"), self)
        self.search.setAccessibleName(tr("Search for models"))
        self.search.clicked.connect(self.search_wanted)
        self.bring = QPushButton(tr("Import  ▾"), self)
        self.bring.setAccessibleName(tr("Import a model from this machine"))
        ways = QMenu(self.bring)
        ways.addAction(tr("A file: GGUF, or a voice (.onnx) …")).triggered.connect(
            lambda: self._choose(folder=False)
        )
        ways.addAction(tr("A folder: a Whisper, an embedder …")).triggered.connect(
            lambda: self._choose(folder=True)
        )
        self.bring.setMenu(ways)
        self.told = label("", "problem", self)
        self.told.hide()
        self.memory = QLabel(self)
        self.memory.setObjectName("muted")
        top = QHBoxLayout()
        top.addWidget(head, 1)
        top.addWidget(self.kind)
        top.addWidget(self.search)
        top.addWidget(self.bring)
        top.addWidget(self.add)
        column = QVBoxLayout(self)
        column.setContentsMargins(28, 22, 28, 22)
        column.setSpacing(4)
        column.addLayout(top)
        column.addWidget(self.memory)
        column.addWidget(self.told)
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        column.addLayout(self._list)
        column.addStretch(1)

    def set_shelf(self, shelf: Shelf) -> None:
        """Show the models; if they are the same as before, the scroll position is kept."""
        if shelf != self._shelf:
            self._shelf = shelf
            self._fill()

    def show_kind(self, kind: str) -> None:
        """Show only the models of one kind; an empty kind shows all."""
        self.kind.set_value(kind)
        self._fill()

    def point_to(self, model_id: str) -> None:
        """Focus the download button of a model, either now or once the models are loaded; an empty
        id does nothing.
        """
        self._wanted = model_id
        self._point()

    def _point(self) -> None:
        for row in self._rows_of(self._wanted) if self._wanted else []:
            self._wanted = ""
            row.download.setFocus()
            QTimer.singleShot(0, row, lambda row=row: bring_into_view(row))

    def set_talks(self, model_id: str) -> None:
        """Show which model is in use for chat; an empty id stands for the first model on this
        machine.
        """
        self._talks = model_id
        self._fill()

    def set_step(self, model_id: str, step: DownloadStep | None) -> None:
        """Show the progress of a download. None means that it has ended."""
        if step is None:
            self._steps.pop(model_id, None)
        else:
            self._steps[model_id] = step
            self._problems.pop(model_id, None)
            self._good.pop(model_id, None)
        for row in self._rows_of(model_id):
            row.set_step(step)

    def set_measuring(self, model_id: str, *, on: bool) -> None:
        """Show whether a model is being measured."""
        (self._measuring.add if on else self._measuring.discard)(model_id)
        if on:
            self._problems.pop(model_id, None)
        for row in self._rows_of(model_id):
            row.set_measuring(on=on)

    def tell(self, model_id: str, text: str) -> None:
        """Show an error beside a model."""
        self._problems[model_id] = text
        self._good.pop(model_id, None)
        for row in self._rows_of(model_id):
            row.tell(text)

    def tell_good(self, model_id: str, text: str) -> None:
        """Show a success message beside a model."""
        self._good[model_id] = text
        self._problems.pop(model_id, None)
        for row in self._rows_of(model_id):
            row.tell(text, good=True)

    def tell_all(self, text: str) -> None:
        """Show an error that does not concern a single model; an empty text hides it."""
        self.told.setText(text)
        self.told.setVisible(bool(text))

    def _choose(self, *, folder: bool) -> None:
        """Ask the user for a model to import."""
        dialog = message_boxes.file_dialog(self, tr("Import a model"))
        if folder:
            dialog.setFileMode(QFileDialog.FileMode.Directory)
        else:
            dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
            dialog.setNameFilter(tr("Models (*.gguf *.onnx)"))
        dialog.fileSelected.connect(self.import_wanted)
        dialog.open()

    def _rows_of(self, model_id: str) -> list[ModelRow]:
        return [row for (name, _), row in self.rows.items() if name == model_id]

    def _fill(self) -> None:
        shelf = self._shelf
        before = cast("QWidget | None", self.window().focusWidget())
        focused = (
            before.accessibleName() if before is not None and self.isAncestorOf(before) else ""
        )
        stood = self._places()
        self._clear()
        self.memory.setText(
            tr(
                "Loaded models use {taken} of {budget}.",
                taken=size(shelf.taken_bytes),
                budget=size(shelf.budget_bytes),
            )
            if shelf.budget_bytes and shelf.taken_bytes
            else (
                tr(
                    "Memory limit for all models: {budget}.",
                    budget=size(shelf.budget_bytes),
                )
                if shelf.budget_bytes
                else ""
            )
        )
        talks = self._talks or next(
            (m.id for m in shelf.of_type("llm") if m.place != "provider"), ""
        )
        for place, title in SECTIONS.items():
            models = [
                m for m in shelf.models if m.place == place and self.kind.value in ("", m.type)
            ]
            if not models:
                continue
            section = QLabel(tr(title), self)
            section.setObjectName("heading")
            section.setContentsMargins(0, 16, 0, 2)
            self._list.addWidget(section)
            own = f"voice-{spoken_language()}"
            for model in sorted(models, key=lambda one: (*rank(one), one.id != own)):
                self._add(model, talks=model.type == "llm" and model.id == talks)
        lost = [name for name in self._problems if not self.kind.value and not self._rows_of(name)]
        for name in lost:  # the model was imported but is damaged
            self.tell_all(self._problems.pop(name))
        if focused:
            self._focus(focused)
        self._point()
        if stood and not self._wanted:
            self._keep_places(stood)

    def _places(self) -> list[PlacedRow]:
        """Return the positions of the rows in the view, with the one nearest to the pointer
        first.
        """
        area = area_of(self)
        if area is None or not self.isVisible():
            return []
        view = area.viewport()
        at = view.mapFromGlobal(QCursor.pos())
        middle = at.y() if view.rect().contains(at) else 0
        stood = [
            PlacedRow(key, row.model.place, row.mapTo(view, QPoint()).y())
            for key, row in self.rows.items()
        ]
        return sorted(stood, key=lambda one: abs(one.top - middle))

    def _keep_places(self, stood: list[PlacedRow]) -> None:
        """Scroll so that rows stay in place when another row moves to a different section.

        This ensures that a click hits the intended button.
        """
        area = area_of(self)
        if area is None:
            return
        for at in range(self._list.count()):  # lay out the rows now
            item = self._list.itemAt(at)
            if item is not None and (widget := item.widget()) is not None:
                widget.show()
        part: QWidget | None = self
        while part is not None and part is not area:
            QApplication.sendPostedEvents(part, QEvent.Type.LayoutRequest.value)
            part = part.parentWidget()
        QApplication.sendPostedEvents(area, QEvent.Type.LayoutRequest.value)
        for key, place, top in stood:
            row = self.rows.get(key)
            if row is not None and row.model.place == place:
                bar = area.verticalScrollBar()
                bar.setValue(bar.value() + row.mapTo(area.viewport(), QPoint()).y() - top)
                return

    def _focus(self, name: str) -> None:
        """Focus the button with a given name; if that name has changed, focus the first button of
        its model.
        """
        found = [
            (button, row) for row in self.rows.values() for button in row.findChildren(QPushButton)
        ]
        shown = [
            button for button, row in found if button.isVisibleTo(row)
        ]  # because rows become visible a moment later
        same = [button for button in shown if button.accessibleName() == name]
        of_model = name.partition(": ")[2]
        beside = [
            button
            for button in shown
            if of_model and button.accessibleName().endswith(f": {of_model}")
        ]
        for button in [*same, *beside][:1]:
            button.setFocus()

    def _add(self, model: Model, *, talks: bool) -> None:
        first = model.place == "provider" and not any(
            row.model.provider == model.provider and row.model.place == "provider"
            for row in self.rows.values()
        )
        line = QFrame(self)
        line.setObjectName("line")
        line.setFixedHeight(1)
        self._list.addWidget(line)
        row = ModelRow(
            model,
            talks=talks,
            fits=self._shelf.fits(model),
            notes=notes_of(self._shelf, model),
            parent=self,
        )
        row.facts.setToolTip(why_of(self._shelf, model))
        row.remove.setVisible(first)
        row.remove.setAccessibleName(tr("Remove provider {provider}", provider=model.provider))
        for name in SIGNALS:
            getattr(row, name).connect(getattr(self, name))
        row.set_measuring(on=model.id in self._measuring)
        if model.id in self._steps:
            row.set_step(self._steps[model.id])
        elif model.id in self._problems:
            row.tell(self._problems[model.id])
        elif model.id in self._good:
            row.tell(self._good[model.id], good=True)
        self.rows[model.id, model.type] = row
        self._list.addWidget(row)

    def _clear(self) -> None:
        self.rows = {}
        while (item := self._list.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.setParent(None)
                widget.deleteLater()


def notes_of(shelf: Shelf, model: Model) -> list[str]:
    """Return notes on a model's memory use and speed on this machine."""
    made = [tr("recommended")] if model is shelf.recommended() else []
    if model.place == "available" and shelf.fits(model) and (pace := shelf.expected_pace(model)):
        made.append(tr("about {pace} tokens/s", pace=rounded(pace)))
    elif model.answering:
        made.append(tr("{pace} tokens/s", pace=rounded(model.answering)))
    return made


def area_of(widget: QWidget) -> QScrollArea | None:
    """Return the scroll area that contains a widget; None if there is none."""
    above: QObject | None = widget
    while above is not None and not isinstance(above, QScrollArea):
        above = above.parent()
    return above


def bring_into_view(row: ModelRow) -> None:
    """Scroll to a row, if it is in a scroll area."""
    area = area_of(row)
    if area is not None:
        area.ensureWidgetVisible(row)


def rank(model: Model) -> tuple[bool, int]:
    """Return the sort key of a model in its section: recommended downloads come first, then models
    are sorted by kind.
    """
    kinds = list(TYPES)
    return not model.starter, kinds.index(model.type) if model.type in kinds else len(kinds)


class ModelRemoval:
    """Removes models from this machine. do: a function that runs a named task. read: a function
    that updates the page afterwards.
    """

    def __init__(
        self,
        page: ModelsPage,
        settings: Settings,
        models: ModelCatalog,
        do: Callable[[str, Any], None],
        read: Callable[[], Awaitable[None]],
    ) -> None:
        self._page = page
        self._settings = settings
        self._models = models
        self._do = do
        self._read = read

    def ask(self, model: Model) -> None:
        """Ask before removing a model or the downloaded part of a model."""
        begun = model.place == "available"
        name, room = tr(model.name), size(model.got_bytes if begun else model.size_bytes)
        text = (
            tr("Remove the downloaded part of {name}? {room} will be freed.", name=name, room=room)
            if begun
            else tr(
                "Remove {name}? {room} will be freed. It can be downloaded again.",
                name=name,
                room=room,
            )
            if model.fetchable
            else tr("Remove {name}? It was imported; you can import it again.", name=name)
        )
        message_boxes.ask_first(
            self._page.window(),
            text,
            tr("Remove"),
            lambda: self._do(f"remove {model.id}", self._remove(model)),
        )

    async def _remove(self, model: Model) -> None:
        page = self._page
        try:
            freed = await self._models.remove(model)
        except DeskpilotError as error:
            page.tell(model.id, told(error))
            return
        if model.fetchable:
            page.tell_good(model.id, tr("Removed: {room} are free again.", room=size(freed)))
        if await self._settings.get(MODEL) == model.id:  # use any other model for chat
            await self._settings.put(MODEL, MODEL.default)
        await self._read()
