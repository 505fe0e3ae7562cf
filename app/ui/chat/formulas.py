"""Formulas of LaTeX within an answer: found in Markdown, drawn in a thread, put on the line of the
words.
"""

from __future__ import annotations

import re
import threading
import time
import warnings
from collections import OrderedDict
from functools import cache
from math import ceil
from typing import TYPE_CHECKING, NamedTuple
from xml.etree.ElementTree import ParseError

from PySide6.QtCore import QByteArray, QObject, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QGuiApplication,
    QImage,
    QPainter,
    QTextCharFormat,
    QTextCursor,
    QTextImageFormat,
)
from PySide6.QtSvg import QSvgRenderer

from app.ui.chat.blocks.document import Document

if TYPE_CHECKING:
    from types import ModuleType


LONGEST = 2000  # letters of a formula that is drawn
WIDEST = 600  # pixels; a wider one is made smaller
OTHER = re.compile(
    r"[\u0590-\u1cff\u2e80-\ud7ff\uf900-\uffef]"
)  # scripts the font of formulas does not have
FAULTS = (
    ValueError,
    KeyError,
    IndexError,
    TypeError,
    AttributeError,
    AssertionError,
    ParseError,
    RecursionError,
    ZeroDivisionError,
    StopIteration,
    NotImplementedError,
)


class Formula(NamedTuple):
    """A picture of a formula: its size in pixels, and what of it is below the line of the words."""

    image: QImage
    width: float
    height: float
    below: float


def drawn(latex: str, colour: str, pixels: int, display: bool, density: float) -> Formula | None:
    """Return a formula in a colour and size of letters; None for what is none, or is in another
    script.
    """
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


KEPT = 2048
SHORT = 80  # letters of a formula that is drawn at once
BUDGET_SECONDS = 0.01  # for formulas that are drawn at once, between two turns of the window's loop


class Wanted(NamedTuple):
    """A formula as it is to be drawn, see `drawn`."""

    latex: str
    colour: str
    pixels: int
    display: bool
    density: float


class Formulas(QObject):
    """What was drawn so far. ready: all that had to wait is there; told in the window's thread."""

    ready = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._made: OrderedDict[Wanted, Formula | None] = OrderedDict()
        self._waiting: dict[Wanted, None] = {}
        self._thread: threading.Thread | None = None
        self._loaded = False
        self._lists = threading.Lock()
        self._drawing = threading.Lock()  # the library is for one at a time
        self._spent = 0.0

    @property
    def waits(self) -> bool:
        """Whether something is still to be drawn."""
        return bool(self._waiting)

    def find(self, wanted: Wanted) -> tuple[bool, Formula | None]:
        """Return whether a formula has been drawn, and what came of it: None for what is none.

        One that has not been is drawn at once if that takes no time, else in a while.
        """
        if wanted in self._made:
            return True, self._made[wanted]
        if self._may_at_once(wanted) and self._drawing.acquire(blocking=False):
            began = time.perf_counter()
            try:
                self._draw(wanted)
            finally:
                self._drawing.release()
            if not self._spent:
                QTimer.singleShot(0, self, self._rested)
            self._spent += time.perf_counter() - began
            return True, self._made[wanted]
        with self._lists:
            self._waiting[wanted] = None
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, name="formulas")
                self._thread.start()
        return False, None

    def _may_at_once(self, wanted: Wanted) -> bool:
        return self._loaded and len(wanted.latex) <= SHORT and self._spent < BUDGET_SECONDS

    def _rested(self) -> None:
        self._spent = 0.0

    def _draw(self, wanted: Wanted) -> None:
        self._made[wanted] = drawn(*wanted)
        while len(self._made) > KEPT:
            self._made.popitem(last=False)

    def _work(self) -> None:
        """Draw what waits; in a thread that ends with it."""
        while True:
            with self._lists:
                wanted = next(iter(self._waiting), None)
                if wanted is None:
                    self._thread = None  # what is wanted from here on has a thread of its own
                    break
            with self._drawing:
                self._draw(wanted)
            self._loaded = True
            with self._lists:
                del self._waiting[wanted]
        self.ready.emit()


@cache
def formulas() -> Formulas:
    """Return those of this process."""
    return Formulas()


TOLERATED = 1.5  # pixels a formula may stand too high, where the line would else become much higher
ALT = QTextImageFormat.Property.ImageAltText


def put_formula(
    cursor: QTextCursor, latex: str, source: str, base: QTextCharFormat, *, display: bool
) -> bool:
    """Put a formula at a cursor; False if it cannot be drawn, or is drawn later: the document then
    waits for it.

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
        return (
            roomy(made, 0, max(0.0, feet - made.below)),
            QTextCharFormat.VerticalAlignment.AlignBaseline,
        )
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
