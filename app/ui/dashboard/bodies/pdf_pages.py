"""PDF files: pages, search, and boxes around quotes."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPen
from PySide6.QtPdf import QPdfDocument, QPdfSearchModel
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.domain.errors import BackendError
from app.openbb.content import bytes_of
from app.ui.theme.i18n import said, tr
from app.ui.theme.icons import icon
from app.ui.theme.tokens import LIGHT, Tokens

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent, QResizeEvent

    from app.domain.events import QuoteBox


GAP, KEPT, STEP = 10, 6, 60  # pixels between pages; pages to keep in memory; pixels per wheel step
WIDEST = 1100


@dataclass(frozen=True)
class PageMark:
    """An area of a page, in points, measured from its upper left corner. quote: whether it is a
    quote rather than a search result.
    """

    page: int
    box: QRectF
    quote: bool = False


class PdfPages(QAbstractScrollArea):
    """The pages of a document. Signals: turned(page) when another page is shown, counted from 0."""

    turned = Signal(int)

    def __init__(self, document: QPdfDocument, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pages")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(tr("Pages of {name}", name=name))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.tokens: Tokens = LIGHT
        self.marks: list[PageMark] = []
        self.current = 0
        self._document = document
        self._drawn: OrderedDict[tuple[int, int], QImage] = OrderedDict()
        self._tops: list[float] = []
        self._wanted: tuple[int, float] | None = None  # where to scroll once the pages are laid out
        self.verticalScrollBar().valueChanged.connect(self._moved)

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme; the pages stay white."""
        self.tokens = tokens
        self.viewport().update()

    def set_marks(self, marks: list[PageMark]) -> None:
        """Replace the highlighted areas."""
        self.marks = marks
        self.viewport().update()

    def go_to(self, page: int, y: float = 0.0) -> None:
        """Scroll to a position on a page so that it appears in the upper third of the view. y: in
        points, from the top of the page.
        """
        self._wanted = None if self._tops else (page, y)
        if 0 <= page < len(self._tops):
            place = self._tops[page] + y * self._scale(page)
            self.verticalScrollBar().setValue(
                int(place - (self.viewport().height() / 3 if y else 0))
            )

    def forget(self) -> None:
        """Reset everything, because the document now contains another file."""
        self._drawn.clear()
        self.marks, self.current = [], 0
        self._lay_out()
        self.verticalScrollBar().setValue(0)
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the pages out again, keeping the same position in view."""
        super().resizeEvent(event)
        bar, before = self.verticalScrollBar(), self._height()
        share = bar.value() / before if before else 0.0
        self._lay_out()
        bar.setValue(int(share * self._height()))
        if self._wanted is not None:
            self.go_to(*self._wanted)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the visible pages and their highlights."""
        painter, top = QPainter(self.viewport()), self.verticalScrollBar().value()
        for page in range(len(self._tops)):
            box = self._box(page).translated(0, -top)
            if box.bottom() < 0 or box.top() > self.viewport().height():
                continue
            painter.fillRect(box, QColor("white"))
            painter.drawImage(box, self._image(page, box))
            for mark in self.marks:
                if mark.page == page:
                    self._paint_mark(painter, mark, box)
            painter.setPen(QPen(QColor(self.tokens.hairline), 1))
            painter.drawRect(box)

    def _paint_mark(self, painter: QPainter, mark: PageMark, box: QRectF) -> None:
        scale = self._scale(mark.page)
        found = mark.box
        place = QRectF(
            box.x() + found.x() * scale,
            box.y() + found.y() * scale,
            found.width() * scale,
            found.height() * scale,
        )
        colour = QColor(self.tokens.accent)
        colour.setAlpha(60)
        painter.fillRect(place.adjusted(-2, -1, 2, 1), colour)
        if mark.quote:
            painter.setPen(QPen(QColor(self.tokens.accent), 2))
            painter.drawRect(place.adjusted(-3, -2, 3, 2))

    def _image(self, page: int, box: QRectF) -> QImage:
        ratio = self.devicePixelRatioF()
        key = (page, round(box.width() * ratio))
        image = self._drawn.get(key)
        if image is None:
            size = QSize(key[1], round(box.height() * ratio))
            image = self._drawn[key] = self._document.render(page, size)
            if len(self._drawn) > KEPT:
                self._drawn.popitem(last=False)
        return image

    def _scale(self, page: int) -> float:
        wide = self._document.pagePointSize(page).width()
        return self._box(page).width() / wide if wide else 1.0

    def _box(self, page: int) -> QRectF:
        size = self._document.pagePointSize(page)
        room = min(self.viewport().width() - 2 * GAP, WIDEST)
        high = room * size.height() / size.width() if size.width() else room
        return QRectF((self.viewport().width() - room) / 2, self._tops[page], room, high)

    def _lay_out(self) -> None:
        self._tops = []
        top = float(GAP)
        for page in range(self._document.pageCount()):
            self._tops.append(top)
            top = self._box(page).bottom() + GAP
        bar = self.verticalScrollBar()
        bar.setRange(0, max(int(top) - self.viewport().height(), 0))
        bar.setPageStep(self.viewport().height())
        bar.setSingleStep(STEP)

    def _height(self) -> float:
        return self._box(len(self._tops) - 1).bottom() if self._tops else 0.0

    def _moved(self, value: int) -> None:
        middle = value + self.viewport().height() / 3
        page = max((n for n, top in enumerate(self._tops) if top <= middle), default=0)
        if page != self.current:
            self.current = page
            self.turned.emit(page)
        self.viewport().update()


FEWEST = 2  # minimum number of characters for a search


class PdfBody(QWidget):
    """The pages of PDF files, with a bar above them for searching and turning pages.

    Raises: BackendError if a file cannot be read.
    """

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
        self.pages = PdfPages(self.document, name, self)
        self.pages.turned.connect(lambda _: self._tell())
        self._quotes: list[PageMark] = []
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(tr("Search"))
        self.field.setAccessibleName(tr("Search {name}", name=name))
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
        """Apply a theme."""
        self.pages.set_tokens(tokens)
        self.next.setIcon(icon("down", tokens.muted, 16))

    def step(self, by: int) -> None:
        """Go to another search result. by: 1 or -1."""
        count = self._found.rowCount(self._found.index(-1, 0).parent())
        if count:
            self._at = (self._at + by) % count
            link = self._found.resultAtIndex(self._at)
            self.pages.go_to(link.page(), link.location().y())
            self._tell()

    def show_quotes(self, boxes: list[QuoteBox]) -> bool:
        """Highlight quotes and go to the first one. Pages are counted from 1.

        Return whether these pages contain a quote.
        """
        made = [m for m in map(mark_of, boxes) if m.page < self.document.pageCount()]
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
            broken = tr("{name} can't be shown as a PDF.", name=name)
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
                marks += [
                    PageMark(page, QRectF(box)) for link in links for box in link.rectangles()
                ]
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


def mark_of(box: QuoteBox) -> PageMark:
    """Return the highlight for a quote."""
    area = QRectF(box.x0, box.top, box.x1 - box.x0, box.bottom - box.top)
    return PageMark(max(box.page - 1, 0), area, quote=True)
