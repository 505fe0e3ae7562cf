"""PDF files: pages, search, boxes round quotes, one file of several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF
from PySide6.QtPdf import QPdfDocument, QPdfSearchModel
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.domain.errors import BackendError
from app.domain.widget_content import bytes_of
from app.ui.dashboard.contents.paper.pages import Mark, Pages
from app.ui.style.icons import icon
from app.ui.words import said, tr

if TYPE_CHECKING:
    from app.ui.style.tokens import Tokens

FEWEST = 2  # letters that are looked for


class PdfBody(QWidget):
    """Pages, and a line above to search and turn them. Raises BackendError for a file that cannot be read."""

    def __init__(
        self, files: list[dict[str, str]], name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._files = files
        self._buffer = QBuffer(self)
        self.document = QPdfDocument(self)
        self._found = QPdfSearchModel(self)
        self._at = -1
        self._open(0)
        self._found.setDocument(self.document)
        self._found.countChanged.connect(self._mark)
        self.pages = Pages(self.document, name, self)
        self.pages.turned.connect(lambda _: self._tell())
        self._quotes: list[Mark] = []
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(tr("Search"))
        self.field.setAccessibleName(tr("Search in {name}", name=name))
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self._search)
        self.field.returnPressed.connect(lambda: self.step(1))
        self.told = QLabel(self)
        self.told.setObjectName("caption")
        self.next = QToolButton(self)
        self.next.setObjectName("tile")
        self.next.setAccessibleName(tr("Next place"))
        self.next.clicked.connect(lambda: self.step(1))
        self.next.hide()
        row = QHBoxLayout()
        row.setContentsMargins(12, 6, 12, 4)
        row.setSpacing(8)
        if len(files) > 1:
            row.addWidget(self._chooser())
        row.addWidget(self.field, 1)
        row.addWidget(self.next)
        row.addWidget(self.told)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 8)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.pages, 1)
        self._tell()

    def set_tokens(self, tokens: Tokens) -> None:
        """Dress in a theme."""
        self.pages.set_tokens(tokens)
        self.next.setIcon(icon("down", tokens.muted, 16))

    def step(self, by: int) -> None:
        """Go to the next place that was found."""
        count = self._found.rowCount(self._found.index(-1, 0).parent())
        if count:
            self._at = (self._at + by) % count
            link = self._found.resultAtIndex(self._at)
            self.pages.go_to(link.page(), link.location().y())
            self._tell()

    def show_quotes(self, boxes: list[dict[str, Any]]) -> bool:
        """Mark quotes, given as {page from 1, x0, top, x1, bottom} in points, and go to the first.

        Return whether there is one on these pages.
        """
        made = [
            mark
            for mark in map(mark_of, boxes)
            if mark is not None and mark.page < self.document.pageCount()
        ]
        self._quotes = made
        self._mark()
        if made:
            self.pages.go_to(made[0].page, made[0].box.y())
        return bool(made)

    def _open(self, number: int) -> None:
        file = self._files[number] if self._files else {}
        self.document.close()
        self._buffer.close()
        self._buffer.setData(QByteArray(bytes_of(file)))
        self._buffer.open(QIODevice.OpenModeFlag.ReadOnly)
        self.document.load(self._buffer)
        if self.document.error() != QPdfDocument.Error.None_:
            locked = self.document.error() == QPdfDocument.Error.IncorrectPassword
            name = file.get("filename", tr("The file"))
            protected = tr("{name} is protected by a password.", name=name)
            broken = tr("{name} is not a PDF file that can be shown.", name=name)
            raise BackendError(protected if locked else broken, tr("Open it in another program."))

    def _chooser(self) -> QComboBox:
        made = QComboBox(self)
        made.setAccessibleName(tr("File"))
        made.addItems([file.get("filename", "") for file in self._files])
        made.setMaximumWidth(160)
        made.currentIndexChanged.connect(self._change)
        return made

    def _change(self, number: int) -> None:
        try:
            self._open(number)
        except BackendError as error:
            self.told.setText(said(error.text))
            return
        self._quotes = []
        self.pages.forget()
        self._search(self.field.text())

    def _search(self, text: str) -> None:
        self._at = -1
        self._found.setSearchString(text if len(text) >= FEWEST else "")
        self._mark()

    def _mark(self) -> None:
        marks = list(self._quotes)
        if self._found.searchString():
            for page in range(self.document.pageCount()):
                links = self._found.resultsOnPage(page)
                marks += [Mark(page, QRectF(box)) for link in links for box in link.rectangles()]
        self.pages.set_marks(marks)
        if marks and self._at < 0 and self._found.searchString():
            self.step(1)
        self._tell()

    def _tell(self) -> None:
        count = self._found.rowCount(self._found.index(-1, 0).parent())
        pages = self.document.pageCount()
        searching = bool(self._found.searchString())
        self.next.setVisible(searching and count > 1)
        if searching:
            self.told.setText(
                tr("{at} of {of:,}", at=self._at + 1, of=count) if count else tr("Not found")
            )
        else:
            self.told.setText(
                tr("Page {current} of {pages}", current=self.pages.current + 1, pages=pages)
            )


def mark_of(raw: dict[str, Any]) -> Mark | None:
    """Return the mark of a quote; None for a box that is none."""
    sides = [raw.get(key) for key in ("x0", "top", "x1", "bottom")]
    page = raw.get("page")
    if not isinstance(page, int) or not all(isinstance(side, int | float) for side in sides):
        return None
    x0, top, x1, bottom = (float(side) for side in sides if side is not None)
    return Mark(max(page - 1, 0), QRectF(x0, top, x1 - x0, bottom - top), quote=True)
