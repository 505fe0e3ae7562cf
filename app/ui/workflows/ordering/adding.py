"""A list of all a step may do, searched in words people use; what cannot stand there says what it lacks."""

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
from app.ui.style.labels import label
from app.ui.words import tr
from app.ui.workflows.ordering.about import KINDS, about, lacks, searched
from app.ui.workflows.words import does
from backends.data.steps import STEPS

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from backends.data.workflow.step import Step

NAME = Qt.ItemDataRole.UserRole
LACKS = Qt.ItemDataRole.UserRole + 1
KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class AddWindow(QDialog):
    """Signals: chosen(interface). before: the steps behind which it will stand; tables: how many are open."""

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
