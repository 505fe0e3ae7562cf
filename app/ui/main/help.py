"""The help window: pages in the user's language, with search."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import (
    QImage,
    QKeyEvent,
    QKeySequence,
    QShortcut,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextTable,
)
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from app.ui.theme.i18n import spoken_language, tr
from app.ui.theme.style import roomy

if TYPE_CHECKING:
    from PySide6.QtGui import QTextList


@dataclass(frozen=True)
class HelpPage:
    """A help page. name: the name of its file. title: its first heading. text: Markdown. folder:
    the folder of its pictures.
    """

    name: str
    title: str
    text: str
    folder: Path

    def holds(self, words: list[str]) -> bool:
        """Return whether the page contains all the words, ignoring case."""
        text = self.text.casefold()
        return all(word.casefold() in text for word in words)


def read_pages(language: str) -> list[HelpPage]:
    """Return the pages in a language, sorted by name."""
    with as_file(files("resources").joinpath("help")) as folder:
        own = folder / language
        pictures = own if any(own.glob("*.png")) else folder
        return [read_page(path, pictures) for path in sorted(own.glob("*.md"))]


def read_page(path: Path, pictures: Path) -> HelpPage:
    """Return the page that a file contains."""
    text = path.read_text("utf-8")
    return HelpPage(path.stem, text.partition("\n")[0].removeprefix("# ").strip(), text, pictures)


def found_in(pages: list[HelpPage], wanted: str) -> list[HelpPage]:
    """Return the pages that contain all words of a search; return all pages if the search is
    empty.
    """
    return [page for page in pages if page.holds(wanted.split())]


# the first is in percent, the others are in pixels
LINE_HEIGHT, PARAGRAPH, ITEM, CELL = 135.0, 10, 4, 6
PICTURE = "\ufffc"  # Qt's character for a picture in the text
WIDE = 560  # in pixels: maximum width of a picture


class HelpWindow(QDialog):
    """The help window; it reads its pages when it is created. Signals: link_wanted(address)."""

    link_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Help"))
        self.resize(roomy(self, 860, 620))
        self._all = read_pages(spoken_language())
        self.shown: list[HelpPage] = []
        self.search = HelpSearch(self)
        self.search.setPlaceholderText(tr("Search help"))
        self.search.setAccessibleName(tr("Search help"))
        self.list = QListWidget(self)
        self.list.setAccessibleName(tr("Pages"))
        self.page = HelpReader(self)
        self.page.setObjectName("words")
        self.page.setAccessibleName(tr("The page"))
        self.page.anchorClicked.connect(self._follow)
        side = QFrame(self)
        side.setObjectName("sidebar")
        side.setFixedWidth(230)
        left = QVBoxLayout(side)
        left.setContentsMargins(10, 12, 10, 12)
        left.addWidget(self.search)
        left.addWidget(self.list, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(side)
        row.addWidget(self.page, 1)
        self.search.textChanged.connect(self._find)
        self.search.entered.connect(self.list.setFocus)
        self.list.currentRowChanged.connect(self._show)
        QShortcut(QKeySequence("Ctrl+W"), self).activated.connect(self.close)
        QShortcut(QKeySequence.StandardKey.Find, self).activated.connect(self.search.setFocus)
        self._find("")

    def open_at(self, name: str = "") -> None:
        """Show the window. name: the page to open."""
        for row, page in enumerate(self.shown):
            if page.name == name:
                self.list.setCurrentRow(row)
        self.show()
        self.activateWindow()
        self.search.setFocus()

    def _find(self, wanted: str) -> None:
        self.shown = found_in(self._all, wanted)
        self.list.clear()
        self.list.addItems([page.title for page in self.shown])
        if self.shown:
            self.list.setCurrentRow(0)
        else:
            self.page.setPlainText(tr("Nothing found"))

    def _show(self, row: int) -> None:
        if not 0 <= row < len(self.shown):
            return
        page = self.shown[row]
        self.page.show_page(page)
        if first := self.search.text().split()[:1]:
            self.page.mark(first[0])

    def _follow(self, url: QUrl) -> None:
        """Open another help page; ask before opening a web page."""
        if url.isRelative():
            self.search.clear()
            self.open_at(url.path().removesuffix(".md"))
        else:
            self.link_wanted.emit(url.toString())


class HelpSearch(QLineEdit):
    """The search field. Signals: entered() to move to the results."""

    entered = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move to the pages with Down or Enter; nothing else reacts to these keys."""
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered.emit()
            return
        super().keyPressEvent(event)


class HelpReader(QTextBrowser):
    """Shows a page and its local pictures; nothing is downloaded."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setOpenLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.document().setDocumentMargin(24)
        self._page: HelpPage | None = None

    def show_page(self, page: HelpPage) -> None:
        """Show a page from the top."""
        self._page = page
        self.setMarkdown(page.text)
        give_room(self.document())
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def mark(self, word: str) -> None:
        """Select the first occurrence of a word and scroll to it."""
        self.find(word, QTextDocument.FindFlag(0))

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Return a picture stored with the pages, no wider than the page; return nothing for any
        other resource.
        """
        path = QUrl(name).fileName()
        if self._page is None or not path.endswith(".png"):
            return None
        image = QImage(str(self._page.folder / path))
        narrow = min(WIDE, image.width())
        return image.scaledToWidth(narrow, Qt.TransformationMode.SmoothTransformation)


def give_room(document: QTextDocument) -> None:
    """Add space between the lines and paragraphs of a page, and in the cells of its tables."""
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            form = frame.format()
            form.setCellPadding(CELL)
            form.setCellSpacing(0)
            form.setBorder(0)
            frame.setFormat(form)
    block = document.begin()
    while block.isValid():
        cursor, form = QTextCursor(block), block.blockFormat()
        table, items = (
            cast("QTextTable | None", cursor.currentTable()),
            cast("QTextList | None", block.textList()),
        )
        if PICTURE not in block.text():
            form.setLineHeight(
                LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value
            )
        if table is None:
            form.setTopMargin(ITEM if items is not None else PARAGRAPH)
            form.setBottomMargin(PARAGRAPH if PICTURE in block.text() else ITEM)
        cursor.setBlockFormat(form)
        block = block.next()
