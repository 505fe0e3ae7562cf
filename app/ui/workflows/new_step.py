"""A list of all a step may do, searched in words people use, with what each is for and what it
lacks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
)

from app.data.editing.order import lacking
from app.ui.theme.labels import label
from app.ui.words import mark, tr
from app.ui.workflows.words import does
from backends.data.steps import STEPS

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from backends.data.workflow.step import Step


ABOUT = {
    "read_rows": mark("Rows of a table that meet conditions, as they stand."),
    "read_series": mark("Columns day by day, or one row for each month, quarter or year."),
    "read_cross_section": mark(
        "One row for each shop, share or country, at one day or the newest."
    ),
    "read_constituents": mark("Who belongs to a group, such as the shares of an index."),
    "query": mark("A SELECT in SQL over your tables; it only reads."),
    "returns": mark("How far a price has come, in percent, since the start or from row to row."),
    "total_return": mark("What one earned between two days, in percent, as one number."),
    "growth": mark("First and last value of each, and the difference."),
    "change": mark("Difference to the row before, or year on year."),
    "cumulate": mark("The sum of a column up to each row."),
    "rolling": mark("Moving average, sum, highest or lowest of the last rows."),
    "resample": mark("Days made weeks, months, quarters or years."),
    "combine": mark("Sum, mean, count and the like, for each group or for all rows."),
    "summarise": mark(
        "Several columns summed up or averaged at once, for each group and each period."
    ),
    "mean_median": mark("Average and middle value of a column."),
    "correlation": mark("How two columns go together, as one number from -1 to 1."),
    "correlations": mark("How two columns go together, a number for each group."),
    "compute": mark("A new column: one plus, less, times or divided by another, or by a number."),
    "technical": mark("MACD, KDJ, RSI, Bollinger bands or CCI of a price."),
    "forecast": mark("The next values of a series, with a range they will likely lie in."),
    "line": mark("A line chart, a line for each column or each of a group."),
    "bar": mark("A bar chart, such as of shops at one day."),
    "scatter": mark("A chart of points, one column across, another upwards."),
    "pie": mark("A pie chart: parts of a whole."),
    "candlestick": mark(
        "A chart of opening, high, low and closing price, with volume and indicators."
    ),
    "overlay": mark("Several charts in one, such as bars and a line."),
    "show_table": mark("Rows as a table in the answer, saved as CSV if you like."),
    "select": mark("Fewer columns, or only rows that meet conditions."),
    "read_value": mark("One cell, as a number or a word."),
    "merge": mark("Joins two results where columns are the same."),
    "stack": mark("Rows of several results below each other."),
    "pivot": mark("A column for each value, like a cross table."),
    "unpivot": mark("Columns become rows: a name and a value each."),
    "rank": mark(
        "Sorts rows by a column, the highest or lowest first; the top so many, if you like."
    ),
    "loop_rank": mark("Computes a number for each of a column's values, and sorts by it."),
    "rename": mark("Gives columns other names."),
}
KINDS = {
    "acquisition": mark("Get"),
    "manipulation": mark("Arrange"),
    "processing": mark("Compute"),
    "prediction": mark("Predict"),
    "visualization": mark("Show"),
}


def about(interface: str) -> str:
    """Return what a step is for, in a sentence."""
    return tr(ABOUT[interface]) if interface in ABOUT else ""


def lacks(what: str) -> str:
    """Return in words what a step would have to take and is not there."""
    told = {
        "rows": tr("It needs the rows of a step before it."),
        "two_rows": tr("It needs the rows of two steps before it."),
        "two_charts": tr("It needs two charts drawn before it."),
        "table": tr("It needs a table that is open here."),
    }
    return told.get(what, "")


def searched(interface: str) -> str:
    """Return all the words by which a step is found."""
    return f"{does(interface)} {about(interface)} {interface.replace('_', ' ')}".casefold()


NAME = Qt.ItemDataRole.UserRole
LACKS = Qt.ItemDataRole.UserRole + 1
KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class AddWindow(QDialog):
    """Signals: chosen(interface). before: the steps behind which it will stand; tables: how many
    are open.
    """

    chosen = Signal(str)

    def __init__(self, before: list[Step], tables: int, place: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Add a step after {step}", step=place))
        self.resize(520, 520)
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(tr("Search: average, join, chart, sort …"))
        self.field.setAccessibleName(tr("Search what a step may do"))
        self.field.textChanged.connect(self._narrow)
        self.field.installEventFilter(self)
        self.list = QListWidget(self)
        self.list.setAccessibleName(tr("What a step may do"))
        self.list.setWordWrap(True)
        self.list.itemSelectionChanged.connect(self._tell)
        self.list.itemActivated.connect(lambda _: self._choose())
        self.told = label("", "muted", self)
        self.told.setMinimumHeight(36)
        self.add = QPushButton(tr("Add"), self)
        self.add.setObjectName("primary")
        self.add.clicked.connect(self._choose)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(8)
        row = QHBoxLayout()
        row.addWidget(self.told, 1)
        row.addWidget(self.add, 0, Qt.AlignmentFlag.AlignBottom)
        column.addWidget(self.field)
        column.addWidget(self.list, 1)
        column.addLayout(row)
        self._fill(before, tables)
        self._narrow("")
        self.field.setFocus()

    def _fill(self, before: list[Step], tables: int) -> None:
        order = list(KINDS)
        for name, known in sorted(STEPS.items(), key=lambda pair: order.index(pair[1].kind)):
            item = QListWidgetItem(f"{does(name)}  ·  {tr(KINDS[known.kind])}")
            what = lacks(lacking(name, before, tables))
            item.setData(NAME, name)
            item.setData(LACKS, what)
            item.setToolTip(about(name))
            item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, what or about(name))
            if what:
                item.setForeground(self.palette().placeholderText())
            self.list.addItem(item)

    def _items(self) -> list[QListWidgetItem]:
        return [self.list.item(n) for n in range(self.list.count())]

    def _narrow(self, text: str) -> None:
        """Show what bears all the words, what may stand there first."""
        wanted = text.casefold().split()
        for item in self._items():
            found = searched(str(item.data(NAME)))
            item.setHidden(not all(word in found for word in wanted))
        seen = [item for item in self._items() if not item.isHidden()]
        best = next((item for item in seen if not item.data(LACKS)), seen[0] if seen else None)
        self.list.setCurrentItem(best) if best is not None else self.list.setCurrentRow(-1)
        self._tell()

    def _tell(self) -> None:
        chosen = [item for item in self.list.selectedItems() if not item.isHidden()]
        name, what = (str(chosen[0].data(NAME)), str(chosen[0].data(LACKS))) if chosen else ("", "")
        self.told.setText(what or about(name) or tr("No step bears these words."))
        self.add.setEnabled(bool(name) and not what)

    def _choose(self) -> None:
        if self.add.isEnabled():
            name = str(self.list.currentItem().data(NAME))
            self.accept()
            self.chosen.emit(name)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the arrows choose in the list while one types."""
        if (
            watched is self.field
            and isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
        ):
            if event.key() in KEYS:
                self.list.keyPressEvent(event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._choose()
                return True
        return super().eventFilter(watched, event)
