"""Tables that are shown as charts, and the chart of the last answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.domain.errors import DeskpilotError
from app.domain.table_view import POINTS, Drawn, read_drawn
from app.domain.table_view import figure_of as view_figure
from app.ui.dashboard.card import Card
from app.ui.dashboard.figure import figure_of
from app.ui.words import tr

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from PySide6.QtWidgets import QWidget

    from app.domain.conversation import Turn
    from app.domain.events import Artifact
    from app.domain.widget import Widget
    from app.services.dashboard.tiles import Dashboard
    from app.services.deskpilot import Deskpilot
    from app.ui.dashboard.pane import DashboardPane


ANSWER = "answer"  # its tile, which is no widget's


class AnswerChart(QObject):
    """A guest on the dashboard."""

    def __init__(self, pane: DashboardPane, dashboard: Dashboard) -> None:
        super().__init__(pane)
        self._pane, self._dashboard = pane, dashboard
        self._shown: tuple[Any, Artifact] | None = None
        pane.dressed.connect(self._redraw)

    def show(self, artifact: Artifact) -> None:
        """Draw the chart of an answer."""
        figure = figure_of(artifact, self._pane.tokens)
        if figure is None:
            return
        if self._shown is None:
            from app.ui.dashboard.chart import ChartView

            view = ChartView()
            card = Card(tr("Chart"), tr("of the last answer"), view)
            card.bar.leave_out(card.bar.context, card.bar.larger, card.bar.chart)
            self._pane.add(ANSWER, card)
            self._dashboard.show_guest(ANSWER)
            self._pane.show_tiles(self._dashboard.tiles)
        else:
            view = self._shown[0]
        bar = self._pane.cards[ANSWER].bar
        bar.name.setText(artifact.name or tr("Chart"))
        bar.caption.setText("" if artifact.name else tr("of the last answer"))
        view.draw(figure, self._pane.tokens)
        self._shown = (view, artifact)
        self._pane.show_card(ANSWER)

    def bring(self, turn: Turn) -> None:
        """Bring the chart into view again, if it is of this answer: its cited cells came into view
        behind it.
        """
        if self._shown is not None and any(item is self._shown[1] for item in turn.items):
            self._pane.show_card(ANSWER)

    def remove(self) -> None:
        """Take it off the dashboard."""
        self._pane.take(ANSWER)
        self.end()
        self._dashboard.end_guest(ANSWER)
        self._pane.show_tiles(self._dashboard.tiles)

    def end(self) -> None:
        """Let go of the web view before the application ends."""
        if self._shown is not None:
            self._shown[0].end()
            self._shown = None

    def _redraw(self) -> None:
        if self._shown is not None:
            self.show(self._shown[1])


if TYPE_CHECKING:
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
        figure = view_figure(drawn, rows)
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
    from app.ui.dashboard.bodies.web import PlotBody

    return PlotBody(figure, name)
