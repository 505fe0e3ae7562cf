"""The list that opens above the composer at a #: widgets to attach."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

if TYPE_CHECKING:
    from app.domain.widget import Widget

ROW_PX, MOST, WIDTH = 34, 8, 320


class Picker(QListWidget):
    """Signals: picked(uuid)."""

    picked = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.inside = parent.mapFromGlobal
        self.setObjectName("picker")
        self.setAccessibleName("Widgets to attach")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.itemClicked.connect(self._pick)
        self.hide()

    def offer(self, widgets: list[Widget], typed: str, above: QPoint) -> bool:
        """Show the widgets whose names hold what was typed, above a point of the parent; tell if there are any."""
        self.clear()
        for widget in widgets:
            if typed.lower() in widget.name.lower():
                item = QListWidgetItem(f"{widget.name}{'  ✓' if widget.attached else ''}", self)
                item.setData(Qt.ItemDataRole.UserRole, widget.uuid)
        shown = min(self.count(), MOST)
        self.setGeometry(above.x(), above.y() - shown * ROW_PX - 14, WIDTH, shown * ROW_PX + 10)
        self.setCurrentRow(0)
        self.setVisible(shown > 0)
        self.raise_()
        return shown > 0

    def key(self, key: Qt.Key) -> bool:
        """Use a key; tell whether it was one of ours."""
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            step = 1 if key == Qt.Key.Key_Down else -1
            self.setCurrentRow((self.currentRow() + step) % self.count())
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab):
            self._pick(self.currentItem())
        elif key == Qt.Key.Key_Escape:
            self.hide()
        else:
            return False
        return True

    def _pick(self, item: QListWidgetItem) -> None:
        self.hide()
        self.picked.emit(item.data(Qt.ItemDataRole.UserRole))
