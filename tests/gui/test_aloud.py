"""Answers read aloud in the window, recorded from a virtual loudspeaker."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from faster_whisper import WhisperModel
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.domain.events import Ended
from app.domain.stream import Message
from app.ui.controls.actions import action_of
from tests.gui.living import in_window, until
from tests.gui.test_dictation import bar
from tests.models.speech import SENTENCES, WHISPER, at_rate
from tests.virtual_sound import RATE, VirtualSound

if TYPE_CHECKING:
    from pathlib import Path

    from app.domain.conversation import Turn
    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow

LOUD = 0.02
GATE_SECONDS = 0.1  # from stop to silence


def understood(sound: np.ndarray) -> str:
    """Return what the tiny Whisper hears in a recording."""
    model = WhisperModel(WHISPER["model_path"], device="cpu", compute_type="int8")
    found, _ = model.transcribe(
        at_rate(sound, RATE, 16000), language="en", vad_filter=True, temperature=0.0
    )
    return "".join(segment.text for segment in found).strip()


async def shown(session: WindowSession, answer: str) -> Turn:
    """Show an answer as one that came before."""
    session.conversation_id = (await session.deskpilot.history.begin("What?")).id
    turn = session.deskpilot.turns.new_turn(session.conversation_id, "What?", None)
    turn.items, turn.state = [Message("assistant", "message", answer), Ended("done")], "done"
    session.turns.append(turn)
    session.window.show_conversation(empty=False)
    session.window.view.add_turn(turn)
    return turn


def marked(window: MainWindow) -> str:
    """Return the words that are marked as being spoken."""
    view = window.view
    for row, turn in enumerate(view.flow.turns):
        if view.spoken.turn is turn:
            pieces = view.flow.entry(row).pieces
            for number, piece in enumerate(pieces):
                for selection in view.spoken.selections(pieces, number, window.tokens):
                    assert piece.document is not None
                    return selection.cursor.selectedText()
    return ""


@pytest.mark.usefixtures("tiny_models")
def test_an_answer_is_read_aloud_each_sentence_marked_and_again(
    qapp: Any, virtual: VirtualSound
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        answer = f"**{SENTENCES[1]}** [1]\n\n- {SENTENCES[6]}\n"
        turn = await shown(session, answer)
        since = virtual.now()
        session.follow(turn, action_of("act:read"))
        await until(lambda: marked(window) == SENTENCES[1])
        assert bar(window) == "Reading aloud. Esc stops it."
        await until(lambda: marked(window) == SENTENCES[6])
        await until(lambda: marked(window) == "")
        assert bar(window) == ""
        assert understood(virtual.heard(since)) == f"{SENTENCES[1]} {SENTENCES[6]}"
        since = virtual.now()
        QTest.keyClick(
            window,
            Qt.Key.Key_L,
            Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
        )
        await until(lambda: marked(window) == SENTENCES[1])  # a replay
        await until(lambda: np.abs(virtual.heard(since)).max(initial=0) > LOUD)

    in_window(work)


@pytest.mark.starter
@pytest.mark.usefixtures("tiny_models")
def test_an_answer_is_read_while_it_comes_and_escape_stops_sound_queue_and_model(
    qapp: Any, virtual: VirtualSound
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        deskpilot = session.deskpilot
        for widget in deskpilot.widgets.all():
            await deskpilot.widgets.attach(widget.uuid, attached=False)
        await deskpilot.voice.choices.change(aloud=True)
        since = virtual.now()
        session.submit("Write a very long story about the sea.")
        await until(lambda: np.abs(virtual.heard(since)).max(initial=0) > LOUD)
        assert session.running is not None, "it is spoken while it comes"
        stopped, at = time.perf_counter(), virtual.now()
        QTest.keyClick(window, Qt.Key.Key_Escape)
        assert time.perf_counter() - stopped < GATE_SECONDS
        await until(lambda: session.running is None, seconds=1)  # the model
        assert session.turns[-1].state == "stopped"
        await until(lambda: virtual.now() > at + RATE)
        late = np.flatnonzero(np.abs(virtual.heard(at)) > LOUD)
        assert len(late) == 0 or late[-1] / RATE < GATE_SECONDS
        assert marked(window) == bar(window) == ""
        assert not [task for task in asyncio.all_tasks() if "speech" in task.get_name()]

    in_window(work)


def test_a_missing_voice_is_named_with_its_size(
    qapp: Any, virtual: VirtualSound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKPILOT_MODELS", str(tmp_path / "models"))

    async def work(window: MainWindow, session: WindowSession) -> None:
        turn = await shown(session, "Hello.")
        session.follow(turn, action_of("act:read"))
        await until(lambda: window.composer.bar.action.text() == "Download 129 MB")
        assert bar(window).startswith("There is no voice on this machine.")
        QTest.mouseClick(window.composer.bar.button, Qt.MouseButton.LeftButton)
        assert bar(window) == ""

    in_window(work)
