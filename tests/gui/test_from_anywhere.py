"""Dictation by a key that is pressed while another window is in front."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.gui.living import in_window, until
from tests.gui.test_dictation import bar, field, without_names
from tests.models.speech import SENTENCES
from tests.virtual_keyboard import VirtualKeyboard, keyboard
from tests.virtual_sound import VirtualSound

if TYPE_CHECKING:
    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow

__all__ = ["keyboard"]


@pytest.mark.usefixtures("tiny_models")
def test_held_it_dictates_and_pressed_shortly_it_dictates_until_it_is_pressed_again(
    qapp: Any, virtual: VirtualSound, keyboard: VirtualKeyboard
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        await without_names(session)
        keys = "Control_L", "Alt_L", "d"
        voice = session.deskpilot.voice
        await voice.choices.change(shortcut="ctrl+alt+d")
        await until(lambda: voice.key.held)
        keyboard.press(*keys)
        await until(lambda: bar(window) == "Listening. Release to finish.")
        saying = virtual.say(0.3, SENTENCES[1], 0.2)
        await until(lambda: saying.poll() is not None)
        assert window.composer.mic.hearing  # the key repeats meanwhile
        keyboard.let_go(*reversed(keys))
        await until(lambda: window.composer.dictated is None)
        assert field(window) == SENTENCES[1]
        assert bar(window) == ""
        keyboard.tap(*keys)
        await until(lambda: bar(window).startswith("Listening. Press again"))
        keyboard.tap(*keys)
        await until(lambda: bar(window).startswith("Nothing was heard."))
        await voice.choices.change(shortcut="")
        await until(lambda: not voice.key.held)
        keyboard.tap(*keys)
        assert not window.composer.mic.hearing

    in_window(work)
