"""Tools in the chat of the window: a document is summarised after a yes, a picture of a server is
shown.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.domain.stream import Message
from app.domain.tool import McpEntry
from tests.end2end.test_documents import word_file
from tests.end2end.test_samples import SAMPLES, started
from tests.gui.living import in_window, until
from tests.gui.test_plugins import box_of, is_asked, press

if TYPE_CHECKING:
    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow

pytestmark = pytest.mark.usefixtures("served")
SERVER = Path(__file__).parents[1] / "mcp_sample.py"


def say(window: MainWindow, text: str) -> None:
    window.composer.editor.setPlainText(text)
    QTest.keyClick(window.composer.editor, Qt.Key.Key_Return)


def answered(session: WindowSession) -> bool:
    return bool(session.turns) and session.running is None and session.turns[-1].state == "done"


def words(session: WindowSession) -> str:
    items = session.turns[-1].items
    return "\n".join(i.content for i in items if isinstance(i, Message) and i.type == "message")


def test_a_document_is_summarised_in_the_window_after_a_yes(qapp: Any, tmp_path: Path) -> None:
    file = tmp_path / "report.docx"
    run = "<w:r><w:t>{}</w:t></w:r>"
    file.write_bytes(
        word_file(f"<w:p>{run.format('Turbines are delivered to Bergen in March 2027.')}</w:p>")
    )

    async def work(window: MainWindow, session: WindowSession) -> None:
        shown = session.preferences.open("plugins")
        shown.plugins.address.setText(address)
        press(shown.plugins.add)
        await until(lambda: is_asked(shown, "Add"))
        press(box_of(shown, "Add")[1])
        await until(lambda: shown.plugins.rows)
        shown.close()
        say(window, f"Summarise the document {file}")
        consents = session.deskpilot.dashboard.consents
        await until(lambda: consents.now)
        assert consents.now is not None
        assert "of 长文本理解工具" in consents.now.question
        consents.answer(True)
        await until(lambda: answered(session))
        assert "Turbines are delivered to Bergen in March 2027." in words(session)

    with started(SAMPLES / "documents" / "documents.py") as address:
        in_window(work)


def test_a_picture_that_a_server_answers_with_is_shown_in_the_chat(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        await session.deskpilot.belt.mcp.add(McpEntry("sample", (sys.executable, str(SERVER))), {})
        say(window, "Show me the picture")
        await until(lambda: answered(session))
        pictures = [
            i for i in session.turns[-1].items if isinstance(i, Message) and i.type == "image"
        ]
        assert [(p.role, p.format) for p in pictures] == [("computer", "base64.png")]

    in_window(work)
