"""Metrics of a backend: a label, a value in large figures, how it changed."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.ui.dashboard.bodies.beside import Beside
from app.ui.style.elided import ElidedLabel
from app.ui.style.tokens import LIGHT, Tokens
from app.ui.words import tr

LEAST, MOST = 128, 60  # pixels for one metric; metrics shown


class MetricBody(Beside):
    """Boxes beside each other, as many as can be read."""

    def __init__(self, metrics: list[dict[str, Any]], parent: QWidget | None = None) -> None:
        super().__init__(LEAST, 14, 12, parent)
        self._deltas: list[tuple[QLabel, bool]] = []
        self._tokens = LIGHT
        self.boxes = [self._box(one) for one in metrics[:MOST]]

    def set_tokens(self, tokens: Tokens) -> None:
        """Dress in a theme."""
        self._tokens = tokens
        for label, up in self._deltas:
            label.setStyleSheet(f"color: {tokens.accent if up else tokens.danger};")

    def _box(self, metric: dict[str, Any]) -> QWidget:
        label, value = str(metric.get("label") or ""), text_of(metric.get("value"))
        delta = text_of(metric.get("delta"))
        box = QWidget(self)
        change = tr(", change {delta}", delta=delta) if delta else ""
        box.setAccessibleName(f"{label}: {value}{change}")
        name, number = ElidedLabel(label, box), ElidedLabel(value, box)
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
    """Return a value as people read it."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:,}"
    return "" if value is None else str(value)[:200]
