"""Takes widgets off the dashboard and puts back what went last. Not a widget, so it may await."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.domain.dashboard import Tiles, mended
from app.ui.dashboard.living.answer_chart import ANSWER
from app.ui.words import tr

if TYPE_CHECKING:
    from app.domain.widget import Widget
    from app.services.deskpilot import Deskpilot
    from app.services.tasks import Do
    from app.ui.dashboard.living.answer_chart import AnswerChart
    from app.ui.dashboard.living.switching import Switching
    from app.ui.dashboard.pane import DashboardPane


class Removing(QObject):
    """Joins the buttons that remove, and Undo, to the services."""

    def __init__(
        self,
        pane: DashboardPane,
        deskpilot: Deskpilot,
        do: Do,
        *,
        tabs: Switching,
        answer: AnswerChart,
    ) -> None:
        super().__init__(pane)
        self._pane, self._do, self._tabs, self._answer = pane, do, tabs, answer
        self._widgets, self._dashboard = deskpilot.widgets, deskpilot.dashboard
        self._removed: tuple[list[Widget], Tiles] | None = None
        pane.removed.connect(self.remove)
        pane.undone.connect(self.undo)

    def remove(self, uid: str) -> None:
        """Take a widget off, or the chart of the last answer."""
        if uid == ANSWER:
            self._answer.remove()
        else:
            self._do(f"remove {uid}", self._take_off(uid))

    def undo(self) -> None:
        """Put back what went last, a widget or a dashboard."""
        if self._tabs.closed is not None:
            self._tabs.undo()
        elif self._removed is not None:
            (taken, tiles), self._removed = self._removed, None
            self._do("undo", self._put_back(taken, tiles))

    async def _take_off(self, uid: str) -> None:
        name, tiles = self._widgets.get(uid).name, self._dashboard.tiles
        taken = await self._widgets.remove(uid)
        self._removed = (taken, tiles)
        self._tabs.closed = None  # Undo takes back what went last
        drawn = len(taken) - 1
        more = tr("Removed {name} and %n drawn from it", "", drawn, name=name)
        self._pane.notice.tell(more if drawn else tr("Removed {name}", name=name))

    async def _put_back(self, taken: list[Widget], tiles: Tiles) -> None:
        added = [tile for tile in self._dashboard.tiles if tile not in tiles]
        self._dashboard.arrange(mended([*tiles, *added]))
        await self._widgets.put_back(taken)
