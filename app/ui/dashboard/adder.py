"""The controller that adds notes, and the widgets and dashboards of backends."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.domain.errors import DeskpilotError
from app.domain.widget import Widget
from app.services.dashboard.placement import place_app, place_widget
from app.ui.dashboard.add_dialog import AddDialog
from app.ui.theme.i18n import told, tr

if TYPE_CHECKING:
    from app.services.dashboard.databases import Databases
    from app.services.dashboard.live import Live
    from app.services.dashboard.tiles import Dashboard
    from app.services.dashboard.widgets import Widgets
    from app.services.tasks import Do
    from app.ui.dashboard.pane import DashboardPane


class Adder(QObject):
    """Connects the + button of the dashboard with the services. Signals: opened(dialog)."""

    opened = Signal(object)

    def __init__(
        self,
        pane: DashboardPane,
        widgets: Widgets,
        dashboard: Dashboard,
        live: Live,
        databases: Databases,
        do: Do,
    ) -> None:
        super().__init__(pane)
        self._pane, self._do = pane, do
        self._dashboard = dashboard
        self._live = live
        self._widgets = widgets
        self._databases = databases
        self.dialog: AddDialog | None = None
        pane.tabs.widget_wanted.connect(self.open)
        pane.tabs.note_wanted.connect(lambda: do("note", self._note()))

    def open(self) -> None:
        """Open the dialog to choose a widget or add a backend."""
        if self.dialog is not None:
            self.dialog.raise_()
            return
        dialog = self.dialog = AddDialog(self._pane.window())
        dialog.destroyed.connect(self._closed)
        dialog.widget_chosen.connect(lambda b, w: self._do("place", self._place(b, w)))
        dialog.app_chosen.connect(lambda b, n: self._do("open dashboard", self._place_app(b, n)))
        dialog.removed.connect(lambda b: self._do("remove backend", self._remove(b)))
        dialog.backend_given.connect(lambda u, h, k: self._do("add backend", self._add(u, h, k)))
        self.opened.emit(dialog)
        self._do("read backends", self._read())
        dialog.open()

    def _closed(self) -> None:
        self.dialog = None

    async def _read(self) -> None:
        """Update the dialog, because the shell may have changed something."""
        await self._live.backends.restore()
        await self.show()

    async def show(self) -> None:
        """Show the available backends and databases."""
        databases = await self._databases.all()
        if self.dialog is not None:
            self.dialog.show_all(self._live.backends.all(), databases)

    async def _add(self, url: str, headers: dict[str, str], keys: dict[str, str]) -> None:
        try:
            await self._live.backends.add(url, headers, keys)
        except DeskpilotError as error:
            if self.dialog is not None:
                self.dialog.fail(told(error))
            return
        await self.show()

    async def _remove(self, backend: str) -> None:
        await self._live.backends.remove(backend)
        await self.show()

    async def _place(self, backend: str, widget_id: str) -> None:
        made = await place_widget(self._dashboard, self._live, backend, widget_id)
        if self.dialog is not None:
            self.dialog.accept()
        self._pane.show_card(made.uuid)
        if made.uuid in self._pane.cards:
            # so that the user can type the note at once
            self._pane.cards[made.uuid].body.setFocus()

    async def _place_app(self, backend: str, number: int) -> None:
        missing = await place_app(self._dashboard, self._live, backend, number)
        if self.dialog is not None:
            self.dialog.accept()
        if missing:
            raise DeskpilotError(
                tr("%n widgets of this dashboard are not published by the backend.", "", missing),
                tr("The others are there."),
            )

    async def _note(self) -> None:
        made = Widget(uuid.uuid4().hex, tr("Note"), "", type="note")
        await self._widgets.add(made)
        self._pane.show_card(made.uuid)
        if made.uuid in self._pane.cards:
            # so that the user can type the note at once
            self._pane.cards[made.uuid].body.setFocus()
