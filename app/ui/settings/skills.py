"""The skills page, with proposed and saved skills, and the dialog that edits a skill."""

from __future__ import annotations

from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.domain.copilot import slug_of
from app.domain.errors import DeskpilotError
from app.ui.controls import message_boxes
from app.ui.controls.labels import ElidedLabel, field_label, fit_editor, label
from app.ui.theme.i18n import told, tr
from app.ui.theme.style import roomy

if TYPE_CHECKING:
    from app.domain.copilot import Skill
    from app.services.conversation.skills import Skills
    from app.services.tasks import Do, Work


class SkillWindow(QDialog):
    """The dialog that creates or edits a skill. Signals: written(name, purpose, text)."""

    written = Signal(str, str, str)

    def __init__(self, skill: Skill | None, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(skill.slug if skill is not None else tr("A new skill"))
        self.resize(roomy(self, 560, 460))
        self.name = QLineEdit(skill.slug if skill is not None else "", self)
        self.name.setReadOnly(skill is not None)
        self.name.setPlaceholderText(tr("brief-answer"))
        self.about = QLineEdit(skill.description if skill is not None else "", self)
        self.about.setPlaceholderText(tr("Answer in one line"))
        self.text = QPlainTextEdit(self)
        fit_editor(self.text, skill.content if skill is not None else "")
        self.text.setPlainText(skill.content if skill is not None else "")
        self.text.setPlaceholderText(tr("What the copilot should do, in Markdown."))
        self.problem = label("", "problem", self)
        self.problem.hide()
        self.save = QPushButton(tr("Save"), self)
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
            (tr("Description"), self.about),
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
        """Show why the skill was not saved; the text that was entered stays."""
        self.problem.setText(text)
        self.problem.show()


class SkillsPage(QWidget):
    """The skills page.

    Signals: write_wanted(the skill to edit, or None for a new one); keep_wanted(name),
    remove_wanted(name).
    """

    write_wanted = Signal(object)
    keep_wanted = Signal(str)
    remove_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: list[SkillRow] = []
        head = QLabel(tr("Skills"), self)
        head.setObjectName("title")
        words = tr("Type /skill:name to use these instructions.")
        about = label(words, "muted", self)
        self.add = QPushButton(tr("Write a skill …"), self)
        self.add.clicked.connect(lambda: self.write_wanted.emit(None))
        self.problem = label("", "problem", self)
        self.problem.hide()
        self._none = QLabel(tr("No skills yet."), self)
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
        """Show the skills, with the proposed ones first."""
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
        """Show an error; an empty text hides it."""
        self.problem.setText(text)
        self.problem.setVisible(bool(text))


class SkillRow(QFrame):
    """The row for a skill: its name, its purpose and its actions."""

    def __init__(self, skill: Skill, parent: QWidget) -> None:
        super().__init__(parent)
        self.skill = skill
        self.setObjectName("newsItem")  # this draws a thin line below the row
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
        self.keep = self._button(tr("Save"), tr("Save {name}", name=skill.slug))
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


class SkillsController(QObject):
    """Controls the skills page. It reads the skills each time they are shown, because a shell
    command may have changed them.
    """

    def __init__(self, page: SkillsPage, skills: Skills, do: Do) -> None:
        super().__init__(page)
        self._page, self._skills, self._do = page, skills, do
        page.write_wanted.connect(self._write)
        page.keep_wanted.connect(
            lambda name: self._change(f"keep skill {name}", lambda: skills.accept(name))
        )
        page.remove_wanted.connect(self._ask_to_remove)

    def read(self) -> None:
        """Read and show the current skills."""
        self._do("read skills", self._read())

    async def _read(self) -> None:
        try:
            kept, proposed = await self._skills.all(), await self._skills.all(proposed=True)
        except DeskpilotError as error:
            self._page.tell(told(error))
            return
        self._page.tell("")
        self._page.show_skills(kept, proposed)

    def _change(self, name: str, work: Work) -> None:
        async def changed() -> None:
            try:
                await work()
            except DeskpilotError as error:
                self._page.tell(told(error))
                return
            await self._read()

        self._do(name, changed())

    def _ask_to_remove(self, name: str) -> None:
        text = tr("Remove the skill {name}? Its text is deleted.", name=name)
        message_boxes.ask_first(
            self._page.window(),
            text,
            tr("Remove"),
            lambda: self._change(f"remove skill {name}", lambda: self._skills.remove(name)),
        )

    def _write(self, skill: Skill | None) -> None:
        window = SkillWindow(skill, self._page.window())
        window.written.connect(
            lambda name, about, text: self._do(
                "write skill", self._put(window, skill, (name, about, text))
            )
        )
        window.open()

    async def _put(
        self, window: SkillWindow, skill: Skill | None, written: tuple[str, str, str]
    ) -> None:
        name, about, text = (part.strip() for part in written)
        try:
            known = {one.slug for one in await self._skills.all()} if skill is None else set[str]()
            made = await self._skills.put(name, about, text) if slug_of(name) not in known else None
        except DeskpilotError as error:
            if shiboken6.isValid(window):
                window.fail(told(error))
            return
        if shiboken6.isValid(window):
            if made is None:
                window.fail(tr("A skill named {name} already exists.", name=name))
                return
            window.accept()
        await self._read()
