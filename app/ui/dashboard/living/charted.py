"""Tables that are shown as charts, as their backend or a published dashboard says, or the person. Not a widget, so it
may await."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.domain.errors import DeskpilotError
from app.domain.table_view import POINTS, Drawn, figure_of, read_drawn

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from PySide6.QtWidgets import QWidget

    from app.domain.widget import Widget
    from app.services.deskpilot import Deskpilot
    from app.ui.dashboard.pane import DashboardPane

    Do = Callable[[str, Coroutine[Any, Any, None]], None]


class Charted(QObject):
    """Signals: turned(uuid) of a widget that is to be shown anew."""

    turned = Signal(str)

    def __init__(self, pane: DashboardPane, deskpilot: Deskpilot, do: Do) -> None:
        super().__init__(pane)
        self._widgets, self._live, self._do = deskpilot.widgets, deskpilot.live, do
        self.draw: Callable[[dict[str, Any], str], QWidget] = plot

    def of(self, widget: Widget) -> Drawn | None:
        """Return how a table is drawn; None for one nobody says that of."""
        if not widget.backend:
            return None
        try:
            table = self._live.spec(widget.uuid).table
        except DeskpilotError:  # its backend is gone: what the dashboard says holds
            table = {}
        return read_drawn(table, widget.state)

    def is_on(self, widget: Widget) -> bool:
        """Tell whether a table is to be shown as a chart."""
        drawn = self.of(widget)
        return drawn is not None and drawn.enabled

    def body(self, widget: Widget) -> QWidget | None:
        """Return the chart of a table; None if it is to be shown as a table, or has no numbers."""
        drawn = self.of(widget)
        if drawn is None or not drawn.enabled:
            return None
        source = self._widgets.sources.source(widget.uuid)
        names = [column.name for column in source.table.columns]
        rows = [dict(zip(names, row, strict=True)) for row in source.table.rows(0, POINTS)]
        figure = figure_of(drawn, rows)
        return self.draw(figure, widget.name) if figure is not None else None

    def turn(self, uid: str, then: Callable[[], object] = bool) -> None:
        """Show a chart as its table, or the other way round; then do something more."""
        self._do(f"turn {uid}", self._turn(uid, then))

    async def _turn(self, uid: str, then: Callable[[], object]) -> None:
        widget = self._widgets.get(uid)
        drawn = self.of(widget)
        if drawn is not None:
            view = dict(widget.state.get("chartView") or {}) | {"enabled": not drawn.enabled}
            await self._widgets.change(replace(widget, state=widget.state | {"chartView": view}))
            self.turned.emit(uid)
            then()


def plot(figure: dict[str, Any], name: str) -> QWidget:
    """Return what draws a figure; the web engine is loaded with the first of them."""
    from app.ui.dashboard.contents.web import PlotBody

    return PlotBody(figure, name)
