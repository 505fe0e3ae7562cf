"""A window over real services, drawn off screen."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication

from app.domain.conversation import Turn
from app.domain.events import CallResult, CellRef, Citation, Citations, Ended, Reading, Status
from app.domain.stream import Message
from app.services.conversation import semantic_search
from app.ui.chat.view import ConversationView
from app.ui.theme.style import Theme
from tests.widget_backend import Server, running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

os.environ.setdefault("QTWEBENGINE_CHROMIUM_FLAGS", "--no-sandbox --disable-gpu")


@pytest.fixture(scope="module")
def one_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start one service for all windows of a file; return what stands in its endpoint file."""
    home = tmp_path_factory.mktemp("service")
    command = [sys.executable, "-m", "backends.service", "--parent-pipe"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"DESKPILOT_HOME": str(home)},
    ) as service:
        assert service.stdin
        assert service.stdout
        assert service.stdout.readline()
        yield (home / "service.json").read_text()
        service.stdin.close()
        service.wait(timeout=20)


@pytest.fixture
def served(home: Path, one_service: str) -> None:
    """Let the window find a service that runs, as a second Deskpilot does: it starts none of its
    own.
    """
    (home / "service.json").write_text(one_service)


@pytest.fixture
def server() -> Iterator[Server]:
    """A backend of widgets."""
    with running() as made:
        yield made


@pytest.fixture
def view(qtbot: Any) -> ConversationView:
    """Show a conversation alone, no window around it."""
    made = ConversationView()
    qtbot.addWidget(made)
    made.resize(800, 600)
    with qtbot.waitExposed(made):
        made.show()
    return made


@pytest.fixture(autouse=True)
def undressed(qapp: QApplication) -> Iterator[None]:
    """Take off the theme that a test put on: the sizes of the next test's parts depend on it."""
    dressed, font, palette = Theme.now, qapp.font(), qapp.palette()
    yield
    Theme.now = dressed
    if qapp.styleSheet():
        qapp.setStyleSheet("")
        qapp.setFont(font)
        qapp.setPalette(palette)


@pytest.fixture(autouse=True)
def chats_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read no chat for a search by meaning, unless a test wants that: what it finds would depend on
    how quickly.
    """
    monkeypatch.setattr(semantic_search, "FIRST_SECONDS", 3600.0)
    monkeypatch.setattr(semantic_search, "CALM_SECONDS", 3600.0)


@pytest.fixture(autouse=True)
def closed_windows(qapp: Any) -> Iterator[None]:
    """Close and delete what a test left, here: Python's collector would do it in whichever thread
    it next runs in.

    The pointer, which one test may leave where the next one shows a tile, begins in the corner.
    The clipboard is emptied: what Python made of it outlives Python, and ends the process with a
    crash.
    """
    QCursor.setPos(QApplication.primaryScreen().geometry().bottomRight())
    yield
    for widget in QApplication.topLevelWidgets():
        widget.close()
        widget.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    QApplication.clipboard().clear()
    gc.collect()


def make_turn(number: int, answer: str, state: str = "done") -> Turn:
    """A turn with everything an answer can have."""
    cell = CellRef("hash", 202, "unemp")
    reading = Reading(alternatives=(Reading(("cpi", "Q3 2009")),))
    items: list[Any] = [
        Status("INFO", "unemp · Q3 2009", reading=reading),
        CallResult("execute_agent_tool", '{"interface": "look_up", "matched": 1}', False, 0.011),
        Message("assistant", "message", answer),
        Citations([Citation("w", "us macro", cell, 9.6)]),
        Ended(state),  # type: ignore[arg-type]
    ]
    return Turn(f"t{number}", "c", None, f"Question {number}?", state, float(number), items)  # type: ignore[arg-type]
