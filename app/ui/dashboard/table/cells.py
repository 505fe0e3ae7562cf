"""Paint the cells of a table: text, readable colours, tooltips and sparklines."""

from __future__ import annotations

from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex

    from app.openbb.columns import ColumnLook
    from app.ui.theme.tokens import Tokens


CONTRAST, STEPS = (
    4.5,
    20,
)  # contrast that readable text needs according to WCAG; number of steps towards such a colour


@cache
def legible(name: str, ground: str) -> QColor:
    """Return the colour closest to a named colour in which text is readable on a background.

    name: the name of the colour; an invalid one is returned unchanged.
    """
    colour, under = QColor(name), QColor(ground)
    if not colour.isValid():
        return colour
    towards = QColor("white" if luminance(under) < 0.5 else "black")
    for step in range(STEPS + 1):
        made = mixed(colour, towards, step / STEPS)
        if contrast(made, under) >= CONTRAST:
            return made
    return towards


def mixed(one: QColor, other: QColor, share: float) -> QColor:
    """Return a mixture of two colours. share: the share of the second colour, from 0 to 1."""
    return QColor.fromRgbF(
        *(a + (b - a) * share for a, b in zip(parts(one), parts(other), strict=True))
    )


def parts(colour: QColor) -> tuple[float, float, float]:
    """Return the red, green and blue components of a colour, each from 0 to 1."""
    return colour.redF(), colour.greenF(), colour.blueF()


def contrast(one: QColor, other: QColor) -> float:
    """Return the contrast ratio of two colours, from 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: QColor) -> float:
    """Return the luminance of a colour, from 0 to 1."""
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts(colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


SIDES = {
    "left": int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter),
    "center": int(Qt.AlignmentFlag.AlignCenter),
    "right": int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter),
}


class Dress:
    """The formats of columns, by index. raw: the backend's original values of columns that need
    them.
    """

    def __init__(
        self, names: list[str], looks: dict[str, ColumnLook], raw: dict[str, list[Any]]
    ) -> None:
        self.looks = {place: looks[name] for place, name in enumerate(names) if name in looks}
        self.sides = {
            place: SIDES[look.align] for place, look in self.looks.items() if look.align in SIDES
        }
        by = {place: look.coloured_by for place, look in self.looks.items()}
        self.coloured_by = {place: names.index(key) for place, key in by.items() if key in names}
        self._raw = {place: raw[name] for place, name in enumerate(names) if name in raw}

    def text(self, column: int, value: Any) -> str | None:
        """Return the text to show in a cell; None means that its value is shown."""
        look = self.looks.get(column)
        if look is None:
            return None
        return "" if look.spark else look.text(value)

    def colour(self, column: int, value: Any, tokens: Tokens, *, fill: bool) -> QColor | None:
        """Return the colour of a cell's text, or of its background if `fill` is set."""
        look = self.looks.get(column)
        found = look.colour(value) if look is not None else None
        if found is None and look is not None and look.click is not None and not fill:
            return QColor(tokens.accent)
        if found is None or found[1] is not fill:
            return None
        named = {
            "up": tokens.accent,
            "down": tokens.danger,
            "green": tokens.accent,
            "red": tokens.danger,
        }
        told = named.get(found[0].lower(), found[0])
        colour = QColor(told) if fill else legible(told, tokens.card)
        if not colour.isValid():
            return None
        if fill:
            colour.setAlpha(70)
        return colour

    def flashes(self, column: int) -> bool:
        """Return whether changed cells of a column are highlighted briefly."""
        look = self.looks.get(column)
        return look is not None and look.flashes

    def glow(self, up: bool, tokens: Tokens) -> QColor:
        """Return the highlight colour of a cell whose value rose or fell."""
        colour = QColor(tokens.accent if up else tokens.danger)
        colour.setAlpha(60)
        return colour

    def tip(self, column: int, source_row: int) -> str | None:
        """Return a cell's tooltip as plain text, because a backend's text must not be treated as
        markup.
        """
        look = self.looks.get(column)
        words = look.hover(self.raw(column, source_row)) if look is not None else ""
        return plain_tip(words) if words else None

    def raw(self, column: int, source_row: int) -> Any:
        """Return the backend's original value of a cell."""
        values = self._raw.get(column, [])
        return values[source_row] if source_row < len(values) else None


class Spark(QStyledItemDelegate):
    """Paints numbers as a small chart: line, area or bar. numbers: the role under which the model
    returns the numbers.
    """

    def __init__(self, role: int, kind: str, tokens: Callable[[], Tokens], parent: QObject) -> None:
        super().__init__(parent)
        self._role, self._kind, self._tokens = role, kind, tokens

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint the chart over the cell's background."""
        super().paint(painter, option, index)
        values = index.data(self._role)
        if not isinstance(values, list) or len(values) < 2:
            return
        box = QRectF(option.rect).adjusted(10, 7, -10, -8)  # pyright: ignore[reportAttributeAccessIssue]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = QColor(self._tokens().accent)
        (self._bars if self._kind == "bar" else self._line)(painter, box, values, colour)
        painter.restore()

    def _line(self, painter: QPainter, box: QRectF, values: list[float], colour: QColor) -> None:
        low, high = min(values), max(values)
        span, wide = (high - low) or 1, box.width() / (len(values) - 1)
        points = [
            QPointF(box.left() + n * wide, box.bottom() - (v - low) / span * box.height())
            for n, v in enumerate(values)
        ]
        if self._kind == "area":
            faint = QColor(colour)
            faint.setAlpha(50)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(faint)
            painter.drawPolygon(QPolygonF([box.bottomLeft(), *points, box.bottomRight()]))
        painter.setPen(QPen(colour, 1.5))
        painter.drawPolyline(QPolygonF(points))

    def _bars(self, painter: QPainter, box: QRectF, values: list[float], colour: QColor) -> None:
        low, high = min(*values, 0.0), max(*values, 0.0)
        span, wide = (high - low) or 1, box.width() / len(values)
        zero = box.bottom() + low / span * box.height()
        for n, value in enumerate(values):
            high_px = value / span * box.height()
            left = box.left() + n * wide
            painter.fillRect(
                QRectF(left, zero - max(high_px, 0), max(wide - 1.5, 1), max(abs(high_px), 1)),
                colour,
            )


def numbers_of(raw: Any) -> list[float]:
    """Return the numbers of a sparkline, given as numbers or as points that have a `y`."""
    found = raw if isinstance(raw, list) else []
    made = [one.get("y") if isinstance(one, dict) else one for one in found]
    return [
        float(one) for one in made if isinstance(one, int | float) and not isinstance(one, bool)
    ][:500]


def plain_tip(words: str) -> str:
    """Return a text as a tooltip that is never treated as markup."""
    return f"<p style='white-space:pre-wrap'>{escape(words)}</p>"
