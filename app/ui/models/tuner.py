"""What the window of a model's parameters does, and measuring. Not a widget, so it may await."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.domain.errors import DeskpilotError
from app.ui.models.tuning import TuneModel
from app.ui.words import MODELS_OWN, spoken_language
from app.ui.words import told as in_words

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from app.domain.model import Model
    from app.services.models.models import Models
    from app.services.tasks import Do, Work
    from app.ui.settings.window import SettingsWindow


TASK = "parameters"


class Tuner(QObject):
    """Parameters and speeds of the models page. do: starts named work; read: shows the models anew."""

    def __init__(
        self, window: SettingsWindow, models: Models, do: Do, read: Callable[[], Awaitable[None]]
    ) -> None:
        super().__init__(window)
        self._window, self._models, self._do, self._read = window, models, do, read
        self.dialog: TuneModel | None = None
        page = window.models
        page.tune_wanted.connect(lambda model: do(TASK, self._open(model)))
        page.measure_wanted.connect(lambda model: do(f"measure {model.id}", self._measure(model)))

    async def _open(self, model: Model) -> None:
        try:
            tuning = await self._models.tuning(model, MODELS_OWN[spoken_language()])
        except DeskpilotError as error:
            self._window.models.tell(model.id, in_words(error))
            return
        dialog = TuneModel(model, tuning, self._window)
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
        """Do work; what goes wrong is said in the dialog, unless it was closed meanwhile."""
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
        page = self._window.models
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
