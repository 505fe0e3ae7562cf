"""The dialog for a model's presets, parameters, loading options and speed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.domain.errors import DeskpilotError
from app.ui.controls.fields import Chooser
from app.ui.controls.labels import label
from app.ui.models.provider import FieldsForm
from app.ui.theme.i18n import MODELS_OWN, mark, spoken_language, tr
from app.ui.theme.i18n import told as in_words

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from app.domain.model import Model, ModelTuning, Values
    from app.services.models.models import ModelCatalog
    from app.services.tasks import Do, Work
    from app.ui.models.page import ModelsPage


SIZE = 560, 640
NO_PRESET = mark("Choose a preset")


class TuneModel(QDialog):
    """The dialog for a model's parameters.

    Signals: save_wanted(); keep_wanted(name) to save a preset and forget_wanted(name) to remove it.
    """

    save_wanted = Signal()
    keep_wanted = Signal(str)
    forget_wanted = Signal(str)

    def __init__(self, model: Model, tuning: ModelTuning, parent: QWidget) -> None:
        super().__init__(parent)
        self.model = model
        self.setWindowTitle(tr("Parameters of {name}", name=model.name))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(*SIZE)
        self._presets: dict[str, Values] = {}
        self._own: tuple[str, ...] = ()
        self.preset = Chooser(tr("Preset"), self)
        self.preset.chosen.connect(self._use)
        self.forget = self._button(
            tr("Remove preset"), lambda: self.forget_wanted.emit(self.preset.value)
        )
        self.name = QLineEdit(self)
        self.name.setAccessibleName(tr("Name of a new preset"))
        self.name.setPlaceholderText(tr("name of a new preset"))
        self.keep = self._button(
            tr("Save as preset"), lambda: self.keep_wanted.emit(self.name.text().strip())
        )
        self.name.textChanged.connect(lambda: self.keep.setEnabled(bool(self.name.text().strip())))
        self.keep.setEnabled(False)
        self.parameters = FieldsForm(tuning.parameters, self)
        self.settings = FieldsForm(tuning.settings, self)
        self.told = label("", "problem", self)
        self.told.hide()
        self.cancel, self.save = (
            self._button(tr("Cancel"), self.reject),
            self._button(tr("Save"), self.save_wanted),
        )
        self.save.setObjectName("primary")
        self.save.setDefault(True)
        self.offer(tuning)
        self._lay_out()

    def offer(self, tuning: ModelTuning, chosen: str = "") -> None:
        """Offer the presets. chosen: the preset to show as selected."""
        self._presets, self._own = tuning.presets, tuning.own
        names = [
            (name, name.capitalize() if name not in tuning.own else name) for name in tuning.presets
        ]
        self.preset.set_options([("", tr(NO_PRESET)), *names], chosen)
        self.forget.setVisible(chosen in self._own)

    def tell(self, text: str) -> None:
        """Show an error; an empty text hides it."""
        self.told.setText(text)
        self.told.setVisible(bool(text))

    def _use(self, name: str) -> None:
        """Fill the fields from a preset. The values take effect when they are saved."""
        self.forget.setVisible(name in self._own)
        if name:
            self.parameters.fill(self._presets[name])

    def _button(self, text: str, run: object) -> QPushButton:
        button = QPushButton(text, self)
        button.setAutoDefault(False)
        button.clicked.connect(run)
        return button

    def _lay_out(self) -> None:
        inner = QWidget(self)
        fields = QVBoxLayout(inner)
        fields.setContentsMargins(2, 2, 12, 2)
        fields.setSpacing(10)
        answers = self._heading(
            tr("Answers"), tr("Used for every answer. Fields left empty use the default.")
        )
        loading = self._heading(
            tr("Loading"), tr("Takes effect with the next question; the model is reloaded.")
        )
        for part in (*answers, self.parameters, *loading, self.settings):
            fields.addWidget(part)
        fields.addStretch(1)
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(inner)
        inner.setAutoFillBackground(False)
        scroll.viewport().setAutoFillBackground(False)
        presets, keeping, buttons = QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        presets.addWidget(self.preset)
        presets.addWidget(self.forget)
        presets.addStretch(1)
        keeping.addWidget(self.name, 1)
        keeping.addWidget(self.keep)
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.save)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(10)
        column.addLayout(presets)
        column.addWidget(scroll, 1)
        column.addLayout(keeping)
        column.addWidget(self.told)
        column.addLayout(buttons)

    def _heading(self, title: str, told: str) -> tuple[QLabel, QLabel]:
        head, about = QLabel(title, self), QLabel(told, self)
        head.setObjectName("heading")
        about.setObjectName("muted")
        about.setWordWrap(True)
        return head, about


TASK = "parameters"


class Tuner(QObject):
    """Handles the parameters and speeds on the models page. do: a function that starts a named
    task. read: a function that updates the page.
    """

    def __init__(
        self,
        page: ModelsPage,
        models: ModelCatalog,
        do: Do,
        read: Callable[[], Awaitable[None]],
    ) -> None:
        super().__init__(page)
        self._page = page
        self._models = models
        self._do = do
        self._read = read
        self.dialog: TuneModel | None = None
        page.tune_wanted.connect(lambda model: do(TASK, self._open(model)))
        page.measure_wanted.connect(lambda model: do(f"measure {model.id}", self._measure(model)))

    async def _open(self, model: Model) -> None:
        try:
            tuning = await self._models.tuning(model, MODELS_OWN[spoken_language()])
        except DeskpilotError as error:
            self._page.tell(model.id, in_words(error))
            return
        dialog = TuneModel(model, tuning, self._page.window())
        dialog.save_wanted.connect(
            lambda: self._do(TASK, self._told(dialog, lambda: self._save(dialog)))
        )
        dialog.keep_wanted.connect(
            lambda name: self._do(TASK, self._told(dialog, lambda: self._keep(dialog, name)))
        )
        dialog.forget_wanted.connect(
            lambda name: self._do(TASK, self._told(dialog, lambda: self._forget(dialog, name)))
        )
        dialog.finished.connect(self._closed)
        self.dialog = dialog
        dialog.open()

    async def _told(self, dialog: TuneModel, work: Work) -> None:
        """Run a task; show any error in the dialog, unless the dialog has been closed."""
        try:
            await work()
        except DeskpilotError as error:
            if self.dialog is dialog:
                dialog.tell(in_words(error))

    async def _save(self, dialog: TuneModel) -> None:
        values = dialog.parameters.filled().values, dialog.settings.filled().values
        await self._models.tune(dialog.model, *values)
        if self.dialog is dialog:
            dialog.accept()
        await self._read()

    async def _keep(self, dialog: TuneModel, name: str) -> None:
        values, language = dialog.parameters.filled().values, MODELS_OWN[spoken_language()]
        tuning = await self._models.keep_preset(dialog.model, name, values, language)
        if self.dialog is dialog:
            dialog.offer(tuning, name)
            dialog.name.clear()
            dialog.tell("")

    async def _forget(self, dialog: TuneModel, name: str) -> None:
        await self._models.forget_preset(name)
        tuning = await self._models.tuning(dialog.model, MODELS_OWN[spoken_language()])
        if self.dialog is dialog:
            dialog.offer(tuning)

    async def _measure(self, model: Model) -> None:
        page = self._page
        page.set_measuring(model.id, on=True)
        try:
            await self._models.measure(model)
            await self._read()
        except DeskpilotError as error:
            page.tell(model.id, in_words(error))
        finally:
            page.set_measuring(model.id, on=False)

    def _closed(self) -> None:
        self.dialog = None
