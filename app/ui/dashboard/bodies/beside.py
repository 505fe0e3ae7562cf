"""Boxes beside each other, as many as can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QGridLayout, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent


class Beside(QWidget):
    """A grid with as many columns as fit. least: pixels for one box; margin, spacing: pixels around and between."""

    def __init__(
        self, least: int, margin: int, spacing: int, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.boxes: list[QWidget] = []
        self._least, self._across = least, 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(margin, 8, margin, 8)
        self._grid.setSpacing(spacing)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put as many beside each other as can be read."""
        super().resizeEvent(event)
        self.arrange(min(max(event.size().width() // self._least, 1), max(len(self.boxes), 1)))

    def arrange(self, across: int) -> None:
        """Put so many boxes into a row."""
        if across == self._across:
            return
        self._across = across
        for place, box in enumerate(self.boxes):
            self._grid.addWidget(box, place // across, place % across)
        for column in range(len(self.boxes)):
            self._grid.setColumnStretch(column, 1 if column < across else 0)
