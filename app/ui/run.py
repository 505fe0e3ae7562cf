"""Open the window: paint first, load the rest after."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QMessageBox

from app.ui.close_watch import CloseWatch
from app.ui.style.dressing import Dressing
from app.ui.window import Window
from app.ui.words import language_for, said, speak

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from app.domain.errors import DeskpilotError
    from app.services.deskpilot import Deskpilot

    Build = Callable[[], AbstractAsyncContextManager[Deskpilot]]


def run(build: Build, chosen: str = "system", language: str = "system") -> int:
    """Show the window and run until it is closed; return the exit status.

    build: makes the services, once the window is painted. chosen, language: the theme and the language of
    the settings.
    """
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setApplicationName("Deskpilot")
    app.setQuitOnLastWindowClosed(False)  # closing a dialog must not end the loop
    speak(language_for(language), app)
    window = Window()
    dressing = Dressing(app, window, chosen)
    window.show()
    from app.ui.bridge import run_until_complete

    return run_until_complete(app, live(window, build, dressing))


async def live(window: Window, build: Build, dressing: Dressing) -> int:
    """Build the services behind the painted window and wait until it is closed; open it anew if that is wanted."""
    while True:
        status, again = await once(window, build, dressing)
        if not again:
            return status
        window = Window()
        dressing = dressing.of_another(window)
        window.show()


async def once(window: Window, build: Build, dressing: Dressing) -> tuple[int, bool]:
    """Run one window until it is closed; return the exit status, and whether another is to be opened."""
    closed, session = asyncio.Event(), None
    watch = CloseWatch(window, closed)
    await painted()
    from app.domain.errors import DeskpilotError
    from app.ui.actions import install
    from app.ui.session import Session

    try:
        async with build() as deskpilot:
            await dressing.follow(deskpilot)
            session = Session(window, deskpilot)
            install(window, session)
            session.start()
            await closed.wait()
            session.board.end()
    except DeskpilotError as error:
        print(str(error), file=sys.stderr)  # noqa: T201
        if not closed.is_set():  # who pressed an icon sees no stderr
            tell(window, error, closed)
            await closed.wait()
        return 1, False
    finally:
        window.removeEventFilter(watch)
        window.close()
        window.deleteLater()
    return 0, session.reopened


def tell(window: Window, error: DeskpilotError, seen: asyncio.Event) -> None:
    """Say in a box why the window cannot work, and set `seen` once that was read."""
    box = QMessageBox(
        QMessageBox.Icon.NoIcon, "Deskpilot", said(error.text), QMessageBox.StandardButton.Close, window
    )
    box.setInformativeText(said(error.remedy))
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.finished.connect(seen.set)
    box.open()


async def painted() -> None:
    """Wait until Qt has had a turn to paint."""
    turned = asyncio.Event()
    QTimer.singleShot(0, turned.set)
    await turned.wait()
