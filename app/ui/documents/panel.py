"""A document search with the passages it finds, and the files with their states."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QTextLayout, QTextOption
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.ui.controls.labels import label
from app.ui.theme.i18n import said, tr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QModelIndex, QPersistentModelIndex
    from PySide6.QtGui import QMouseEvent, QPaintEvent, QResizeEvent

    from app.documents.index import IndexedFile
    from app.documents.passages import PagePicture
    from app.documents.search import FoundPassages, Hit

    Index = QModelIndex | QPersistentModelIndex

MOST = 500  # maximum number of files shown in the list
# in pixels: width from which a panel has space for a page; minimum width of the page
WIDE, PICTURE_LEAST = 640, 240
EDGE = 18  # in pixels: the space around the text of a row, as in the style sheet


class PassageDelegate(QStyledItemDelegate):
    """Gives each row the height that its lines need, including in scripts with taller letters."""

    def __init__(self, view: QListWidget) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of all lines, wrapped at the width of the list."""
        wrapped = QTextOption()
        wrapped.setWrapMode(QTextOption.WrapMode.WordWrap)
        width = self._view.viewport().width() - 2 * EDGE
        highest, lines = 0.0, 0
        for text in str(index.data()).split("\n"):
            layout = QTextLayout(text, self._view.font())
            layout.setTextOption(wrapped)
            layout.beginLayout()
            while (line := layout.createLine()).isValid():
                line.setLineWidth(width)
                highest = max(highest, line.height())
                lines += 1
            layout.endLayout()
        # The view gives every line of a row the height of the tallest line, and would cut off the
        # last line.
        return QSize(width, round(highest * lines) + EDGE)


class PagePreview(QWidget):
    """The picture of a page, with the words that were found highlighted. Signals: pressed()."""

    pressed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setMinimumWidth(PICTURE_LEAST)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.image = QImage()
        self.boxes: list[QRectF] = []

    def show_picture(self, picture: PagePicture, name: str) -> None:
        """Show a page. name: its name for screen readers."""
        form, line = QImage.Format.Format_RGB32, 4 * picture.width
        self.image = QImage(picture.pixels, picture.width, picture.height, line, form).copy()
        self.boxes = [QRectF(a, b, c - a, d - b) for a, b, c, d in picture.boxes]
        self.setAccessibleName(name)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the page as large as possible, with the highlighted words visible."""
        if self.image.isNull():
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        scale = self.width() / self.image.width()
        high = self.image.height() * scale
        first = min((box.top() for box in self.boxes), default=0.0) * scale
        top = -min(max(first - self.height() / 3, 0.0), max(high - self.height(), 0.0))
        painter.translate(0, top)
        painter.scale(scale, scale)
        painter.drawImage(0, 0, self.image)
        accent = self.palette().link().color()
        soft = QColor(accent)
        soft.setAlpha(60)
        for box in self.boxes:
            around = box.adjusted(-4, -3, 4, 3)
            painter.fillRect(around, soft)
            painter.setPen(QPen(accent, 2))
            painter.drawRect(around)
        painter.resetTransform()
        painter.setPen(QPen(self.palette().mid().color(), 1))
        painter.drawRect(QRectF(0.5, 0.5, self.width() - 1, min(high, self.height()) - 1))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Open the page."""
        if self.rect().contains(event.position().toPoint()):
            self.pressed.emit()


class DocumentsPanel(QWidget):
    """The panel, with the search field, the list of files or passages, and a page.

    Signals: searched(words), opened(path, page, quote) to open a file or passage, asked(path,
    words) to ask a question about a file or passage, shown(path, page, quote) for the chosen
    passage if there is space for the picture of its page.
    """

    searched = Signal(str)
    opened = Signal(str, int, str)
    asked = Signal(str, str)
    shown = Signal(str, int, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hits: list[Hit] = []
        self._found = ""  # summary of the search result
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(tr("Search these documents"))
        self.field.setAccessibleName(tr("Search these documents"))
        self.field.setClearButtonEnabled(True)
        self.field.returnPressed.connect(self._search)
        self.field.textChanged.connect(lambda text: None if text else self._leave())
        self.ask = QPushButton(tr("Ask about it"), self)
        self.ask.setToolTip(tr("Attach this document and ask about the search text"))
        self.ask.clicked.connect(self._ask)
        self.told = label("", "muted", self)
        self.list = QListWidget(self)
        self.list.setAccessibleName(tr("Documents"))
        self.list.setWordWrap(True)
        self.list.setItemDelegate(PassageDelegate(self.list))
        self.list.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.list.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.list.itemActivated.connect(self._open)
        self.list.itemClicked.connect(self._click)
        self.list.currentRowChanged.connect(lambda _: self._offer())
        self.preview = PagePreview(self)
        self.preview.setToolTip(tr("Open this page"))
        self.preview.pressed.connect(lambda: self._open(self.list.currentItem()))
        self.preview.hide()
        self.others = QPushButton(tr("Similar documents"), self)
        self.others.setObjectName("link")
        self.others.clicked.connect(self._show_others)
        row = QHBoxLayout()
        row.addWidget(self.field, 1)
        row.addWidget(self.others)
        row.addWidget(self.ask)
        below = QHBoxLayout()
        below.setSpacing(12)
        below.addWidget(self.list, 1)
        below.addWidget(self.preview)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(row)
        column.addWidget(self.told)
        column.addLayout(below, 1)
        self._files: list[IndexedFile] = []
        self._offer()

    def show_files(self, files: Sequence[IndexedFile]) -> None:
        """Show files with their states; passages that are already shown stay."""
        self._files = list(files)
        if self._hits:
            self.told.setText(self._found)
        else:
            self._list_files()

    def show_found(self, found: FoundPassages) -> None:
        """Show passages, best first, with a note if none of them contains an answer."""
        self._hits = list(found.hits)
        self._found = tr("%n passages", "", len(found.hits))
        self.list.clear()
        if not found.answered:
            missing = ", ".join(f"“{word}”" for word in found.missing)
            none = tr("Not in these documents.")
            mentions = tr("No document mentions {words}.", words=missing) if missing else ""
            self._found = f"{none} {mentions}".strip()
        self.told.setText(self._found)
        for hit in self._hits:
            one = hit.passage
            page = tr("page {page}", page=one.label or one.page)
            heading = f" · {one.heading}" if one.heading else ""
            words = " ".join(one.text.split())
            told = [f"{Path(one.path).name}, {page}{heading}", words, *also(hit)]
            item = QListWidgetItem("\n".join(told), self.list)
            item.setToolTip(one.path)
        self.list.setCurrentRow(0)
        self._offer()

    def show_picture(self, path: str, page: int, picture: PagePicture | None) -> None:
        """Show the page of a passage if that passage is still the chosen one. picture: None hides
        the page.
        """
        hit = self._hit()
        if hit is None or (hit.passage.path, hit.passage.page) != (path, page):
            return
        self.preview.setVisible(picture is not None)
        if picture is not None:
            name = tr("Page {page} of {name}", page=page, name=Path(path).name)
            self.preview.show_picture(picture, name)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the page of a passage two fifths of a wide panel; hide it in a narrow panel."""
        super().resizeEvent(event)
        self.preview.setFixedWidth(max(PICTURE_LEAST, self.width() * 2 // 5))
        if self.width() < WIDE:
            self.preview.hide()

    def tell(self, text: str) -> None:
        """Show progress or an error."""
        self.told.setText(text)

    def chosen(self) -> str:
        """Return the path of the selected item; empty if no item is selected."""
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

    def _hit(self) -> Hit | None:
        row = self.list.currentRow()
        return self._hits[row] if 0 <= row < len(self._hits) else None

    def _click(self, item: QListWidgetItem) -> None:
        """Open the item that was clicked; if its page is shown, only a click on that page opens the
        item.
        """
        if not (self._hits and self.width() >= WIDE):
            self._open(item)

    def _show_others(self) -> None:
        """Show the documents whose text is nearly the same as the chosen document's."""
        hit = self._hit()
        if hit is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        same = {one.path: one.page for one in hit.same}
        near = {
            one.passage.path: one.passage.page
            for one in self._hits
            if one.passage.path in hit.differing
        }
        for path, page in (same | near).items():
            action = menu.addAction(Path(path).name)
            action.setToolTip(path)
            action.triggered.connect(
                lambda _=False, path=path, page=page: self.opened.emit(path, page, "")
            )
        menu.popup(self.others.mapToGlobal(self.others.rect().bottomLeft()))

    def _open(self, item: QListWidgetItem) -> None:
        row = self.list.row(item)
        if self._hits:
            hit = self._hits[row]
            self.opened.emit(hit.passage.path, hit.passage.page, hit.quote)
        elif row < len(self._files):
            self.opened.emit(self._files[row].path, 1, "")

    def _offer(self) -> None:
        hit = self._hit()
        self.ask.setVisible(hit is not None)
        self.others.setVisible(hit is not None and bool(hit.same or hit.differing))
        if hit is not None and self.width() >= WIDE:
            self.shown.emit(hit.passage.path, hit.passage.page, hit.quote)
        else:
            self.preview.hide()

    def _ask(self) -> None:
        if path := self.chosen():
            self.asked.emit(path, self.field.text().strip())


def also(hit: Hit) -> list[str]:
    """Return the other documents with the same or nearly the same text, one per line."""
    told: list[str] = []
    if hit.same:
        names = ", ".join(dict.fromkeys(Path(one.path).name for one in hit.same))
        told.append(tr("The same text: {names}", names=names))
    if hit.differing:
        names = ", ".join(dict.fromkeys(Path(path).name for path in hit.differing))
        told.append(tr("Similar, with differences: {names}", names=names))
    return told


def data_size(count: int) -> str:
    """Return a number of bytes as readable text in the language of the window."""
    return QLocale().formattedDataSize(count, 1, QLocale.DataSizeFormat.DataSizeSIFormat)


def state_of(file: IndexedFile) -> str:
    """Return a file's state as text."""
    if file.state == "failed":
        return said(f"{file.error} {file.remedy}".strip())
    if file.state == "waiting":
        return tr("Not read yet")
    told = [tr("%n pages", "", file.pages), data_size(file.size)]
    if file.unread:
        told.append(tr("%n scanned pages unread", "", file.unread))
    return " · ".join(told)
