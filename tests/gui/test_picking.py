"""What is offered while one types: copilots at @, skills at /, pages that a question names."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox, QPushButton

from tests.end2end.strangers import serving
from tests.gui.living import in_window, until
from tests.unit.app.cli.test_copilots import peer
from tests.unit.app.services.dashboard.test_pages import Web, web  # noqa: F401 - a fixture

if TYPE_CHECKING:
    from app.ui.composer.composer import Composer
    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow


def offered(composer: Composer) -> list[str]:
    return [composer.picker.item(i).text() for i in range(composer.picker.count())]


def offers(window: MainWindow) -> list[QPushButton]:
    return [b for b in window.composer.findChildren(QPushButton, "offer") if b.isVisible()]


def press(composer: Composer, key: Qt.Key) -> None:
    QTest.keyClick(composer.editor, key)


def test_copilots_skills_and_pages_are_offered_where_they_are_named(qapp: Any, web: str) -> None:  # noqa: F811
    made = peer()

    async def work(window: MainWindow, session: WindowSession) -> None:
        window.composer.editor.setFocus()
        await a_copilot(window, session)
        await a_skill(window, session)
        await a_proposal(window, session)
        await a_page(window, session, f"{web}/notes")

    async def a_copilot(window: MainWindow, session: WindowSession) -> None:
        await session.deskpilot.copilots.add(address)
        await session.copilots._read()
        composer = window.composer
        QTest.keyClicks(composer.editor, "a@b ")
        assert not composer.picker.isVisible()
        QTest.keyClicks(composer.editor, "@")
        await until(composer.picker.isVisible)
        assert offered(composer) == ["Local copilot", "Echo"]
        QTest.keyClicks(composer.editor, "ec")
        assert offered(composer) == ["Echo"]
        press(composer, Qt.Key.Key_Return)
        await until(lambda: window.topbar.copilot.text() == "Echo")
        assert composer.editor.toPlainText() == "a@b "
        QTest.keyClicks(composer.editor, "hello")
        press(composer, Qt.Key.Key_Return)
        await until(lambda: session.turns and session.turns[-1].state == "done")
        assert made.state.asked[-1][0]["messages"][-1]["content"] == "a@b hello"

    async def a_skill(window: MainWindow, session: WindowSession) -> None:
        composer = window.composer
        QTest.keyClicks(composer.editor, "/")
        await until(lambda: "/" in composer._choices)
        assert not any("skill" in name for name in offered(composer))  # there is none yet
        await session.deskpilot.skills.put("brief", "One line", "Answer in one line.")
        composer.editor.clear()
        QTest.keyClicks(composer.editor, "/")
        await until(composer.picker.isVisible)
        QTest.keyClicks(composer.editor, "skill")
        await until(lambda: offered(composer) == ["/skill:brief"])
        press(composer, Qt.Key.Key_Tab)
        assert composer.editor.toPlainText() == "/skill:brief "
        QTest.keyClicks(composer.editor, "and /")
        assert not composer.picker.isVisible()
        composer.editor.clear()

    async def a_proposal(window: MainWindow, session: WindowSession) -> None:
        skills = session.deskpilot.skills
        await skills.propose("Bold words", "", "<b>Be bold.</b>")
        box = window.findChild(QMessageBox)
        assert box
        assert "<b>Be bold.</b>" in box.text()
        assert box.textFormat() == Qt.TextFormat.PlainText
        assert [s.slug for s in await skills.all()] == ["brief"]
        QTest.mouseClick(box.button(QMessageBox.StandardButton.Save), Qt.MouseButton.LeftButton)
        async with asyncio.timeout(20):
            while [s.slug for s in await skills.all()] != ["bold-words", "brief"]:
                await asyncio.sleep(0.01)

    async def a_page(window: MainWindow, session: WindowSession, url: str) -> None:
        composer = window.composer
        QTest.keyClicks(composer.editor, f"What is in {url}?")
        await until(lambda: offers(window))
        (chip,) = offers(window)
        assert chip.text() == f"+ Fetch {web.removeprefix('http://')}"
        assert "Download this page from 127.0.0.1" in chip.toolTip()
        assert Web.asked == []
        QTest.mouseClick(chip, Qt.MouseButton.LeftButton)
        await until(
            lambda: any(w.name == "127.0.0.1 notes" for w in session.deskpilot.widgets.attached())
        )
        await until(lambda: not offers(window))
        assert Web.asked == ["/notes"]

    with serving(made) as address:
        in_window(work)
