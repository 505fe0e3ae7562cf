"""LaTeX formulas: found in Markdown, drawn in a thread, and aligned with the text."""

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

from app.ui.markdown.document import BlockDocument

if TYPE_CHECKING:
    from types import ModuleType

    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token


LONGEST = 2000  # in characters; a longer formula is not drawn
WIDEST = 600  # in pixels; a wider formula is scaled down
OTHER = re.compile(
    r"[\u0590-\u1cff\u2e80-\ud7ff\uf900-\uffef]"
)  # scripts missing from the formula font
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
    """A picture of a formula, its size in pixels, and the depth of its part below the baseline of
    the text.
    """

    image: QImage
    width: float
    height: float
    below: float


def drawn(latex: str, colour: str, pixels: int, display: bool, density: float) -> Formula | None:
    """Draw a formula in a colour and size; return None if it is invalid or contains
    another script.
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
    )  # rounded to whole pixels so that nothing is blurred
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
    """Return the drawing library, which is loaded when it is first needed."""
    with warnings.catch_warnings():  # because the library finds its font in a deprecated way
        warnings.simplefilter("ignore", DeprecationWarning)
        import ziamath
        from ziamath.config import config

    config.svg2 = False  # this draws each character as a path, because Qt does not draw SVG symbols
    return ziamath


def faults_of_latex() -> tuple[type[Exception], ...]:
    """Return the exceptions that the LaTeX parser raises for an invalid formula."""
    from latex2mathml import exceptions

    return tuple(
        kind
        for kind in vars(exceptions).values()
        if isinstance(kind, type) and issubclass(kind, Exception)
    )


KEPT = 2048
SHORT = 80  # in characters; a longer formula is drawn in the thread
BUDGET_SECONDS = 0.01  # limit, per pass of the event loop, for formulas drawn immediately


class WantedFormula(NamedTuple):
    """A formula to be drawn; see `drawn`."""

    latex: str
    colour: str
    pixels: int
    display: bool
    density: float


class Formulas(QObject):
    """The formulas drawn so far. ready: emitted in the window's thread once no formula is waiting
    to be drawn.
    """

    ready = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._made: OrderedDict[WantedFormula, Formula | None] = OrderedDict()
        self._waiting: dict[WantedFormula, None] = {}
        self._thread: threading.Thread | None = None
        self._loaded = False
        self._lists = threading.Lock()
        self._drawing = threading.Lock()  # only one thread at a time may use the library
        self._spent = 0.0

    @property
    def waits(self) -> bool:
        """Return whether any formula still has to be drawn."""
        return bool(self._waiting)

    def find(self, wanted: WantedFormula) -> tuple[bool, Formula | None]:
        """Return whether a formula has been drawn, and the result: None if it is invalid.

        If it has not been drawn, it is drawn immediately if that is quick, and otherwise later.
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

    def _may_at_once(self, wanted: WantedFormula) -> bool:
        return self._loaded and len(wanted.latex) <= SHORT and self._spent < BUDGET_SECONDS

    def _rested(self) -> None:
        self._spent = 0.0

    def _draw(self, wanted: WantedFormula) -> None:
        self._made[wanted] = drawn(*wanted)
        while len(self._made) > KEPT:
            self._made.popitem(last=False)

    def _work(self) -> None:
        """Draw the waiting formulas in a thread, which ends afterwards."""
        while True:
            with self._lists:
                wanted = next(iter(self._waiting), None)
                if wanted is None:
                    self._thread = None  # the next formula starts a new thread
                    break
            with self._drawing:
                self._draw(wanted)
            self._loaded = True
            with self._lists:
                del self._waiting[wanted]
        self.ready.emit()


@cache
def formulas() -> Formulas:
    """Return this process's formulas."""
    return Formulas()


# number of pixels by which a formula may be too high, to keep the line from growing
TOLERATED = 1.5
ALT = QTextImageFormat.Property.ImageAltText


def put_formula(
    cursor: QTextCursor, latex: str, source: str, base: QTextCharFormat, *, display: bool
) -> bool:
    """Insert a formula at a cursor; return False if the formula cannot be drawn or is to be drawn
    later.

    If it is to be drawn later, the document waits for it. source: the text that is copied in its
    place.
    """
    colour, pixels = base.foreground().color().name(), base.font().pixelSize()
    screen, document = QGuiApplication.primaryScreen(), cursor.document()
    wanted = WantedFormula(latex, colour, pixels, display, screen.devicePixelRatio())
    known, made = formulas().find(wanted)
    if not known and isinstance(document, BlockDocument):
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
    """Return a formula, padded to sit on the baseline of the text, and its vertical alignment.

    Qt can put the bottom of a picture on the baseline or at the font's descent, or align its
    middle.
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
    """Return a formula with empty space above and below it. top, bottom: in pixels."""
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


INLINE = ("math_inline", "math_inline_double")
BLOCK = ("math_block", "amsmath")
MARKS = {"\\(": "\\)", "\\[": "\\]"}
FORMULA = re.compile(r"[\\^_=+\-*/<>|]")  # marks a formula, unlike escaped text such as \[1\]


def add_math(parser: MarkdownIt) -> None:
    """Make a parser recognise formulas, but not amounts of money such as $5 and $6."""
    from mdit_py_plugins.amsmath import amsmath_plugin
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    dollarmath_plugin(
        parser,
        allow_labels=False,
        allow_space=False,
        allow_digits=False,
        allow_blank_lines=False,
        double_inline=True,
    )
    amsmath_plugin(parser)
    parser.inline.ruler.before("escape", "math_marks", in_line)
    parser.block.ruler.before("fence", "math_lines", on_lines, {"alt": ["paragraph", "list"]})


def in_line(state: StateInline, silent: bool) -> bool:
    r"""Parse \( … \), and \[ … \] within a line of text."""
    opens = state.src[state.pos : state.pos + 2]
    closes = MARKS.get(opens)
    end = state.src.find(closes, state.pos + 2) if closes else -1
    content = state.src[state.pos + 2 : end].strip() if end > 0 else ""
    if not content or (opens == "\\[" and not FORMULA.search(content)):
        return False
    if not silent:
        token = state.push(INLINE[opens == "\\["], "math", 0)
        token.content, token.markup = content, opens
    state.pos = end + 2
    return True


def on_lines(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    r"""Parse \[ … \] that starts and ends at line boundaries and contains no empty line."""
    if not line_of(state, first).startswith("\\["):
        return False
    last = first
    while last < end and not line_of(state, last).endswith("\\]"):
        if not line_of(state, last):
            return False
        last += 1
    if last >= end:
        return False
    content = "\n".join(line_of(state, line) for line in range(first, last + 1))[2:-2].strip()
    if not content or not FORMULA.search(content):
        return False
    if not silent:
        token = state.push(BLOCK[0], "math", 0)
        token.block, token.content, token.markup, token.map = (
            True,
            content,
            "\\[",
            [first, last + 1],
        )
        state.line = last + 1
    return True


def line_of(state: StateBlock, line: int) -> str:
    """Return a line without surrounding white space."""
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].strip()


def source_of(token: Token) -> str:
    """Return a formula as written in the source."""
    if token.type == "amsmath":
        return token.content.strip()
    opens = token.markup or "$"
    return f"{opens}{token.content.strip()}{MARKS.get(opens, opens)}"
