"""Commands: one list, found by their words, bound to keys one may change; driven by keyboard."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox

from app.bootstrap import build
from app.domain.actions import ACTIONS
from app.domain.errors import SetupError
from app.domain.settings import KEYS, TRAY, conflicts
from app.ui.main.actions import commands
from app.ui.main.event_loop import run_until_complete
from app.ui.main.palette import ACTION, Palette, fitting
from app.ui.main.run import live
from app.ui.main.session import WindowSession
from app.ui.main.theme_switch import ThemeSwitch
from app.ui.main.tray import Tray
from app.ui.main.window import MainWindow
from app.ui.settings.page import BARE, PRESS, KeyField
from app.ui.settings.window import SettingsWindow
from app.ui.voice.menu import VoiceMenu, VoiceMenuItems
from backends.paths import store_file
from tests.gui.living import in_window, until
from tests.gui.test_chats import ask, press, scripted

pytestmark = pytest.mark.usefixtures("served")
CONTROL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)


def offered(palette: Palette) -> list[str]:
    return [palette.list.item(row).text() for row in range(palette.list.count())]


def row(shown: SettingsWindow, uid: str) -> Any:
    return next(r for page in shown.pages if (r := page.row_of(KEYS[uid])))


def test_every_action_does_something_and_is_found_by_its_words(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        assert [c.id for c in commands(window, session)] == [a.id for a in ACTIONS]
        window.activateWindow()
        window.composer.editor.setFocus()
        QTest.keyClick(window, Qt.Key.Key_K, CONTROL)
        palette = window.findChild(Palette)
        assert palette is not None
        assert palette.isVisible()
        assert len(offered(palette)) == len(ACTIONS) - 1
        QTest.keyClicks(palette.field, "dash")
        assert offered(palette)[0] == "Show or hide the dashboard"
        before = window.dashboard.isVisible()
        QTest.keyClick(palette.field, Qt.Key.Key_Return)
        await until(lambda: window.dashboard.isVisible() is not before)
        assert not palette.isVisible()
        assert window.composer.editor.hasFocus()
        QTest.keyClick(window, Qt.Key.Key_K, CONTROL)
        QTest.keyClicks(palette.field, "no such words at all")
        assert offered(palette) == ["No matching command"]
        QTest.keyClick(palette.field, Qt.Key.Key_Return)
        assert palette.isVisible()
        QTest.keyClick(palette.field, Qt.Key.Key_Escape)
        assert not palette.isVisible()
        assert window.composer.editor.hasFocus()

    in_window(work, opened=False)


def test_a_key_is_changed_by_keyboard_kept_and_told_where_it_is_read(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        shown = session.preferences.open("keys")
        field: KeyField = row(shown, "pane.dashboard").control
        await until(lambda: field.button.text() == "Ctrl+D")
        field.button.setFocus()
        QTest.keyClick(field.button, Qt.Key.Key_Space)
        assert field.button.text() == PRESS
        QTest.keyClick(field.button, Qt.Key.Key_J)
        assert field.button.text() == BARE
        QTest.keyClick(field.button, Qt.Key.Key_J, CONTROL | ALT)
        await until(lambda: "Ctrl+Alt+J" in window.topbar.buttons["panel"].toolTip())
        assert await session.deskpilot.settings.get(KEYS["pane.dashboard"]) == "Ctrl+Alt+J"
        shown.close()
        window.activateWindow()
        await until(window.isActiveWindow)
        before = window.dashboard.isVisible()
        QTest.keyClick(window, Qt.Key.Key_D, CONTROL)
        assert window.dashboard.isVisible() is before
        QTest.keyClick(window, Qt.Key.Key_J, CONTROL | ALT)
        assert window.dashboard.isVisible() is not before
        shown = session.preferences.open("keys")
        field.reset.setFocus()
        QTest.keyClick(field.reset, Qt.Key.Key_Space)
        await until(lambda: field.button.text() == "Ctrl+D" and not field.reset.isVisible())
        shown.close()

    in_window(work, opened=False)


def test_every_control_names_the_key_an_action_has_now(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        settings, mic = session.deskpilot.settings, window.composer.mic
        assert mic.toolTip() == "Dictate (Ctrl+M), or hold to talk"
        assert window.composer.attach.toolTip() == "Attach a table (Ctrl+O)"
        chosen = {
            "voice.dictate": "F8",
            "voice.talk": "F9",
            "widget.attach": "F6",
            "turn.stop": "F7",
        }
        for uid, key in chosen.items():
            await settings.put(KEYS[uid], key)
        await until(lambda: mic.toolTip() == "Dictate (F8), or hold to talk")
        assert mic.accessibleName() == mic.toolTip()
        mic.set_hearing(True)
        assert mic.toolTip() == "Finish dictating (F8)"
        mic.set_hearing(False)
        assert mic.toolTip() == "Dictate (F8), or hold to talk"
        assert window.composer.attach.toolTip() == "Attach a table (F6)"
        assert "press F6, or" in window.dashboard._empty.text()  # pyright: ignore[reportPrivateUsage]
        window.composer.set_answering(True)
        assert window.composer.send.toolTip() == "Stop (F7)"
        window.composer.set_answering(False)
        assert window.composer.send.toolTip() == "Send (Enter)"
        found = VoiceMenuItems([], [], [])
        menu = VoiceMenu(session.deskpilot.voice.choices.now, found, window.tokens, window.composer)
        talk = next(action for action in menu.actions() if action.text() == "Talk hands-free")
        assert talk.shortcut() == QKeySequence("F9")
        menu.close()
        session.voice.opened("a microphone")
        assert window.composer.bar.label.text() == "Listening. Press again to finish; F7 cancels."
        for uid in chosen:
            await settings.put(KEYS[uid], "")
        await until(lambda: mic.toolTip() == "Dictate, or hold to talk")
        assert window.dashboard._empty.text() == "Drop a file here, or add a widget with +."  # pyright: ignore[reportPrivateUsage]
        session.voice.opened("a microphone")
        assert window.composer.bar.label.text() == "Listening. Press again to finish."
        window.composer.bar.hide()

    in_window(work, opened=False)


def test_a_key_another_action_has_is_refused_with_its_name(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        shown = session.preferences.open("keys")
        line = row(shown, "pane.dashboard")
        field: KeyField = line.control
        await until(lambda: field.button.text() == "Ctrl+D")
        for key, held, told in (
            (Qt.Key.Key_N, CONTROL, "Ctrl+N is already: New chat."),
            (Qt.Key.Key_C, CONTROL, "Ctrl+C is always: Copy."),
        ):
            field.button.setFocus()
            QTest.keyClick(field.button, Qt.Key.Key_Space)
            QTest.keyClick(field.button, key, held)
            await until(lambda told=told: told in line.problem.text())
            assert field.button.text() == "Ctrl+D"
        assert await session.deskpilot.settings.get(KEYS["pane.dashboard"]) == "Ctrl+D"
        field.button.setFocus()
        QTest.keyClick(field.button, Qt.Key.Key_Space)
        QTest.keyClick(field.button, Qt.Key.Key_Escape)
        assert field.button.text() == "Ctrl+D"
        QTest.keyClick(field.button, Qt.Key.Key_Space)
        QTest.keyClick(field.button, Qt.Key.Key_Backspace)
        await until(lambda: window.topbar.buttons["panel"].toolTip() == "Dashboard")
        assert field.button.text() == "None"
        shown.close()

    in_window(work, opened=False)


def test_of_two_actions_with_one_key_the_first_has_it_and_both_say_so(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        await session.deskpilot.settings.put(KEYS["models.open"], "Ctrl+N")
        actions = {action.objectName(): action for action in window.actions()}
        assert actions["chat.new"].shortcut() == QKeySequence("Ctrl+N")
        assert actions["models.open"].shortcut().isEmpty()
        shown = session.preferences.open("keys")
        await until(lambda: "Same key as: New chat" in row(shown, "models.open").problem.text())
        assert "Same key as: Models" in row(shown, "chat.new").problem.text()
        shown.close()

    in_window(work, opened=False)


@pytest.mark.qt_log_ignore(
    "systemTrayWindowChanged", "raise\\(\\)", extend=True
)  # there is no tray off screen
def test_the_window_closes_into_the_tray_if_one_likes_and_quits_for_good(qapp: Any) -> None:
    qapp.setQuitOnLastWindowClosed(False)  # as `run` has it

    async def work(window: MainWindow, session: WindowSession) -> None:
        actions = {action.objectName(): action for action in window.actions()}
        settings = session.deskpilot.settings
        tray = Tray(window, actions, settings, there=True)
        await tray.restore()
        assert tray.icon is not None
        window.close()
        assert not window.isVisible()
        window.show()
        await settings.put(TRAY, "stay")
        window.close()
        assert not window.isVisible()
        entries = [action.text() for action in tray.menu.actions() if action.text()]
        assert entries == ["Show Deskpilot", "New chat", "Dictate", "Talk hands-free", "Quit"]
        actions["chat.new"].trigger()
        assert window.isVisible()
        window.close()
        tray.icon.activated.emit(tray.icon.ActivationReason.Trigger)
        assert window.isVisible()
        await settings.put(TRAY, "off")
        assert not tray.icon.isVisible()
        absent = Tray(window, actions, settings, there=False)
        await absent.restore()
        assert absent.icon is None
        actions["window.close"].trigger()
        assert not window.isVisible()

    try:
        in_window(work, opened=False)
    finally:
        qapp.setQuitOnLastWindowClosed(True)


def test_a_backup_is_brought_back_and_the_window_opens_anew(qapp: Any, tmp_path: Path) -> None:
    qapp.setQuitOnLastWindowClosed(False)
    seen: list[list[str]] = []

    async def use(window: MainWindow, session: WindowSession) -> None:
        history, copy = session.deskpilot.history, tmp_path / "copy.sqlite"
        if not seen:
            await history.begin("What was kept?")
            await history.back_up(copy)
            await history.begin("What came later?")
        seen.append([chat.title for chat in await history.conversations()])
        if len(seen) == 1:
            session.chats._ask_restore(copy)
            box = window.findChild(QMessageBox)
            assert box is not None
            assert "copy.sqlite" in box.text()
            next(b for b in box.buttons() if b.text() == "Restore").click()
        else:
            window.leave_wanted.emit()

    async def twice() -> int:
        window = MainWindow()
        window.show()
        opening = asyncio.ensure_future(live(window, build, ThemeSwitch(qapp, window, "light")))
        for count in (1, 2):
            await until(lambda count=count: len(made) == count)
            await use(*made[-1])
        return await opening

    made: list[tuple[MainWindow, WindowSession]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WindowSession, "start", lambda self: made.append((self.window, self)))
        try:
            assert run_until_complete(qapp, twice()) == 0
        finally:
            qapp.setQuitOnLastWindowClosed(True)
    assert seen == [["What came later", "What was kept"], ["What was kept"]]
    assert len(list(store_file().parent.glob("deskpilot-before-restore-*.sqlite"))) == 1


def test_no_two_actions_begin_with_one_key_and_all_keys_are_known_to_the_system() -> None:
    assert not conflicts({a.id: a.key for a in ACTIONS})
    for action in ACTIONS:
        key = KEYS[action.id].checked(action.key)
        assert QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText) == key
    for wrong in ("Ctrl", "Ctrl+", "Strg+N ", "N M", 3):
        with pytest.raises(SetupError):
            KEYS["chat.new"].checked(wrong)


def test_commands_are_found_by_beginnings_words_and_letters() -> None:
    texts = ["New chat", "Temporary chat", "Search chats", "设置"]
    assert fitting("", texts) == texts
    assert fitting("chat", texts) == ["New chat", "Temporary chat", "Search chats"]
    assert fitting("se", texts) == ["Search chats"]
    assert fitting("tch", texts) == ["Temporary chat"]
    assert fitting("设", texts) == ["设置"]


def test_the_palette_finds_chats_by_what_they_say(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        scripted(session)
        await ask(window, session, "Where do zebras live?")
        await ask(window, session, "And lions?")
        first = session.conversation_id
        session.new_chat()
        await ask(window, session, "Something else")
        press(window, Qt.Key.Key_K, CONTROL)
        palette = window.findChild(Palette)
        assert palette is not None
        QTest.keyClicks(palette.field, "zebras live")
        await until(lambda: offered(palette) == ["Zebras live"] or len(offered(palette)) == 1)
        await until(lambda: palette.list.item(0).data(ACTION) is not None)
        QTest.keyClick(palette.field, Qt.Key.Key_Return)
        await until(lambda: session.conversation_id == first)
        assert not palette.isVisible()

    in_window(work)
