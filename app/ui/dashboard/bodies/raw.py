"""Content of a kind that has no view; it is shown as readable JSON and can be opened in another
program.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.openbb.content import RAW, readable
from app.ui.dashboard.bodies import WidgetView
from app.ui.markdown.document import code_font
from app.ui.theme.i18n import tr

MOST = 200_000  # maximum number of characters shown


class RawBody(QWidget):
    """Readable JSON. Signals: outside_wanted(text) to show the text in another program;
    linked(address) if the data is an address.
    """

    outside_wanted = Signal(str)
    linked = Signal(str)

    def __init__(self, value: Any, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        text = address_of(value) or (value if isinstance(value, str) else readable(value))
        address = address_of(value)
        data = tr("This kind of widget can't be displayed; this is its data.")
        there = tr("This kind of widget can't be displayed; this is its address.")
        told = QLabel(there if address else data, self)
        told.setObjectName("caption")
        told.setWordWrap(True)
        out = QPushButton(tr("Open externally"), self)
        out.setObjectName("link")
        out.setAccessibleName(tr("Open the data from {name} in another program", name=name))
        out.clicked.connect(
            lambda: self.linked.emit(address) if address else self.outside_wanted.emit(text)
        )
        self.text = QPlainTextEdit(text[:MOST] + ("\n…" if len(text) > MOST else ""), self)
        self.text.setReadOnly(True)
        self.text.setObjectName("raw")
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setFont(code_font(12))
        self.text.setAccessibleName(tr("Data of {name}", name=name))
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


def address_of(value: Any) -> str:
    """If a widget contains only a web address, return this address; otherwise, return an empty
    text.
    """
    told = value.get("url") if isinstance(value, dict) and len(value) == 1 else value
    text = told.strip() if isinstance(told, str) else ""
    return text if text.startswith(("https://", "http://")) and len(text.split()) == 1 else ""


VIEW = WidgetView(RAW, lambda content, name: RawBody(content.value, name))
