"""The dashboards of a window: opening, adding, renaming and closing them; removing and restoring
widgets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.domain.dashboard import Tiles, mended
from app.openbb.widgets import prompts_for, read_apps
from app.ui.dashboard.chart_tiles import ANSWER
from app.ui.dashboard.tabs import FIRST, shown
from app.ui.theme.i18n import tr

if TYPE_CHECKING:
    from app.domain.dashboard import Tab, Widget
    from app.services.dashboard.live import Live
    from app.services.dashboard.tiles import Dashboard
    from app.services.dashboard.widgets import Widgets
    from app.services.tasks import Do
    from app.ui.dashboard.chart_tiles import AnswerChart
    from app.ui.dashboard.pane import DashboardPane


class RemovalController(QObject):
    """Connects the remove buttons and Undo with the services."""

    def __init__(
        self,
        pane: DashboardPane,
        widgets: Widgets,
        dashboard: Dashboard,
        do: Do,
        *,
        tabs: DashboardSwitch,
        answer: AnswerChart,
    ) -> None:
        super().__init__(pane)
        self._pane, self._do, self._tabs, self._answer = pane, do, tabs, answer
        self._widgets = widgets
        self._dashboard = dashboard
        self._removed: tuple[list[Widget], Tiles] | None = None
        pane.removed.connect(self.remove)
        pane.undone.connect(self.undo)

    def remove(self, uid: str) -> None:
        """Remove a widget, or the chart of the last answer."""
        if uid == ANSWER:
            self._answer.remove()
        else:
            self._do(f"remove {uid}", self._take_off(uid))

    def undo(self) -> None:
        """Restore the last removed widget or dashboard."""
        if self._tabs.closed is not None:
            self._tabs.undo()
        elif self._removed is not None:
            (taken, tiles), self._removed = self._removed, None
            self._do("undo", self._put_back(taken, tiles))

    async def _take_off(self, uid: str) -> None:
        name, tiles = self._widgets.get(uid).name, self._dashboard.tiles
        taken = await self._widgets.remove(uid)
        self._removed = (taken, tiles)
        self._tabs.closed = None  # Undo restores what was removed last
        drawn = len(taken) - 1
        more = tr("Removed {name} and %n widgets drawn from it", "", drawn, name=name)
        self._pane.notice.tell(more if drawn else tr("Removed {name}", name=name))

    async def _put_back(self, taken: list[Widget], tiles: Tiles) -> None:
        added = [tile for tile in self._dashboard.tiles if tile not in tiles]
        self._dashboard.arrange(mended([*tiles, *added]))
        await self._widgets.put_back(taken)


class DashboardSwitch(QObject):
    """Connects the tabs with the dashboards. Signals: switched() when another dashboard is opened
    or a dashboard changes.

    closed: the dashboard that Undo restores.
    """

    switched = Signal()

    def __init__(
        self, pane: DashboardPane, widgets: Widgets, dashboard: Dashboard, live: Live, do: Do
    ) -> None:
        super().__init__(pane)
        self._pane = pane
        self._dashboard = dashboard
        self._do = do
        self.closed: tuple[Tab, int, list[Widget]] | None = None
        tabs = pane.tabs
        self._widgets = widgets
        self._live = live
        tabs.prompts = self.prompts
        tabs.prompted.connect(lambda words, named: do("prompt", self._prompt(words, named)))
        tabs.opened.connect(self.open)
        tabs.added.connect(self.add)
        tabs.renamed.connect(self.rename)
        tabs.closed.connect(lambda tab_id: do(f"close {tab_id}", self._close(tab_id)))

    def show(self) -> None:
        """Show the current tabs."""
        self._pane.tabs.show_tabs(self._dashboard.tabs, self._dashboard.current)

    def open(self, tab_id: str) -> None:
        """Open a dashboard."""
        self._dashboard.open(tab_id)
        self.switched.emit()

    def prompts(self) -> list[tuple[str, list[str]]]:
        """Return the questions published with the open dashboard, each with the ids of the widgets
        that it mentions.
        """
        apps = [app for backend in self._live.backends.all() for app in read_apps(backend.apps)]
        return prompts_for(apps, {name: w.name for name, w in self._here().items()})

    def _here(self) -> dict[str, Widget]:
        shown = [self._widgets.get(t.id) for t in self._dashboard.tiles if t.id in self._widgets]
        fetched = [w for w in shown if w.backend]
        return {w.widget_id.replace("/", "_"): w for w in fetched} | {
            w.widget_id: w for w in fetched
        }

    async def _prompt(self, words: str, named: list[str]) -> None:
        """Put a question into the text field and attach the widgets that it mentions."""
        here = self._here()
        for name in named:
            if name in here:
                await self._widgets.attach(here[name].uuid, attached=True)
        self._pane.composed.emit(words)

    def open_with(self, uid: str) -> None:
        """Open the dashboard that contains a widget."""
        tab = self._dashboard.tab_of(uid)
        if tab is not None and tab.id != self._dashboard.current:
            self.open(tab.id)

    def add(self) -> None:
        """Create a dashboard and let the user name it."""
        self._dashboard.add_tab(f"{shown(FIRST)} {len(self._dashboard.tabs) + 1}")
        self.switched.emit()
        self._pane.tabs.rename(len(self._dashboard.tabs) - 1)

    def rename(self, tab_id: str, name: str) -> None:
        """Rename a dashboard."""
        self._dashboard.rename_tab(tab_id, name)
        self.switched.emit()

    def undo(self) -> None:
        """Restore the dashboard that was closed."""
        if self.closed is not None:
            closed, self.closed = self.closed, None
            self._do("undo", self._put_back(closed))

    async def _close(self, tab_id: str) -> None:
        self.closed = await self._dashboard.close_tab(tab_id)
        self._pane.notice.tell(tr("Closed {name}", name=shown(self.closed[0].name)), whole=True)
        self.switched.emit()

    async def _put_back(self, closed: tuple[Tab, int, list[Widget]]) -> None:
        await self._dashboard.put_back_tab(*closed)
        self.switched.emit()
