"""Charts in answers, which are drawn one after another and shown as pictures."""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from dataclasses import asdict
from functools import cache, lru_cache
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QObject, QPoint, QRect, QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter, QTextDocument

from app.domain.events import Artifact
from app.openbb.charts import height_of
from app.openbb.table_view import ChartSpec, figure_of
from app.ui.markdown.builder import parser
from app.ui.markdown.document import BlockDocument
from app.ui.markdown.tables import UNGROUPED, cells_of, key_of, texts_of
from app.ui.theme.i18n import tr
from app.ui.theme.style import text_font
from app.ui.theme.tokens import CAPTION_PX, CHART_HEIGHT

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.ui.theme.tokens import Tokens

    Draw = Callable[[Artifact, Tokens, QSize, float, str, Callable[[bytes], None]], None]

KEPT = 64  # maximum number of pictures kept in memory
# in milliseconds: charts are drawn once scrolling and resizing have stopped for this long
CALM_MS = 120
SEEN = 12  # maximum number of charts in view
NAME = "chart"
LOOKED = 20  # number of rows examined to find the columns that hold numbers
APART = 20.0  # largest ratio between a drawn column and the first one, in either direction
DATE = re.compile(r"\d{4}-\d\d")
YEAR = re.compile(r"(1[5-9]|20)\d\d$")
MARKS = re.compile(r"\s*\[\d+\]|\*\*|\\(?=\W)")


class WantedChart(NamedTuple):
    """A chart to be drawn. source: an artifact as JSON. width: in screen pixels."""

    source: str
    tokens: Tokens
    width: int
    density: float


class ChartPictures(QObject):
    """The charts drawn so far. Signals: ready() when another chart has been drawn.

    draw: draws a chart as a picture of a given size and calls back; None while there is no window.
    """

    ready = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.draw: Draw | None = None
        self._made: OrderedDict[WantedChart, QImage] = OrderedDict()
        self._latest: dict[tuple[str, Tokens], QImage] = {}
        self._waiting: dict[tuple[str, Tokens], WantedChart] = {}
        self._coming: set[WantedChart] = set()
        self._calm = QTimer(self)
        self._calm.setSingleShot(True)
        self._calm.timeout.connect(self._begin)

    def find(self, wanted: WantedChart) -> tuple[bool, QImage | None]:
        """Return whether a chart has been drawn, and its picture, which is null if the chart cannot
        be drawn.

        A chart that has not been drawn yet will be drawn soon. Until then, its picture at another
        width is returned, if there is one.
        """
        if wanted in self._made:
            self._made.move_to_end(wanted)
            return True, self._made[wanted]
        if wanted not in self._coming:
            self._waiting.pop((wanted.source, wanted.tokens), None)
            self._waiting[wanted.source, wanted.tokens] = wanted  # moves it to the end of the queue
            self._calm.start(CALM_MS)
        return False, self._latest.get((wanted.source, wanted.tokens))

    def end(self) -> None:
        """Stop drawing, because the window is closed."""
        self.draw = None
        self._calm.stop()
        self._coming.clear()

    def _begin(self) -> None:
        if self.draw is None:
            return
        waiting, self._waiting = list(self._waiting.values()), {}
        # The charts requested last are in view now. Charts that were scrolled past are requested
        # again when they come back into view.
        for wanted in reversed(waiting[-SEEN:]):
            self._coming.add(wanted)
            artifact = Artifact(**json.loads(wanted.source))
            size = QSize(wanted.width, height_of(artifact, wanted.tokens.scale, CHART_HEIGHT))
            self.draw(
                artifact,
                wanted.tokens,
                size,
                wanted.density,
                "png",
                lambda data, wanted=wanted: self._take(wanted, data),
            )

    def _take(self, wanted: WantedChart, data: bytes) -> None:
        image = QImage.fromData(data)
        image.setDevicePixelRatio(wanted.density)
        self._coming.discard(wanted)
        self._made[wanted] = image
        if not image.isNull():
            self._latest[wanted.source, wanted.tokens] = image
        while len(self._made) > KEPT:
            left, _ = self._made.popitem(last=False)
            self._latest.pop((left.source, left.tokens), None)
        self.ready.emit()


@cache
def charts() -> ChartPictures:
    """Return this process's chart pictures."""
    return ChartPictures()


def source_of(artifact: Artifact) -> str:
    """Return a chart as the source text of a piece."""
    return json.dumps(asdict(artifact), ensure_ascii=False, default=str)


def chart_document(source: str, width: int, tokens: Tokens) -> BlockDocument:
    """Return a document with a chart, or with empty space of its size until it is drawn.

    source: see `source_of`.
    """
    density = QGuiApplication.primaryScreen().devicePixelRatio()
    known, image = charts().find(WantedChart(source, tokens, width, density))
    artifact = Artifact(**json.loads(source))
    size = QSize(width, height_of(artifact, tokens.scale, CHART_HEIGHT))
    document = BlockDocument(text_font(CAPTION_PX))
    document.waits = not known
    if image is None:
        image = told(tr("Drawing the chart …"), size, density, tokens)
    elif image.isNull():
        image = told(tr("This chart can't be drawn."), size, density, tokens)
    document.addResource(QTextDocument.ResourceType.ImageResource.value, QUrl(NAME), image)
    name = escape(tr("Chart: {name}", name=artifact.name), quote=True)
    high = size.height()
    document.setHtml(f'<img src="{NAME}" width="{width}" height="{high}" alt="{name}">')
    return document


def told(words: str, size: QSize, density: float, tokens: Tokens) -> QImage:
    """Return a picture that shows a text in place of the chart."""
    form = QImage.Format.Format_ARGB32_Premultiplied
    image = QImage(size * density, form)
    image.setDevicePixelRatio(density)
    image.fill(QColor(tokens.card))
    painter = QPainter(image)
    painter.setFont(text_font(CAPTION_PX))
    painter.setPen(QColor(tokens.muted))
    painter.drawText(QRect(QPoint(), size), Qt.AlignmentFlag.AlignCenter, words)
    painter.end()
    return image


def is_drawable(source: str) -> bool:
    """Return whether a Markdown table can be shown as a chart, which requires at least two rows and
    a column of numbers.
    """
    lines = source.split("\n", LOOKED + 2)[: LOOKED + 2]
    return _is_drawable("\n".join(lines[:1] + lines[2:]))


@lru_cache(maxsize=256)
def _is_drawable(source: str) -> bool:
    lines = [line for line in source.split("\n") if line.strip()]
    rows = [[MARKS.sub("", cell) for cell in cells_of(line)] for line in lines]
    return len(rows) > 2 and bool(columns_of(rows)[1])


def columns_of(rows: list[list[str]]) -> tuple[int, list[int]]:
    """Return the category column of a chart and its value columns; there are no value columns if
    nothing can be drawn.

    rows: the text of each cell, row by row, with the header first.
    """
    head, body = rows[0], rows[1 : LOOKED + 1]
    numeric = [n for n in range(len(head)) if is_numeric(n, body)]
    names = [n for n in range(len(head)) if n not in numeric or UNGROUPED.search(head[n])]
    along = names[0] if names else 0
    drawn = [n for n in numeric if n != along and n not in names]
    sizes = {n: max(abs(number(row, n) or 0) for row in body) for n in drawn}
    if not drawn:
        return along, []
    first = sizes[drawn[0]]
    return along, [n for n in drawn if first / APART <= sizes[n] <= first * APART]


def is_numeric(column: int, body: list[list[str]]) -> bool:
    """Return whether a column contains at least one number and only numbers."""
    cells = [row[column] for row in body if column < len(row) and row[column].strip()]
    return bool(cells) and all(key_of(cell)[0] == 0 for cell in cells)


def number(row: list[str], column: int) -> float | None:
    """Return the number in a cell; None if it holds none."""
    kind, value, _ = key_of(row[column]) if column < len(row) else (2, 0.0, "")
    return value if kind == 0 else None


@lru_cache(maxsize=16)
def chart_of_table(source: str, cites: int) -> Artifact | None:
    """Return a chart of a Markdown table: a line chart if it has a time column, otherwise a column
    chart.

    Return None if the table has no numbers. cites: the number of citations. Citation marks are left
    out.
    """
    rows = texts_of(parser().parse(source), None, cites)
    along, drawn = columns_of(rows) if len(rows) > 2 else (0, [])
    if not drawn:
        return None
    head, body = rows[0], rows[1:]
    names = [head[n] for n in (along, *drawn)]
    values: list[dict[str, Any]] = [
        {head[along]: row[along] if along < len(row) else ""}
        | {head[n]: number(row, n) for n in drawn}
        for row in body
    ]
    marks = [str(row[head[along]]) for row in values]
    timed = all(DATE.match(mark) or YEAR.match(mark) for mark in marks)
    if not timed:
        bars = {"chartType": "bar", "xKey": names[0], "yKey": names[1:]}
        return Artifact("chart", ", ".join(names[1:]), values, bars)
    figure = figure_of(ChartSpec("line", tuple(names)), values)
    if figure is None:
        return None
    return Artifact("chart", ", ".join(names[1:]), values, {"chartType": "plotly", **figure})
