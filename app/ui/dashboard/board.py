"""The controller of the dashboard; it connects the cards with the services."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QLabel, QMenu, QWidget

from app.data.views import rows_cited
from app.domain.dashboard import Widget
from app.domain.errors import DeskpilotError
from app.services.dashboard.widgets import VIEWS
from app.ui.dashboard.add_dialog import Adder
from app.ui.dashboard.bodies.figures import Figures
from app.ui.dashboard.bodies.lines import LineChart
from app.ui.dashboard.bodies.registry import view_of
from app.ui.dashboard.card import Card, Larger, ReadingNotice, ThemedBody
from app.ui.dashboard.cards import LiveCards
from app.ui.dashboard.chart_tiles import ANSWER, AnswerChart, ChartPainter, ChartTiles
from app.ui.dashboard.databases import Copies
from app.ui.dashboard.exports import Exports
from app.ui.dashboard.opened_files import FileController, FileWatch, ReadProgress
from app.ui.dashboard.switch import DashboardSwitch, RemovalController
from app.ui.dashboard.table.view import TableBody
from app.ui.dashboard.table_notes import TableNotes
from app.ui.dashboard.tables import Tables
from app.ui.theme.i18n import told, tr

if TYPE_CHECKING:
    from app.domain.dashboard import ColumnSeries
    from app.domain.events import Artifact, CellRef, Citation, QuoteBox
    from app.services.deskpilot import Deskpilot
    from app.services.tasks import Do
    from app.ui.dashboard.pane import DashboardPane


READING = "reading"


class Board(QObject):
    """The dashboard of a window. do: a function that starts a named task and reports its errors.

    Signals: unread() when attached files cannot be read.
    """

    unread = Signal()

    def __init__(self, pane: DashboardPane, deskpilot: Deskpilot, do: Do) -> None:
        super().__init__(pane)
        self.pane = pane
        self._widgets, self._dashboard, self._do = deskpilot.widgets, deskpilot.dashboard, do
        self._live = deskpilot.live
        self._shown: dict[str, str] = {}  # the version of the content shown in each card
        self._series: dict[str, list[ColumnSeries]] = {}
        self._revealed: tuple[str, CellRef] | None = None  # the cell shown by the last citation
        self.answer = AnswerChart(pane, deskpilot.dashboard)
        self.live = LiveCards(
            pane, deskpilot.widgets, deskpilot.dashboard, deskpilot.live, deskpilot.documents, do
        )
        self.tabs = DashboardSwitch(
            pane, deskpilot.widgets, deskpilot.dashboard, deskpilot.live, do
        )
        self.tables = Tables(
            pane, deskpilot.widgets, deskpilot.dashboard, deskpilot.live, do, self.live.caption
        )
        self.painter = ChartPainter(pane)
        self.exports = Exports(pane, deskpilot.widgets, deskpilot.live, do, self.painter)
        self.knowing = TableNotes(pane, deskpilot.widgets, deskpilot.workflows, do)
        self.adder = Adder(
            pane, deskpilot.widgets, deskpilot.dashboard, deskpilot.live, deskpilot.databases, do
        )
        self._following = ReadProgress(pane, deskpilot.widgets)
        self._opening = FileController(pane, deskpilot.widgets, deskpilot.dashboard, do, self.tabs)
        self._opening.failed.connect(self.unread)
        self.copies = Copies(
            pane, deskpilot.widgets, deskpilot.tasks, deskpilot.databases, do, self.adder
        )
        self.removing = RemovalController(
            pane, deskpilot.widgets, deskpilot.dashboard, do, tabs=self.tabs, answer=self.answer
        )
        self.charted = ChartTiles(pane, deskpilot.widgets, deskpilot.live, do)
        self.charted.turned.connect(lambda uid: self._fill(self._widgets.get(uid)))
        self._watching = FileWatch(pane, deskpilot.widgets, do)
        self._widgets.subscribe(self.show)
        pane.arranged.connect(self._arrange)
        pane.files.connect(lambda paths, cell: do(f"drop {paths}", self.add(paths, cell)))
        pane.context_wanted.connect(self.set_context)
        pane.retried.connect(lambda uid: do(f"read {uid}", self._read_again(uid)))
        pane.allowed.connect(lambda uid, server: do(f"allow {server}", self._allow(uid, server)))
        pane.larger_wanted.connect(self._open_larger)
        pane.chart_wanted.connect(self._offer_columns)
        self.tables.linked.connect(self.live.linked)
        self.live.changed.connect(self.show)
        self.tabs.switched.connect(self.show)

    def set_context(self, uid: str, attached: bool) -> None:
        """Attach a widget to questions, or detach it."""
        self._do(f"context {uid}", self._widgets.attach(uid, attached=attached))

    def set_width(self, width: int) -> None:
        """Store the width that the user chose for the pane."""
        self._dashboard.width = width
        self._do("save dashboard", self._dashboard.save())

    def show(self) -> None:
        """Show the current widgets."""
        widgets = {w.uuid: w for w in self._widgets.all()}
        for uid in [u for u in self.pane.cards if u not in widgets and u != ANSWER]:
            self.pane.take(uid)
            self._shown.pop(uid)
            self._series.pop(uid, None)
            self.live.forget(uid)
        here = [t.id for t in self._dashboard.tiles if t.id in widgets]
        self._live.show(here)
        for uid in here:
            widget = widgets[uid]
            if uid not in self.pane.cards:
                self._make(widget)
            elif self._is_old(widget):
                self._fill(widget)
            self.live.equip(widget)
            self.pane.cards[uid].set_attached(widgets[widget.table].attached)
        self.tabs.show()
        self.pane.show_tiles(self._dashboard.tiles)
        self._do("save dashboard", self._dashboard.save())
        self._watching.follow(list(widgets.values()))

    def reveal(self, uid: str, cell: CellRef, *, wanted: bool = True) -> bool:
        """Scroll to a cited cell and highlight it; return whether the cell exists.

        wanted: see `TableBody.reveal`.
        """
        widget = next((w for w in self._widgets.all() if w.uuid == uid), None)
        self.tabs.open_with(uid)
        if widget is not None and (uid not in self._shown or self._is_old(widget)):
            self.show()  # the file was reread while the question was being answered
        self._revealed = (uid, cell)
        # the highlight stays until another citation is shown
        for body in self.pane.findChildren(TableBody):
            body.table().fade()
        if widget is not None and self.pane.table(uid) is None and self.charted.is_on(widget):
            self.charted.turn(
                uid, lambda: self.reveal(uid, cell, wanted=wanted)
            )  # the cell is visible only in the table
            return True
        for body in self._larger(uid):
            body.reveal(cell.row, cell.column, wanted=wanted)
        if cell.where:
            self._do(f"light {uid}", self._light(uid, cell))
        return self.pane.reveal(uid, cell.row, cell.column, wanted=wanted)

    def _larger(self, uid: str) -> list[TableBody]:
        shown = [larger.body for larger in self.pane.findChildren(Larger) if larger.uid == uid]
        return [body for body in shown if isinstance(body, TableBody)]

    async def _light(self, uid: str, cell: CellRef) -> None:
        """Highlight all cells that a number was computed from."""
        source = self._widgets.sources.source(uid)
        rows = await asyncio.to_thread(rows_cited, source.table, cell)
        here = self.pane.table(uid)
        if rows is not None and self._revealed == (uid, cell):
            for body in [*([here] if here is not None else []), *self._larger(uid)]:
                body.table().light_all(rows, cell.column)

    def show_quotes(self, citation: Citation) -> None:
        """Highlight the quotes of a citation on their pages."""
        self.tabs.open_with(citation.widget)
        self.live.show_quotes(citation.widget, citation.quotes)

    def show_source(self, citation: Citation, boxes: list[QuoteBox]) -> None:
        """Show the widget of a citation, at the cited page and text. boxes: the positions of the
        text.
        """
        self.tabs.open_with(citation.widget)
        page, quote = citation.page(), citation.quote()
        if page or quote:
            self.live.show_passage(citation.widget, page or 1, quote, boxes)
        else:
            self.pane.show_card(citation.widget)

    async def show_passage(self, path: str, page: int, quote: str, boxes: list[QuoteBox]) -> None:
        """Open a document at a page with a quote highlighted.

        This does not change whether the document is sent with questions.

        Raises: DeskpilotError if it cannot be read.
        """
        uid = await asyncio.to_thread(self._widgets.uuid_of_file, Path(path))
        if uid not in self._widgets:
            self._dashboard.send_to(uid, self._dashboard.current)
            await self._widgets.add_file(Path(path), attach=False)
        self.tabs.open_with(uid)
        self.live.show_passage(uid, page, quote, boxes)

    def show_chart(self, artifact: Artifact) -> None:
        """Draw the chart of an answer."""
        self.answer.show(artifact)

    def end(self) -> None:
        """Release the web views before the application exits."""
        self.answer.end()
        self.painter.end()

    def _is_old(self, widget: Widget) -> bool:
        shown = self._shown[widget.uuid]
        if widget.table in self._widgets.opening:
            return shown != READING
        if (error := self._widgets.errors.get(widget.table)) is not None:
            return shown != told(error)
        if self._widgets.is_open(widget.uuid) and widget.type in ("table", *VIEWS):
            return shown == "" or self._widgets.sources.is_stale(widget.table, shown)
        return shown != self.live.version(widget)

    def _make(self, widget: Widget) -> None:
        card = Card(widget.name, "", QLabel())
        if widget.type != "table":
            card.bar.leave_out(card.bar.chart)
        if widget.type == "figures" or not view_of(widget.type).enlarges:
            card.bar.leave_out(card.bar.larger)
        self._shown[widget.uuid] = ""
        self.pane.add(widget.uuid, card)
        self._fill(widget)

    def _fill(self, widget: Widget) -> None:
        """Show the current table or chart of a widget, or why it cannot be shown."""
        uid = widget.uuid
        error = self._widgets.errors.get(widget.table)
        if widget.table in self._widgets.opening:
            self._shown[uid] = READING
            self.pane.show_body(uid, ReadingNotice(Path(widget.path).name), "")
        elif error is not None:
            self._shown[uid] = told(error)
            self._show_problem(widget, error)
        elif not self._widgets.is_open(uid) or widget.type not in ("table", *VIEWS):
            self._shown[uid] = self.live.version(widget)
            self.live.fill(widget)
        elif widget.type == "table":
            self._fill_table(widget)
        else:
            self._shown[uid] = self._widgets.profile(uid).hash
            self._do(f"draw {uid}", self._draw(widget))

    def _fill_table(self, widget: Widget) -> None:
        drawing = self.charted.body(widget)
        if drawing is not None:
            source = self._widgets.sources.source(widget.uuid)
            self._shown[widget.uuid] = source.table.hash
            self.pane.show_body(widget.uuid, drawing, self.live.caption(widget))
            return
        shown = self.pane.table(widget.uuid)
        renewed = self.tables.renew(widget, shown) if shown is not None else None
        if renewed is not None:
            self._shown[widget.uuid] = renewed[1]
            self.pane.cards[widget.uuid].bar.caption.setText(
                self.tables.caption(widget.uuid, renewed[0])
            )
        else:
            self.pane.show_body(widget.uuid, *self._table(widget))

    def _table(self, widget: Widget) -> tuple[TableBody, str]:
        table, rows, self._shown[widget.uuid] = self.tables.make(widget)
        if not self._widgets.drawable(widget.uuid) and self.charted.of(widget) is None:
            bar = self.pane.cards[widget.uuid].bar
            bar.leave_out(bar.chart)
        return table, self.tables.caption(widget.uuid, rows)

    async def _draw(self, widget: Widget) -> None:
        try:
            series = await self._widgets.series(widget.uuid)
        except DeskpilotError as error:
            self._show_problem(widget, error)
            return
        if widget.uuid not in self.pane.cards:
            return
        self._series[widget.uuid] = series
        labels = series[0].labels
        if widget.type == "chart":
            body: LineChart | Figures = LineChart(series[0])
            caption = widget.columns[0] if widget.columns[0] != widget.name else ""
        else:
            body = Figures(series, list(widget.titles or widget.columns), widget.unit)
            caption = labels[-1] if labels else ""
        body.picked.connect(lambda row, column: self.pane.reveal(widget.table, row, column))
        self.pane.show_body(widget.uuid, body, caption)

    def _show_problem(self, widget: Widget, error: DeskpilotError) -> None:
        if widget.uuid in self.pane.cards:
            self.pane.show_body(widget.uuid, self.live.problem(widget, error), "")

    def _arrange(self, tiles: Any) -> None:
        self._dashboard.arrange(tiles)
        self._do("save dashboard", self._dashboard.save())

    def _open_larger(self, uid: str) -> None:
        widget = self._widgets.get(uid)
        made = self.live.another(widget)
        if made is not None:
            body: QWidget = made
        elif widget.type == "chart" and uid in self._series:
            body = LineChart(self._series[uid][0])
        elif self.pane.table(uid) is not None:
            body, _ = self._table(widget)
        else:
            return
        if isinstance(body, ThemedBody):
            body.set_tokens(self.pane.tokens)
        Larger(uid, widget.name, body, self.pane).show()

    def _offer_columns(self, uid: str) -> None:
        menu = QMenu(self.pane)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        drawn = self.charted.of(self._widgets.get(uid))
        if drawn is not None:
            words = tr("Show as table") if drawn.enabled else tr("Show as chart")
            menu.addAction(words).triggered.connect(lambda: self.charted.turn(uid))
        for column in self._widgets.drawable(uid):
            menu.addAction(column).triggered.connect(
                lambda _=False, c=column: self._do("chart", self._chart(uid, c))
            )
        button = self.pane.cards[uid].bar.chart
        menu.popup(button.mapToGlobal(button.rect().bottomLeft()))

    async def _chart(self, uid: str, column: str) -> None:
        view = await self._widgets.add_view(
            Widget("", column, "", type="chart", of=uid, columns=(column,))
        )
        self.pane.show_card(view.uuid)

    async def add(
        self, paths: list[str], cell: tuple[int, int] | None = None, *, here: bool = False
    ) -> None:
        """Open files as widgets, at a given cell or where there is space; see `FileController.add`.

        Raises: DeskpilotError if some files cannot be read; the other files are opened.
        """
        await self._opening.add(paths, cell, here=here)

    async def _allow(self, uid: str, server: str) -> None:
        """Allow the backend of a widget to use a server, and fetch the widget's data again."""
        widget = self._widgets.get(self._widgets.get(uid).table)
        await self._live.backends.allow(widget.backend, server)
        self._live.fetch(widget.uuid)

    async def _read_again(self, uid: str) -> None:
        widget = self._widgets.get(self._widgets.get(uid).table)
        if widget.backend:
            self._live.fetch(widget.uuid)
            return
        self._shown[uid] = ""
        await self._widgets.add_file(Path(widget.path), attach=False)
