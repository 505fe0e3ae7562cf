"""What was allowed is listed and taken back, and the diagnostics tell no content: by keyboard."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from app.adapters.copilots.book import CopilotBook
from app.domain.copilot import WHOLE, AddedCopilot, Copilot
from app.ui.main.session import WindowSession
from app.ui.main.window import MainWindow
from backends import trace
from backends.paths import copilots_file, data_folder
from tests.gui.living import in_window, until

SECRET = "zebra-crossing"


@pytest.mark.usefixtures("served")
def test_what_was_allowed_is_listed_and_taken_back(qapp: Any) -> None:
    stranger = Copilot(
        "desk",
        "Desk",
        "http://192.0.2.7/query",
        "today",
        features={"widget-dashboard-search": True},
        options={WHOLE: True},
    )

    async def work(window: MainWindow, session: WindowSession) -> None:
        await CopilotBook(copilots_file()).change(
            lambda known: [*known, AddedCopilot("desk", "http://192.0.2.7", stranger)]
        )
        await session.deskpilot.skills.put("brief", "short answers", SECRET)
        page = session.preferences.open("permissions").permissions
        await until(lambda: len(page.rows) == 3)
        assert [row.accessibleName() for row in page.rows] == [
            "Revoke: Questions and attachments go to the copilot desk",
            "Revoke: The copilot desk may see all widgets",
            "Revoke: The skill brief is sent when you call it",
        ]
        for left in (2, 1, 0):
            last = page.rows[-1]
            last.setFocus()
            QTest.keyClick(last, Qt.Key.Key_Space)
            await until(lambda left=left: len(page.rows) == left)
            if left == 1:
                assert not (await session.deskpilot.copilots.get("desk")).copilot.sees_all
        assert await session.deskpilot.copilots.all() == []
        assert await session.deskpilot.skills.all() == []

    in_window(work)


@pytest.mark.usefixtures("served")
def test_code_that_was_allowed_for_a_chat_is_listed_and_asked_about_again(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        one = await session.deskpilot.history.begin("Inflation since 1990")
        consents = session.deskpilot.dashboard.consents
        consents.allowed.update({one.id, "temporary-1"})
        page = session.preferences.open("permissions").permissions
        await until(lambda: len(page.rows) == 2)
        assert [row.accessibleName() for row in page.rows] == [
            (
                "Revoke: Code in the chat “Inflation since 1990” runs without asking until"
                " Deskpilot is closed"
            ),
            "Revoke: Code in the temporary chat runs without asking until you leave it",
        ]
        page.rows[0].setFocus()
        QTest.keyClick(page.rows[0], Qt.Key.Key_Space)
        await until(lambda: len(page.rows) == 1)
        assert consents.allowed == {"temporary-1"}

    in_window(work)


@pytest.mark.usefixtures("served")
def test_folders_of_code_go_with_their_chats_for_good_and_not_before(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        history, computer = session.deskpilot.history, data_folder() / "computer"

        async def chat(title: str) -> tuple[str, Path]:
            uid = (await history.begin(title)).id
            (computer / uid / "files").mkdir(parents=True)
            (computer / uid / "files" / "out.csv").write_text("1")
            return uid, computer / uid

        (one, first), (two, second), (_, kept) = (
            await chat("One"),
            await chat("Two"),
            await chat("Three"),
        )
        session.deskpilot.dashboard.consents.allowed.add(one)
        await history.trash(one)
        assert first.is_dir()  # Undo brings the chat back with all it has
        await history.take_back(one)
        assert (first / "files" / "out.csv").read_text() == "1"
        await history.trash(one)
        assert await history.empty_trash(days=30) == 0
        assert first.is_dir()
        assert await history.empty_trash() == 1
        assert not first.exists()
        assert one not in session.deskpilot.dashboard.consents.allowed
        await history.delete(two)
        assert not second.exists()
        assert kept.is_dir()
        session.new_temporary_chat()
        session.conversation_id = "temporary-7"
        (computer / "temporary-7").mkdir()
        session.new_chat()
        await until(lambda: not (computer / "temporary-7").exists())

    in_window(work)


@pytest.mark.usefixtures("served")
def test_the_diagnostics_are_copied_and_saved_and_tell_no_content(
    qapp: Any, tmp_path: Path
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        session.submit(f"What was the {SECRET} in 2009?")
        await until(
            trace.read_notes
        )  # of the window; the service of this file has a folder of its own
        page = session.preferences.open("diagnostics").diagnostics
        await until(lambda: '"traces"' in page.text.toPlainText())
        text = page.text.toPlainText()
        told = json.loads(text)
        ids = {note["trace"] for note in told["traces"]}
        assert len(ids) == 1
        assert {note["part"] for note in told["traces"]} == {"app"}
        assert told["packages"]["PySide6"]
        assert SECRET not in text
        assert "us_macro" not in text
        page.copy.setFocus()
        QTest.keyClick(page.copy, Qt.Key.Key_Space)
        assert QGuiApplication.clipboard().text() == text
        page.save.setFocus()
        QTest.keyClick(page.save, Qt.Key.Key_Space)
        await until(lambda: page.window().findChild(QFileDialog))
        dialog = page.window().findChild(QFileDialog)
        assert dialog is not None
        dialog.fileSelected.emit(str(tmp_path / "told.json"))
        assert json.loads((tmp_path / "told.json").read_text("utf-8")) == told
        dialog.reject()

    in_window(work)
