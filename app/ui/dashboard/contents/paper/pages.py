"""The pages of a PDF file, below each other, as wide as there is room; words that were found and quotes are marked."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPen
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from app.ui.style.tokens import LIGHT, Tokens
from app.ui.words import tr

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent, QResizeEvent
    from PySide6.QtPdf import QPdfDocument

GAP, KEPT, STEP = 10, 6, 60  # pixels between pages, pages kept drawn, pixels of a step of the wheel
WIDEST = 1100


@dataclass(frozen=True)
class Mark:
    """A place on a page, in points from its upper left corner. quote: it is cited, not only found."""

    page: int
    box: QRectF
    quote: bool = False


class Pages(QAbstractScrollArea):
    """Signals: turned(page) to another, from 0."""

    turned = Signal(int)

    def __init__(self, document: QPdfDocument, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pages")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(tr("Pages of {name}", name=name))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.tokens: Tokens = LIGHT
        self.marks: list[Mark] = []
        self.current = 0
        self._document = document
        self._drawn: OrderedDict[tuple[int, int], QImage] = OrderedDict()
        self._tops: list[float] = []
        self._wanted: tuple[int, float] | None = None  # where to go once there is a layout
        self.verticalScrollBar().valueChanged.connect(self._moved)

    def set_tokens(self, tokens: Tokens) -> None:
        """Dress in a theme; the paper stays white."""
        self.tokens = tokens
        self.viewport().update()

    def set_marks(self, marks: list[Mark]) -> None:
        """Mark some places instead of those before."""
        self.marks = marks
        self.viewport().update()

    def go_to(self, page: int, y: float = 0.0) -> None:
        """Bring a place of a page, in points from its top, into the upper third of the view."""
        self._wanted = None if self._tops else (page, y)
        if 0 <= page < len(self._tops):
            place = self._tops[page] + y * self._scale(page)
            self.verticalScrollBar().setValue(
                int(place - (self.viewport().height() / 3 if y else 0))
            )

    def forget(self) -> None:
        """Begin anew: the document holds another file."""
        self._drawn.clear()
        self.marks, self.current = [], 0
        self._lay_out()
        self.verticalScrollBar().setValue(0)
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the pages out anew, the same place in view."""
        super().resizeEvent(event)
        bar, before = self.verticalScrollBar(), self._height()
        share = bar.value() / before if before else 0.0
        self._lay_out()
        bar.setValue(int(share * self._height()))
        if self._wanted is not None:
            self.go_to(*self._wanted)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the pages that are in view, and the marks on them."""
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

    def _paint_mark(self, painter: QPainter, mark: Mark, box: QRectF) -> None:
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
