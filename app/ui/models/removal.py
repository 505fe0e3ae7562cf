"""Remove models from this machine after a confirmation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.domain.errors import DeskpilotError
from app.domain.model import size
from app.domain.settings import MODEL
from app.ui.controls import message_boxes
from app.ui.theme.i18n import told, tr

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from app.domain.model import Model
    from app.services.models.models import ModelCatalog
    from app.services.settings.settings import Settings
    from app.ui.models.page import ModelsPage


class ModelRemoval:
    """Removes models from this machine. do: runs named work. read: updates the page
    afterwards.
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
        """Ask before removing a model or the downloaded part of one."""
        begun = model.place == "available"
        name, room = tr(model.name), size(model.got_bytes if begun else model.size_bytes)
        text = (
            tr("Remove the downloaded part of {name}? {room} will be free.", name=name, room=room)
            if begun
            else tr(
                "Remove {name}? {room} will be free. It can be downloaded again.",
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
