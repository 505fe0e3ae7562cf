"""Paint a piece of the conversation and compute its size."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QAbstractTextDocumentLayout, QColor, QFontMetricsF, QPainter, QPen

from app.ui.chat.charts import chart_of_table, is_drawable
from app.ui.chat.piece import Piece, TextPosition
from app.ui.controls.actions import (
    Action,
    CopyCode,
    CopyTable,
    SaveTable,
    TakeTable,
    ToggleChart,
    ToggleRows,
)
from app.ui.markdown.code import language_of
from app.ui.markdown.split import ITEM
from app.ui.markdown.tables import COLUMNS, SHOWN, WHOLE, cells_of, count_rows
from app.ui.theme.i18n import tr
from app.ui.theme.style import text_font
from app.ui.theme.tokens import CAPTION_PX, RADIUS, RADIUS_CARD, Tokens

if TYPE_CHECKING:
    from app.ui.markdown.document import BlockDocument

    Selections = list[QAbstractTextDocumentLayout.Selection]


MARGIN, TURN_GAP, PAD = 24, 30, 14
HEAD = 28  # height in pixels of the header, with its buttons, above code and tables
HEADED = ("code", "table")
GAPS = {
    "question": 0,
    "list": 4,
    "step": 6,
    "reading": 8,
    "text": 10,
    "code": 12,
    "table": 12,
    "chart": 8,
    "image": 12,
    "citation": 8,
    "state": 10,
    "actions": 12,
}
CELL = 8  # pixels of space to the left and right of a table cell's text
BELOW = 6  # additional space, in pixels, between a box and the text below it
PADDING = {"question": 10, "code": 10, "reading": 5, "table": 1, "chart": 6}
FILLS = {"question": "own", "code": "code", "reading": "card", "table": "card", "chart": "card"}


class Button(NamedTuple):
    """A button in a box's header."""

    action: Action
    text: str
    rect: QRectF


def gap_of(pieces: list[Piece], number: int) -> int:
    """Return the space above a piece, in pixels."""
    if pieces[number].joint is not None:
        return 0
    kind, before = pieces[number].kind, pieces[number - 1].kind if number else ""
    if kind == before == "text" and all(
        ITEM.match(piece.source) for piece in pieces[number - 1 : number + 1]
    ):
        return GAPS["list"]  # the piece continues a long list
    boxed = before in (*HEADED, "chart", "image")
    return GAPS[kind] + (BELOW if boxed and kind in ("text", "step") else 0)


def buttons_of(piece: Piece, number: int, rect: QRect) -> list[Button]:
    """Return the buttons in the header of a box, from left to right. number: the index of the
    piece.
    """
    if piece.kind not in HEADED:
        return []
    words: list[tuple[Action, str]] = [(CopyCode(number), tr("Copy"))]
    if piece.view.chart:
        words = [
            (ToggleChart(number), tr("Table")),
            (TakeTable("pin", number), tr("Pin to dashboard")),
            (TakeTable("image", number), tr("Copy")),
            (TakeTable("png", number), "PNG"),
            (TakeTable("svg", number), "SVG"),
        ]
    elif piece.kind == "table":
        words = [(CopyTable(number), tr("Copy"))]
        if not piece.saved:
            words.append((SaveTable(number), "CSV"))
        if is_drawable(piece.source):
            words.insert(0, (ToggleChart(number), tr("Chart")))
        if count_rows(piece.source) > SHOWN:
            words.insert(
                0, (ToggleRows(number), tr("First rows") if piece.view.whole else more_rows(piece))
            )
    metrics, made, right = (
        QFontMetricsF(text_font(CAPTION_PX)),
        list[Button](),
        float(rect.right() - inset(piece) + 1),
    )
    for action, text in reversed(words):
        width = metrics.horizontalAdvance(text)
        made.insert(0, Button(action, text, QRectF(right - width, rect.top() + 3, width, HEAD - 6)))
        right -= width + PAD
    return made


def inset(piece: Piece) -> int:
    """Return the distance between a header's text and the sides of its box; the text below has the
    same distance.
    """
    return CELL if piece.kind == "table" else PAD


def head_of(piece: Piece) -> str:
    """Return the title of a box: the language of code, the number of rows of a table, or the title
    of a chart.
    """
    if piece.kind == "code":
        return language_of(piece.source) or "code"
    if piece.view.chart:
        drawn = chart_of_table(piece.source, piece.cites)
        return drawn.name if drawn is not None else ""
    count, shown = count_rows(piece.source), WHOLE if piece.view.whole else SHOWN
    rows = (
        tr("{shown} of {count:,} rows", shown=shown, count=count)
        if count > shown
        else tr("%n row(s)", "", count)
    )
    width = len(cells_of(piece.source.split("\n", 1)[0]))
    if width <= COLUMNS:
        return rows
    return rows + ", " + tr("{shown} of {count:,} columns", shown=COLUMNS, count=width)


def more_rows(piece: Piece) -> str:
    """Return the label of the button that shows more rows."""
    return tr("More rows") if count_rows(piece.source) > WHOLE else tr("All rows")


def side_of(piece: Piece) -> int:
    """Return the space to the left and right of a piece's document, inside its box."""
    return {"question": PAD, "code": PAD, "reading": 11, "table": 1, "chart": 6}.get(piece.kind, 0)


def inner_width(piece: Piece, width: int) -> int:
    """Return the width of a piece's document in a column of a given width."""
    outer = int(width * 0.82) if piece.kind == "question" else width
    return outer - 2 * side_of(piece)


def above(piece: Piece) -> int:
    """Return the space above a piece's document, inside its box."""
    return HEAD if piece.kind in HEADED else PADDING.get(piece.kind, 0)


def extra_height(piece: Piece) -> int:
    """Return how much taller a piece's box is than its document."""
    return above(piece) + PADDING.get("chart" if piece.is_chart else piece.kind, 0)


def paint_piece(
    painter: QPainter,
    box: PieceBox,
    selections: Selections,
    tokens: Tokens,
    seen: QRect,
    *,
    caret: bool = False,
) -> None:
    """Paint the box of a piece, if it has one, and the visible part of its document.

    caret: whether to paint a caret, because more text is expected.
    """
    piece, document = box.piece, box.piece.document
    assert document is not None
    paint_box(painter, box, tokens)
    paint_chips(painter, document, box.origin, tokens)
    context = QAbstractTextDocumentLayout.PaintContext()
    context.palette.setColor(context.palette.ColorRole.Text, QColor(tokens.text))
    context.selections = selections
    whole = QRectF(0, 0, box.rect.width(), piece.height)
    context.clip = whole & QRectF(seen).translated(-box.origin)
    painter.save()
    painter.translate(box.origin)
    document.documentLayout().draw(painter, context)
    painter.restore()
    if caret:
        paint_caret(painter, document, box.origin, tokens)


def paint_box(painter: QPainter, box: PieceBox, tokens: Tokens) -> None:
    """Paint the background and the borders of a piece."""
    piece, rect = box.piece, box.rect
    fill = FILLS.get(piece.kind)
    if fill is not None:
        lined = piece.kind in ("reading", "table", "chart")
        painter.setPen(QPen(QColor(tokens.hairline)) if lined else Qt.PenStyle.NoPen)
        painter.setBrush(QColor(getattr(tokens, fill)))
        radius = RADIUS if piece.kind == "reading" else RADIUS_CARD
        painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
    painter.setFont(text_font(CAPTION_PX))
    painter.setPen(QColor(tokens.faint))
    if piece.kind in HEADED:
        head = rect.adjusted(inset(piece), 0, -inset(piece), 0)
        head.setHeight(HEAD)
        buttons = buttons_of(piece, box.place.piece, rect)
        head.setRight(int(buttons[0].rect.left()) - PAD)
        words = painter.fontMetrics().elidedText(
            head_of(piece), Qt.TextElideMode.ElideRight, head.width()
        )
        painter.drawText(head, int(Qt.AlignmentFlag.AlignVCenter), words)
        painter.setPen(QColor(tokens.muted))
        for button in buttons:
            painter.drawText(button.rect, int(Qt.AlignmentFlag.AlignVCenter), button.text)
    elif piece.aside:
        painter.drawText(
            rect, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), piece.aside
        )


def stretch_rect(document: BlockDocument, start: int, length: int) -> QRectF:
    """Return the rectangle of a range of text in its document; if it spans several lines, return
    the part on its first line.
    """
    block = document.findBlock(start)
    layout, offset = block.layout(), start - block.position()
    line = layout.lineForTextPosition(offset)
    if not line.isValid():
        return QRectF()
    end = min(offset + length, line.textStart() + line.textLength())
    x1, x2 = float(line.cursorToX(offset)[0]), float(line.cursorToX(end)[0])  # pyright: ignore
    origin = document.documentLayout().blockBoundingRect(block).topLeft()
    baseline = origin.y() + line.y() + line.ascent()
    return QRectF(origin.x() + min(x1, x2), baseline - 12, abs(x2 - x1), 16)


def paint_chips(
    painter: QPainter, document: BlockDocument, origin: QPointF, tokens: Tokens
) -> None:
    """Paint the small chips behind citation marks."""
    for link in document.links():
        if link.href.startswith("cite:") and document.characterAt(link.start) != "[":
            rect = stretch_rect(document, link.start, link.length).translated(origin)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.accent_soft))
            painter.drawRoundedRect(rect, 4, 4)


def paint_caret(
    painter: QPainter, document: BlockDocument, origin: QPointF, tokens: Tokens
) -> None:
    """Paint a caret after the last word."""
    block = document.lastBlock()
    line = block.layout().lineAt(block.layout().lineCount() - 1)
    if line.isValid():
        at = document.documentLayout().blockBoundingRect(block).topLeft() + origin
        x, y = at.x() + line.x() + line.naturalTextWidth() + 2, at.y() + line.y() + line.ascent()
        painter.fillRect(QRectF(x, y - 13, 5, 16), QColor(tokens.text))


def paint_ring(painter: QPainter, rect: QRectF, tokens: Tokens) -> None:
    """Paint the focus ring around a link."""
    painter.setPen(QPen(QColor(tokens.accent), 1.5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(rect.adjusted(-3, -2, 3, 2), 4, 4)


class PieceBox(NamedTuple):
    """A piece, its box, and the top of its document, in viewport coordinates."""

    place: TextPosition
    piece: Piece
    rect: QRect
    origin: QPointF
