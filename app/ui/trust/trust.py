"""What the pages of permissions and diagnostics do: joins them to the services. Not a widget, so it may await."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.domain.errors import DeskpilotError
from app.ui import boxes
from app.ui.words import told, tr

if TYPE_CHECKING:
    from app.services.deskpilot import Deskpilot
    from app.services.settings.permissions import Permission
    from app.services.tasks import Do
    from app.ui.trust.diagnostics import DiagnosticsPage
    from app.ui.trust.permissions import PermissionsPage

FILE = "deskpilot-diagnostics.json"


class Trust(QObject):
    """Reads both anew each time they are shown."""

    def __init__(
        self,
        permissions: PermissionsPage,
        diagnostics: DiagnosticsPage,
        deskpilot: Deskpilot,
        do: Do,
    ) -> None:
        super().__init__(permissions)
        self._permissions, self._diagnostics = permissions, diagnostics
        self._deskpilot, self._do = deskpilot, do
        permissions.taken_back.connect(lambda one: do("take back", self._take_back(one)))
        diagnostics.save_wanted.connect(self._ask_where)

    def read(self) -> None:
        """Show what holds now."""
        self._do("read permissions", self._read_permissions())
        self._do("read diagnostics", self._read_diagnostics())

    async def _read_permissions(self) -> None:
        try:
            self._permissions.show_permissions(await self._deskpilot.permissions.all())
        except DeskpilotError as error:
            self._permissions.tell(told(error))

    async def _read_diagnostics(self) -> None:
        self._diagnostics.show_text(await self._deskpilot.diagnostics.text())

    async def _take_back(self, permission: Permission) -> None:
        try:
            await self._deskpilot.permissions.take_back(permission)
        except DeskpilotError as error:
            self._permissions.tell(told(error))
            return
        await self._read_permissions()

    def _ask_where(self, text: str) -> None:
        window = self._diagnostics.window()
        boxes.choose_place(window, FILE, lambda path: self._save(Path(path), text))

    def _save(self, path: Path, text: str) -> None:
        try:
            path.write_text(text, "utf-8")
        except OSError as error:
            told = tr(
                "{name} cannot be written: {strerror}.",
                name=path.name,
                strerror=error.strerror or error,
            )
            boxes.tell(self._diagnostics.window(), " ".join([told, tr("Choose another place.")]))
