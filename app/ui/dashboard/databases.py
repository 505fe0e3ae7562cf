"""The controller of databases: it adds and removes them, copies tables, and refreshes copies."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QObject

from app.domain.database import ROWS, CopyProgress, Wish
from app.domain.errors import DeskpilotError
from app.ui.theme.i18n import told, tr

if TYPE_CHECKING:
    from app.services.dashboard.databases import Databases
    from app.services.dashboard.widgets import Widgets
    from app.services.tasks import Do, Tasks
    from app.ui.dashboard.add_dialog import AddDialog, Adder
    from app.ui.dashboard.pane import DashboardPane

COPY = "copying"


class Copies(QObject):
    """Connects the databases with the dialog that offers their tables, and with the cards that show
    copies.
    """

    def __init__(
        self,
        pane: DashboardPane,
        widgets: Widgets,
        tasks: Tasks,
        databases: Databases,
        do: Do,
        adder: Adder,
    ) -> None:
        super().__init__(pane)
        self._pane, self._do, self._adder = pane, do, adder
        self._databases = databases
        self._widgets = widgets
        self._tasks = tasks
        self._copying = ""  # progress of the current copy, for a dialog opened later
        adder.opened.connect(self._join)
        pane.retried.connect(self._renew)

    def _join(self, dialog: AddDialog) -> None:
        dialog.database_given.connect(lambda u, p: self._do("add database", self._add(u, p)))
        dialog.database_removed.connect(lambda u: self._do("remove database", self._remove(u)))
        dialog.copy_wanted.connect(
            lambda u, s, n, part: self._do(COPY, self._copy(u, s, n, part=part))
        )
        dialog.stop_wanted.connect(lambda: self._tasks.cancel(f"window {COPY}"))
        if self._copying:
            dialog.show_copying(self._copying)

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
        """Copy a table and show the copy; if copying is stopped, the dialog says so."""
        full = f"{schema}.{name}"
        self._tell(tr("Copying {name} …", name=full))
        try:
            wish = Wish(schema, name, ROWS if part else 0)
            path = await self._databases.copy(url, wish, partial(self._follow, full))
            made = await self._widgets.add_file(path)
        except DeskpilotError as error:
            self._tell("")
            if self._adder.dialog is None:
                raise
            self._adder.dialog.fail_copy(told(error), large=getattr(error, "kind", "") == "large")
            return
        except asyncio.CancelledError:
            self._tell("")
            if self._adder.dialog is not None:
                self._adder.dialog.fail_copy(
                    tr("Stopped copying {name}. Nothing was saved.", name=full), large=False
                )
            raise
        self._tell("")
        if self._adder.dialog is not None:
            self._adder.dialog.accept()
        self._pane.show_card(made.uuid)

    def _follow(self, name: str, progress: CopyProgress) -> None:
        self._tell(tr("Copying {name}: {far}", name=name, far=far(progress)))

    def _tell(self, text: str) -> None:
        self._copying = text
        if self._adder.dialog is not None:
            self._adder.dialog.show_copying(text)

    def _renew(self, uid: str) -> None:
        """Copy a table again, or stop the copy that is in progress."""
        table = self._widgets.get(uid).table
        if self._widgets.sources.copy_of(table) is not None and not self._tasks.cancel(
            f"window copy {table}"
        ):
            self._do(f"copy {table}", self._refresh(table))

    async def _refresh(self, uid: str) -> None:
        """Copy a table again; if its hash changes, earlier citations are marked as outdated."""
        card = self._pane.cards.get(uid)
        before = card.bar.caption.text() if card is not None else ""
        self._show(uid, tr("Copying …"), running=True)
        try:
            path = await self._databases.refresh(
                Path(self._widgets.get(uid).path), lambda p: self._show(uid, far(p), running=True)
            )
        finally:
            self._show(uid, before, running=False)
        await self._widgets.add_file(path, attach=False)

    def _show(self, uid: str, caption: str, *, running: bool) -> None:
        """Show the progress of copying in the copy's card, where the refresh button stops it."""
        if (card := self._pane.cards.get(uid)) is not None:
            card.bar.caption.setText(caption)
            card.bar.set_stoppable(on=running)


def far(progress: CopyProgress) -> str:
    """Return, in words, the progress of a copy."""
    size = QLocale().formattedDataSize(progress.bytes, 1, QLocale.DataSizeFormat.DataSizeSIFormat)
    return tr("%n rows so far, {size}", "", progress.rows, size=size)
