"""The composer can always be typed into: nothing that fails locks it, and nothing takes its focus
for good.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMenu, QMessageBox

from app.domain.events import CellRef, Citation, Citations
from tests.gui.conftest import make_turn
from tests.gui.living import in_window, until
from tests.gui.test_chats import ask, scripted
from tests.gui.test_context import chips
from tests.widget_backend import pdf

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path

    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow

pytestmark = pytest.mark.usefixtures("served")
LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier


def typed(window: MainWindow, text: str) -> str:
    """Type as a person does, wherever the focus is; return what the field holds then."""
    for letter in text:
        where = window.focusWidget()
        assert where is not None
        QTest.keyClicks(where, letter)
    return window.composer.editor.toPlainText()


def test_with_a_pdf_attached_dictation_tells_what_is_missing_and_the_field_is_not_locked(
    qapp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKPILOT_MODELS", str(tmp_path / "models"))
    (tmp_path / "report.pdf").write_bytes(pdf())

    async def work(window: MainWindow, session: WindowSession) -> None:
        session.attach_files([str(tmp_path / "report.pdf")])
        await until(lambda: "report" in " ".join(chips(window)))
        QTest.keyClick(window, Qt.Key.Key_M, CONTROL)
        bar = window.composer.bar
        await until(lambda: bar.isVisible() and not bar.label.text().startswith("Opening"))
        await until(lambda: not window.composer.editor.isReadOnly())
        assert not window.composer.mic.hearing
        assert typed(window, "still here") == "still here"

    in_window(work)


@pytest.mark.expects_log("task dictation failed")
def test_a_dictation_that_breaks_for_any_reason_unlocks_the_field(
    qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    @asynccontextmanager
    async def listen(wanted: object) -> AsyncGenerator[None]:
        raise LookupError(wanted)
        yield

    async def work(window: MainWindow, session: WindowSession) -> None:
        monkeypatch.setattr(session.deskpilot.voice.dictation._ear, "listen", listen)
        QTest.keyClick(window, Qt.Key.Key_M, CONTROL)
        await until(lambda: window.composer.dictated is None)
        assert not window.composer.editor.isReadOnly()
        assert window.composer.bar.label.text().startswith("Dictation stopped unexpectedly.")
        assert typed(window, "go on") == "go on"
        QTest.keyClick(window, Qt.Key.Key_M, CONTROL)
        QTest.keyClick(window, Qt.Key.Key_Escape)  # given up before it began
        await until(lambda: window.composer.dictated is None)
        assert window.composer.bar.isHidden()

    in_window(work)


def test_one_types_while_a_microphone_opens_and_what_is_heard_comes_behind(
    qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    @asynccontextmanager
    async def listen(wanted: object) -> AsyncGenerator[None]:
        await asyncio.Event().wait()  # a service that takes long to start
        yield

    async def work(window: MainWindow, session: WindowSession) -> None:
        monkeypatch.setattr(session.deskpilot.voice.dictation._ear, "listen", listen)
        QTest.keyClick(window, Qt.Key.Key_M, CONTROL)
        await until(lambda: window.composer.bar.label.text().startswith("Opening"))
        assert typed(window, "meanwhile") == "meanwhile"
        session.voice.words("", "heard")
        assert window.composer.editor.toPlainText() == "meanwhile heard"
        assert typed(window, "x") == "meanwhile heard"
        QTest.keyClick(window, Qt.Key.Key_Escape)
        await until(lambda: window.composer.dictated is None)
        assert typed(window, "!").startswith("meanwhile")

    in_window(work)


def test_a_question_whose_chat_is_left_while_it_begins_goes_back_into_the_field(
    qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        scripted(session)
        begin, history = session.deskpilot.history.begin, session.deskpilot.history

        async def slow(question: str, *, temporary: bool = False) -> Any:
            begun = await begin(question, temporary=temporary)
            session.new_chat()
            return begun

        with monkeypatch.context() as slowed:
            slowed.setattr(history, "begin", slow)
            QTest.keyClicks(window.composer.editor, "Where am I?")
            QTest.keyClick(window.composer.editor, Qt.Key.Key_Return)
            await until(lambda: window.composer.editor.toPlainText() == "Where am I?")
        assert not await history.conversations()
        QTest.keyClick(window.composer.editor, Qt.Key.Key_Return)
        await until(lambda: session.running is None and len(session.turns) == 1)

    in_window(work)


@pytest.mark.expects_log("task window ask failed")
def test_a_question_that_cannot_be_asked_goes_back_into_the_field(
    qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        scripted(session)
        await ask(window, session, "First")
        with monkeypatch.context() as broken:
            broken.setattr(session.deskpilot.widgets, "reread", None)
            QTest.keyClicks(window.composer.editor, "Second")
            QTest.keyClick(window.composer.editor, Qt.Key.Key_Return)
            await until(lambda: window.composer.editor.toPlainText() == "Second")
        assert [turn.question for turn in session.turns] == ["First"]
        assert window.composer.send.accessibleName() == "Send"
        QTest.keyClick(window.composer.editor, Qt.Key.Key_Return)
        await until(lambda: session.running is None and len(session.turns) == 2)
        assert session.turns[1].question == "Second"

    in_window(work)


def test_after_an_example_a_citation_or_the_plus_what_is_typed_is_a_question(
    qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QMenu, "popup", lambda *_: None)  # the offscreen platform has none

    async def work(window: MainWindow, session: WindowSession) -> None:
        scripted(session)
        editor = window.composer.editor
        QTest.mouseClick(window.welcome.examples[0], LEFT)
        await until(lambda: session.turns and session.running is None)
        assert typed(window, "next") == "next"
        editor.clear()
        QTest.mouseClick(window.composer.attach, LEFT)
        await until(lambda: window.composer.attach.findChildren(QMenu))
        menu = window.composer.attach.findChildren(QMenu)[-1]
        menu.actions()[0].trigger()
        menu.close()
        (dialog,) = window.findChildren(QFileDialog)
        dialog.close()
        assert typed(window, "after plus") == "after plus"
        editor.clear()
        turn = make_turn(1, "It was **9.6** [1].")
        table = session.deskpilot.widgets.all()[0]
        turn.items[-2] = Citations(
            [Citation(table.uuid, table.name, CellRef("h", 2, "unemp"), 9.6)]
        )
        window.view.set_turns([turn])
        window.view.flush()
        hot = next(hot for hot in window.view._hots() if hot.href == "cite:1")
        QTest.mouseClick(window.view.viewport(), LEFT, pos=hot.rect.center().toPoint())
        for box in window.findChildren(QMessageBox):
            box.close()
        assert typed(window, "and then") == "and then"
        editor.clear()
        chip = window.composer.chips.itemAt(0).widget()  # type: ignore[union-attr]
        QTest.mouseClick(chip, LEFT)
        await until(lambda: not session.deskpilot.widgets.attached())
        assert typed(window, "without") == "without"

    in_window(work)


def test_letters_typed_where_nothing_takes_them_go_to_the_composer_and_keys_stay_where_they_are(
    qapp: Any,
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        scripted(session)
        await ask(window, session, "First")
        window.view.setFocus()
        QTest.keyClick(window.view, Qt.Key.Key_Down)
        QTest.keyClick(window.view, Qt.Key.Key_Space)
        assert window.focusWidget() is window.view
        assert typed(window, "Why?") == "Why?"
        window.topbar.buttons["panel"].setFocus()
        QTest.keyClick(window.focusWidget(), Qt.Key.Key_X, CONTROL)
        assert window.focusWidget() is window.topbar.buttons["panel"]
        assert typed(window, "!") == "Why?!"

    in_window(work)
