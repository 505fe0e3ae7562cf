"""Draw a formula as a picture; the library that knows how is loaded with the first one."""

from __future__ import annotations

import re
import warnings
from math import ceil
from typing import TYPE_CHECKING, NamedTuple
from xml.etree.ElementTree import ParseError

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

if TYPE_CHECKING:
    from types import ModuleType


LONGEST = 2000  # letters of a formula that is drawn
WIDEST = 600  # pixels; a wider one is made smaller
OTHER = re.compile(
    r"[\u0590-\u1cff\u2e80-\ud7ff\uf900-\uffef]"
)  # scripts the font of formulas does not have
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
    above, feet = (
        ceil((height - below) * scale),
        ceil(below * scale),
    )  # whole pixels: nothing is blurred
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
        kind
        for kind in vars(exceptions).values()
        if isinstance(kind, type) and issubclass(kind, Exception)
    )
