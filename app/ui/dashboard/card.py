"""A widget's frame: its name, what it shows, "Add as context"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QSizePolicy,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.ui.dashboard.cell_delegate import CellDelegate

if TYPE_CHECKING:
    from app.ui.dashboard.table_model import TableModel

ROW_PX = 30


class Card(QFrame):
    """A frame with a title and a body. Signals: context_wanted(bool), removed()."""

    context_wanted = Signal(bool)
    removed = Signal()

    def __init__(self, title: str, caption: str, body: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.body = body
        self._title = title
        header = QFrame(self)
        header.setObjectName("cardHeader")
        name, told = QLabel(title, header), QLabel(caption, header)
        name.setObjectName("cardTitle")
        told.setObjectName("caption")
        told.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.context = QPushButton(header)
        self.context.setObjectName("link")
        self.context.setCheckable(True)
        self.context.clicked.connect(self.context_wanted)
        row = QHBoxLayout(header)
        row.setContentsMargins(12, 8, 6, 8)
        row.addWidget(name)
        row.addWidget(told, 1)
        row.addWidget(self.context)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.setSpacing(0)
        column.addWidget(header)
        column.addWidget(body, 1)
        self.set_attached(False)

    def set_attached(self, attached: bool) -> None:
        """Show whether the widget goes along with questions."""
        self.context.setChecked(attached)
        self.context.setText("In context ✓" if attached else "Add as context")
        verb = "Take out of context" if attached else "Add as context"
        self.context.setAccessibleName(f"{self._title}: {verb}")
        self.context.setToolTip(verb)


class TableBody(QTableView):
    """The table of a widget."""

    def __init__(self, model: TableModel, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setAccessibleName(f"Table {name}")
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
        columns.setResizeContentsPrecision(200)
        columns.setMinimumSectionSize(64)
        self.resizeColumnsToContents()
        self.setItemDelegate(CellDelegate(self))
        self.setCornerButtonEnabled(False)
        self.setMinimumHeight(ROW_PX * 8)

    def reveal(self, row: int, column: str) -> bool:
        """Scroll to a cell and let it flash; return whether there is one."""
        model = self.model()
        index = model.flash(row, column)  # pyright: ignore[reportAttributeAccessIssue]
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
        self.retry = QPushButton("Try again", self)
        self.retry.setObjectName("link")
        self.retry.setAccessibleName(f"Read {name} again")
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 10)
        column.addWidget(label)
        column.addWidget(self.retry, alignment=Qt.AlignmentFlag.AlignLeft)
