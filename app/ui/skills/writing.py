"""A skill is written or changed in a window of its own; it stays open until it is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.ui.style.labels import field_label, label
from app.ui.style.long_words import fit_editor
from app.ui.words import tr

if TYPE_CHECKING:
    from app.domain.skill import Skill


class SkillWindow(QDialog):
    """Signals: written(name, what it is for, text)."""

    written = Signal(str, str, str)

    def __init__(self, skill: Skill | None, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(skill.slug if skill is not None else tr("A new skill"))
        self.resize(560, 460)
        self.name = QLineEdit(skill.slug if skill is not None else "", self)
        self.name.setReadOnly(skill is not None)
        self.name.setPlaceholderText(tr("brief-answer"))
        self.about = QLineEdit(skill.description if skill is not None else "", self)
        self.about.setPlaceholderText(tr("Answer in one line"))
        self.text = QPlainTextEdit(self)
        fit_editor(self.text, skill.content if skill is not None else "")
        self.text.setPlainText(skill.content if skill is not None else "")
        self.text.setPlaceholderText(tr("What the copilot is to do, in Markdown."))
        self.problem = label("", "problem", self)
        self.problem.hide()
        self.save = QPushButton(tr("Keep"), self)
        self.save.setObjectName("primary")
        self.save.setAutoDefault(False)
        self.save.clicked.connect(
            lambda: self.written.emit(self.name.text(), self.about.text(), self.text.toPlainText())
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 18)
        column.setSpacing(8)
        for words, part in (
            (tr("Name"), self.name),
            (tr("What it is for"), self.about),
            (tr("Instructions"), self.text),
        ):
            column.addWidget(field_label(words, part, self))
            column.addWidget(part, 1 if part is self.text else 0)
        column.addWidget(self.problem)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.save)
        column.addLayout(row)

    def fail(self, text: str) -> None:
        """Say why it was not kept; what was written stays."""
        self.problem.setText(text)
        self.problem.show()
