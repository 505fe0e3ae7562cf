"""A picture in the conversation: decoded once, never fetched."""

from __future__ import annotations

import base64
import binascii
import re
from functools import lru_cache

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, Qt, QUrl
from PySide6.QtGui import QImage, QImageReader, QTextDocument

from app.ui.markdown.document import BlockDocument
from app.ui.theme.i18n import tr
from app.ui.theme.style import text_font
from app.ui.theme.tokens import CAPTION_PX, COLUMN

NAME = "picture"
MOST = 4096  # pixels per side; larger pictures are scaled down
MEGABYTES = 256  # of an uncompressed picture
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
    """Return the picture embedded in an address in Markdown; None for any other address."""
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
    ):  # Qt would refuse it too, but with a warning
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
