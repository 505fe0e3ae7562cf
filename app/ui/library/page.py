"""The page of the library: workflows that were kept, and what can be done with each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.ui.library.panel import DesignPanel
from app.ui.library.row import EntryRow
from app.ui.style.labels import label
from app.ui.style.polish import set_style
from app.ui.words import tr

if TYPE_CHECKING:
    from app.data.library.entry import Entry


class LibraryPage(QWidget):
    """Signals, each with the name of a workflow: run_wanted, edit_wanted, test_wanted, remove_wanted; undo_wanted()."""

    run_wanted = Signal(str)
    edit_wanted = Signal(str)
    test_wanted = Signal(str)
    remove_wanted = Signal(str)
    undo_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: list[EntryRow] = []
        self.told = label("", "muted", self)
        self.undo = QPushButton(tr("Undo"), self)
        self.undo.setObjectName("link")
        self.undo.clicked.connect(self.undo_wanted.emit)
        self._list = QVBoxLayout()
        self.design = DesignPanel(self)
        none = tr(
            "There is none yet. Ask something that takes several steps, then press Steps below the answer."
        )
        self._none = label(none, "muted", self)
        head = label(tr("Library"), "title", self)
        words = tr(
            "Workflows that were kept: they run again without a model, once they were tried out."
        )
        about = label(words, "muted", self)
        line = QHBoxLayout()
        line.addWidget(self.told, 1)
        line.addWidget(self.undo)
        self.column = column = QVBoxLayout(self)
        column.setContentsMargins(28, 22, 28, 22)
        column.setSpacing(10)
        column.addWidget(head)
        column.addWidget(about)
        column.addWidget(
            self.design
        )  # above the list, however long that is: what a design does is seen
        column.addLayout(line)
        column.addLayout(self._list)
        column.addWidget(self._none)
        column.addStretch(1)
        self.tell("")

    def show_entries(self, entries: list[Entry], names: dict[str, str]) -> None:
        """Show workflows; those that are read stay open. names: of tables by uuid."""
        opened = {row.entry.name for row in self.rows if row.read.isChecked()}
        while (item := self._list.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        self.rows = [EntryRow(entry, names, self) for entry in entries]
        for row in self.rows:
            row.read.setChecked(row.entry.name in opened)
            for button, signal in (
                (row.run, self.run_wanted),
                (row.edit, self.edit_wanted),
                (row.test, self.test_wanted),
                (row.remove, self.remove_wanted),
            ):
                button.clicked.connect(
                    lambda _=False, signal=signal, name=row.entry.name: signal.emit(name)
                )
            self._list.addWidget(row)
        self._none.setVisible(not self.rows)

    def tell(self, text: str, *, wrong: bool = False, undo: bool = False) -> None:
        """Say what came of something. undo: it can be taken back."""
        set_style(self.told, "problem" if wrong else "muted")
        self.told.setText(text)
        self.told.setVisible(bool(text))
        self.undo.setVisible(undo)

    def set_busy(self, busy: bool) -> None:
        """Show that one is being tried out or run."""
        for row in self.rows:
            for button in (row.edit, row.test, row.remove):
                button.setEnabled(not busy)
            row.run.setEnabled(not busy and row.entry.status == "validated")
