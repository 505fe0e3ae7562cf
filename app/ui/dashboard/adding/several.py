"""Choose among the sheets of a workbook, or the tables of a database, that has very many."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.ui.escape import keeps_escape
from app.ui.words import tr


class SeveralDialog(QDialog):
    """A list to tick. Signals: chosen(rows), which of the tables."""

    chosen = Signal(list)

    def __init__(self, name: str, tables: list[str], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("larger")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(name)
        self.setAccessibleName(name)
        self.resize(420, 480)
        told = QLabel(
            tr("{name} holds %n tables. Which do you need?", "", len(tables), name=name), self
        )
        told.setTextFormat(Qt.TextFormat.PlainText)
        told.setWordWrap(True)
        self.list = QListWidget(self)
        self.list.setAccessibleName(tr("Tables"))
        for table in tables:
            item = QListWidgetItem(table)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Unchecked)
            self.list.addItem(item)
        self.list.setCurrentRow(0)
        self.list.itemChanged.connect(self._tell)
        self.list.itemActivated.connect(self._turn)
        self.every, self.none = (
            QPushButton(tr("Select all"), self),
            QPushButton(tr("Clear all"), self),
        )
        states = (Qt.CheckState.Checked, Qt.CheckState.Unchecked)
        ticks = QHBoxLayout()
        for button, state in zip((self.every, self.none), states, strict=True):
            button.setObjectName("link")
            button.setAutoDefault(False)
            button.clicked.connect(lambda _=False, wanted=state: self._set_all(wanted))
            ticks.addWidget(button)
        ticks.addStretch(1)
        kinds = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(kinds.Cancel, self)
        self.add = self.buttons.addButton(tr("Add"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.add.setEnabled(False)
        self.buttons.accepted.connect(self._choose)
        self.buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.addWidget(told)
        column.addLayout(ticks)
        column.addWidget(self.list, 1)
        column.addWidget(self.buttons)
        self.list.setFocus()

    def rows(self) -> list[int]:
        """Return which are ticked."""
        items = [self.list.item(row) for row in range(self.list.count())]
        return [row for row, item in enumerate(items) if item.checkState() == Qt.CheckState.Checked]

    def _set_all(self, state: Qt.CheckState) -> None:
        for row in range(self.list.count()):
            self.list.item(row).setCheckState(state)

    def event(self, event: QEvent) -> bool:
        """Keep Escape, which would stop the answer otherwise."""
        return keeps_escape(event) or super().event(event)

    def _turn(self, item: QListWidgetItem) -> None:
        ticked = item.checkState() == Qt.CheckState.Checked
        item.setCheckState(Qt.CheckState.Unchecked if ticked else Qt.CheckState.Checked)

    def _tell(self) -> None:
        self.add.setEnabled(bool(self.rows()))

    def _choose(self) -> None:
        self.chosen.emit(self.rows())
        self.accept()
