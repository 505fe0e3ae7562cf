"""A table of any length, read a page at a time."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
)
from PySide6.QtGui import QFont

from app.data.arranged import Order
from app.ui.dashboard.bodies.dress import numbers_of, plain_tip
from app.ui.dashboard.bodies.overlay import Overlay, shown_value
from app.ui.dashboard.columns.widths import LIT
from app.ui.style.tokens import LIGHT, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from app.data.arranged import Arranged
    from app.services.dashboard.fetching.streams import Change
    from app.ui.dashboard.bodies.dress import Dress
    from backends.kernel import Scalar

PAGE, PAGES = 200, 64
FLASH_MS, FLASH_MANY_MS, CELL = 2600, 6000, 500  # letters shown of a cell; no screen is wider
# Qt asks for each of its roles, for each cell it paints: plain numbers are compared in no time.
TEXT, SPOKEN = int(Qt.ItemDataRole.DisplayRole), int(Qt.ItemDataRole.AccessibleTextRole)
SIDE, FONT = int(Qt.ItemDataRole.TextAlignmentRole), int(Qt.ItemDataRole.FontRole)
INK, GROUND = int(Qt.ItemDataRole.ForegroundRole), int(Qt.ItemDataRole.BackgroundRole)
TIP, NUMBERS = int(Qt.ItemDataRole.ToolTipRole), int(Qt.ItemDataRole.UserRole)
DRESSED = (INK, GROUND, TIP, NUMBERS)
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()


class TableModel(QAbstractTableModel):
    """Rows of a source.

    read: (offset, limit) → rows, in at most a few milliseconds. columns: (name, is a number).
    """

    def __init__(
        self,
        columns: list[tuple[str, bool]],
        count: int,
        read: Callable[[int, int], list[tuple[Scalar, ...]]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._columns = columns
        self._count = count
        self._read = read
        self._pages: OrderedDict[int, list[tuple[Scalar, ...]]] = OrderedDict()
        self._lit: tuple[int, int] | None = None
        self._beside: tuple[np.ndarray, int] | None = None
        self._arranged: Arranged | None = None
        self.over = Overlay(self._glow_ended, self)
        self.order = Order()
        self.dress: Dress | None = None
        self.tokens: Tokens = LIGHT
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._fade)

    def rowCount(self, parent: Index = NOWHERE) -> int:
        """Return the number of rows."""
        if parent.isValid():
            return 0
        return self._count if self._arranged is None else self._arranged.count

    def columnCount(self, parent: Index = NOWHERE) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a cell's text, alignment, or weight."""
        if role in (TEXT, SPOKEN):
            return self.text(index.row(), index.column())
        if role == SIDE:
            told = self.dress.sides.get(index.column()) if self.dress is not None else None
            return told or (RIGHT if self._columns[index.column()][1] else None)
        if role == FONT and self._lit == (index.row(), index.column()):
            font = QFont()
            font.setWeight(LIT)
            return font
        if self.dress is not None and role in DRESSED:
            return self._dressed(self.dress, index.row(), index.column(), role)
        return None

    def text(self, row: int, column: int) -> str:
        """Return what is shown of a cell."""
        value = self._cell(row, column)
        words = self.dress.text(column, value) if self.dress is not None else None
        text = show(value) if words is None else words
        return text if len(text) <= CELL else f"{text[:CELL]}…"

    def row(self, row: int) -> tuple[Scalar, ...]:
        """Return the values of a row."""
        return tuple(self._cell(row, column) for column in range(len(self._columns)))

    def names(self) -> list[str]:
        """Return the columns' own names."""
        return [name for name, _ in self._columns]

    def arrange(self, arranged: Arranged | None, order: Order) -> None:
        """Show the rows in an order; None for that of the source. What is lit stays so."""
        lit = (self.source_row(self._lit[0]), self._lit[1]) if self._lit is not None else None
        self.beginResetModel()
        self._arranged, self.order = arranged, order
        self._pages.clear()
        if lit is not None:
            here = lit[0] if arranged is None else arranged.row_of(lit[0])
            self._lit = (here, lit[1]) if here is not None else None
        self.endResetModel()

    def renew(
        self,
        count: int,
        read: Callable[[int, int], list[tuple[Scalar, ...]]],
        arranged: Arranged | None,
    ) -> None:
        """Show other rows in the same columns, without losing the place: what was fetched anew, in an order."""
        self._fade()
        self.over.clear()
        before, after = self.rowCount(), count if arranged is None else arranged.count
        if after > before:
            self.beginInsertRows(NOWHERE, before, after - 1)
        elif after < before:
            self.beginRemoveRows(NOWHERE, after, before - 1)
        self._count, self._read, self._arranged = count, read, arranged
        self._pages.clear()
        if after > before:
            self.endInsertRows()
        elif after < before:
            self.endRemoveRows()
        if after:
            self.dataChanged.emit(self.index(0, 0), self.index(after - 1, self.columnCount() - 1))

    def columns(self) -> list[tuple[str, bool]]:
        """Return the columns: name, and whether it is a number."""
        return self._columns

    def change(self, changes: list[Change]) -> None:
        """Show cells as they are now, lit for a moment where their column is to be."""
        names = {name: place for place, (name, _) in enumerate(self._columns)}
        for change in changes:
            column = names.get(change.column)
            if column is None:
                continue
            flashes = self.dress is not None and self.dress.flashes(column)
            self.over.put(
                (change.row, column), shown_value(change.value), change.up if flashes else None
            )
            self._tell_cell(change.row, column)

    def _tell_cell(self, source_row: int, column: int) -> None:
        row = source_row if self._arranged is None else self._arranged.row_of(source_row)
        if row is not None and row < self.rowCount():
            index = self.index(row, column)
            self.dataChanged.emit(index, index)

    def _glow_ended(self, cells: list[tuple[int, int]]) -> None:
        for row, column in cells:
            self._tell_cell(row, column)

    def set_dress(self, dress: Dress) -> None:
        """Let the cells look as a backend says."""
        self.dress = dress
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self.columnCount() - 1)
        self.layoutChanged.emit()

    def source_row(self, row: int) -> int:
        """Return where a row stands in the source."""
        return row if self._arranged is None else self._arranged.source_row(row)

    def _dressed(self, dress: Dress, row: int, column: int, role: int) -> Any:
        if role == TIP:
            return dress.tip(column, self.source_row(row))
        if role == NUMBERS:
            return numbers_of(dress.raw(column, self.source_row(row)))
        if role == GROUND and self.over.glowing:
            up = self.over.glow((self.source_row(row), column))
            if up is not None:
                return dress.glow(up, self.tokens)
        value = self._cell(row, dress.coloured_by.get(column, column))
        return dress.colour(column, value, self.tokens, fill=role == GROUND)

    @property
    def lit(self) -> tuple[int, int] | None:
        """Row and column of the cell that is lit."""
        return self._lit

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return a column's name, or a row's number."""
        if role == Qt.ItemDataRole.DisplayRole:
            return (
                self._title(section)
                if orientation == Qt.Orientation.Horizontal
                else f"{section + 1:,}"
            )
        look = self.dress.looks.get(section) if self.dress is not None else None
        if role == Qt.ItemDataRole.ToolTipRole and look is not None and look.tip:
            return plain_tip(look.tip)
        if role == Qt.ItemDataRole.TextAlignmentRole and orientation == Qt.Orientation.Horizontal:
            side = (
                Qt.AlignmentFlag.AlignRight
                if self._columns[section][1]
                else Qt.AlignmentFlag.AlignLeft
            )
            if self.dress is not None and section in self.dress.sides:
                return self.dress.sides[section]
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None

    def flash(self, row: int, column: str) -> QModelIndex:
        """Light a cell for a moment and return its index; an invalid one if there is no such cell."""
        names = self.names()
        if column not in names or not 0 <= row < self._count:
            return QModelIndex()
        here = row if self._arranged is None else self._arranged.row_of(row)
        if here is None:  # a filter hides it
            self.arrange(None, Order())
            here = row
        self._fade()
        self._lit = (here, names.index(column))
        index = self.index(*self._lit)
        self.dataChanged.emit(index, index)
        self._timer.start(FLASH_MS)
        return index

    def light_all(self, rows: np.ndarray, column: str) -> None:
        """Light the other cells of a number, too, until another cell is. rows: for each of the source, whether its
        cell is one of them."""
        names = self.names()
        if column in names and len(rows) == self._count:
            self._beside = (rows, names.index(column))
            self._timer.start(FLASH_MANY_MS)
            self._tell_column(names.index(column))

    def is_lit(self, row: int, column: int) -> bool:
        """Tell whether a cell is lit beside the first."""
        beside = self._beside
        return beside is not None and column == beside[1] and bool(beside[0][self.source_row(row)])

    @property
    def lit_column(self) -> int | None:
        """The column in which cells are lit beside the first."""
        return self._beside[1] if self._beside is not None else None

    def _tell_column(self, column: int) -> None:
        if self.rowCount():
            self.dataChanged.emit(self.index(0, column), self.index(self.rowCount() - 1, column))

    def _title(self, section: int) -> str:
        name = self._columns[section][0]
        look = self.dress.looks.get(section) if self.dress is not None else None
        title = (look.title if look is not None else "") or name
        sign = (" ▼" if self.order.descending else " ▲") if self.order.column == name else ""
        return f"{title}{sign}{' ●' if name in self.order.filters else ''}"

    def _fade(self) -> None:
        lit, self._lit = self._lit, None
        beside, self._beside = self._beside, None
        if beside is not None:
            self._tell_column(beside[1])
        if lit is not None:
            index = self.index(*lit)
            self.dataChanged.emit(index, index)

    def _cell(self, row: int, column: int) -> Scalar:
        if self.over.cells:
            cell = (self.source_row(row), column)
            if cell in self.over.cells:
                return self.over.cells[cell]
        number = row // PAGE
        page = self._pages.get(number)
        if page is None:
            read = self._read if self._arranged is None else self._arranged.rows
            page = self._pages[number] = read(number * PAGE, PAGE)
            if len(self._pages) > PAGES:
                self._pages.popitem(last=False)
        return page[row - number * PAGE][column] if row - number * PAGE < len(page) else None


def show(value: Scalar) -> str:
    """Return a cell as text, as the file has it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.removesuffix(" 00:00:00") if isinstance(value, str) else str(value)
