"""Markdown and plain text in a tile. Nothing it names is fetched; links are asked about before they are opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from app.ui.chat.blocks.document import Document
from app.ui.chat.blocks.markdown import set_markdown
from app.ui.style.theme import text_font
from app.ui.style.tokens import LIGHT, TEXT_PX, Tokens

if TYPE_CHECKING:
    from PySide6.QtCore import QUrl

MARGIN, MOST = 14, 500_000  # characters shown of a text


class WordsBody(QTextBrowser):
    """Signals: linked(address) of a link that was pressed."""

    linked = Signal(str)

    def __init__(self, text: str, name: str, *, plain: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("words")
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self._text, self._plain, self._tokens = text, plain, LIGHT
        if len(text) > MOST:
            self._text = f"{text[:MOST]}\n\n… {len(text) - MOST:,} characters more are not shown."
        self.anchorClicked.connect(self._follow)
        self._write()

    def set_tokens(self, tokens: Tokens) -> None:
        """Dress in a theme."""
        if tokens is not self._tokens:
            self._tokens = tokens
            self._write()

    def _write(self) -> None:
        place = self.verticalScrollBar().value()
        made = Document(text_font(TEXT_PX))
        made.setParent(self)
        if self._plain:
            made.setPlainText(self._text)
        else:
            set_markdown(made, self._text, self._tokens)
        made.setDocumentMargin(MARGIN)
        self.setDocument(made)
        self.verticalScrollBar().setValue(place)

    def _follow(self, url: QUrl) -> None:
        if url.scheme() in ("http", "https", "mailto"):
            self.linked.emit(url.toString())
