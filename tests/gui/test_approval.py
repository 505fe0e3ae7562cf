"""What a copilot wants to do, asked aloud in a talk and in a box."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtWidgets import QMessageBox, QTextEdit

from app.services.consents import Consent
from app.ui.main.code import in_words
from app.ui.theme.i18n import WindowLanguage, said, speak
from tests.gui.living import in_window, until
from tests.gui.test_dictation import without_names
from tests.virtual_sound import VirtualSound

if TYPE_CHECKING:
    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow


def boxes(window: MainWindow) -> list[str]:
    return [box.text() for box in window.findChildren(QMessageBox) if box.isVisible()]


@pytest.mark.usefixtures("tiny_models")
def test_a_spoken_yes_allows_what_loses_nothing_and_nothing_else(
    qapp: Any, virtual: VirtualSound
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        await without_names(session)
        consents, talking = session.deskpilot.dashboard.consents, session.voice.talking
        session.voice.toggle_talk()
        await until(lambda: talking.seen == "listening")
        asking = asyncio.create_task(consents.ask(Consent("Close the dashboard?", safe=True)))
        await until(lambda: talking.seen == "thinking")  # it is being asked aloud
        assert boxes(window) == ["Close the dashboard?"]
        await until(lambda: talking.seen == "listening")
        virtual.say(0.2, "Yes.", 1.2)
        await until(asking.done)
        assert asking.result() is True
        assert boxes(window) == []
        assert not session.turns  # it was an answer, not a question
        asking = asyncio.create_task(consents.ask(Consent("Send it away?", safe=False)))
        await until(lambda: boxes(window) and talking.seen == "listening")
        virtual.say(0.2, "Yes.", 1.2)
        await until(lambda: talking.seen == "thinking")  # it is asked again
        await until(lambda: talking.seen == "listening")
        assert not asking.done()
        virtual.say(0.2, "No.", 1.2)
        await until(asking.done)
        assert asking.result() is False
        session.stop()
        await until(lambda: not session.deskpilot.voice.talk.active)

    in_window(work)


def test_what_would_be_sent_is_shown_whole_and_word_for_word(qapp: Any) -> None:
    sends = "POST http://127.0.0.1:1/todos/ann\n\n" + "x" * 5000 + " <b>END</b>"

    async def work(window: MainWindow, session: WindowSession) -> None:
        consents = session.deskpilot.dashboard.consents
        asking = asyncio.create_task(
            consents.ask(
                Consent(
                    "Allow Deskpilot to run “Add” of Todos (http://127.0.0.1:1)?",
                    safe=False,
                    sends=sends,
                )
            )
        )
        await until(lambda: boxes(window))
        (box,) = [b for b in window.findChildren(QMessageBox) if b.isVisible()]
        (whole,) = box.findChildren(QTextEdit)
        assert whole.isVisible()
        assert whole.toPlainText() == sends
        box.button(QMessageBox.StandardButton.Yes).click()
        await until(asking.done)
        assert asking.result() is True

    in_window(work)


def test_a_question_for_consent_is_asked_in_the_users_language(qapp: Any) -> None:
    question = (
        "Allow Deskpilot to run “Add” of Todos (http://127.0.0.1:1)?\n\n"
        "item: Try again.\nThe answer is sent to example.org."
    )
    before = WindowLanguage.now
    try:
        speak("zh")
        assert in_words(question) == (
            "允许 Deskpilot 执行 Todos（http://127.0.0.1:1）的“Add”吗？\n\n"
            "item: Try again.\n结果会发送到 example.org。"
        )
        assert said("There is no language model on this machine.") == "本机没有语言模型。"
    finally:
        WindowLanguage.now = before
