"""The voice menu: devices as they are plugged in, voices, speeds; what is chosen holds at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.ui.voice.menu import VoiceMenu
from tests.gui.living import in_window, until
from tests.gui.test_dictation import bar
from tests.virtual_sound import MICROPHONE, VirtualSound, pactl

if TYPE_CHECKING:
    from PySide6.QtGui import QAction

    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow

LEFT = Qt.MouseButton.LeftButton
SECOND = "Second microphone"
PROPERTIES = "source_properties=device.description='Second\\ microphone'"


async def opened(window: MainWindow) -> dict[str, dict[str, QAction]]:
    """Open the menu; return what each of its lists offers."""
    QTest.mouseClick(window.composer.voice, LEFT)
    await until(lambda: window.composer.findChildren(VoiceMenu))
    (menu,) = window.composer.findChildren(VoiceMenu)
    lists = [action.menu() for action in menu.actions() if action.menu() is not None]
    return {one.title(): {a.text(): a for a in one.actions()} for one in lists}  # type: ignore[union-attr,attr-defined]


async def choose(window: MainWindow, offered: dict[str, QAction], text: str) -> None:
    offered[text].trigger()
    (menu,) = window.composer.findChildren(VoiceMenu)
    menu.close()
    await until(lambda: not window.composer.findChildren(VoiceMenu))


@pytest.mark.qt_log_ignore(
    "This plugin does not support", extend=True
)  # menus, where there is no screen
@pytest.mark.usefixtures("tiny_models")
def test_a_device_is_chosen_and_one_plugged_in_meanwhile_is_there(
    qapp: Any, virtual: VirtualSound
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        choices = session.deskpilot.voice.choices
        offered = await opened(window)
        assert list(offered["Microphone"]) == ["System's default", MICROPHONE]
        assert list(offered["Voice"]) == ["One for each language", "tiny-voice"]
        await choose(window, offered["Speed"], "Fast")
        await until(lambda: choices.now.speed == 1.25)
        module = pactl(
            "load-module",
            "module-remap-source",
            "master=heard.monitor",
            "source_name=second",
            PROPERTIES,
        )
        try:
            offered = await opened(window)
            assert SECOND in offered["Microphone"]
            await choose(window, offered["Microphone"], SECOND)
            await until(lambda: choices.now.microphone == SECOND)
        finally:
            pactl("unload-module", module)
        QTest.mouseClick(window.composer.mic, LEFT)
        await until(lambda: bar(window).startswith(f"The microphone '{SECOND}' is not connected."))
        offered = await opened(window)
        assert f"{SECOND} (not connected)" in offered["Microphone"]
        await choose(window, offered["Microphone"], "System's default")
        await until(lambda: choices.now.microphone is None)
        QTest.mouseClick(window.composer.mic, LEFT)
        await until(lambda: bar(window).startswith("Listening. Press again"))

    in_window(work)
