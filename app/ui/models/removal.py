"""Take models off this machine, once the person agrees; what that gives back is said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.domain.errors import DeskpilotError
from app.domain.model import size
from app.domain.settings.pages import MODEL
from app.ui.main import boxes
from app.ui.words import told, tr

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from app.domain.model import Model
    from app.services.deskpilot import Deskpilot
    from app.ui.settings.window import SettingsWindow


class Discarding:
    """Removes models of the settings' window. do: does named work. read: shows what holds
    afterwards.
    """

    def __init__(
        self,
        window: SettingsWindow,
        deskpilot: Deskpilot,
        do: Callable[[str, Any], None],
        read: Callable[[], Awaitable[None]],
    ) -> None:
        self._window, self._deskpilot, self._do, self._read = window, deskpilot, do, read

    def ask(self, model: Model) -> None:
        """Ask before a model goes."""
        name, room = tr(model.name), size(model.size_bytes)
        text = (
            tr(
                "Remove {name}? {room} will be free. It can be downloaded again.",
                name=name,
                room=room,
            )
            if model.fetchable
            else tr("Remove {name}? It was imported: to have it again, import it again.", name=name)
        )
        boxes.ask_first(
            self._window,
            text,
            tr("Remove"),
            lambda: self._do(f"remove {model.id}", self._remove(model)),
        )

    async def _remove(self, model: Model) -> None:
        page = self._window.models
        try:
            freed = await self._deskpilot.models.remove(model)
        except DeskpilotError as error:
            page.tell(model.id, told(error))
            return
        if model.fetchable:
            page.tell_good(model.id, tr("Removed: {room} are free again.", room=size(freed)))
        if await self._deskpilot.settings.get(MODEL) == model.id:  # any other may talk
            await self._deskpilot.settings.put(MODEL, MODEL.default)
        await self._read()
