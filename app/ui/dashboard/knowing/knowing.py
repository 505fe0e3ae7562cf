"""The menu of a card, and what is known of its table, from there. Not a widget, so it may await."""

from __future__ import annotations

from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QMenu

from app.domain.errors import DeskpilotError
from app.ui.dashboard.knowing.window import KnownWindow
from app.ui.words import told, tr

if TYPE_CHECKING:
    from app.data.library.entry import Note
    from app.services.deskpilot import Deskpilot
    from app.services.tasks import Do
    from app.ui.dashboard.pane import DashboardPane


class Knowing(QObject):
    """Joins cards to what is known of their tables."""

    def __init__(self, pane: DashboardPane, deskpilot: Deskpilot, do: Do) -> None:
        super().__init__(pane)
        self._pane, self._widgets, self._do = pane, deskpilot.widgets, do
        self._known = deskpilot.workflows.known
        pane.menu_wanted.connect(self._offer)

    def _offer(self, uid: str) -> None:
        """Show what can be done with a card, in words."""
        bar = self._pane.cards[uid].bar
        menu = QMenu(self._pane)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if uid in self._widgets and self._widgets.is_open(uid):
            known = menu.addAction(tr("What is known of this table …"))
            known.triggered.connect(lambda: self._do("read what is known", self.open(uid)))
            menu.addSeparator()
        for button in bar.quiet:
            if button is not bar.more:
                menu.addAction(button.toolTip()).triggered.connect(button.click)
        at = bar.more if bar.more.isVisible() else bar
        menu.popup(at.mapToGlobal(at.rect().bottomLeft()))

    async def open(self, uid: str) -> None:
        """Show what is known of a widget's table.

        Raises: UnknownWidget, SourceError.
        """
        window = KnownWindow(await self._known.read(uid), self._pane.window())
        window.said.connect(lambda *said: self._do("keep what is said", self._keep(window, *said)))
        window.undone.connect(lambda note: self._do("keep what is said", self._undo(window, note)))
        window.show()

    async def _keep(
        self, window: KnownWindow, about: str, meanings: dict[str, str], closes: str
    ) -> None:
        try:
            before = await self._known.say(window.told.uid, about, meanings, closes)
        except DeskpilotError as error:
            if shiboken6.isValid(window):
                window.tell(told(error), wrong=True)
            return
        await self._show(window, tr("Kept. What is asked next uses it."), (before,))

    async def _undo(self, window: KnownWindow, note: Note | None) -> None:
        await self._known.put_back(window.told.uid, note)
        await self._show(window, tr("It is as it was before."), ())

    async def _show(self, window: KnownWindow, text: str, before: tuple[Note | None, ...]) -> None:
        known = await self._known.read(window.told.uid)
        if shiboken6.isValid(window):
            window.show_known(known)
            window.tell(text, before=before)
