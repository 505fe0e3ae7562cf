"""The chart of the last answer, in the one web view there is for answers; it is made when the first chart comes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from app.ui.dashboard.card import Card
from app.ui.dashboard.figure import figure_of
from app.ui.words import tr

if TYPE_CHECKING:
    from app.domain.conversation import Turn
    from app.domain.events import Artifact
    from app.services.dashboard.tiles import Dashboard
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
        """Bring the chart into view again, if it is of this answer: its cited cells came into view behind it."""
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
