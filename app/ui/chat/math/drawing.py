"""Draw a formula as a picture; the library that knows how is loaded with the first one."""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from math import ceil
from typing import TYPE_CHECKING, NamedTuple
from xml.etree.ElementTree import ParseError

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication, QImage, QPainter, QTextCharFormat, QTextImageFormat
from PySide6.QtSvg import QSvgRenderer

if TYPE_CHECKING:
    from types import ModuleType

    from PySide6.QtGui import QTextCursor

LONGEST = 2000  # letters of a formula that is drawn
TOLERATED = 1.5  # pixels a formula may stand too high, where the line would else become much higher
WIDEST = 600  # pixels; a wider one is made smaller
OTHER = re.compile(r"[\u0590-\u1cff\u2e80-\ud7ff\uf900-\uffef]")  # scripts the font of formulas does not have
ALT = QTextImageFormat.Property.ImageAltText
FAULTS = (
    ValueError, KeyError, IndexError, TypeError, AttributeError, AssertionError, ParseError, RecursionError,
    ZeroDivisionError, StopIteration, NotImplementedError,
)  # fmt: skip


class Formula(NamedTuple):
    """A picture of a formula: its size in pixels, and what of it is below the line of the words."""

    image: QImage
    width: float
    height: float
    below: float


def put_formula(
    cursor: QTextCursor, latex: str, source: str, base: QTextCharFormat, *, display: bool
) -> bool:
    """Put a formula at a cursor; False if it cannot be drawn. source: what is copied of it."""
    colour, pixels = base.foreground().color().name(), base.font().pixelSize()
    screen = QGuiApplication.primaryScreen()
    made = drawn(latex, colour, pixels, display, screen.devicePixelRatio())
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


def lowered(made: Formula, base: QTextCharFormat) -> tuple[Formula, QTextCharFormat.VerticalAlignment]:
    """Return a formula with room around it so that it stands on the line of the words.

    Qt puts a picture on that line, its middle on it, or its foot where the letters' feet are.
    """
    feet, above = QFontMetrics(base.font()).descent() + 1, made.height - made.below
    if made.below <= feet + TOLERATED:
        return roomy(made, 0, max(0.0, feet - made.below)), QTextCharFormat.VerticalAlignment.AlignBaseline
    lack = above - made.below
    top, bottom = max(0.0, -lack), max(0.0, lack)
    return roomy(made, top, bottom), QTextCharFormat.VerticalAlignment.AlignMiddle


def roomy(made: Formula, top: float, bottom: float) -> Formula:
    """Return a formula with empty room above and below, in pixels."""
    density = made.image.devicePixelRatio()
    height = made.height + top + bottom
    image = QImage(made.image.width(), round(height * density), QImage.Format.Format_ARGB32_Premultiplied)
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


@lru_cache(maxsize=512)
def drawn(latex: str, colour: str, pixels: int, display: bool, density: float) -> Formula | None:
    """Return a formula in a colour and size of letters; None for what is none, or is in another script."""
    if len(latex) > LONGEST or OTHER.search(latex):
        return None
    library = drawer()
    try:
        made = library.Latex(latex, size=pixels * 1.1, color=colour, inline=not display, margin=1.0)
        svg, box = made.svg(), made.node.bbox
    except (*FAULTS, *faults_of_latex()):
        return None
    renderer = QSvgRenderer(QByteArray(svg.encode()))
    width, height = box.xmax - box.xmin + 2.0, box.ymax - box.ymin + 2.0
    below = 1.0 - box.ymin
    scale = min(1.0, WIDEST / width) if width > 0 else 0
    if not renderer.isValid() or scale == 0 or height <= 0:
        return None
    above, feet = ceil((height - below) * scale), ceil(below * scale)  # whole pixels: nothing is blurred
    shift = above - (height - below) * scale
    drawing = QRectF(0, shift * density, width * scale * density, height * scale * density)
    width, height, below = float(ceil(width * scale)), float(above + feet), float(feet)
    image = QImage(
        max(1, round(width * density)),
        max(1, round(height * density)),
        QImage.Format.Format_ARGB32_Premultiplied,
    )
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter, drawing)
    painter.end()
    image.setDevicePixelRatio(density)
    return Formula(image, width, height, below)


def drawer() -> ModuleType:
    """Return the library that draws, loaded when it is first needed."""
    with warnings.catch_warnings():  # it finds its font in a way that is going out of use
        warnings.simplefilter("ignore", DeprecationWarning)
        import ziamath
        from ziamath.config import config

    config.svg2 = False  # each letter as a path: Qt draws no symbols
    return ziamath


def faults_of_latex() -> tuple[type[Exception], ...]:
    """Return what the reader of LaTeX raises for a formula that is wrong."""
    from latex2mathml import exceptions

    return tuple(
        kind for kind in vars(exceptions).values() if isinstance(kind, type) and issubclass(kind, Exception)
    )
