"""The text of a document, page by page, with quotes highlighted: Word, PowerPoint, EPUB and
mail.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QTextBrowser, QTextEdit, QWidget

from app.openbb.kinds import DOCUMENT
from app.ui.controls.labels import fit_document
from app.ui.dashboard.bodies import WidgetView
from app.ui.markdown.document import BlockDocument
from app.ui.theme.i18n import tr
from app.ui.theme.style import scaled, text_font
from app.ui.theme.tokens import CAPTION_PX, LIGHT, TEXT_PX, Tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.documents.passages import DocumentPage


def place_of(text: str, quote: str, start: int = 0) -> tuple[int, int] | None:
    """Return the start and end of a quote in a text; None if it is not found.

    Punctuation and white space between words are ignored. start: where the search begins.
    """
    words = re.findall(r"\w+", quote)
    if not words:
        return None
    pattern = re.compile(r"[\W_]{0,12}".join(map(re.escape, words)))
    found = pattern.search(text, start) or pattern.search(text)
    return found.span() if found else None


def mark_quote(body: QTextBrowser, quote: str, tokens: Tokens, start: int = 0) -> bool:
    """Highlight a quote and scroll to it; return whether it was found.

    start: the position in the text where the search begins.
    """
    document = body.document()
    found = place_of(document.toPlainText(), quote, start)
    if found is None:
        body.setExtraSelections([])
        return False
    cursor = QTextCursor(document)
    cursor.setPosition(found[0])
    shown = QTextCursor(cursor)
    cursor.setPosition(found[1], QTextCursor.MoveMode.KeepAnchor)
    selection = QTextEdit.ExtraSelection()
    selection.cursor = cursor  # pyright: ignore[reportAttributeAccessIssue]
    selection.format.setBackground(QColor(tokens.accent_soft))  # pyright: ignore[reportAttributeAccessIssue]
    body.setExtraSelections([selection])
    body.setTextCursor(shown)
    bar = body.verticalScrollBar()
    bar.setValue(bar.value() + body.cursorRect().top() - body.viewport().height() // 3)
    return True


HEADING_PX = 16
MARGIN, MOST = 14, 500_000  # maximum number of characters shown


class DocumentBody(QTextBrowser):
    """The text, with its headings and with space between paragraphs. If there are several pages, a
    line above each page shows its number.
    """

    def __init__(
        self, pages: Sequence[DocumentPage], name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("words")
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self._pages, self._tokens = list(pages), LIGHT
        self._starts: dict[int, int] = {}
        self._marked: tuple[int, str] | None = None
        self._write()

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        if tokens is not self._tokens:
            self._tokens = tokens
            self._write()

    def mark(self, page: int, quote: str) -> bool:
        """Highlight a quote on a page and scroll to it; return whether it was found."""
        self._marked = (page, quote)
        return mark_quote(self, quote, self._tokens, self._starts.get(page, 0))

    def _write(self) -> None:
        made = BlockDocument(text_font(TEXT_PX))
        made.setParent(self)
        cursor = QTextCursor(made)
        caption = QTextCharFormat()
        caption.setFontPointSize(scaled(CAPTION_PX) * 0.75)
        caption.setForeground(QColor(self._tokens.muted))
        apart = QTextBlockFormat()
        apart.setTopMargin(10)
        left = MOST
        for page in self._pages:
            self._starts[page.number] = cursor.position()
            if len(self._pages) > 1:
                name = f" · {page.label}" if page.label else ""
                cursor.insertText(tr("Page {page}", page=page.number) + name, caption)
                cursor.insertBlock(QTextBlockFormat())
            if page.scanned and not page.text.strip():
                cursor.insertText(tr("This page is a picture; its text can't be read."), caption)
            self._write_page(cursor, page, left)
            left -= len(page.text)
            cursor.insertBlock(apart)
            if left <= 0:
                cursor.insertText(tr("… the rest is not shown."), caption)
                break
        fit_document(made, "")
        made.setDocumentMargin(MARGIN)
        self.setDocument(made)
        if self._marked is not None:
            self.mark(*self._marked)

    def _write_page(self, cursor: QTextCursor, page: DocumentPage, most: int) -> None:
        """Write a page line by line. most: the maximum number of characters to write."""
        words, heading = QTextCharFormat(), QTextCharFormat()
        for one in (words, heading):
            one.setForeground(QColor(self._tokens.text))
        heading.setFontWeight(QFont.Weight.DemiBold)
        heading.setFontPointSize(scaled(HEADING_PX) * 0.75)
        # If a page has no empty lines, each line is a paragraph, as it is in a Word file.
        paragraphs = not re.search(r"\n\s*\n", page.text.strip())
        headings = {at for at, _ in page.headings}
        start = len(page.text) - len(page.text.lstrip())
        first = True
        for line in page.text.strip()[:most].split("\n"):
            titled = start in headings
            form = QTextBlockFormat()
            if not first:
                row = "\t" in line
                form.setTopMargin(16 if titled else 7 if paragraphs and not row else 0)
                cursor.insertBlock(form)
            elif titled:
                cursor.setBlockFormat(form)
            cursor.insertText(line, heading if titled else words)
            start += len(line) + 1
            first = False


VIEW = WidgetView(DOCUMENT, lambda content, name: DocumentBody(content.value, name))
