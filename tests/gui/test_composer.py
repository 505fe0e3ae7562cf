"""The composer can always be typed into: nothing that fails locks it, and nothing takes its focus for good."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.gui.living import in_window, until
from tests.gui.test_chats import ask, scripted
from tests.gui.test_context import chips
from tests.widget_backend import pdf

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path

    from app.ui.session import Session
    from app.ui.window import Window

pytestmark = pytest.mark.usefixtures("served")
CONTROL = Qt.KeyboardModifier.ControlModifier


def typed(window: Window, text: str) -> str:
    """Type as a person does, wherever the focus is; return what the field holds then."""
    QTest.keyClicks(window.focusWidget(), text)
    return window.composer.editor.toPlainText()


def test_with_a_pdf_attached_dictation_tells_what_is_missing_and_the_field_is_not_locked(
    qapp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKPILOT_MODELS", str(tmp_path / "models"))
    (tmp_path / "report.pdf").write_bytes(pdf())

    async def work(window: Window, session: Session) -> None:
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

    async def work(window: Window, session: Session) -> None:
        monkeypatch.setattr(session.deskpilot.voice.dictation._ear, "listen", listen)
        QTest.keyClick(window, Qt.Key.Key_M, CONTROL)
        await until(lambda: not window.composer.editor.isReadOnly())
        assert window.composer.bar.label.text().startswith("Dictation stopped unexpectedly.")
        assert typed(window, "go on") == "go on"
        QTest.keyClick(window, Qt.Key.Key_M, CONTROL)
        QTest.keyClick(window, Qt.Key.Key_Escape)  # given up before it began
        await until(lambda: not window.composer.editor.isReadOnly())
        assert window.composer.bar.isHidden()

    in_window(work)


@pytest.mark.expects_log("task window ask failed")
def test_a_question_that_cannot_be_asked_goes_back_into_the_field(
    qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(window: Window, session: Session) -> None:
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
