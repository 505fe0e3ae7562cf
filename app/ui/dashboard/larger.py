"""A widget in a window of its own, to read it at length beside the conversation."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from app.ui.main.escape import keeps_escape


class Larger(QDialog):
    """Shows a widget's body; Escape closes it, nothing waits for it. uid: of the widget."""

    def __init__(self, uid: str, title: str, body: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self.uid, self.body = uid, body
        self.setObjectName("larger")
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(body)
        space = parent.window().size()
        self.resize(max(space.width() * 3 // 4, 480), max(space.height() * 3 // 4, 360))

    def event(self, event: QEvent) -> bool:
        """Keep Escape, which would stop the answer otherwise."""
        return keeps_escape(event) or super().event(event)
