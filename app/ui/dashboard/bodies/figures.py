"""Key figures: the newest value of some columns, large, and how it has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.ui.dashboard.bodies.beside import Beside
from app.ui.dashboard.bodies.scale import shown
from app.ui.style.elided import ElidedLabel
from app.ui.words import tr

if TYPE_CHECKING:
    from app.domain.widget import Series

LEAST = 100  # pixels for one figure


class Figures(Beside):
    """Signals: picked(row, column) of the cell a figure comes from."""

    picked = Signal(int, str)

    def __init__(
        self, series: list[Series], titles: list[str], unit: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(LEAST, 12, 8, parent)
        pairs = zip(series, titles, strict=True)
        self.boxes = [
            self._figure(one, title, one.unit or unit) for one, title in pairs if one.values
        ]
        self.arrange(max(len(self.boxes), 1))

    def _figure(self, series: Series, title: str, unit: str) -> QWidget:
        value = f"{shown(series.values[-1])} {unit}".strip()
        box = QWidget(self)
        name, number, change = (
            ElidedLabel(title, box),
            QPushButton(value, box),
            QLabel(changed(series), box),
        )
        name.setObjectName("muted")
        change.setObjectName("caption")
        number.setObjectName("figure")
        number.setCursor(Qt.CursorShape.PointingHandCursor)
        change_told = change.text() or tr("unchanged")
        number.setAccessibleName(f"{title}, {series.labels[-1]}: {value}, {change_told}")
        number.setToolTip(tr("{label}. Show the cell", label=series.labels[-1]))
        number.clicked.connect(lambda: self.picked.emit(series.rows[-1], series.name))
        column = QVBoxLayout(box)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addStretch(1)
        for part in (name, number, change):
            part.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            column.addWidget(part)
        column.addStretch(1)
        number.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        column.setAlignment(number, Qt.AlignmentFlag.AlignLeft)
        return box


def changed(series: Series) -> str:
    """Return how the last value differs from the one before it; nothing if it does not."""
    if len(series.values) < 2 or series.values[-1] == series.values[-2]:
        return ""
    step = round(series.values[-1] - series.values[-2], 10)
    return f"{'▲' if step > 0 else '▼'} {shown(abs(step))}"
