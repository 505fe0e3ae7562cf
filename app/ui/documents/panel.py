"""What some documents are: a search over them with its passages, and their files with what became
of each.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QTextLayout, QTextOption
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.ui.theme.labels import label
from app.ui.words import said, tr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QModelIndex, QPersistentModelIndex

    from app.documents.index import IndexedFile
    from app.documents.search import Found, Hit

    Index = QModelIndex | QPersistentModelIndex

MOST = 500  # files that are listed
EDGE = 18  # pixels around the words of a row, as the style sheet has them


class Row(QStyledItemDelegate):
    """Gives each row the height its lines need, also those in scripts that are higher than the
    font's own.
    """

    def __init__(self, view: QListWidget) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of all lines, broken at the width of the list."""
        wrapped = QTextOption()
        wrapped.setWrapMode(QTextOption.WrapMode.WordWrap)
        width = self._view.viewport().width() - 2 * EDGE
        height = 0.0
        for text in str(index.data()).split("\n"):
            layout = QTextLayout(text, self._view.font())
            layout.setTextOption(wrapped)
            layout.beginLayout()
            while (line := layout.createLine()).isValid():
                line.setLineWidth(width)
                height += line.height()
            layout.endLayout()
        return QSize(width, round(height) + EDGE)


class DocumentsPanel(QWidget):
    """Signals: searched(words), opened(path, page, quote) of a file or passage, asked(path, words)
    about one.
    """

    searched = Signal(str)
    opened = Signal(str, int, str)
    asked = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hits: list[Hit] = []
        self._found = ""  # what a search came to, in words
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(tr("Search these documents"))
        self.field.setAccessibleName(tr("Search these documents"))
        self.field.setClearButtonEnabled(True)
        self.field.returnPressed.connect(self._search)
        self.field.textChanged.connect(lambda text: None if text else self._leave())
        self.ask = QPushButton(tr("Ask about it"), self)
        self.ask.setToolTip(tr("Attach this document and ask what was searched for"))
        self.ask.clicked.connect(self._ask)
        self.told = label("", "muted", self)
        self.list = QListWidget(self)
        self.list.setAccessibleName(tr("Documents"))
        self.list.setWordWrap(True)
        self.list.setItemDelegate(Row(self.list))
        self.list.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.list.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.list.itemActivated.connect(self._open)
        self.list.itemClicked.connect(self._open)
        self.list.currentRowChanged.connect(lambda _: self._offer())
        row = QHBoxLayout()
        row.addWidget(self.field, 1)
        row.addWidget(self.ask)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(row)
        column.addWidget(self.told)
        column.addWidget(self.list, 1)
        self._files: list[IndexedFile] = []
        self._offer()

    def show_files(self, files: Sequence[IndexedFile]) -> None:
        """Show files with what became of each; passages that are shown stay."""
        self._files = list(files)
        if self._hits:
            self.told.setText(self._found)
        else:
            self._list_files()

    def show_found(self, found: Found) -> None:
        """Show passages, best first; say so where they are no evidence for an answer."""
        self._hits = list(found.hits)
        self._found = tr("%n passages", "", len(found.hits))
        self.list.clear()
        if not found.answered:
            missing = ", ".join(f"“{word}”" for word in found.missing)
            none = tr("Not in these documents.")
            mentions = tr("Nothing mentions {words}.", words=missing) if missing else ""
            self._found = f"{none} {mentions}".strip()
        self.told.setText(self._found)
        for hit in self._hits:
            one = hit.passage
            page = tr("page {page}", page=one.label or one.page)
            heading = f" · {one.heading}" if one.heading else ""
            words = " ".join(one.text.split())
            item = QListWidgetItem(f"{Path(one.path).name}, {page}{heading}\n{words}", self.list)
            item.setToolTip(one.path)
        self.list.setCurrentRow(0)
        self._offer()

    def tell(self, text: str) -> None:
        """Say what is done, or what went wrong."""
        self.told.setText(text)

    def chosen(self) -> str:
        """Return the path of what is chosen; empty if nothing is."""
        row = self.list.currentRow()
        if row < 0:
            return ""
        if self._hits:
            return self._hits[row].passage.path
        return self._files[row].path if row < len(self._files) else ""

    def _search(self) -> None:
        if words := self.field.text().strip():
            self.searched.emit(words)

    def _leave(self) -> None:
        self._hits = []
        self._list_files()

    def _list_files(self) -> None:
        self.list.clear()
        ready = sum(file.state == "ready" for file in self._files)
        waiting = sum(file.state == "waiting" for file in self._files)
        failed = sum(file.state == "failed" for file in self._files)
        unread = sum(file.unread for file in self._files)
        told = [tr("%n documents", "", ready)]
        told += [tr("%n not read yet", "", waiting)] if waiting else []
        told += [tr("%n can't be read", "", failed)] if failed else []
        told += [tr("%n scanned pages unread", "", unread)] if unread else []
        self.told.setText(" · ".join(told) if self._files else tr("No documents yet."))
        for file in self._files[:MOST]:
            item = QListWidgetItem(f"{Path(file.path).name}\n{state_of(file)}", self.list)
            item.setToolTip(file.path)
        if len(self._files) > MOST:
            more = tr("… %n more", "", len(self._files) - MOST)
            QListWidgetItem(more, self.list).setFlags(Qt.ItemFlag.NoItemFlags)
        self._offer()

    def _open(self, item: QListWidgetItem) -> None:
        row = self.list.row(item)
        if self._hits:
            hit = self._hits[row]
            self.opened.emit(hit.passage.path, hit.passage.page, hit.quote)
        elif row < len(self._files):
            self.opened.emit(self._files[row].path, 1, "")

    def _offer(self) -> None:
        self.ask.setVisible(bool(self._hits) and self.list.currentRow() >= 0)

    def _ask(self) -> None:
        if path := self.chosen():
            self.asked.emit(path, self.field.text().strip())


def state_of(file: IndexedFile) -> str:
    """Return what became of a file, in words."""
    if file.state == "failed":
        return said(f"{file.error} {file.remedy}".strip())
    if file.state == "waiting":
        return tr("Not read yet")
    pages = tr("%n pages", "", file.pages)
    unread = tr("%n scanned pages unread", "", file.unread)
    return f"{pages} · {unread}" if file.unread else pages
