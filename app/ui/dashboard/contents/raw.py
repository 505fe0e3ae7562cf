"""Anything without a view of its own: readable JSON, and a way to see it elsewhere."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from app.domain.backends.content import readable
from app.ui.chat.blocks.document import code_font

MOST = 200_000  # characters shown


class RawBody(QWidget):
    """Signals: outside_wanted(text): it is to be shown in another program."""

    outside_wanted = Signal(str)

    def __init__(self, value: Any, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        text = value if isinstance(value, str) else readable(value)
        told = QLabel("This kind of widget has no view here; these are its data.", self)
        told.setObjectName("caption")
        told.setWordWrap(True)
        out = QPushButton("Open externally", self)
        out.setObjectName("link")
        out.setAccessibleName(f"Open the data of {name} externally")
        out.clicked.connect(lambda: self.outside_wanted.emit(text))
        self.text = QPlainTextEdit(text[:MOST] + ("\n…" if len(text) > MOST else ""), self)
        self.text.setReadOnly(True)
        self.text.setObjectName("raw")
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setFont(code_font(12))
        self.text.setAccessibleName(f"Data of {name}")
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        row = QHBoxLayout()
        row.setContentsMargins(14, 4, 8, 0)
        row.addWidget(told, 1)
        row.addWidget(out, alignment=Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.text, 1)
