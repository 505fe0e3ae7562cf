"""The dashboard: a column of widgets, and the chart of the last answer that had one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QScrollArea, QVBoxLayout, QWidget

from app.ui.dashboard.card import Card, Problem, TableBody
from app.ui.dashboard.figure import figure_of
from app.ui.dashboard.table_model import TableModel
from app.ui.style.tokens import LIGHT, Tokens

if TYPE_CHECKING:
    from app.domain.events import Artifact, CellRef
    from app.domain.widget import Widget
    from app.services.widgets import Widgets


class DashboardPane(QScrollArea):
    """Shows the widgets. Signals: context_wanted(uuid, bool), retried(uuid) of one that could not be read."""

    context_wanted = Signal(str, bool)
    retried = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("dashboard")
        self.setWidgetResizable(True)
        self.tokens: Tokens = LIGHT
        self._cards: dict[str, Card] = {}
        self._chart: tuple[Card, Any, Artifact] | None = None
        body = QWidget()
        body.setObjectName("dashboardBody")
        self._column = QVBoxLayout(body)
        self._column.setContentsMargins(14, 14, 14, 14)
        self._column.setSpacing(14)
        self._empty = QLabel("Attach a table to see it here.", body)
        self._empty.setObjectName("caption")
        self._column.addWidget(self._empty)
        self._column.addStretch(1)
        self.setWidget(body)

    def set_tokens(self, tokens: Tokens) -> None:
        """Dress in a theme."""
        self.tokens = tokens
        for card in self._cards.values():
            if isinstance(card.body, TableBody):
                card.body.model().tokens = tokens  # pyright: ignore[reportAttributeAccessIssue]
        if self._chart is not None:
            self.show_chart(self._chart[2])

    def show_widgets(self, widgets: Widgets) -> None:
        """Show the widgets as they are now; cards that stay keep their place."""
        wanted = {w.uuid: w for w in widgets.all()}
        mended = [u for u, c in self._cards.items() if isinstance(c.body, Problem) != (u in widgets.errors)]
        for uid in [u for u in self._cards if u not in wanted or u in mended]:
            self._cards.pop(uid).deleteLater()
        for position, (uid, widget) in enumerate(wanted.items()):
            if uid not in self._cards:
                card = self._make(widget, widgets)
                card.context_wanted.connect(lambda on, u=uid: self.context_wanted.emit(u, on))
                self._cards[uid] = card
                self._column.insertWidget(position + 1, card)
            self._cards[uid].set_attached(widget.attached)
        self._empty.setVisible(not wanted)

    def _make(self, widget: Widget, widgets: Widgets) -> Card:
        error = widgets.errors.get(widget.uuid)
        if error is not None:
            problem = Problem(widget.name, str(error))
            problem.retry.clicked.connect(lambda: self.retried.emit(widget.uuid))
            card = Card(widget.name, "", problem)
            card.context.hide()
            return card
        source = widgets.sources.source(widget.uuid)
        columns = [(c.name, c.kind == "number") for c in source.table.columns]
        model = TableModel(
            columns, source.profile.rows, lambda at, n: widgets.sources.rows(widget.uuid, at, n)
        )
        model.tokens = self.tokens
        table = TableBody(model, widget.name)
        model.setParent(table)
        return Card(widget.name, f"{source.profile.rows:,} rows · {len(columns)} columns", table)

    def reveal(self, uid: str, cell: CellRef) -> bool:
        """Bring a cited cell into view and let it flash; return whether it is there."""
        card = self._cards.get(uid)
        if card is None or not isinstance(card.body, TableBody):
            return False
        self.ensureWidgetVisible(card)
        return card.body.reveal(cell.row, cell.column)

    def show_chart(self, artifact: Artifact) -> None:
        """Draw a chart in the one web view; it is made when the first chart comes."""
        figure = figure_of(artifact, self.tokens)
        if figure is None:
            return
        if self._chart is None:
            from app.ui.dashboard.chart import ChartView

            view = ChartView()
            card = Card("Chart", "of the last answer", view)
            card.context.hide()
            card.setFixedHeight(300)
            self._column.insertWidget(1, card)
        else:
            card, view, _ = self._chart
        view.draw(figure, self.tokens)
        self._chart = (card, view, artifact)
        self.ensureWidgetVisible(card)

    def end(self) -> None:
        """Let go of the web view before the application ends."""
        if self._chart is not None:
            self._chart[1].end()
            self._chart = None
