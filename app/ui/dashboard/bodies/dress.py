"""How the cells of a backend's table are painted: words, colours, hover cards, sparklines."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

if TYPE_CHECKING:
    from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex

    from app.domain.backends.columns import Look
    from app.ui.style.tokens import Tokens


class Dress:
    """Looks of columns by their place. raw: what a backend sent for columns that show more than their cells."""

    def __init__(self, names: list[str], looks: dict[str, Look], raw: dict[str, list[Any]]) -> None:
        self.looks = {place: looks[name] for place, name in enumerate(names) if name in looks}
        self._raw = {place: raw[name] for place, name in enumerate(names) if name in raw}

    def text(self, column: int, value: Any) -> str | None:
        """Return a cell's words; None where its own do."""
        look = self.looks.get(column)
        if look is None:
            return None
        return "" if look.spark else look.text(value)

    def colour(self, column: int, value: Any, tokens: Tokens, *, fill: bool) -> QColor | None:
        """Return the colour of a cell's words, or of its ground."""
        look = self.looks.get(column)
        found = look.colour(value) if look is not None else None
        if found is None or found[1] is not fill:
            return None
        named = {"up": tokens.accent, "down": tokens.danger, "green": tokens.accent, "red": tokens.danger}
        colour = QColor(named.get(found[0].lower(), found[0]))
        if not colour.isValid():
            return None
        if fill:
            colour.setAlpha(70)
        return colour

    def tip(self, column: int, source_row: int) -> str | None:
        """Return a cell's hover card, as plain words: what a backend sent is no markup here."""
        look = self.looks.get(column)
        words = look.hover(self.raw(column, source_row)) if look is not None else ""
        return plain_tip(words) if words else None

    def raw(self, column: int, source_row: int) -> Any:
        """Return what the backend sent for a cell."""
        values = self._raw.get(column, [])
        return values[source_row] if source_row < len(values) else None


class Spark(QStyledItemDelegate):
    """Paints numbers as a small line. numbers: role under which the model gives them."""

    def __init__(self, role: int, parent: QObject) -> None:
        super().__init__(parent)
        self._role = role

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint the line over the cell's ground."""
        super().paint(painter, option, index)
        values = index.data(self._role)
        if not isinstance(values, list) or len(values) < 2:
            return
        low, high = min(values), max(values)
        box = QRectF(option.rect).adjusted(10, 7, -10, -8)  # pyright: ignore[reportAttributeAccessIssue]
        span = (high - low) or 1
        points = [
            QPointF(
                box.left() + n * box.width() / (len(values) - 1),
                box.bottom() - (v - low) / span * box.height(),
            )
            for n, v in enumerate(values)
        ]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(option.palette.highlight().color().darker(160), 1.5))  # pyright: ignore[reportAttributeAccessIssue]
        painter.drawPolyline(QPolygonF(points))
        painter.restore()


def numbers_of(raw: Any) -> list[float]:
    """Return the numbers of a sparkline: a list of them, or of points with a y."""
    found = raw if isinstance(raw, list) else []
    made = [one.get("y") if isinstance(one, dict) else one for one in found]
    return [float(one) for one in made if isinstance(one, int | float) and not isinstance(one, bool)][:500]


def plain_tip(words: str) -> str:
    """Return words as a tool tip that is never read as markup."""
    return f"<p style='white-space:pre-wrap'>{escape(words)}</p>"
