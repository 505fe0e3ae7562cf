"""The page of skills: written, read, changed, kept when a copilot proposes one, removed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox, QPushButton

from app.ui.settings.skills import SkillWindow
from tests.gui.living import in_window, until

if TYPE_CHECKING:
    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow
    from app.ui.settings.skills import SkillsPage

pytestmark = pytest.mark.usefixtures("served")


def press(button: QPushButton) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def names(page: SkillsPage) -> list[str]:
    return [row.skill.slug for row in page.rows]


def test_skills_are_written_read_kept_and_removed(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        skills = session.deskpilot.skills
        await skills.put("brief", "One line", "Answer in one line.", proposed=True)
        shown = session.preferences.open("skills")
        page = shown.skills
        await until(lambda: names(page) == ["brief"])
        press(page.rows[0].keep)
        await until(lambda: page.rows[0].keep.isHidden())
        assert [s.slug for s in await skills.all()] == ["brief"]
        await write(page, "Brief", "Another", "A skill named Brief already exists.")
        await write(page, "", "Nothing", "is not a valid skill name")
        await write(page, "long-answer", "Say all of it.", "")
        await until(lambda: names(page) == ["brief", "long-answer"])
        press(page.rows[0].read)
        await until(lambda: shown.findChild(SkillWindow))
        changed = shown.findChild(SkillWindow)
        assert changed.name.isReadOnly()
        assert changed.text.toPlainText() == "Answer in one line."
        changed.text.setPlainText("Answer in two lines.")
        press(changed.save)
        await until(lambda: any(row.skill.content == "Answer in two lines." for row in page.rows))
        press(page.rows[1].remove)
        box = shown.findChild(QMessageBox)
        press(next(b for b in box.findChildren(QPushButton) if b.text() == "Remove"))
        await until(lambda: names(page) == ["brief"])
        shown.close()

    async def write(page: SkillsPage, name: str, text: str, wrong: str) -> None:
        press(page.add)
        made = page.window().findChild(SkillWindow)
        made.name.setText(name)
        made.text.setPlainText(text)
        press(made.save)
        if wrong:
            await until(lambda: wrong in made.problem.text())
            made.close()
        await until(lambda: page.window().findChild(SkillWindow) is None)

    in_window(work)
