"""Ten thousand streamed messages on the shared loop: no leak, no death."""

from __future__ import annotations

import asyncio
import gc
import sys
from typing import Any

import psutil
from PySide6.QtWidgets import QApplication

from app.domain.conversation import Turn
from app.domain.events import Ended
from app.domain.stream import Message
from app.ui.chat.view import ConversationView
from app.ui.main.event_loop import run_until_complete

MESSAGES = 10_000


async def stream(view: ConversationView, first: int, count: int) -> None:
    """Stream answers into the view, three pieces each, as the session does."""
    for number in range(first, first + count):
        turn = Turn(f"t{number}", "c", None, f"Question {number}", "running", float(number))
        view.add_turn(turn)
        text = ""
        for piece in ("One **bold** word", " and more [1].", "\n\n- a\n- b"):
            text += piece
            turn.items[:] = [Message("assistant", "message", text)]
            view.touch(turn)
            await asyncio.sleep(0)
        turn.items.append(Ended("done"))
        view.touch(turn)
        if number % 50 == 0:
            view._refresh()


def test_ten_thousand_streamed_messages_neither_leak_nor_kill(qapp: Any) -> None:
    figures: list[tuple[int, float]] = []

    async def soak() -> int:
        view = ConversationView()
        view.resize(800, 600)
        view.show()
        await stream(view, 0, MESSAGES // 10)
        for part in range(1, 10):
            await stream(view, part * MESSAGES // 10, MESSAGES // 10)
            if part in (1, 9):
                gc.collect()
                figures.append((sys.getrefcount(None), psutil.Process().memory_info().rss / 1e6))
        assert len(view.flow.turns) == MESSAGES
        view.close()
        view.deleteLater()
        return 0

    app = QApplication.instance()
    assert isinstance(app, QApplication)
    run_until_complete(app, soak())
    (none_before, memory_before), (none_after, memory_after) = figures
    # each kept turn and piece holds a few None of its own; losing them is what kills
    assert none_after > none_before - 100
    assert memory_after - memory_before < 120, figures
