"""A window over real services, on the loop both share."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING, Any

import shiboken6
from PySide6.QtWidgets import QApplication

from app.bootstrap import build
from app.ui.actions import install
from app.ui.bridge import run_until_complete
from app.ui.session import Session
from app.ui.style.tokens import LIGHT
from app.ui.window import Window

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


async def until(condition: Callable[[], Any], seconds: float = 60) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


def in_window(
    work: Callable[[Window, Session], Awaitable[None]], *, opened: bool = True, cards: int = 3
) -> None:
    """Run work in a window, once the sample or what the last one left is there.

    opened: and the files have been read.
    """
    window = Window()

    async def live() -> int:
        window.set_tokens(LIGHT)
        window.show()
        async with build() as deskpilot:
            session = Session(window, deskpilot)
            install(window, session)
            session.start()
            await until(lambda: len(window.dashboard.cards) >= cards and window.composer.chips.count())
            if opened:
                await deskpilot.widgets.opened()
            await work(window, session)
            session.board.end()
        window.close()
        return 0

    app = QApplication.instance()
    assert isinstance(app, QApplication)
    try:
        assert run_until_complete(app, live()) == 0
    finally:
        shiboken6.delete(window)  # see closed_windows
        gc.collect()
