"""The metrics of a backend: label, value and change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.openbb.kinds import METRIC
from app.ui.controls.labels import ElidedLabel
from app.ui.dashboard.bodies import WidgetView
from app.ui.dashboard.bodies.figures import Beside, fitting
from app.ui.theme.i18n import tr
from app.ui.theme.tokens import LIGHT, Tokens

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

LEAST, MOST = 128, 60  # minimum width of a metric in pixels; maximum number of metrics


class Figure(ElidedLabel):
    """A value in the largest text size that fits, up to the size in the style sheet."""

    def fitting(self, room: int) -> QFont:
        """Return the font in which the value fits. room: the width in pixels."""
        return fitting(self.font(), self.text(), room)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the value; with the style sheet alone, its size would be fixed."""
        font = self.fitting(self.width())
        painter, measured = QPainter(self), QFontMetrics(font)
        text = measured.elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        self.setToolTip(self.text() if text != self.text() else "")
        painter.setFont(font)
        painter.setPen(self.palette().color(self.foregroundRole()))
        sides = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(self.rect(), int(sides), text)


class MetricBody(Beside):
    """The boxes of metrics, with as many in a row as fit without becoming unreadable."""

    def __init__(self, metrics: list[dict[str, Any]], parent: QWidget | None = None) -> None:
        super().__init__(LEAST, 14, 12, parent)
        self._deltas: list[tuple[QLabel, bool]] = []
        self._tokens = LIGHT
        self.boxes = [self._box(one) for one in metrics[:MOST]]

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        self._tokens = tokens
        for label, up in self._deltas:
            label.setStyleSheet(f"color: {tokens.accent if up else tokens.danger};")

    def _box(self, metric: dict[str, Any]) -> QWidget:
        label, value = str(metric.get("label") or ""), text_of(metric.get("value"))
        delta = text_of(metric.get("delta"))
        box = QWidget(self)
        change = tr(", change {delta}", delta=delta) if delta else ""
        box.setAccessibleName(f"{label}: {value}{change}")
        name, number = ElidedLabel(label, box), Figure(value, box)
        name.setObjectName("muted")
        number.setObjectName("metric")
        column = QVBoxLayout(box)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addStretch(1)
        column.addWidget(name)
        column.addWidget(number)
        change = ElidedLabel("", box)
        if delta:
            up = not delta.lstrip().startswith(("-", "−"))
            change.setText(f"{'▲' if up else '▼'} {delta.lstrip().lstrip('+-−')}")
            self._deltas.append((change, up))
        column.addWidget(change)
        column.addStretch(1)
        for part in (name, number, change):
            part.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            part.setAlignment(Qt.AlignmentFlag.AlignLeft)
        return box


def text_of(value: object) -> str:
    """Return a value as readable text."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:,}"
    return "" if value is None else str(value)[:200]


VIEW = WidgetView(METRIC, lambda content, _: MetricBody(content.value), enlarges=False)
