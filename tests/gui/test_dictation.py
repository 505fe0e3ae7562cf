"""Dictation in the window, spoken into a virtual microphone."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.domain.model import DownloadStep, Model
from app.services.models.models import ModelCatalog
from tests.gui.living import in_window, until
from tests.models.speech import SENTENCES
from tests.virtual_sound import MICROPHONE, VirtualSound

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path

    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow

QUESTION, TYPED = SENTENCES[0], "What was the closing price on October 15?"
LEFT = Qt.MouseButton.LeftButton


def bar(window: MainWindow) -> str:
    return "" if window.composer.bar.isHidden() else window.composer.bar.label.text()


def field(window: MainWindow) -> str:
    return window.composer.editor.toPlainText()


async def without_names(session: WindowSession) -> None:
    """Expect no names of tables: a model of a megabyte is led astray by so many words."""
    await session.deskpilot.voice.choices.change(names=False)


@pytest.mark.usefixtures("tiny_models")
def test_held_down_the_button_writes_what_is_said(qapp: Any, virtual: VirtualSound) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        await without_names(session)
        seen: list[tuple[str, str]] = []
        shown = session.voice.words
        session.voice.words = lambda *words: (seen.append(words), shown(*words))  # type: ignore[method-assign]
        window.composer.editor.setPlainText("Tell me:")
        window.composer.editor.moveCursor(window.composer.editor.textCursor().MoveOperation.End)
        QTest.mousePress(window.composer.mic, LEFT)
        await until(lambda: bar(window) == "Listening. Release to finish.")
        saying = virtual.say(0.3, QUESTION)
        await until(lambda: max(window.composer.bar.meter.levels) > 0.5)
        await until(lambda: any(committed for committed, _ in seen))
        assert field(window).startswith("Tell me: ")
        assert field(window) != "Tell me: "
        await until(lambda: saying.poll() is not None)
        QTest.mouseRelease(window.composer.mic, LEFT)
        await until(lambda: field(window) == f"Tell me: {TYPED}", 20)
        await until(lambda: bar(window) == "")
        assert not session.turns  # for review, not sent
        before = ""
        for committed, _ in seen[:-1]:  # nothing that was black is taken back
            assert committed.startswith(before)
            before = committed
        window.composer.editor.undo()
        assert field(window) == "Tell me:"

    in_window(work)


@pytest.mark.usefixtures("tiny_models")
def test_pressed_once_it_writes_sentence_by_sentence_until_pressed_again(
    qapp: Any, virtual: VirtualSound
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        await without_names(session)
        QTest.mouseClick(window.composer.mic, LEFT)
        await until(lambda: bar(window).startswith("Listening. Press again"))
        virtual.say(0.3, SENTENCES[1], 1.2, SENTENCES[6], 1.0)
        await until(lambda: field(window) == f"{SENTENCES[1]} {SENTENCES[6]}")
        assert window.composer.mic.hearing  # it goes on
        QTest.keyClick(window, Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier)
        await until(lambda: window.composer.dictated is None)
        assert field(window) == f"{SENTENCES[1]} {SENTENCES[6]}"
        assert not window.composer.mic.hearing

    in_window(work)


@pytest.mark.usefixtures("tiny_models")
def test_escape_gives_up_silence_says_so_and_enter_sends(qapp: Any, virtual: VirtualSound) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        await without_names(session)
        window.composer.editor.setPlainText("kept")
        QTest.mouseClick(window.composer.mic, LEFT)
        await until(lambda: bar(window).startswith("Listening"))
        virtual.say(0.1, SENTENCES[1], 5.0)
        await until(lambda: len(field(window)) > len("kept "))
        QTest.keyClick(window, Qt.Key.Key_Escape)
        await until(lambda: field(window) == "kept")
        assert bar(window) == ""
        window.composer.editor.clear()
        virtual.hush()
        QTest.mouseClick(window.composer.mic, LEFT)
        await until(lambda: bar(window).startswith("No sound from"), 10)
        virtual.say(0.1, SENTENCES[1], 0.5)  # the meter moves
        await until(lambda: bar(window).startswith("Listening"))
        await until(lambda: len(field(window)) > 0)
        virtual.hush()
        QTest.keyClick(window, Qt.Key.Key_Escape)
        await until(lambda: field(window) == "")
        QTest.mouseClick(window.composer.mic, LEFT)
        await until(lambda: bar(window).startswith("No sound from"), 10)
        QTest.mouseClick(window.composer.mic, LEFT)
        await until(lambda: bar(window).startswith("Nothing was heard."))
        QTest.mouseClick(window.composer.mic, LEFT)
        await until(lambda: bar(window).startswith("Listening"))
        virtual.say(0.1, "Thank you.", 1.0)
        await until(lambda: field(window) == "Thank you.")  # really spoken, it is kept
        QTest.keyClick(window.composer.editor, Qt.Key.Key_Return)
        await until(lambda: session.turns and session.turns[0].question == "Thank you.")
        assert field(window) == ""

    in_window(work)


@pytest.mark.usefixtures("tiny_models")
def test_it_is_sent_at_once_only_if_one_chose_so(qapp: Any, virtual: VirtualSound) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        await without_names(session)
        await session.deskpilot.voice.choices.change(send=True)
        QTest.mousePress(window.composer.mic, LEFT)
        await until(lambda: bar(window).startswith("Listening"))
        saying = virtual.say(0.3, SENTENCES[6], 0.2)
        await until(lambda: saying.poll() is not None)
        QTest.mouseRelease(window.composer.mic, LEFT)
        await until(lambda: session.turns)
        assert [turn.question for turn in session.turns] == [SENTENCES[6]]
        assert field(window) == bar(window) == ""

    in_window(work)


@pytest.mark.usefixtures("tiny_models")
def test_an_unplugged_microphone_is_told_and_no_word_is_lost(
    qapp: Any, virtual: VirtualSound
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        await without_names(session)
        await session.deskpilot.voice.choices.change(microphone=MICROPHONE)
        QTest.mouseClick(window.composer.mic, LEFT)
        await until(lambda: bar(window).startswith("Listening"))
        saying = virtual.say(0.2, SENTENCES[1], 0.2)
        await until(lambda: saying.poll() is not None)
        virtual.unplug()
        try:
            await until(lambda: bar(window).startswith(f"{MICROPHONE} is no longer available."))
            await until(lambda: field(window) == SENTENCES[1])
            QTest.mouseClick(window.composer.mic, LEFT)
            await until(lambda: bar(window).startswith("There is no microphone on this machine."))
        finally:
            virtual.plug_in()
        QTest.mouseClick(window.composer.mic, LEFT)
        await until(lambda: bar(window).startswith("Listening"))

    in_window(work)


def test_a_missing_model_is_named_with_its_size_the_microphone_stays_closed_and_a_button_fetches_it(
    qapp: Any, virtual: VirtualSound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKPILOT_MODELS", str(tmp_path / "models"))

    async def work(window: MainWindow, session: WindowSession) -> None:
        opened: list[str] = []
        session.voice.opened = opened.append  # type: ignore[method-assign]
        button = window.composer.bar.action
        QTest.mouseClick(window.composer.mic, LEFT)
        await until(lambda: button.text() == "Download 129 MB")
        assert bar(window).startswith("There is no speech recognition model on this machine. ")
        assert "Whisper tiny, English + Joe (English, US). " in bar(window)
        assert "One-time download, 129 MB." in bar(window)
        assert not opened
        going, pulled = asyncio.Event(), list[str]()

        async def pull(self: Any, model: Model) -> AsyncGenerator[DownloadStep, None]:
            pulled.append(model.id)
            yield DownloadStep("Whisper tiny, English", 20_000_000, 70_653_446)
            await going.wait()

        monkeypatch.setattr(ModelCatalog, "pull", pull)
        QTest.mouseClick(button, LEFT)
        await until(lambda: bar(window) == "Whisper tiny, English: 20 MB of 71 MB")
        assert window.composer.bar.button.text() == "Stop"
        assert button.isHidden()
        assert window.composer.editor.hasFocus()  # it went to the dashboard, which jumped
        going.set()
        await until(lambda: bar(window).startswith("Ready. Press the microphone"))
        assert pulled == ["voice-en"]
        assert not opened

    in_window(work)
