"""Tells on the card of a file that is read how far that is, and lets one stop it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.ui.dashboard.card import Reading

if TYPE_CHECKING:
    from app.services.deskpilot import Deskpilot
    from app.ui.dashboard.pane import DashboardPane

EVERY = 200  # milliseconds


class Following(QObject):
    """Looks at the files that are read, as long as there are any."""

    def __init__(self, pane: DashboardPane, deskpilot: Deskpilot) -> None:
        super().__init__(pane)
        self._pane, self._widgets = pane, deskpilot.widgets
        self._timer = QTimer(self, interval=EVERY)
        self._timer.timeout.connect(self._look)
        self._widgets.subscribe(self._begin)

    def _begin(self) -> None:
        if self._widgets.opening and not self._timer.isActive():
            self._timer.start()

    def _look(self) -> None:
        for uid in self._widgets.opening:
            card, far = self._pane.cards.get(uid), self._widgets.readings.far(uid)
            if card is None or far is None or not isinstance(card.body, Reading):
                continue
            if card.body.stop.isHidden():
                card.body.stop.clicked.connect(
                    lambda _=False, one=uid: self._widgets.readings.stop(one)
                )
            card.body.tell(far)
        if not self._widgets.opening:
            self._timer.stop()
