"""A window over real services, on the loop both share."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING, Any

import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.bootstrap import build
from app.ui.main.actions import install
from app.ui.main.event_loop import run_until_complete
from app.ui.main.session import WindowSession
from app.ui.main.window import MainWindow
from app.ui.theme.tokens import LIGHT

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from app.ui.chat.view import ConversationView


async def until(condition: Callable[[], Any], seconds: float = 60) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


def in_window(
    work: Callable[[MainWindow, WindowSession], Awaitable[None]],
    *,
    opened: bool = True,
    cards: int = 3,
    painted: MainWindow | None = None,
) -> None:
    """Run work in a window, once the sample or what the last one left is there.

    opened: and the files have been read. painted: the window, if it was painted before.
    """
    window = painted or MainWindow()

    async def live() -> int:
        window.set_tokens(LIGHT)
        window.show()
        async with build() as deskpilot:
            session = WindowSession(window, deskpilot)
            install(window, session)
            session.start()
            await until(
                lambda: len(window.dashboard.cards) >= cards and window.composer.chips.count()
            )
            await until(lambda: not session._starting)
            if opened:
                await deskpilot.widgets.opened()
            await work(window, session)
            await session.end()
        window.close()
        return 0

    app = QApplication.instance()
    assert isinstance(app, QApplication)
    try:
        assert run_until_complete(app, live()) == 0
    finally:
        shiboken6.delete(window)  # see closed_windows
        gc.collect()


def tables_shown(window: MainWindow) -> int:
    """Count the cards that show a table."""
    return sum(card.table() is not None for card in window.dashboard.cards.values())


def press_link(view: ConversationView, href: str) -> None:
    """Go to a link of a conversation with Tab, and press it with Return."""
    view.setFocus()
    for _ in range(200):
        QTest.keyClick(view, Qt.Key.Key_Tab)
        hot = view._hot_focused()
        if hot is not None and hot.href == href:
            QTest.keyClick(view, Qt.Key.Key_Return)
            return
    raise AssertionError(f"{href} is not reached")


async def press_link_when_there(view: ConversationView, href: str) -> None:
    """Press a link once it is laid out."""
    for _ in range(100):
        try:
            press_link(view, href)
        except AssertionError:
            await asyncio.sleep(0.1)
        else:
            return
    press_link(view, href)
