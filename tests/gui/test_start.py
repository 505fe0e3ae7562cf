"""Opening the window where that cannot go well."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox

from app.adapters.store.schema import take_lock
from app.bootstrap import build
from app.cli.window import first_look, has_chats, has_models
from app.ui.main.event_loop import run_until_complete
from app.ui.main.run import live, paint
from app.ui.main.session import WindowSession
from app.ui.main.theme_switch import ThemeSwitch
from app.ui.main.window import MainWindow, restore_place
from backends.paths import store_file, typed_file
from tests.gui.living import in_window, until
from tests.gui.test_chats import done, questions, scripted

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_a_second_window_says_why_it_cannot_open(
    qapp: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    window, said = MainWindow(), []

    async def both() -> int:
        window.show()
        opening = asyncio.ensure_future(live(window, build, ThemeSwitch(qapp, window, "system")))
        await until(lambda: isinstance(QApplication.activeModalWidget(), QMessageBox))
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        said.append(f"{box.text()} {box.informativeText()}")
        assert not opening.done()
        box.done(0)
        return await opening

    with take_lock(store_file()):
        assert run_until_complete(qapp, both()) == 1
    assert said == ["Another Deskpilot has these conversations open. Use that one, or close it."]
    assert said[0] in capsys.readouterr().err


def test_the_theme_that_was_chosen_is_worn_first_and_kept_when_it_is_changed(
    qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DESKPILOT_THEME", raising=False)
    qapp.setQuitOnLastWindowClosed(False)  # as `run` has it

    async def both(chosen: str) -> int:
        window = MainWindow()
        dressing = ThemeSwitch(qapp, window, chosen)
        assert window.tokens.dark is (chosen == "dark")
        window.show()
        opening = asyncio.ensure_future(live(window, build, dressing))
        await until(lambda: window.findChild(QAction, "chat.new"))  # the commands are bound last
        window.topbar.theme_wanted.emit()
        await until(lambda: window.tokens.dark is (chosen != "dark"))
        window.close()
        return await opening

    assert first_look() == ("system", "system", "100")
    try:
        for chosen, kept in (("dark", "light"), ("light", "dark")):
            assert run_until_complete(qapp, both(chosen)) == 0
            assert first_look() == (kept, "system", "100")
    finally:
        qapp.setQuitOnLastWindowClosed(True)


def test_the_first_page_is_not_ready_while_no_model_is_there(
    qapp: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It said "Ready" until the service had told that models are missing."""
    monkeypatch.setenv("DESKPILOT_HOME", str(tmp_path))
    monkeypatch.setenv("DESKPILOT_MODELS", str(tmp_path / "models"))
    (tmp_path / "models" / "downloads").mkdir(parents=True)  # of one that was given up
    assert not has_models()
    window = paint(ready=has_models()).window
    assert window.welcome.head.text() == "Almost ready"
    assert not any(button.isVisible() for button in window.welcome.examples)
    window.set_starters(None)  # once the service knows of models elsewhere
    assert window.welcome.head.text() == "Ready. Ask something."
    window.close()
    (tmp_path / "models" / "tiny").mkdir()
    (tmp_path / "models" / "tiny" / "installed.json").write_text("{}")
    assert has_models()
    window = paint(ready=has_models()).window
    assert window.welcome.head.text() == "Ready. Ask something."
    window.close()
    assert not has_chats()
    store_file().touch()
    window = paint(ready=has_models(), chats=has_chats()).window
    window.set_starters(None)  # the service was faster than the chats
    assert window.welcome.head.text() == "Loading chats …"
    assert not any(button.isVisible() for button in window.welcome.examples)
    window.welcome.restored()
    assert window.welcome.head.text() == "Ready. Ask something."
    window.close()
    qapp.setQuitOnLastWindowClosed(True)


@pytest.mark.usefixtures("served")
@pytest.mark.qt_log_ignore("This plugin does not support")
def test_what_is_typed_while_the_window_starts_outlives_a_kill_and_is_asked_once_it_has(
    qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The drafts of chats are kept once the last session is restored; a window that was killed
    before had lost its words, and a question that was sent before was nowhere.
    """
    killed = paint().window
    QTest.keyClicks(killed.composer.editor, "first question")
    QTest.keyClick(killed.composer.editor, Qt.Key.Key_Return)
    lines = {label.text() for label in killed.composer.waiting.findChildren(QLabel)}
    assert lines == {"Will be asked once Deskpilot is ready", "Next", "first question"}
    QTest.keyClicks(killed.composer.editor, "and")
    window = paint().window
    assert window.composer.editor.toPlainText() == "first question\nand"
    QTest.keyClick(window.composer.editor, Qt.Key.Key_Return)
    QTest.keyClicks(window.composer.editor, "draft")
    start = WindowSession.start
    waiting: list[list[str]] = []  # when the sample table is opened

    def started(session: WindowSession) -> None:
        scripted(session)
        show = session.deskpilot.dashboard.show_sample

        async def shown(folder: Path, named: Callable[[str], str]) -> None:
            waiting.append(session._queue.texts)
            await show(folder, named)

        session.deskpilot.dashboard.show_sample = shown  # type: ignore[method-assign, assignment]
        start(session)

    monkeypatch.setattr(WindowSession, "start", started)

    async def work(window: MainWindow, session: WindowSession) -> None:
        await until(lambda: session.turns and done(session))
        assert questions(session) == ["first question\nand"]
        assert waiting == [["first question\nand"]], "it is asked with the sample table"
        assert window.composer.editor.toPlainText() == "draft"
        async with asyncio.timeout(20):
            while [d.text for d in await session.deskpilot.history.drafts()] != ["draft"]:
                await asyncio.sleep(0.02)
        assert not typed_file().exists()

    in_window(work, painted=window)
    killed.close()
    qapp.setQuitOnLastWindowClosed(True)


def test_the_window_opens_again_in_the_size_and_place_it_was_closed_in(qapp: Any) -> None:
    qapp.setQuitOnLastWindowClosed(False)  # as `run` has it

    async def once(change: Callable[[MainWindow], None]) -> int:
        window = MainWindow()
        restore_place(window)
        seen.append((window.geometry().getRect(), window.isMaximized()))
        window.show()
        dressing = ThemeSwitch(qapp, window, "light")
        opening = asyncio.ensure_future(live(window, build, dressing))
        await until(lambda: window.findChild(QAction, "chat.new"))
        change(window)
        window.close()
        return await opening

    seen = list[tuple[Any, bool]]()
    changes = (
        lambda window: window.setGeometry(10, 40, 780, 500),
        lambda window: window.showMaximized(),
        lambda window: window.fit(QRect(0, 0, 400, 300)),
    )
    try:
        for change in changes:
            assert run_until_complete(qapp, once(change)) == 0
    finally:
        qapp.setQuitOnLastWindowClosed(True)
    assert seen[1] == ((10, 40, 780, 500), False)
    assert seen[2][1]
