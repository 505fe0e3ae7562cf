"""The copilot menu: added by address, chosen, asked, set, looked at, removed; errors in words."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QMessageBox

from app.domain.conversation import Turn
from app.domain.copilot import AddedCopilot, Copilot
from app.domain.events import Citation, Citations
from app.ui.controls.actions import action_of
from app.ui.copilots.dialog import AboutCopilot, AddCopilot
from app.ui.copilots.menu import CopilotButton
from tests.contract.test_lmc import Server
from tests.end2end.strangers import serving
from tests.gui.living import in_window, until
from tests.unit.app.cli.test_copilots import peer

if TYPE_CHECKING:
    from PySide6.QtGui import QAction

    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow
    from tests.memory_keyring import MemoryKeyring

pytestmark = pytest.mark.usefixtures("served")


def entries(button: CopilotButton) -> dict[str, QAction]:
    return {
        action.text().removesuffix("  ✓"): action
        for action in button.choices.actions()
        if action.text()
    }


def add(dialog: AddCopilot, address: str, headers: str = "") -> None:
    dialog.address.setText(address)
    dialog.headers.setPlainText(headers)
    QTest.mouseClick(dialog.add, Qt.MouseButton.LeftButton)


def test_a_copilot_is_added_asked_set_and_removed(
    qapp: Any, keyring_in_memory: MemoryKeyring
) -> None:
    made = peer()

    async def work(window: MainWindow, session: WindowSession) -> None:
        button = window.topbar.copilot
        entries(button)["Add copilot …"].trigger()
        dialog = window.findChild(AddCopilot)
        assert dialog
        assert not dialog.add.isEnabled()
        add(dialog, address, "X-Key: s3cret")
        await until(lambda: button.text() == "Echo")
        session.submit("Hello?")
        await until(lambda: session.turns and session.turns[-1].state == "done")
        assert session.turns[-1].answer() == "Heard."
        assert made.state.asked[-1][1]["x-key"] == "s3cret"
        entries(button)["Think long"].trigger()
        await until(lambda: session.copilots._known[0].copilot.options == {"deep": True})
        before = session.turns[-1]
        session.again()  # a branch beside it, shown in its place
        await until(lambda: session.turns[-1] is not before and session.turns[-1].state == "done")
        assert made.state.asked[-1][0]["workspace_options"] == {"deep": True, "tone": "dry"}
        entries(button)["About Echo …"].trigger()
        about = window.findChild(AboutCopilot)
        assert about
        told = " ".join(label.text() for label in about.findChildren(QLabel))
        assert "Says it again." in told
        assert "s3cret" not in told
        about.remove_wanted.emit("echo_one")
        await until(lambda: button.text() == "Local copilot")
        assert keyring_in_memory.kept == {}
        about.reject()

    with serving(made) as address:
        in_window(work)


def test_what_is_wrong_is_said_in_the_dialog_and_another_host_is_asked_about(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        dialog = session.copilots.add()
        add(dialog, "http://127.0.0.1:9")
        await until(lambda: "cannot be reached" in dialog.told.text())
        add(dialog, "http://127.0.0.1:9", "no colon here")
        await until(lambda: "header like" in dialog.told.text())
        dialog.headers.clear()
        add(dialog, "http://copilot.invalid:1")
        await until(lambda: dialog.add.text() == "Allow copilot.invalid")
        assert "the question and attached data would go there" in dialog.told.text()
        QTest.mouseClick(dialog.add, Qt.MouseButton.LeftButton)
        await until(lambda: "cannot be reached" in dialog.told.text())
        dialog.reject()

    in_window(work)


def test_where_questions_go_is_said_and_the_choice_outlives_a_restart(qapp: Any) -> None:
    far = AddedCopilot(
        "far", "http://far.invalid", Copilot("far", "Far & Away", "http://far.invalid/q", "today")
    )

    async def first(window: MainWindow, session: WindowSession) -> None:
        await session.deskpilot.copilots._book.change(lambda _: [far])  # type: ignore[attr-defined]
        window.topbar.copilot.choices.aboutToShow.emit()
        await until(lambda: "Far && Away" in entries(window.topbar.copilot))
        entries(window.topbar.copilot)["Far && Away"].trigger()
        await until(lambda: "Questions go to far.invalid" in window.topbar.state.text())
        assert "attachments go to far.invalid" in window.welcome.told.text()

    async def second(window: MainWindow, session: WindowSession) -> None:
        await until(lambda: "Questions go to far.invalid" in window.topbar.state.text())
        entries(window.topbar.copilot)["Local copilot"].trigger()
        await until(lambda: "On this machine" in window.topbar.state.text())
        assert window.welcome.told.text().startswith("Questions are answered on this machine.")

    in_window(first)
    in_window(second)


def test_a_server_cut_off_in_mid_answer_leaves_nothing_behind(qapp: Any) -> None:
    server = Server()

    async def work(window: MainWindow, session: WindowSession) -> None:
        await session.deskpilot.copilots.add(f"{address}/", name="oi", dialect="lmc")
        window.topbar.copilot.choices.aboutToShow.emit()
        await until(lambda: "oi" in entries(window.topbar.copilot))
        entries(window.topbar.copilot)["oi"].trigger()
        await until(lambda: window.topbar.copilot.text() == "oi")
        session.submit("Count the files.")
        await until(lambda: session.allowing.card.isVisible())
        session.deskpilot.dashboard.consents.answer(False)
        await until(lambda: session.turns and session.turns[-1].state == "done")

        def shown() -> bool:  # what it wanted to run, and what it printed
            return [piece.kind for piece in window.view.flow.entry(0).pieces].count("code") == 2

        await until(shown)
        gc.collect()
        assert not server.ran

    with serving(server.app) as address:
        in_window(work)


def test_a_citation_of_a_page_asks_before_the_browser_is_opened(qapp: Any) -> None:
    page = Citations([Citation("", "News", None, kind="web", url="https://example.org/a")])

    async def work(window: MainWindow, session: WindowSession) -> None:
        turn = Turn("t", "c", None, "q", "done", 0.0, [page])
        session.follow(turn, action_of("cite:1"))
        box = window.findChild(QMessageBox)
        assert box
        assert "https://example.org/a" in box.text()
        box.reject()

    in_window(work)
