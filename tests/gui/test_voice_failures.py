"""What goes wrong while one speaks or listens: each is told, no word is lost, nothing stays
behind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.ui.controls.actions import action_of
from tests.gui.living import in_window, until
from tests.gui.test_aloud import shown
from tests.gui.test_dictation import bar, field, without_names
from tests.models.speech import SENTENCES
from tests.virtual_sound import LOUDSPEAKER, VirtualSound, pactl

if TYPE_CHECKING:
    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow


@pytest.mark.usefixtures("tiny_models")
def test_a_service_that_dies_is_told_and_the_words_so_far_stay(
    qapp: Any, virtual: VirtualSound
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        await without_names(session)
        QTest.mouseClick(window.composer.mic, Qt.MouseButton.LeftButton)
        await until(lambda: bar(window).startswith("Listening"))
        virtual.say(0.2, SENTENCES[1], 3.0)
        await until(lambda: field(window) == SENTENCES[1])
        address = await session.deskpilot.service.address()
        psutil.Process(address.pid).kill()
        await until(lambda: bar(window) == "The model service lost the connection. Say it again.")
        assert field(window) == SENTENCES[1]
        virtual.hush()
        QTest.mouseClick(window.composer.mic, Qt.MouseButton.LeftButton)  # it is started anew
        await until(lambda: bar(window).startswith("Listening"))

    in_window(work)


@pytest.mark.usefixtures("tiny_models")
def test_a_loudspeaker_that_is_pulled_out_is_told(qapp: Any, virtual: VirtualSound) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        module = pactl(
            "load-module",
            "module-null-sink",
            "sink_name=headset",
            "sink_properties=device.description=Headset",
        )
        await session.deskpilot.voice.choices.change(loudspeaker="Headset")
        turn = await shown(session, f"{SENTENCES[1]} " * 12)
        session.follow(turn, action_of("act:read"))
        await until(lambda: window.view.spoken.turn is turn)
        await until(lambda: pactl("list", "short", "sink-inputs"))  # it is heard on the headset
        pactl("unload-module", module)
        await until(lambda: bar(window).startswith("Headset is no longer available."), 20)
        assert window.view.spoken.turn is None
        await session.deskpilot.voice.choices.change(loudspeaker=LOUDSPEAKER)
        session.follow(turn, action_of("act:read"))
        await until(lambda: bar(window).startswith("Reading aloud."))

    in_window(work)


@pytest.mark.usefixtures("tiny_models")
def test_closing_the_window_in_the_middle_of_a_talk_leaves_nothing(
    qapp: Any, virtual: VirtualSound
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        session.voice.toggle_talk()
        await until(lambda: session.voice.talking.seen == "listening")

    in_window(work)
