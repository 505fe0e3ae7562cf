"""What is known of a table, to be read and said anew: description, when its day is over, what its columns mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QCompleter,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.services.dashboard.table_notes import MARKETS
from app.ui.dashboard.knowing.words import facts, held, kind_words, row_words
from app.ui.escape import keeps_escape
from app.ui.style.labels import field_label, label
from app.ui.style.polish import set_style
from app.ui.words import tr

if TYPE_CHECKING:
    from app.services.dashboard.table_notes import Told

MEANING = 1  # the column one may write in


class KnownWindow(QDialog):
    """Signals: said(description, {column: meaning}, when its day is over); undone(what was kept before)."""

    said = Signal(str, object, str)
    undone = Signal(object)

    def __init__(self, known: Told, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(760, 640)
        self.told = known
        self._before: tuple[Any, ...] = ()
        self.head = label("", "title", self, copied=True)
        self.facts, self.rows, self.news = (label("", "muted", self, copied=True) for _ in range(3))
        self.about = QPlainTextEdit(self)
        self.about.setTabChangesFocus(True)
        self.about.setFixedHeight(64)
        self.closes = QLineEdit(self)
        self.closes.setPlaceholderText(MARKETS[0])
        self.closes.setCompleter(QCompleter(MARKETS, self.closes))
        self.closes.setMaximumWidth(280)
        self.columns = QTableWidget(self)
        self.columns.setAccessibleName(tr("Columns and what they mean"))
        self.columns.setAccessibleDescription(tr("Type or press F2 to say what a column means."))
        self.columns.setTabKeyNavigation(False)
        self.columns.verticalHeader().hide()
        self.columns.setShowGrid(False)
        self.undo = QPushButton(tr("Undo"), self)
        self.undo.setObjectName("link")
        self.undo.clicked.connect(lambda: self.undone.emit(self._before[0]))
        self.save = QPushButton(tr("Save"), self)
        self.save.setObjectName("primary")
        self.save.clicked.connect(self._say)
        for button in (self.undo, self.save):
            button.setAutoDefault(False)
        QShortcut(QKeySequence.StandardKey.Save, self).activated.connect(self.save.click)
        self._lay_out()
        self.show_known(known)
        self.tell("")

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 18, 24, 16)
        column.setSpacing(8)
        column.addWidget(self.head)
        column.addWidget(self.facts)
        for words, part in (
            (tr("What it holds"), self.about),
            (tr("When its day is over, with the zone: until then today is yesterday"), self.closes),
        ):
            column.addWidget(field_label(words, part, self))
            column.addWidget(part)
        how = tr("Columns: press twice on a meaning, or F2, to write another")
        column.addWidget(field_label(how, self.columns, self))
        column.addWidget(self.columns, 1)
        column.addWidget(self.rows)
        row = QHBoxLayout()
        row.addWidget(self.news, 1)
        row.addWidget(self.undo)
        row.addWidget(self.save)
        column.addLayout(row)

    def show_known(self, known: Told) -> None:
        """Show what is known now."""
        self.told, told = known, known.parsing
        self.setWindowTitle(tr("What is known of {name}", name=told["name"]))
        self.head.setText(str(told["name"]))
        self.facts.setText(facts(told))
        self.about.setPlainText(str(told["description"]))
        self.closes.setText(str(told["closes"]))
        self.rows.setText(row_words(told))
        self._fill(told["columns"], known.meanings)

    def _fill(self, columns: list[dict[str, Any]], meanings: dict[str, str]) -> None:
        heads = [tr("Column"), tr("Meaning"), tr("Type"), tr("Holds")]
        self.columns.clear()
        self.columns.setRowCount(len(columns))
        self.columns.setColumnCount(len(heads))
        self.columns.setHorizontalHeaderLabels(heads)
        for row, one in enumerate(columns):
            texts = [str(one["name"]), meanings.get(one["name"], ""), kind_words(one), held(one)]
            for at, text in enumerate(texts):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                if at != MEANING:
                    item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEditable)
                self.columns.setItem(row, at, item)
        wide = self.columns.horizontalHeader()
        wide.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for at in (0, 2):
            wide.setSectionResizeMode(at, QHeaderView.ResizeMode.ResizeToContents)
        for at in (MEANING, 3):
            wide.setSectionResizeMode(at, QHeaderView.ResizeMode.Stretch)
        self.columns.setCurrentCell(0, MEANING)

    def _say(self) -> None:
        meanings: dict[str, str] = {}
        for row, one in enumerate(self.told.parsing["columns"]):
            if (item := self.columns.item(row, MEANING)) is not None:
                meanings[str(one["name"])] = item.text()
        self.said.emit(self.about.toPlainText(), meanings, self.closes.text())

    def tell(self, text: str, *, wrong: bool = False, before: tuple[Any, ...] = ()) -> None:
        """Say what came of it. before: what was kept until then, to be brought back."""
        self._before = before
        set_style(self.news, "problem" if wrong else "muted")
        self.news.setText(text)
        self.undo.setVisible(bool(before))

    def event(self, event: QEvent) -> bool:
        """Keep Escape, which would stop the answer otherwise."""
        return keeps_escape(event) or super().event(event)
