"""The list of steps, with buttons to add, move, remove and undo; if a button is not available, the
list says why.

The module also contains the searchable list of steps that can be added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QToolButton,
    QVBoxLayout,
)

from app.data.workflow_editor.changes import lacking
from app.ui.controls.labels import label
from app.ui.theme.i18n import mark, tr
from app.ui.theme.icons import icon, icon_button
from app.ui.workflows.words import does
from backends.data.steps import STEPS

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.ui.theme.tokens import Tokens
    from backends.data.workflow.step import Step


ALT = Qt.KeyboardModifier.AltModifier


class StepList(QListWidget):
    """The list of a workflow's steps. Signals: add_wanted(), move_wanted(by), remove_wanted()."""

    add_wanted = Signal()
    move_wanted = Signal(int)
    remove_wanted = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move a step with Alt and an arrow key, add one with Insert, or remove one with Delete."""
        key = event.key()
        if event.modifiers() & ALT and key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.move_wanted.emit(-1 if key == Qt.Key.Key_Up else 1)
        elif key == Qt.Key.Key_Insert:
            self.add_wanted.emit()
        elif key == Qt.Key.Key_Delete:
            self.remove_wanted.emit()
        else:
            super().keyPressEvent(event)


class StepSide(QFrame):
    """The list with its buttons. Signals: add_wanted(), move_wanted(by), remove_wanted(),
    undo_wanted().
    """

    add_wanted = Signal()
    move_wanted = Signal(int)
    remove_wanted = Signal()
    undo_wanted = Signal()

    def __init__(self, tokens: Tokens, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self.setFixedWidth(240)
        self.list = StepList(self)
        self.list.setAccessibleName(tr("Steps"))
        self.list.setAccessibleDescription(
            tr("Alt with an arrow key moves a step, Insert adds one after it, Delete removes it.")
        )
        self.list.setWordWrap(True)
        self.list.add_wanted.connect(self.add_wanted)
        self.list.move_wanted.connect(self.move_wanted)
        self.list.remove_wanted.connect(self.remove_wanted)
        self.add = QPushButton(tr("Add a step …"), self)
        self.add.setAutoDefault(False)
        self.add.setToolTip(tr("After the selected step (Insert)"))
        self.add.clicked.connect(self.add_wanted)
        self.up = self._tool("up", tr("Move up (Alt+Up)"), tokens)
        self.down = self._tool("down", tr("Move down (Alt+Down)"), tokens)
        self.remove = self._tool("trash", tr("Remove this step (Delete)"), tokens)
        self.up.clicked.connect(lambda: self.move_wanted.emit(-1))
        self.down.clicked.connect(lambda: self.move_wanted.emit(1))
        self.remove.clicked.connect(self.remove_wanted)
        self.undo = QPushButton(tr("Undo the last change"), self)
        self.undo.setObjectName("link")
        self.undo.setAutoDefault(False)
        self.undo.setToolTip(tr("Ctrl+Z"))
        self.undo.clicked.connect(self.undo_wanted)
        self.undo.hide()
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self.add, 1)
        for button in (self.up, self.down, self.remove):
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 14, 10, 12)
        column.setSpacing(6)
        column.addWidget(self.list, 1)
        column.addLayout(row)
        column.addWidget(self.undo, 0, Qt.AlignmentFlag.AlignLeft)

    def _tool(self, sign: str, name: str, tokens: Tokens) -> QToolButton:
        made = icon_button("tile", name, self, size=16)
        made.setIcon(icon(sign, tokens.muted, 16))
        made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return made

    def show_rows(self, texts: list[str], row: int) -> None:
        """Show the steps. row: the step to select."""
        self.list.blockSignals(True)
        self.list.clear()
        self.list.addItems(texts)
        self.list.setCurrentRow(row)
        self.list.blockSignals(False)

    def set_free(self, *, free: bool, row: int) -> None:
        """Enable the available actions of the selected step.

        free: False while the steps are running, because no action is available then.
        """
        count = self.list.count()
        self.add.setEnabled(free)
        self.up.setEnabled(free and row > 0)
        self.down.setEnabled(free and row < count - 1)
        self.remove.setEnabled(free and count > 1)
        self.undo.setEnabled(free)


ABOUT = {
    "read_rows": mark("Rows of a table that meet conditions."),
    "read_series": mark("Columns by day, or one row for each month, quarter or year."),
    "read_cross_section": mark(
        "One row for each shop, share or country, on one day or the latest."
    ),
    "read_constituents": mark("Members of a group, such as the shares of an index."),
    "query": mark("A read-only SQL SELECT on your tables."),
    "returns": mark("Return of a price in percent, since the start or from row to row."),
    "total_return": mark("Return between two days in percent, as one number."),
    "growth": mark("The first and last value of each, and their difference."),
    "change": mark("Difference from the previous row, or year on year."),
    "cumulate": mark("The running sum of a column."),
    "rolling": mark("Moving average, sum, highest or lowest of the last rows."),
    "resample": mark("Combines days into weeks, months, quarters or years."),
    "combine": mark("Sum, mean, count and so on, for each group or for all rows."),
    "summarise": mark("Aggregates of several columns, for each group and period."),
    "mean_median": mark("Mean and median of a column."),
    "correlation": mark("Correlation of two columns, from -1 to 1."),
    "correlations": mark("Correlation of two columns for each group."),
    "compute": mark(
        "A new column: one plus, minus, times or divided by another column or a number."
    ),
    "technical": mark("MACD, KDJ, RSI, Bollinger bands or CCI of a price."),
    "forecast": mark("The next values of a series, with a likely range."),
    "line": mark("A line chart, with one line for each column or group member."),
    "bar": mark("A bar chart, for example of shops on one day."),
    "scatter": mark("A scatter chart of two columns."),
    "pie": mark("A pie chart."),
    "candlestick": mark(
        "A chart of opening, high, low and closing prices, with volume and indicators."
    ),
    "overlay": mark("Several charts in one, such as bars and a line."),
    "show_table": mark("Rows as a table in the answer; can be saved as CSV."),
    "select": mark("Fewer columns, or only rows that meet conditions."),
    "read_value": mark("One cell, as a number or a word."),
    "merge": mark("Joins two results where columns are the same."),
    "stack": mark("Rows of several results, one below the other."),
    "pivot": mark("A column for each value, as in a pivot table."),
    "unpivot": mark("Columns become rows with a name and a value each."),
    "rank": mark(
        "Sorts rows by a column, highest or lowest first, and can keep only the top rows."
    ),
    "loop_rank": mark("Computes a number for each distinct value in a column, and sorts by it."),
    "rename": mark("Renames columns."),
}
KINDS = {
    "acquisition": mark("Get"),
    "manipulation": mark("Arrange"),
    "processing": mark("Compute"),
    "prediction": mark("Predict"),
    "visualization": mark("Show"),
}


def about(interface: str) -> str:
    """Return the purpose of a step as a sentence."""
    return tr(ABOUT[interface]) if interface in ABOUT else ""


def lacks(what: str) -> str:
    """Return, in words, which input of a step is missing."""
    told = {
        "rows": tr("It needs the rows from an earlier step."),
        "two_rows": tr("It needs the rows from two earlier steps."),
        "two_charts": tr("It needs two earlier charts."),
        "table": tr("It needs an open table."),
    }
    return told.get(what, "")


def searched(interface: str) -> str:
    """Return the text that is searched to find a step."""
    return f"{does(interface)} {about(interface)} {interface.replace('_', ' ')}".casefold()


NAME = Qt.ItemDataRole.UserRole
LACKS = Qt.ItemDataRole.UserRole + 1
KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class AddWindow(QDialog):
    """The list of steps to add. Signals: chosen(interface).

    before: the steps before the new one. tables: the number of open tables.
    """

    chosen = Signal(str)

    def __init__(self, before: list[Step], tables: int, place: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Add a step after {step}", step=place))
        self.resize(520, 520)
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(tr("Search: average, join, chart, sort …"))
        self.field.setAccessibleName(tr("Search steps"))
        self.field.textChanged.connect(self._narrow)
        self.field.installEventFilter(self)
        self.list = QListWidget(self)
        self.list.setAccessibleName(tr("Steps"))
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
        """Show the steps that match all words, and select the first that can be added."""
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
        self.told.setText(what or about(name) or tr("No matching step."))
        self.add.setEnabled(bool(name) and not what)

    def _choose(self) -> None:
        if self.add.isEnabled():
            name = str(self.list.currentItem().data(NAME))
            self.accept()
            self.chosen.emit(name)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the arrow keys move through the list while the user types."""
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
