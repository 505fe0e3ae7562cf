"""A picture in the conversation: decoded once, as wide as it is or as there is room."""

from __future__ import annotations

import base64
import binascii

from PySide6.QtCore import QUrl
from PySide6.QtGui import QImage, QTextDocument

from app.ui.chat.blocks.document import Document
from app.ui.style.theme import text_font
from app.ui.style.tokens import CAPTION_PX
from app.ui.words import tr

NAME = "picture"
MOST = 4096  # pixels on a side; larger ones are made smaller


def picture(content: str) -> Document:
    """Return a document of a picture in base64; of what is none, one that says so."""
    document = Document(text_font(CAPTION_PX))
    try:
        image = QImage.fromData(base64.b64decode(content))
    except (binascii.Error, ValueError):
        image = QImage()
    if image.isNull():
        document.setPlainText(tr("(a picture that cannot be shown)"))
        return document
    if max(image.width(), image.height()) > MOST:
        image = image.scaled(MOST, MOST)
    document.addResource(QTextDocument.ResourceType.ImageResource.value, QUrl(NAME), image)
    return document


def fit_picture(document: Document, width: int) -> None:
    """Let a picture be no wider than there is room."""
    image = document.resource(QTextDocument.ResourceType.ImageResource.value, QUrl(NAME))
    if isinstance(image, QImage) and not image.isNull():
        document.setHtml(f'<img src="{NAME}" width="{min(width, image.width())}">')
