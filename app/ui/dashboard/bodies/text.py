"""Markdown and plain text in a tile. Nothing is fetched, and the user is asked before a link is
opened.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from app.domain.errors import BackendError
from app.openbb.content import bytes_of
from app.openbb.kinds import MARKDOWN, TEXT
from app.ui.controls.labels import ANYWHERE, fit_document, is_endless
from app.ui.dashboard.bodies import WidgetView
from app.ui.dashboard.bodies.document import mark_quote
from app.ui.dashboard.bodies.picture import read_image
from app.ui.markdown.builder import set_markdown
from app.ui.markdown.document import BlockDocument
from app.ui.theme.i18n import tr
from app.ui.theme.style import text_font
from app.ui.theme.tokens import LIGHT, TEXT_PX, Tokens

if TYPE_CHECKING:
    from PySide6.QtCore import QUrl
    from PySide6.QtGui import QImage

MARGIN, MOST = 14, 500_000  # maximum number of a text's characters that are shown
# maximum number of pictures in a text, and their maximum width in pixels
PICTURES, PICTURE_PX = 20, 520
HELD = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,([A-Za-z0-9+/=\s]{16,})")


class WordsBody(QTextBrowser):
    """Shows a text. Signals: linked(address) when a link is clicked."""

    linked = Signal(str)

    def __init__(
        self, text: str, name: str, *, plain: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("words")
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self._held: list[str] = []  # pictures embedded in the text
        text = text if plain else HELD.sub(self._keep, text)
        self._text, self._plain, self._tokens = text, plain, LIGHT
        if len(text) > MOST:
            left = tr("… %n more characters.", "", len(text) - MOST)
            self._text = f"{text[:MOST]}\n\n{left}"
        self.anchorClicked.connect(self._follow)
        self._write()

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        if tokens is not self._tokens:
            self._tokens = tokens
            self._write()

    def mark(self, page: int, quote: str) -> bool:
        """Highlight a quote and scroll to it; return whether it was found. page: ignored, because
        there is only one page.
        """
        return mark_quote(self, quote, self._tokens)

    def _write(self) -> None:
        place = self.verticalScrollBar().value()
        made = BlockDocument(text_font(TEXT_PX))
        made.setParent(self)
        if self._plain:
            made.setPlainText(self._text)
        else:
            set_markdown(made, self._text, self._tokens, self._picture)
        fit_document(made, self._text)
        made.setDocumentMargin(MARGIN)
        if is_endless(self._text):
            self.setWordWrapMode(ANYWHERE)
        self.setDocument(made)
        self.verticalScrollBar().setValue(place)

    def _keep(self, found: re.Match[str]) -> str:
        """Store a picture separately, so that its data does not take up most of the text."""
        self._held.append(found[1])
        return f"data:image/png;base64,{len(self._held) - 1}"

    def _picture(self, address: str) -> QImage | None:
        number = address.rpartition(",")[2]
        if not number.isdigit() or int(number) >= min(len(self._held), PICTURES):
            return None
        try:
            image = read_image(bytes_of({"content": self._held[int(number)]}), tr("The picture"))
        except BackendError:  # the picture's alternative text is shown in its place
            return None
        if image.width() <= PICTURE_PX:
            return image
        return image.scaledToWidth(PICTURE_PX, Qt.TransformationMode.SmoothTransformation)

    def _follow(self, url: QUrl) -> None:
        if url.scheme() in ("http", "https", "mailto"):
            self.linked.emit(url.toString())


MARKDOWN_VIEW = WidgetView(MARKDOWN, lambda content, name: WordsBody(str(content.value), name))
TEXT_VIEW = WidgetView(TEXT, lambda content, name: WordsBody(str(content.value), name, plain=True))
