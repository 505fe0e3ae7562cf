"""The page of the diagnostics: what would be told, to be read before it is copied or saved."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from app.ui.style.labels import label
from app.ui.words import tr


class DiagnosticsPage(QWidget):
    """Signals: save_wanted(text)."""

    save_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        head = label(tr("Diagnostics"), "title", self)
        told = tr(
            "For whoever helps you: versions, settings, and which part did what for the last questions, by an id. "
            "No question, answer, table, file name, address or key stands in it. It goes nowhere by itself."
        )
        about = label(told, "muted", self)
        self.text = QPlainTextEdit(self)
        self.text.setObjectName("raw")
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(tr("Diagnostics"))
        self.copy = QPushButton(tr("Copy"), self)
        self.save = QPushButton(tr("Save …"), self)
        self.copy.clicked.connect(
            lambda: QGuiApplication.clipboard().setText(self.text.toPlainText())
        )
        self.save.clicked.connect(lambda: self.save_wanted.emit(self.text.toPlainText()))
        buttons = QHBoxLayout()
        buttons.addWidget(self.copy)
        buttons.addWidget(self.save)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(28, 22, 28, 22)
        column.setSpacing(10)
        for part in (head, about):
            column.addWidget(part)
        column.addLayout(buttons)
        column.addWidget(self.text, 1)

    def show_text(self, text: str) -> None:
        """Show the bundle."""
        self.text.setPlainText(text)
