"""What can be done with a parameter on the dashboard: shared with others that have it. Not a widget, so it may await."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.ui.words import tr

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMenu

    from app.services.deskpilot import Deskpilot
    from app.services.tasks import Do
    from app.ui.dashboard.pane import DashboardPane
    from app.ui.dashboard.params.bar import ParamBar


class Shared(QObject):
    """Marks the fields of shared parameters, and offers to share them."""

    def __init__(self, pane: DashboardPane, deskpilot: Deskpilot, do: Do) -> None:
        super().__init__(pane)
        self._do, self._dashboard, self._sharing = do, deskpilot.dashboard, deskpilot.live.sharing

    def mark(self, uid: str, bar: ParamBar) -> None:
        """Show which parameters of a widget are shared, and with whom."""
        for name, field in bar.fields.items():
            field.set_shared([widget.name for widget in self._sharing.of(uid, name)])

    def offer(self, uid: str, name: str, menu: QMenu) -> None:
        """Fill the menu of a parameter."""
        tab = self._dashboard.tab_of(uid)
        beside = [tile.id for tile in tab.tiles] if tab is not None else []
        shared = {widget.uuid for widget in self._sharing.of(uid, name)}
        others = [w for w in self._sharing.possible(uid, name, beside) if w.uuid not in shared]
        if menu.actions() and (others or shared):
            menu.addSeparator()
        for widget in others:
            menu.addAction(tr("Share with {name}", name=widget.name)).triggered.connect(
                lambda _=False, other=widget.uuid: self._do(
                    "share", self._sharing.link([uid, other], name)
                )
            )
        if len(others) > 1:
            every = [uid, *(w.uuid for w in others)]
            menu.addAction(tr("Share with all %n", "", len(others))).triggered.connect(
                lambda _=False: self._do("share", self._sharing.link(every, name))
            )
        if shared:
            menu.addAction(tr("Share no more")).triggered.connect(
                lambda _=False: self._do("part", self._sharing.unlink(uid, name))
            )
