"""The table in a card: rows, pinned columns, and sorting and filtering from the header."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QPainter, QPen, QRegion
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QLineEdit,
    QMenu,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.data.views import RowOrder, RowView
from app.domain.errors import DeskpilotError
from app.ui.controls.keys import is_typed
from app.ui.dashboard.table.model import TableModel, widest
from app.ui.theme.i18n import tr
from app.ui.theme.style import Theme, scaled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent

    from app.services.tasks import Do
    from app.ui.theme.tokens import Tokens
    from backends.data.table import Table

ROW_PX = 30
# number of cells and of columns measured to fit widths; the other columns of a very wide table keep
# the default width
MEASURED_CELLS, MEASURED_COLUMNS = 4000, 60


class TableBody(QTableView):
    """The table of a widget.

    Signals: pressed_cell(row, column) in a column that is `pressable`; left_out(row, column) when a
    cell that a filter hides has to be shown.
    """

    pressed_cell = Signal(int, int)
    left_out = Signal(int, str)

    def __init__(self, model: TableModel, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kept: set[int] = set()  # pinned columns
        self.covered = 0  # width in pixels that the pinned columns cover on the left
        self._pressable: set[int] = set()
        self.clicked.connect(self._press)
        self.setModel(model)
        self.setAccessibleName(tr("Table {name}", name=name))
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        rows = self.verticalHeader()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self._scale = Theme.now.scale
        rows.setDefaultSectionSize(scaled(ROW_PX))
        rows.setVisible(False)
        columns = self.horizontalHeader()
        columns.setHighlightSections(False)
        columns.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        rows_measured = max(min(MEASURED_CELLS // max(model.columnCount(), 1), 200), 10)
        columns.setResizeContentsPrecision(rows_measured)
        columns.setMinimumSectionSize(64)
        for column in range(min(model.columnCount(), MEASURED_COLUMNS)):
            self.resizeColumnToContents(column)
        self.setCornerButtonEnabled(False)

    def sizeHintForColumn(self, column: int) -> int:
        """Return the width of a column's visible cells."""
        return widest(self, self.table(), column)

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        self.table().tokens = tokens
        self._fit_text()
        self.viewport().update()

    def _fit_text(self) -> None:
        """Scale rows and columns with the text size."""
        grown, self._scale = Theme.now.scale / self._scale, Theme.now.scale
        if grown != 1:
            self.verticalHeader().setDefaultSectionSize(scaled(ROW_PX))
            for column in range(self.table().columnCount()):
                if not self.isColumnHidden(column):
                    self.setColumnWidth(column, round(self.columnWidth(column) * grown))

    @property
    def pressable(self) -> set[int]:
        """Return the columns whose cells respond to a click or Enter."""
        return self._pressable

    @pressable.setter
    def pressable(self, columns: set[int]) -> None:
        self._pressable = columns
        self.setMouseTracking(bool(columns))

    def _press(self, index: QModelIndex) -> None:
        if index.column() in self._pressable:
            self.pressed_cell.emit(index.row(), index.column())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Activate the current cell with Enter; typed text goes to the composer."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._press(self.currentIndex())
        elif is_typed(event):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show a hand pointer over cells that can be clicked."""
        super().mouseMoveEvent(event)
        over = self.indexAt(event.position().toPoint()).column() in self._pressable
        shape = Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor
        if self.viewport().cursor().shape() != shape:
            self.viewport().setCursor(shape)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the highlight of a cited cell, the cells, and a thin line below each row.

        The lines are painted in one pass. A delegate written in Python would be called for every
        cell and take twice as long.
        """
        model, tokens = self.table(), self.table().tokens
        lit = self.visualRect(model.index(*model.lit)) if model.lit is not None else None
        if lit is not None:
            painter = QPainter(self.viewport())
            for cell in (lit, *self._lit_beside(event.rect())):
                painter.fillRect(cell, QColor(tokens.flash))
            painter.end()
        super().paintEvent(event)
        painter, dirty, columns = QPainter(self.viewport()), event.rect(), self.horizontalHeader()
        hairline = QColor(tokens.hairline)
        wide = min(dirty.right(), columns.length() - columns.offset() - 1) - dirty.left() + 1
        row = max(self.rowAt(dirty.top()), 0)
        while (
            row < model.rowCount()
            and (y := self.rowViewportPosition(row) + self.rowHeight(row) - 1) <= dirty.bottom()
        ):
            painter.fillRect(dirty.left(), y, wide, 1, hairline)
            row += 1
        if lit is not None and not lit.isEmpty():  # empty if its column is hidden in this table
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.drawRect(lit.adjusted(1, 1, -1, -1))

    def _lit_beside(self, dirty: QRect) -> list[QRect]:
        """Return the rectangles of the other highlighted cells that are being painted."""
        model, column, found = self.table(), self.table().lit_column, list[QRect]()
        row = max(self.rowAt(dirty.top()), 0)
        while (
            column is not None
            and row < model.rowCount()
            and self.rowViewportPosition(row) <= dirty.bottom()
        ):
            if model.is_lit(row, column):
                found.append(self.visualRect(model.index(row, column)))
            row += 1
        return found

    def table(self) -> TableModel:
        """Return the model as a `TableModel`."""
        model = self.model()
        assert isinstance(model, TableModel)
        return model

    def scrollTo(
        self,
        index: QModelIndex | QPersistentModelIndex,
        hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        """Scroll to a cell, keeping it clear of the pinned columns."""
        bar = self.horizontalScrollBar()
        before = bar.value()
        super().scrollTo(index, hint)
        left = self.visualRect(index).left()
        if self.covered and index.column() in self.kept:
            bar.setValue(before)
        elif left < self.covered:
            bar.setValue(bar.value() - self.covered + left)

    def reveal(self, row: int, column: str, *, wanted: bool = True) -> bool:
        """Scroll to a cell and highlight it; return whether it exists.

        wanted: whether the user asked for the cell; if so, filters that hide it are removed.
        """
        index = self.table().flash(row, column)
        if not index.isValid():
            there = column in self.table().names() and self.table().leaves_out(row)
            if there and wanted:
                self.left_out.emit(row, column)
            return there
        self.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)
        return True


# fraction of the table's width; if pinned columns need more, they scroll like the others
MOST = 0.6


class PinnedColumns(TableBody):
    """Shows the pinned columns on top of a table; they scroll vertically with the table."""

    def __init__(self, body: TableBody, columns: Iterable[int]) -> None:
        super().__init__(body.table(), "", body)
        self._body, self._columns = body, tuple(columns)
        self.setObjectName("pinned")
        self.setAccessibleName(tr("{table}, pinned columns", table=body.accessibleName()))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSelectionModel(body.selectionModel())
        self.setVerticalScrollMode(body.verticalScrollMode())
        for bar in (self.setHorizontalScrollBarPolicy, self.setVerticalScrollBarPolicy):
            bar(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        theirs, ours = body.horizontalHeader(), self.horizontalHeader()
        for place, column in enumerate(self._columns):
            for header in (theirs, ours):
                header.moveSection(header.visualIndex(column), place)
        for column in range(body.table().columnCount()):
            self.setColumnHidden(column, column not in self._columns or body.isColumnHidden(column))
            self.setColumnWidth(column, body.columnWidth(column))
            if column in self._columns:
                self.setItemDelegateForColumn(column, body.itemDelegateForColumn(column))
        ours.setSectionsClickable(True)
        ours.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        ours.sectionClicked.connect(theirs.sectionClicked)
        ours.customContextMenuRequested.connect(self._offer)
        ours.sectionResized.connect(lambda column, _, wide: body.setColumnWidth(column, wide))
        theirs.sectionResized.connect(self._resized)
        body.horizontalScrollBar().valueChanged.connect(lambda: self.viewport().update())
        body.verticalScrollBar().valueChanged.connect(self.verticalScrollBar().setValue)
        self.verticalScrollBar().valueChanged.connect(body.verticalScrollBar().setValue)
        self.pressed_cell.connect(body.pressed_cell)
        self.pressable = body.pressable & set(self._columns)
        body.installEventFilter(self)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the pinned columns as tall as the table."""
        if watched is self._body and event.type() in (
            QEvent.Type.Resize,
            QEvent.Type.LayoutRequest,
        ):
            self._fit()
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the cells, and the edge where the other columns disappear."""
        super().paintEvent(event)
        if self._body.horizontalScrollBar().value():
            painter, right = QPainter(self.viewport()), self.viewport().width() - 1
            painter.setPen(QPen(QColor(self.table().tokens.faint), 1))
            painter.drawLine(right, event.rect().top(), right, event.rect().bottom())

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme, as the table does."""
        self.verticalHeader().setDefaultSectionSize(scaled(ROW_PX))
        self.viewport().update()

    def _resized(self, column: int, _: int, wide: int) -> None:
        if self.columnWidth(column) != wide:
            self.setColumnWidth(column, wide)
        self._fit()

    def _fit(self) -> None:
        view = self._body.viewport()
        wide = sum(
            self.columnWidth(column) for column in self._columns if not self.isColumnHidden(column)
        )
        self.setGeometry(view.x(), 0, wide, view.y() + view.height())
        self.horizontalHeader().setFixedHeight(self._body.horizontalHeader().height())
        self.setVisible(0 < wide <= view.width() * MOST)
        self._body.kept = set(self._columns)
        self._body.covered = 0 if self.isHidden() else wide
        if self._body.covered:  # otherwise the table below would be visible at the rounded corners
            below = QRect(wide, 0, view.width() - wide, view.height())
            view.setMask(QRegion(below))
        else:
            view.clearMask()
        self.verticalScrollBar().setValue(self._body.verticalScrollBar().value())

    def _offer(self, at: QPoint) -> None:
        theirs = self._body.horizontalHeader()
        column = self.horizontalHeader().logicalIndexAt(at)
        theirs.customContextMenuRequested.emit(
            QPoint(theirs.sectionViewportPosition(column) + 1, at.y())
        )


WIDE = 220


class HeaderOrder(QObject):
    """Connects a table's header with its source, `table`. Signals: ordered(order) when the rows
    have been sorted.
    """

    ordered = Signal(object)

    def __init__(self, body: TableBody, table: Table, do: Do) -> None:
        super().__init__(body)
        self._body, self.table, self._do = body, table, do
        self._name = f"order {id(self)}"
        self._wanted = RowOrder()
        self.served: Callable[[RowOrder], bool] = lambda _: (
            False
        )  # returns whether the table's server sorts and filters the rows
        header = body.horizontalHeader()
        header.setSectionsClickable(True)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.sectionClicked.connect(self.turn)
        header.customContextMenuRequested.connect(lambda at: self.offer(header.logicalIndexAt(at)))
        body.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        body.customContextMenuRequested.connect(
            lambda at: self.offer(
                body.indexAt(at).column()
                if body.indexAt(at).isValid()
                else body.currentIndex().column()
            )
        )

    @property
    def order(self) -> RowOrder:
        """Return the current order of the rows, or the order into which they are being sorted."""
        return self._wanted

    def turn(self, column: int) -> None:
        """Sort by a column: first ascending, then descending, then not at all."""
        name, order = self._body.table().names()[column], self.order
        if order.column != name:
            self.apply(replace(order, column=name, descending=False))
        elif not order.descending:
            self.apply(replace(order, descending=True))
        else:
            self.apply(replace(order, column="", descending=False))

    def filter(self, column: int, text: str) -> None:
        """Show only the rows whose cell in a column matches; an empty text shows all rows."""
        name = self._body.table().names()[column]
        filters = {k: v for k, v in self.order.filters.items() if k != name}
        self.apply(
            replace(self.order, filters=filters | ({name: text.strip()} if text.strip() else {}))
        )

    def apply(self, order: RowOrder) -> None:
        """Apply an order."""
        self._wanted = order
        self._do(self._name, self._arrange(order))

    def forget(self) -> None:
        """Restore the original order."""
        self._wanted = RowOrder()

    def offer(self, column: int) -> None:
        """Open the menu of a column."""
        if not 0 <= column < self._body.table().columnCount():
            return
        name = self._body.table().names()[column]
        menu = QMenu(self._body)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        actions: list[tuple[str, Callable[[], None]]] = [
            (
                tr("Sort ascending"),
                lambda: self.apply(replace(self.order, column=name, descending=False)),
            ),
            (
                tr("Sort descending"),
                lambda: self.apply(replace(self.order, column=name, descending=True)),
            ),
            (tr("Filter …"), lambda: self.ask(column)),
        ]
        if not self.order.is_plain:
            actions.append((tr("Original order, all rows"), lambda: self.apply(RowOrder())))
        for text, run in actions:
            menu.addAction(text).triggered.connect(lambda _=False, do=run: do())
        menu.popup(self._below(column))

    def ask(self, column: int) -> None:
        """Ask the user for the filter of a column."""
        name = self._body.table().names()[column]
        kind = self.table.column(name).kind
        ask = FilterField(name, kind, self.order.filters.get(name, ""), self._body)
        ask.given.connect(lambda text: self.filter(column, text))
        ask.popup(self._below(column))

    def _below(self, column: int) -> QPoint:
        header = self._body.horizontalHeader()
        x = max(header.sectionViewportPosition(column), 0)
        return header.mapToGlobal(QPoint(x, header.height()))

    async def _arrange(self, order: RowOrder) -> None:
        try:
            here = not self.served(order) and not order.is_plain
            arranged = await asyncio.to_thread(RowView, self.table, order) if here else None
        except DeskpilotError:
            self._wanted = self._body.table().order
            raise
        self._body.table().arrange(arranged, order)
        self.ordered.emit(order)


class FilterField(QFrame):
    """A field for a filter. Signals: given(text)."""

    given = Signal(str)

    def __init__(self, name: str, kind: str, text: str, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("popup")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.field = QLineEdit(text, self)
        self.field.setPlaceholderText(
            tr("Text to find, or =text for an exact match")
            if kind == "text"
            else tr("> 5, 1..3 or = 2")
        )
        self.field.setAccessibleName(tr("Filter {name}", name=name))
        self.field.setClearButtonEnabled(True)
        self.field.returnPressed.connect(self._give)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        column.addWidget(self.field)

    def popup(self, at: QPoint) -> None:
        """Open at a point on the screen."""
        self.resize(WIDE, self.sizeHint().height())
        box = self.screen().availableGeometry()
        self.move(min(at.x(), box.right() - WIDE), at.y())
        self.show()
        self.field.setFocus()
        self.field.selectAll()  # typing replaces the previous filter

    def _give(self) -> None:
        self.given.emit(self.field.text())
        self.close()
