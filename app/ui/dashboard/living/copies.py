"""Databases in the window: added and removed, their tables copied, copies made anew. Not a widget, so it may await."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.domain.databases.held import ROWS, Wish
from app.domain.errors import DeskpilotError
from app.ui.words import told

if TYPE_CHECKING:
    from app.services.deskpilot import Deskpilot
    from app.services.tasks import Do
    from app.ui.dashboard.adding.adder import Adder
    from app.ui.dashboard.adding.dialog import AddDialog
    from app.ui.dashboard.pane import DashboardPane


class Copies(QObject):
    """Joins the databases to the dialog in which one chooses tables, and to the cards of copies."""

    def __init__(self, pane: DashboardPane, deskpilot: Deskpilot, do: Do, adder: Adder) -> None:
        super().__init__(pane)
        self._pane, self._do, self._adder = pane, do, adder
        self._databases, self._widgets = deskpilot.databases, deskpilot.widgets
        adder.opened.connect(self._join)
        pane.retried.connect(self._renew)

    def _join(self, dialog: AddDialog) -> None:
        dialog.database_given.connect(lambda u, p: self._do("add database", self._add(u, p)))
        dialog.database_removed.connect(lambda u: self._do("remove database", self._remove(u)))
        dialog.copy_wanted.connect(
            lambda u, s, n, part: self._do("copy table", self._copy(u, s, n, part=part))
        )

    async def _add(self, url: str, password: str) -> None:
        try:
            await self._databases.add(url, password)
        except DeskpilotError as error:
            if self._adder.dialog is not None:
                self._adder.dialog.fail(told(error))
            return
        await self._adder.show()

    async def _remove(self, url: str) -> None:
        await self._databases.remove(url)
        await self._adder.show()

    async def _copy(self, url: str, schema: str, name: str, *, part: bool) -> None:
        try:
            path = await self._databases.copy(url, Wish(schema, name, ROWS if part else 0))
            made = await self._widgets.add_file(path)
        except DeskpilotError as error:
            if self._adder.dialog is None:
                raise
            self._adder.dialog.fail_copy(told(error), large=getattr(error, "kind", "") == "large")
            return
        if self._adder.dialog is not None:
            self._adder.dialog.accept()
        self._pane.show_card(made.uuid)

    def _renew(self, uid: str) -> None:
        table = self._widgets.get(uid).table
        if self._widgets.sources.copy_of(table) is not None:
            self._do(f"copy {table}", self._refresh(table))

    async def _refresh(self, uid: str) -> None:
        """Copy a table anew; what was computed from it before is told as old by its hash."""
        path = await self._databases.refresh(Path(self._widgets.get(uid).path))
        await self._widgets.add_file(path, attach=False)
