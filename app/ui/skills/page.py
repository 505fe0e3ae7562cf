"""The page of skills: those a copilot proposes, those that are kept, and a way to write one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.ui.style.elided import ElidedLabel
from app.ui.style.labels import label
from app.ui.words import tr

if TYPE_CHECKING:
    from app.domain.skill import Skill


class SkillsPage(QWidget):
    """Signals: write_wanted(skill) to be changed, None for a new one; keep_wanted(name), remove_wanted(name)."""

    write_wanted = Signal(object)
    keep_wanted = Signal(str)
    remove_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: list[SkillRow] = []
        head = QLabel(tr("Skills"), self)
        head.setObjectName("title")
        words = tr(
            "Instructions that go along with a question that begins with /skill: and their name."
        )
        about = label(words, "muted", self)
        self.add = QPushButton(tr("Write a skill …"), self)
        self.add.clicked.connect(lambda: self.write_wanted.emit(None))
        self.problem = label("", "problem", self)
        self.problem.hide()
        self._none = QLabel(tr("There is none yet."), self)
        self._none.setObjectName("muted")
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(28, 22, 28, 22)
        column.setSpacing(10)
        for part in (head, about, self.problem):
            column.addWidget(part)
        column.addLayout(self._list)
        column.addWidget(self._none)
        column.addWidget(self.add, alignment=Qt.AlignmentFlag.AlignLeft)
        column.addStretch(1)

    def show_skills(self, kept: list[Skill], proposed: list[Skill]) -> None:
        """Show skills, those that are only proposed first."""
        while (item := self._list.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        self.rows = [SkillRow(skill, self) for skill in [*proposed, *kept]]
        for row in self.rows:
            self._list.addWidget(row)
            row.keep.clicked.connect(
                lambda _=False, name=row.skill.slug: self.keep_wanted.emit(name)
            )
            row.remove.clicked.connect(
                lambda _=False, name=row.skill.slug: self.remove_wanted.emit(name)
            )
            row.read.clicked.connect(lambda _=False, skill=row.skill: self.write_wanted.emit(skill))
        self._none.setVisible(not self.rows)

    def tell(self, text: str) -> None:
        """Say what went wrong; nothing if all is well."""
        self.problem.setText(text)
        self.problem.setVisible(bool(text))


class SkillRow(QFrame):
    """One skill: its name, what it is for, what can be done with it."""

    def __init__(self, skill: Skill, parent: QWidget) -> None:
        super().__init__(parent)
        self.skill = skill
        self.setObjectName("newsItem")  # a hairline below
        name = QLabel(skill.slug, self)
        name.setObjectName("strong")
        name.setTextFormat(Qt.TextFormat.PlainText)
        told = tr("Proposed by a copilot. {about}", about=skill.description)
        about = ElidedLabel(told if skill.proposed else skill.description, self)
        about.setObjectName("muted")
        words = QVBoxLayout()
        words.setSpacing(3)
        words.addWidget(name)
        words.addWidget(about)
        self.keep = self._button(tr("Keep"), tr("Keep {name}", name=skill.slug))
        self.keep.setVisible(skill.proposed)
        self.read = self._button(tr("Read"), tr("Read and change {name}", name=skill.slug))
        self.remove = self._button(tr("Remove"), tr("Remove {name}", name=skill.slug))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 10, 0, 10)
        row.setSpacing(6)
        row.addLayout(words, 1)
        for button in (self.keep, self.read, self.remove):
            row.addWidget(button)

    def _button(self, text: str, name: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setObjectName("link")
        button.setAccessibleName(name)
        return button
