"""A table model of any length, read one page at a time, and the widths of its columns."""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from heapq import nlargest
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
)
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QStyleOptionViewItem

from app.data.views import RowOrder
from app.ui.dashboard.table.cells import numbers_of, plain_tip
from app.ui.markdown.tables import UNGROUPED, decimals, shown
from app.ui.theme.tokens import LIGHT, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from PySide6.QtWidgets import QTableView

    from app.data.views import RowView
    from app.services.dashboard.streams import CellChange
    from app.ui.dashboard.table.cells import Dress
    from backends.data.values import Profile, Scalar

    Cell = tuple[int, int]


LIT = QFont.Weight.DemiBold  # font weight of a cited cell
MEASURED = 3  # number of a column's cells that are measured exactly


class Letters(dict[str, int]):
    """The widths of characters, in pixels."""

    def __init__(self, metrics: QFontMetrics) -> None:
        super().__init__()
        self._metrics = metrics

    def __missing__(self, letter: str) -> int:
        """Measure a character."""
        self[letter] = width = self._metrics.horizontalAdvance(letter)
        return width


def widest(view: QTableView, model: TableModel, column: int) -> int:
    """Return the width of the widest cell of a column, in pixels.

    It examines as many rows as Qt's header would, beginning with the first visible row. Qt would
    ask for seven roles of each cell, which takes 34 ms for 200 rows and 14 columns; here, the
    widths of characters are used to select the few cells that may be the widest.
    """
    view.ensurePolished()
    most = view.horizontalHeader().resizeContentsPrecision()
    first = max(min(view.rowAt(0), model.rowCount() - most), 0)
    rows = range(first, min(first + most, model.rowCount()))
    letters = Letters(view.fontMetrics())
    found = nlargest(
        MEASURED, rows, key=lambda row: sum(map(letters.__getitem__, model.text(row, column)))
    )
    option, delegate = (
        QStyleOptionViewItem(),
        view.itemDelegateForColumn(column) or view.itemDelegate(),
    )
    view.initViewItemOption(option)
    font = QFont(view.font())
    font.setWeight(LIT)
    bold, plain = QFontMetrics(font), view.fontMetrics()

    def width(row: int) -> int:
        text = model.text(row, column)
        more = bold.horizontalAdvance(text) - plain.horizontalAdvance(
            text
        )  # a cited cell, which is bold, must also be fully readable
        return delegate.sizeHint(option, model.index(row, column)).width() + max(more, 0)

    return max(map(width, found), default=0)


PAGE, PAGES = 200, 64
# number of decimals that are never cut off; numbers this large or larger are shown with an exponent
KEPT, HUGE = 4, 1e15
CELL = 500  # maximum number of a cell's characters that are shown; no screen has room for more
# Qt requests each role of each cell that it paints, and plain numbers are the fastest to compare.
TEXT, SPOKEN = int(Qt.ItemDataRole.DisplayRole), int(Qt.ItemDataRole.AccessibleTextRole)
SIDE, FONT = int(Qt.ItemDataRole.TextAlignmentRole), int(Qt.ItemDataRole.FontRole)
INK, GROUND = int(Qt.ItemDataRole.ForegroundRole), int(Qt.ItemDataRole.BackgroundRole)
TIP, NUMBERS = int(Qt.ItemDataRole.ToolTipRole), int(Qt.ItemDataRole.UserRole)
DRESSED = (INK, GROUND, TIP, NUMBERS)
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()


class Format(NamedTuple):
    """The format of a column.

    places: the number of decimals for numbers with grouped digits; None to show cells unchanged.
    unit: empty if the name contains it. meaning: the description of the column.
    """

    places: int | None = None
    unit: str = ""
    meaning: str = ""


class TableModel(QAbstractTableModel):
    """The rows of a source.

    read: a function that returns rows for (offset, limit) in at most a few milliseconds. columns:
    the columns, each as (name, whether it contains numbers).
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
        self._arranged: RowView | None = None
        self.over = LiveCells(self._glow_ended, self)
        self.order = RowOrder()
        self.dress: Dress | None = None
        self.formats: dict[int, Format] = {}
        self.tokens: Tokens = LIGHT

    def rowCount(self, parent: Index = NOWHERE) -> int:
        """Return the number of rows."""
        if parent.isValid():
            return 0
        return self._count if self._arranged is None else self._arranged.count

    def columnCount(self, parent: Index = NOWHERE) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a cell's text, alignment, font, colours or tooltip."""
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
        if role == TIP:
            return self._whole(index.row(), index.column())
        return None

    def _whole(self, row: int, column: int) -> str | None:
        """Return a number as it appears in the file if its cell shows fewer digits; otherwise,
        return None.
        """
        value, told = self._cell(row, column), self.formats.get(column)
        if told is None or told.places is None or not isinstance(value, float):
            return None
        return plain_tip(show(value)) if round(value, told.places) != value else None

    def text(self, row: int, column: int) -> str:
        """Return the text shown in a cell."""
        value = self._cell(row, column)
        words = self.dress.text(column, value) if self.dress is not None else None
        text = self._plain(column, value) if words is None else words
        return text if len(text) <= CELL else f"{text[:CELL]}…"

    def _plain(self, column: int, value: Scalar) -> str:
        """Return a value in the format of its column; a value of another type is shown as it
        appears in the file.
        """
        told = self.formats.get(column)
        if told is None or told.places is None or isinstance(value, bool):
            return show(value)
        return grouped(value, told.places) if isinstance(value, int | float) else show(value)

    def row(self, row: int) -> tuple[Scalar, ...]:
        """Return the values of a row."""
        return tuple(self._cell(row, column) for column in range(len(self._columns)))

    def names(self) -> list[str]:
        """Return the names of the columns in the source."""
        return [name for name, _ in self._columns]

    def arrange(self, arranged: RowView | None, order: RowOrder) -> None:
        """Show the rows in a given order; None restores the source's order. Highlights are kept."""
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
        arranged: RowView | None,
    ) -> None:
        """Show new rows in the same columns, keeping the scroll position.

        arranged: the order of the new rows; None for the source's order.
        """
        self.fade()
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
        """Return the columns, each as its name and whether it contains numbers."""
        return self._columns

    def change(self, changes: list[CellChange]) -> None:
        """Show the current values of cells; they are highlighted briefly if that is set for their
        column.
        """
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
        """Format the cells in the way a backend specifies."""
        self.dress = dress
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self.columnCount() - 1)
        self.layoutChanged.emit()

    def source_row(self, row: int) -> int:
        """Return the index of a row in the source."""
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
        """Return the row and column of the highlighted cell."""
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
        if role == Qt.ItemDataRole.ToolTipRole and orientation == Qt.Orientation.Horizontal:
            told = self.formats.get(section)
            tip = (look.tip if look is not None else "") or (told.meaning if told else "")
            return plain_tip(tip) if tip else None
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
        """Highlight a cell until another one is highlighted, and return its index.

        The index is invalid if the cell does not exist or a filter hides it.
        """
        names = self.names()
        if column not in names or not 0 <= row < self._count:
            return QModelIndex()
        here = row if self._arranged is None else self._arranged.row_of(row)
        if here is None:
            return QModelIndex()
        self.fade()
        self._lit = (here, names.index(column))
        index = self.index(*self._lit)
        self.dataChanged.emit(index, index)
        return index

    def leaves_out(self, row: int) -> bool:
        """Return whether a filter hides a row of the source."""
        arranged = self._arranged
        return arranged is not None and row < self._count and arranged.row_of(row) is None

    def light_all(self, rows: np.ndarray, column: str) -> None:
        """Also highlight the other cells that a number comes from, until another cell is
        highlighted.

        rows: for each row of the source, whether its cell is one of these cells.
        """
        names = self.names()
        if column in names and len(rows) == self._count:
            self._beside = (rows, names.index(column))
            self._tell_column(names.index(column))

    def is_lit(self, row: int, column: int) -> bool:
        """Return whether a cell is highlighted in addition to the first one."""
        beside = self._beside
        return beside is not None and column == beside[1] and bool(beside[0][self.source_row(row)])

    @property
    def lit_column(self) -> int | None:
        """Return the column that contains the additional highlighted cells; None if there are
        none.
        """
        return self._beside[1] if self._beside is not None else None

    def _tell_column(self, column: int) -> None:
        if self.rowCount():
            self.dataChanged.emit(self.index(0, column), self.index(self.rowCount() - 1, column))

    def _title(self, section: int) -> str:
        name = self._columns[section][0]
        look = self.dress.looks.get(section) if self.dress is not None else None
        told = self.formats.get(section)
        unit = f" ({told.unit})" if told is not None and told.unit else ""
        title = (look.title if look is not None else "") or f"{name}{unit}"
        sign = (" ▼" if self.order.descending else " ▲") if self.order.column == name else ""
        return f"{title}{sign}{' ●' if name in self.order.filters else ''}"

    def fade(self) -> None:
        """Remove the highlight from all cells."""
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


def formats_of(profile: Profile, rows: list[tuple[Scalar, ...]]) -> dict[int, Format]:
    """Return the formats of columns. rows: enough rows for the number formats to be recognised."""
    made: dict[int, Format] = {}
    for place, column in enumerate(profile.columns):
        unit = column.unit or ""
        known = unit.casefold() in words_of(column.name)
        cells = [row[place] for row in rows if place < len(row)]
        numbers = [v for v in cells if isinstance(v, int | float) and not isinstance(v, bool)]
        places = None
        if (
            column.kind == "number"
            and column.role == "measure"
            and not UNGROUPED.search(column.name)
        ):
            written = max((decimals_of(v) for v in numbers), default=0)
            tops = [abs(v) for v in (column.low, column.high) if isinstance(v, int | float)]
            places = written if written <= KEPT else decimals(column.name, [*tops, 0.0], written)
        made[place] = Format(places, "" if known else unit, column.meaning)
    return made


def words_of(name: str) -> set[str]:
    """Return the words of a column's name and the name itself, in lower case."""
    return {word.casefold() for word in re.split(r"[\s_()（）\[\]/]+", name)}


def decimals_of(value: float) -> int:
    """Return how many decimals a number is written with; 99 if its exponent is negative."""
    text = repr(value)
    if "e" in text:
        return 0 if "-" not in text else 99
    return len(text.partition(".")[2].removesuffix("0")) if "." in text else 0


def grouped(value: float, places: int) -> str:
    """Return a number as text with a given number of decimals and with grouped thousands.

    A number that would then be unreadable or shown as zero is returned unchanged.
    """
    if abs(value) >= HUGE or (value and abs(value) < 0.5 * 10**-places):
        return show(value)
    return shown(float(value), places) if places else f"{round(value):,}"


def show(value: Scalar) -> str:
    """Return a cell's value as text, as it appears in the file."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.removesuffix(" 00:00:00") if isinstance(value, str) else str(value)


GLOW_SECONDS = 0.7


class LiveCells:
    """Changed values by row and column. ended: a function that is called with cells whose highlight
    has ended.
    """

    def __init__(self, ended: Callable[[list[Cell]], None], parent: QObject) -> None:
        self.cells: dict[Cell, Scalar] = {}
        self.glowing: dict[Cell, tuple[bool, float]] = {}
        self._ended = ended
        self._timer = QTimer(parent, singleShot=True)
        self._timer.timeout.connect(self._fade)

    def put(self, cell: Cell, value: Scalar, up: bool | None) -> None:
        """Change the value of a cell. up: highlight it as risen (True) or fallen (False), or not at
        all (None).
        """
        self.cells[cell] = value
        if up is not None:
            self.glowing[cell] = (up, time.monotonic() + GLOW_SECONDS)
            if not self._timer.isActive():
                self._timer.start(int(GLOW_SECONDS * 1000) + 20)

    def glow(self, cell: Cell) -> bool | None:
        """Return whether a cell has just risen (True) or fallen (False); otherwise None."""
        found = self.glowing.get(cell)
        return found[0] if found is not None else None

    def clear(self) -> None:
        """Forget the values, because the rows were read again. Highlights still end on time."""
        self.cells.clear()

    def _fade(self) -> None:
        now = time.monotonic()
        over = [cell for cell, (_, until) in self.glowing.items() if until <= now]
        for cell in over:
            del self.glowing[cell]
        if self.glowing:
            rest = min(until for _, until in self.glowing.values()) - now
            self._timer.start(max(int(rest * 1000), 0) + 20)
        self._ended(over)


def shown_value(value: Any) -> Scalar:
    """Return a value as the content of a cell; for an object, return its display value."""
    if isinstance(value, dict):
        value = value.get("value")
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
