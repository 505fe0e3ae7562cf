"""Paint one piece of the conversation, and say what room it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QAbstractTextDocumentLayout, QColor, QPainter, QPen

from app.ui.style.tokens import RADIUS, RADIUS_CARD

if TYPE_CHECKING:
    from app.ui.chat.pieces import Piece
    from app.ui.style.tokens import Tokens

MARGIN, TURN_GAP, BUBBLE_PAD = 24, 30, 12
ESTIMATE = 150  # height of a turn nobody has looked at yet
GAPS = {
    "question": 0,
    "step": 6,
    "reading": 8,
    "text": 10,
    "code": 12,
    "citation": 6,
    "state": 8,
    "actions": 12,
}


def inner_width(piece: Piece, width: int) -> int:
    """Return the width a piece's document has in a column."""
    if piece.kind == "question":
        return int(width * 0.8) - 2 * BUBBLE_PAD
    return width - 2 * BUBBLE_PAD if piece.kind in ("code", "reading") else width


def padding(piece: Piece) -> int:
    """Return the room above and below a piece's document, inside its box."""
    return {"question": 10, "code": 10, "reading": 4}.get(piece.kind, 0)


def paint_piece(
    painter: QPainter,
    piece: Piece,
    box: QRect,
    origin: QPointF,
    selections: list[QAbstractTextDocumentLayout.Selection],
    tokens: Tokens,
) -> None:
    """Paint a piece's box, if it has one, and its document."""
    fill = {"question": tokens.own, "code": tokens.code, "reading": tokens.card}.get(piece.kind)
    if fill is not None:
        painter.setPen(QPen(QColor(tokens.hairline)) if piece.kind == "reading" else Qt.PenStyle.NoPen)
        painter.setBrush(QColor(fill))
        radius = RADIUS_CARD if piece.kind == "question" else RADIUS
        painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
    assert piece.document is not None
    context = QAbstractTextDocumentLayout.PaintContext()
    context.palette.setColor(context.palette.ColorRole.Text, QColor(tokens.text))
    context.selections = selections
    context.clip = QRectF(0, 0, box.width(), piece.height)
    painter.save()
    painter.translate(origin)
    piece.document.documentLayout().draw(painter, context)
    painter.restore()
