"""What stands in a tile: a card with a title bar, around a table or the reason why there is
none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from PySide6.QtCore import QModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QLabel,
    QProgressBar,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.ui.dashboard.grid.tile import TitleBar
from app.ui.dashboard.table.model import TableModel, widest
from app.ui.theme.polish import set_mark
from app.ui.theme.tokens import RADIUS_CARD
from app.ui.words import tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QEnterEvent, QKeyEvent, QMouseEvent, QPaintEvent

    from app.ui.theme.tokens import Tokens

ROW_PX = 30
BAR_PX = 180
MEASURED_CELLS, MEASURED_COLUMNS = (
    4000,
    60,
)  # for widths that fit; a very wide table keeps the usual one


@runtime_checkable
class Dressed(Protocol):
    """A body that paints in the colours of the theme."""

    def set_tokens(self, tokens: Tokens) -> None:
        """Dress in a theme."""
        ...


@runtime_checkable
class Pictured(Protocol):
    """A body that draws itself as a picture."""

    def take_picture(self, form: str, take: Callable[[bytes], None]) -> None:
        """Give the picture to `take`, as png or svg."""
        ...


@runtime_checkable
class Quoted(Protocol):
    """A body with pages on which quotes can be marked."""

    def show_quotes(self, boxes: list[dict[str, Any]]) -> bool:
        """Mark quotes; return whether there is one on these pages."""
        ...


@runtime_checkable
class Marked(Protocol):
    """A body with words on which a quote can be marked."""

    def mark(self, page: int, quote: str) -> bool:
        """Mark a quote; return whether it is there."""
        ...


class Card(QFrame):
    """A frame with a title bar and a body."""

    def __init__(
        self, title: str, caption: str, body: QWidget, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.bar = TitleBar(title, self)
        self.context = self.bar.context
        self._column = QVBoxLayout(self)
        self._leave_corners(body)
        self._column.setSpacing(0)
        self._column.addWidget(self.bar)
        self.params: QWidget | None = None
        self.body = body
        self._column.addWidget(body, 1)
        self.bar.caption.setText(caption)
        self.bar.focused.connect(lambda on: set_mark(self, "focused", on))

    def set_body(self, body: QWidget, caption: str) -> None:
        """Show something else."""
        self._leave_corners(body)
        self._column.replaceWidget(self.body, body)
        before, self.body = self.body, body
        if before.hasFocus():
            body.setFocus()
        before.deleteLater()
        self.bar.caption.setText(caption)

    def set_params(self, params: QWidget | None) -> None:
        """Show fields below the title bar, in place of those before."""
        if self.params is not None:
            self._column.removeWidget(self.params)
            self.params.deleteLater()
        self.params = params
        if params is not None:
            self._column.insertWidget(1, params)

    def _leave_corners(self, body: QWidget) -> None:
        """Keep a body that has corners of its own, which it says by a property, off the round ones
        below.
        """
        self._column.setContentsMargins(1, 1, 1, RADIUS_CARD if body.property("square") else 1)

    def set_tokens(self, tokens: Tokens) -> None:
        """Dress the bar and what stands below it in a theme."""
        self.bar.set_tokens(tokens)
        if isinstance(self.body, Dressed):
            self.body.set_tokens(tokens)

    def table(self) -> TableBody | None:
        """Return the table it shows, if it shows one."""
        return self.body if isinstance(self.body, TableBody) else None

    def set_attached(self, attached: bool) -> None:
        """Show whether the table goes along with questions."""
        self.bar.set_attached(attached)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show the quiet buttons."""
        self.bar.set_hot(True)
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Hide them again."""
        self.bar.set_hot(False)
        super().leaveEvent(event)


class TableBody(QTableView):
    """The table of a widget. Signals: pressed_cell(row, column), of a column that is
    `pressable`.
    """

    pressed_cell = Signal(int, int)

    def __init__(self, model: TableModel, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
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
        rows.setDefaultSectionSize(ROW_PX)
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
        """Return how wide the cells of a column are, of those that are looked at."""
        return widest(self, self.table(), column)

    def set_tokens(self, tokens: Tokens) -> None:
        """Dress in a theme."""
        self.table().tokens = tokens
        self.viewport().update()

    @property
    def pressable(self) -> set[int]:
        """The columns whose cells do something when they are pressed, or Enter is."""
        return self._pressable

    @pressable.setter
    def pressable(self, columns: set[int]) -> None:
        self._pressable = columns
        self.setMouseTracking(bool(columns))

    def _press(self, index: QModelIndex) -> None:
        if index.column() in self._pressable:
            self.pressed_cell.emit(index.row(), index.column())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Press the current cell with Enter."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._press(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show the hand over what can be pressed."""
        super().mouseMoveEvent(event)
        over = self.indexAt(event.position().toPoint()).column() in self._pressable
        shape = Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor
        if self.viewport().cursor().shape() != shape:
            self.viewport().setCursor(shape)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the light of a cited cell, the cells, a hairline below each row.

        One pass for the lines, where a delegate in Python would be called for every cell: half the
        time.
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
            and (y := self.rowViewportPosition(row) + ROW_PX - 1) <= dirty.bottom()
        ):
            painter.fillRect(dirty.left(), y, wide, 1, hairline)
            row += 1
        if lit is not None:
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.drawRect(lit.adjusted(1, 1, -1, -1))

    def _lit_beside(self, dirty: QRect) -> list[QRect]:
        """Return where the cells are that are lit beside the first, of those that are painted."""
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
        """Return the model, as what it is."""
        model = self.model()
        assert isinstance(model, TableModel)
        return model

    def reveal(self, row: int, column: str) -> bool:
        """Scroll to a cell and let it flash; return whether there is one."""
        index = self.table().flash(row, column)
        if not index.isValid():
            return False
        self.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)
        return True


class Problem(QWidget):
    """What a widget shows that cannot be read, and a button to read it again."""

    def __init__(self, name: str, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        label = QLabel(text, self)
        label.setWordWrap(True)
        label.setObjectName("muted")
        self.retry = QPushButton(tr("Try again"), self)
        self.retry.setObjectName("link")
        self.retry.setAccessibleName(tr("Read {name} again", name=name))
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 10)
        column.addWidget(label)
        column.addWidget(self.retry, alignment=Qt.AlignmentFlag.AlignLeft)
        column.addStretch(1)


class Reading(QLabel):
    """What a widget shows while its file is read. bar: how far that is; stop: the button below
    it.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(tr("Reading {name} …", name=name), parent)
        self._name = name
        self.setObjectName("muted")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setWordWrap(True)
        self.bar = QProgressBar(self)
        self.bar.setRange(0, 100)
        self.bar.setTextVisible(False)
        self.bar.setFixedSize(BAR_PX, 6)
        self.bar.setAccessibleName(tr("Reading {name} …", name=name))
        self.bar.hide()
        self.stop = QPushButton(tr("Stop"), self)
        self.stop.hide()
        column = QVBoxLayout(self)
        column.setSpacing(10)
        column.addStretch(1)
        column.addSpacing(88)  # below the words in the middle
        column.addWidget(self.bar, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self.stop, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)

    def tell(self, far: float) -> None:
        """Say how far that is, from 0 to 1, and offer to stop it."""
        self.setText(tr("Reading {name}: {percent} %", name=self._name, percent=int(far * 100)))
        self.bar.setValue(int(far * 100))
        self.bar.show()
        self.stop.show()
