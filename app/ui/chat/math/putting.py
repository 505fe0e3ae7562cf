"""Put formulas among words, on the line of the words."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import (
    QFontMetrics,
    QGuiApplication,
    QImage,
    QPainter,
    QTextCharFormat,
    QTextCursor,
    QTextImageFormat,
)

from app.ui.chat.blocks.document import Document
from app.ui.chat.math.drawing import Formula
from app.ui.chat.math.later import Wanted, formulas

TOLERATED = 1.5  # pixels a formula may stand too high, where the line would else become much higher
ALT = QTextImageFormat.Property.ImageAltText


def put_formula(
    cursor: QTextCursor, latex: str, source: str, base: QTextCharFormat, *, display: bool
) -> bool:
    """Put a formula at a cursor; False if it cannot be drawn, or is drawn later: the document then waits for it.

    source: what is copied of it.
    """
    colour, pixels = base.foreground().color().name(), base.font().pixelSize()
    screen, document = QGuiApplication.primaryScreen(), cursor.document()
    wanted = Wanted(latex, colour, pixels, display, screen.devicePixelRatio())
    known, made = formulas().find(wanted)
    if not known and isinstance(document, Document):
        document.waits = True
    if made is None:
        return False
    made, alignment = (
        (made, QTextCharFormat.VerticalAlignment.AlignBottom) if display else lowered(made, base)
    )
    form = QTextImageFormat()
    form.setName(f"formula:{made.image.cacheKey()}")
    form.setWidth(made.width)
    form.setHeight(made.height)
    form.setVerticalAlignment(alignment)
    form.setProperty(ALT, source)
    cursor.document().addResource(2, form.name(), made.image)
    cursor.insertImage(form)
    return True


def lowered(
    made: Formula, base: QTextCharFormat
) -> tuple[Formula, QTextCharFormat.VerticalAlignment]:
    """Return a formula with room around it so that it stands on the line of the words.

    Qt puts a picture on that line, its middle on it, or its foot where the letters' feet are.
    """
    feet, above = QFontMetrics(base.font()).descent() + 1, made.height - made.below
    if made.below <= feet + TOLERATED:
        return roomy(
            made, 0, max(0.0, feet - made.below)
        ), QTextCharFormat.VerticalAlignment.AlignBaseline
    lack = above - made.below
    top, bottom = max(0.0, -lack), max(0.0, lack)
    return roomy(made, top, bottom), QTextCharFormat.VerticalAlignment.AlignMiddle


def roomy(made: Formula, top: float, bottom: float) -> Formula:
    """Return a formula with empty room above and below, in pixels."""
    density = made.image.devicePixelRatio()
    height = made.height + top + bottom
    image = QImage(
        made.image.width(), round(height * density), QImage.Format.Format_ARGB32_Premultiplied
    )
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.drawImage(
        QRectF(0, top * density, made.image.width(), made.image.height()),
        made.image,
        QRectF(made.image.rect()),
    )
    painter.end()
    image.setDevicePixelRatio(density)
    return Formula(image, made.width, height, made.below + bottom)
