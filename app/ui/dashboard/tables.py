"""The controller of table widgets: rows, formats and order."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import shiboken6
from PySide6.QtCore import QObject, Qt, Signal

from app.data.readers.parts import TableRef
from app.data.views import RowOrder, RowView
from app.domain.errors import DeskpilotError
from app.openbb.columns import filled_in, read_looks
from app.openbb.table_view import looks_as_left, ordered_as_left, sorted_as_left
from app.ui.dashboard.table.cells import Dress, Spark
from app.ui.dashboard.table.model import NUMBERS, TableModel, formats_of
from app.ui.dashboard.table.view import HeaderOrder, PinnedColumns, TableBody
from app.ui.theme.i18n import tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.data.tables import OpenTable
    from app.domain.dashboard import Widget
    from app.openbb.columns import Click, ColumnLook
    from app.services.dashboard.live import Live
    from app.services.dashboard.streams import CellChange
    from app.services.dashboard.tiles import Dashboard
    from app.services.dashboard.widgets import Widgets
    from app.services.tasks import Do
    from app.ui.dashboard.pane import DashboardPane
    from backends.data.values import Profile


# width in pixels of a sparkline; maximum number of characters that a cell can put into a question
SPARK_PX, COMPOSED = 120, 4000
SAMPLE = 200  # number of rows examined to recognise number formats


class Tables(QObject):
    """Creates tables and remembers their order for the next time. Signals: linked(address).

    when: a function that returns, in words, when a widget's data was loaded.
    """

    linked = Signal(str)

    def __init__(
        self,
        pane: DashboardPane,
        widgets: Widgets,
        dashboard: Dashboard,
        live: Live,
        do: Do,
        when: Callable[[Widget], str],
    ) -> None:
        super().__init__(pane)
        self._pane, self._do, self._when = pane, do, when
        self._widgets = widgets
        self._live = live
        self._dashboard = dashboard
        self._orders: dict[str, RowOrder] = {}
        self._live.streams.subscribe(self._change)

    def make(self, widget: Widget) -> tuple[TableBody, str, str]:
        """Return the table of a widget, its number of rows in words, and its version."""
        source = self._widgets.sources.source(widget.uuid)
        columns = [(c.name, c.kind == "number") for c in source.table.columns]
        model = TableModel(columns, source.profile.rows, source.table.rows)
        model.formats = formats_of(source.profile, source.table.rows(0, SAMPLE))
        body = TableBody(model, widget.name)
        model.setParent(body)
        ordering = HeaderOrder(body, source.table, self._do)
        ordering.ordered.connect(
            lambda order: self._ordered(widget.uuid, order, body, source.profile.rows)
        )
        body.left_out.connect(lambda row, column: unfiltered(ordering, body, row, column))
        if widget.backend:
            ordering.served = lambda order: self._serve(widget.uuid, order)
        before = self._orders.get(widget.uuid, order_of(widget))
        names = set(model.names())
        if not before.is_plain and {*before.filters, before.column or next(iter(names))} <= names:
            ordering.apply(before)
        header = body.horizontalHeader()
        for place, name in enumerate(n for n in ordered_as_left(widget.state) if n in names):
            header.moveSection(header.visualIndex(model.names().index(name)), place)
        looks = self._looks(widget)
        if looks:
            self._do(f"dress {widget.uuid} {id(body)}", self._dress(widget, body, looks))
        if not any(look.pinned for look in looks.values()):
            freeze(body, labels_of(source.profile))
        return body, self._count(widget, source.profile.rows), source.table.hash

    def _count(self, widget: Widget, rows: int) -> str:
        total = self._live.state(widget.uuid).total if widget.backend else 0
        return rows_in_words(rows, max(total, rows))

    def _serve(self, uid: str, order: RowOrder) -> bool:
        """Let the server sort and filter a table if only some of its rows have been loaded; return
        whether it does.
        """
        state = self._live.state(uid)
        if not state.total and state.order.is_plain:
            return False
        if state.order != order:
            state.order = order
            self._live.fetch(uid)
        return True

    def renew(self, widget: Widget, body: TableBody) -> tuple[str, str] | None:
        """Show refreshed rows in an existing table, keeping its scroll position and its order.

        Return its size in words and its version; None if the columns have changed, in which case
        the table must be created again.
        """
        source = self._widgets.sources.source(widget.uuid)
        if body.table().columns() != [(c.name, c.kind == "number") for c in source.table.columns]:
            return None
        self._do(f"renew {widget.uuid} {id(body)}", self._renew(widget, body, source))
        return self._count(widget, source.profile.rows), source.table.hash

    async def _renew(self, widget: Widget, body: TableBody, source: OpenTable) -> None:
        ordering, looks = body.findChild(HeaderOrder), self._looks(widget)
        assert isinstance(ordering, HeaderOrder)
        order, raw, arranged = ordering.order, dict[str, list[Any]](), None
        wanted = [name for name, look in looks.items() if look.needs_raw]
        try:
            if not ordering.served(order) and not order.is_plain:
                arranged = await asyncio.to_thread(RowView, source.table, order)
            raw = await asyncio.to_thread(raw_of, Path(widget.path), wanted) if wanted else {}
        except DeskpilotError:
            order = RowOrder()
            ordering.forget()
            raise
        finally:
            if shiboken6.isValid(body):
                ordering.table = source.table
                body.table().formats = formats_of(source.profile, source.table.rows(0, SAMPLE))
                if looks:
                    body.table().dress = Dress(body.table().names(), looks, raw)
                body.table().order = order
                body.table().renew(source.profile.rows, source.table.rows, arranged)
                self._change(widget.uuid, self._live.streams.since(widget.uuid))
                self._ordered(widget.uuid, order, body, source.profile.rows)

    def _change(self, uid: str, changes: list[CellChange]) -> None:
        body = self._pane.table(uid)
        if body is None:
            return
        body.table().change(changes)
        if not changes:  # live updates have started or stopped
            rows = self._widgets.profile(uid).rows
            self._ordered(uid, body.table().order, body, rows)

    def _looks(self, widget: Widget) -> dict[str, ColumnLook]:
        if not widget.backend:
            return {}
        try:
            looks = read_looks(self._live.spec(widget.uuid).table)
        except DeskpilotError:  # without its backend, the cells are shown unchanged
            looks = {}
        return looks_as_left(looks, widget.state)

    async def _dress(self, widget: Widget, body: TableBody, looks: dict[str, ColumnLook]) -> None:
        wanted = [name for name, look in looks.items() if look.needs_raw]
        raw = await asyncio.to_thread(raw_of, Path(widget.path), wanted) if wanted else {}
        dress = Dress(body.table().names(), looks, raw)
        body.table().set_dress(dress)
        dress_columns(body, dress)
        body.pressable = {place for place, look in dress.looks.items() if look.click is not None}
        body.pressed_cell.connect(
            lambda row, column: self._press(widget.uuid, body, dress, (row, column))
        )

    def _press(self, uid: str, body: TableBody, dress: Dress, cell: tuple[int, int]) -> None:
        """Run the action of a cell that was clicked."""
        model, click = body.table(), dress.looks[cell[1]].click
        row = dict(zip(model.names(), model.row(cell[0]), strict=True))
        value = row.get(click.field or model.names()[cell[1]]) if click is not None else None
        if click is None:
            return
        if click.does == "sendToAgent":
            self._pane.composed.emit(filled_in(click.words, row)[:COMPOSED])
        elif click.does == "openUrl":
            if str(value).startswith(("https://", "http://")):
                self.linked.emit(str(value))
        elif value is not None:
            self._do(f"press {uid}", self._set(uid, click, value))

    async def _set(self, uid: str, click: Click, value: Any) -> None:
        tab = self._dashboard.tab_of(uid)
        beside = [tile.id for tile in tab.tiles] if tab is not None else []
        if not await self._live.sharing.click(uid, click, value, beside):
            raise DeskpilotError(
                tr("No widget of this dashboard has a parameter {param}.", param=click.param),
                tr("Add a widget from this backend that has it."),
            )

    def _ordered(self, uid: str, order: RowOrder, body: TableBody, rows: int) -> None:
        self._orders[uid] = order
        widen_marked(body)
        if uid in self._widgets and order_of(self._widgets.get(uid)) != order:
            self._do(f"keep order {uid}", self._keep(uid, order))
        card = self._pane.cards.get(uid)
        if card is not None and card.body is body:
            total = self._live.state(uid).total if self._widgets.get(uid).backend else 0
            card.bar.caption.setText(
                self.caption(uid, rows_in_words(body.table().rowCount(), max(total, rows)))
            )

    async def _keep(self, uid: str, order: RowOrder) -> None:
        """Save the order of a table for the next session."""
        if uid in self._widgets:
            await self._widgets.change(replace(self._widgets.get(uid), order=order.as_dict()))

    def caption(self, uid: str, rows: str) -> str:
        """Return the text beside a table's name: its file, its rows, and when they were loaded."""
        widget = self._widgets.get(uid)
        ref = TableRef.of(Path(widget.path))
        sheet = self._widgets.sources.source(uid).sheet
        where = ref.file.name if ref.part else ""
        if sheet is not None and sheet.of > 1 and not ref.part:
            where = tr("{sheet}, one of %n sheets", "", sheet.of, sheet=sheet.name)
        return " · ".join(told for told in (where, rows, self._when(widget)) if told)


def order_of(widget: Widget) -> RowOrder:
    """Return how the user sorted and filtered a table; if the user never did, return the sorting
    and filtering of its published dashboard.
    """
    if widget.order:
        return RowOrder(**widget.order)
    left = sorted_as_left(widget.state)
    return RowOrder(*left) if left is not None else RowOrder()


def widen_marked(body: TableBody) -> None:
    """Widen the columns that are sorted or filtered, so that their marks are visible."""
    header, model = body.horizontalHeader(), body.table()
    for place, name in enumerate(model.names()):
        if name == model.order.column or name in model.order.filters:
            wanted = header.sectionSizeHint(place)
            if not body.isColumnHidden(place) and header.sectionSize(place) < wanted:
                header.resizeSection(place, wanted)


def unfiltered(ordering: HeaderOrder, body: TableBody, row: int, column: str) -> None:
    """Remove all filters to show a cell that they hide; the order of the rows stays the same."""
    once = Qt.ConnectionType.SingleShotConnection
    ordering.ordered.connect(lambda _: body.reveal(row, column), once)
    ordering.apply(replace(ordering.order, filters={}))


def raw_of(path: Path, names: list[str]) -> dict[str, list[Any]]:
    """Return the backend's original values of some columns, row by row."""
    try:
        rows: Any = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    rows = rows if isinstance(rows, list) else []
    return {
        name: [row.get(name) if isinstance(row, dict) else None for row in rows] for name in names
    }


def rows_in_words(shown: int, rows: int) -> str:
    """Return the number of rows in words.

    shown: the number of rows that are visible.
    """
    count = tr("%n rows", "", rows)
    return count if shown == rows else tr("{shown:,} of {count}", shown=shown, count=count)


def dress_columns(body: TableBody, dress: Dress) -> None:
    """Hide, resize and style columns according to their formats."""
    for place, look in dress.looks.items():
        body.setColumnHidden(place, look.hidden)
        if look.spark:
            spark = Spark(NUMBERS, look.spark, lambda: body.table().tokens, body)
            body.setItemDelegateForColumn(place, spark)
            body.setColumnWidth(place, SPARK_PX)
        elif look.width is not None:
            body.setColumnWidth(place, look.width)
        elif not look.hidden:
            body.resizeColumnToContents(place)
    pinned = [place for place, look in dress.looks.items() if look.pinned and not look.hidden]
    if pinned:
        freeze(body, sorted(pinned))


def freeze(body: TableBody, columns: list[int]) -> None:
    """Pin only the given columns, to the left."""
    for old in body.findChildren(PinnedColumns):
        old.hide()
        old.deleteLater()
    if columns and body.table().columnCount() > len(columns):
        PinnedColumns(body, columns)


def labels_of(profile: Profile) -> list[int]:
    """Return the columns that identify a row: the first, and sometimes the second."""
    first, *others = profile.columns[:2]
    if others and (
        (first.role == "year" and others[0].role in ("quarter", "month"))
        or (first.role == "identifier" and others[0].kind == "text")
    ):
        return [0, 1]
    return [0]
