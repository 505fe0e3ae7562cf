"""Paint a table's cells: a hairline below, light under a cited one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from app.ui.dashboard.table_model import LIT, TableModel

if TYPE_CHECKING:
    from PySide6.QtCore import QModelIndex, QPersistentModelIndex


class CellDelegate(QStyledItemDelegate):
    """Draws what a style sheet cannot: the light of a cited cell."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint one cell."""
        model = index.model()
        assert isinstance(model, TableModel)
        tokens, box = model.tokens, QRectF(option.rect)  # pyright: ignore[reportAttributeAccessIssue]
        lit = bool(index.data(LIT))
        if lit:
            painter.fillRect(box, QColor(tokens.flash))
        super().paint(painter, option, index)
        painter.setPen(QPen(QColor(tokens.hairline), 1))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        if lit:
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.drawRect(box.adjusted(1, 1, -1, -1))
