"""What the window of a new provider does: tries out, then adds. Not a widget, so it may await."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.domain.errors import DeskpilotError
from app.domain.provider import Filled, Keep
from app.services.models.providers import Wanted
from app.ui.models.provider import AddProvider
from app.ui.words import MODELS_OWN, spoken_language
from app.ui.words import told as in_words

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from PySide6.QtWidgets import QWidget

    from app.services.models.providers import Providers
    from app.services.tasks import Do, Work


TASK = "add provider"


class Adding(QObject):
    """Opens the window. do: starts named work; added: is awaited when there is one more."""

    def __init__(
        self, window: QWidget, providers: Providers, do: Do, added: Callable[[], Awaitable[None]]
    ) -> None:
        super().__init__(window)
        self._window, self._providers, self._do, self._added = window, providers, do, added
        self.dialog: AddProvider | None = None

    def open(self) -> None:
        """Open the window, once it is known what one can add."""
        self._do(TASK, self._open())

    async def _open(self) -> None:
        kinds = await self._providers.kinds(MODELS_OWN[spoken_language()])
        name = await self._providers.free_name(kinds[0])
        dialog = AddProvider(kinds, name, await self._providers.keyring_trouble(), self._window)
        dialog.try_wanted.connect(
            lambda: self._do(TASK, self._told(dialog, lambda: self._try(dialog)))
        )
        dialog.add_wanted.connect(
            lambda: self._do(TASK, self._told(dialog, lambda: self._add(dialog)))
        )
        dialog.finished.connect(self._closed)
        self.dialog = dialog
        dialog.open()

    async def _told(self, dialog: AddProvider, work: Work) -> None:
        """Do work; what goes wrong is said in the dialog, unless it was closed meanwhile."""
        try:
            await work()
        except DeskpilotError as error:
            if self.dialog is dialog:
                dialog.tell(in_words(error))

    async def _try(self, dialog: AddProvider) -> None:
        filled = dialog.form.filled()
        await self._providers.check_name(dialog.name.text().strip())
        tried = await self._providers.try_out(dialog.provider.id, filled)
        if self.dialog is dialog and dialog.form.filled() == filled:
            dialog.offer(tried)

    async def _add(self, dialog: AddProvider) -> None:
        details: Filled = dialog.model_form.filled()
        wanted = [Wanted(choice.model, choice.type, details) for choice in dialog.models.chosen()]
        keep: Keep = "session" if dialog.session.isChecked() else "keyring"
        name = dialog.name.text().strip()
        await self._providers.add(
            name, dialog.provider.id, dialog.form.filled(), wanted, keep=keep, tried=dialog.tried
        )
        if self.dialog is dialog:
            dialog.accept()
        await self._added()

    def _closed(self) -> None:
        self.dialog = None
