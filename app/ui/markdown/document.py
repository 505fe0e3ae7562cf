"""The documents of the conversation: fonts, formats, and no access to external resources.

Pictures in the conversation are decoded once and never fetched.
"""

from __future__ import annotations

import base64
import binascii
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, Qt, QUrl
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontDatabase,
    QFontInfo,
    QImage,
    QImageReader,
    QTextBlockFormat,
    QTextCharFormat,
    QTextDocument,
)

from app.ui.theme.i18n import tr
from app.ui.theme.style import scaled, text_font
from app.ui.theme.tokens import CAPTION_PX, COLUMN, TEXT_PX

if TYPE_CHECKING:
    from app.ui.theme.tokens import Tokens


LINE_HEIGHT = (
    150.0  # percent of the font's line height; for most fonts, about 1.55 times their size
)


class TextLink(NamedTuple):
    """A range of text that forms a link."""

    href: str
    start: int
    length: int


class BlockDocument(QTextDocument):
    """A document that loads nothing, because its addresses may be hostile.

    plain_end: the format of text appended at the end; None if no text can be appended. cites: the
    number of citations that its marks may refer to. waits: whether a formula is shown as source
    until it is drawn.
    """

    def __init__(self, font: QFont) -> None:
        super().__init__()
        self.setUndoRedoEnabled(False)
        self.setDocumentMargin(0)
        self.setDefaultFont(font)
        self.setIndentWidth(22)
        self.plain_end: QTextCharFormat | None = None
        self.cites = 0
        self.waits = False
        self._links: list[TextLink] | None = None

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Return nothing, regardless of which image or style sheet is requested."""
        return None

    def links(self) -> list[TextLink]:
        """Return the document's links in reading order."""
        if self._links is None:
            self._links = []
            block = self.begin()
            while block.isValid():
                at = block.begin()
                while not at.atEnd():
                    fragment = at.fragment()
                    if href := fragment.charFormat().anchorHref():
                        self._add(TextLink(href, fragment.position(), fragment.length()))
                    at += 1
                block = block.next()
        return self._links

    def _add(self, link: TextLink) -> None:
        assert self._links is not None
        before = self._links[-1] if self._links else None
        if before and before.href == link.href and before.start + before.length == link.start:
            self._links[-1] = TextLink(link.href, before.start, before.length + link.length)
        else:
            self._links.append(link)

    def forget_links(self) -> None:
        """Find the links again when they are next needed, because the text has changed."""
        self._links = None


def code_font(pixels: int = TEXT_PX - 1) -> QFont:
    """Return the system's monospace font."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setFamilies([QFontInfo(font).family(), *text_font(pixels).families()[1:]])
    font.setPixelSize(scaled(pixels))
    return font


def spaced(top: int = 0) -> QTextBlockFormat:
    """Return the format of a paragraph with our line height. top: the space above in pixels."""
    form = QTextBlockFormat()
    form.setLineHeight(LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    form.setTopMargin(top)
    return form


def sliver() -> QTextBlockFormat:
    """Return the format of the empty paragraphs, one pixel high, that Qt adds around a table."""
    form = QTextBlockFormat()
    form.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
    return form


def text_format(tokens: Tokens, *, muted: bool = False, pixels: int = TEXT_PX) -> QTextCharFormat:
    """Return the format of plain text."""
    form = QTextCharFormat()
    form.setFont(text_font(pixels))
    form.setForeground(QBrush(QColor(tokens.muted if muted else tokens.text)))
    return form


NAME = "picture"
MOST = 4096  # maximum pixels per side; larger pictures are scaled down
MEGABYTES = 256  # maximum size of an uncompressed picture
PIXEL_BYTES = 4
WITHIN = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,")


def picture(content: str) -> BlockDocument:
    """Return a document with a base64 picture, or with a message if it is not a picture."""
    document = BlockDocument(text_font(CAPTION_PX))
    image = read_picture(content, MOST)
    if image is None:
        document.setPlainText(tr("(a picture that cannot be shown)"))
        return document
    document.addResource(QTextDocument.ResourceType.ImageResource.value, QUrl(NAME), image)
    return document


def fit_picture(document: BlockDocument, width: int) -> None:
    """Limit a picture to the available width."""
    image = document.resource(QTextDocument.ResourceType.ImageResource.value, QUrl(NAME))
    if isinstance(image, QImage) and not image.isNull():
        document.setHtml(f'<img src="{NAME}" width="{min(width, image.width())}">')


def picture_within(address: str) -> QImage | None:
    """Return the picture embedded in an address in Markdown; return None for any other address."""
    mark = WITHIN.match(address)
    return read_picture(address[mark.end() :], COLUMN) if mark else None


@lru_cache(maxsize=16)
def read_picture(content: str, most: int) -> QImage | None:
    """Decode a base64 picture; return None if it is not a picture. most: the maximum number of
    pixels per side.
    """
    buffer = QBuffer()
    try:
        buffer.setData(QByteArray(base64.b64decode(content)))
    except (binascii.Error, ValueError):
        return None
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    size = reader.size()
    if (
        size.width() * size.height() * PIXEL_BYTES > MEGABYTES << 20
    ):  # Qt would also refuse it, but with a warning
        return None
    reader.setAllocationLimit(MEGABYTES)
    reader.setAutoTransform(True)
    image = reader.read()
    if image.isNull():
        return None
    if max(image.width(), image.height()) > most:
        image = image.scaled(
            most,
            most,
            Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
    return image
