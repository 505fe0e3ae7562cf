"""Open the window: paint first, load the rest after."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QMessageBox

from app.ui.close_watch import CloseWatch
from app.ui.style import theme
from app.ui.window import Window

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from app.domain.errors import DeskpilotError
    from app.services.deskpilot import Deskpilot
    from app.ui.style.tokens import Tokens

    Build = Callable[[], AbstractAsyncContextManager[Deskpilot]]


def run(build: Build) -> int:
    """Show the window and run until it is closed; return the exit status.

    build: makes the services, once the window is painted.
    """
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setApplicationName("Deskpilot")
    app.setQuitOnLastWindowClosed(False)  # closing a dialog must not end the loop
    window = Window()
    dress(app, window, theme.tokens_for(app, os.environ.get("DESKPILOT_THEME")))
    window.show()
    from app.ui.bridge import run_until_complete

    return run_until_complete(app, live(app, window, build))


def dress(app: QApplication, window: Window, tokens: Tokens) -> None:
    """Dress application and window in a theme."""
    theme.apply(app, tokens)
    window.set_tokens(tokens)


async def live(app: QApplication, window: Window, build: Build) -> int:
    """Build the services behind the painted window and wait until it is closed."""
    closed = asyncio.Event()
    watch = CloseWatch(window, closed)
    await painted()
    from app.domain.errors import DeskpilotError
    from app.ui.actions import commands, install
    from app.ui.session import Session

    try:
        async with build() as deskpilot:
            session = Session(window, deskpilot)
            install(window, commands(window, session))
            window.topbar.theme_wanted.connect(lambda: dress(app, window, other(window.tokens)))
            if not os.environ.get("DESKPILOT_THEME"):
                app.styleHints().colorSchemeChanged.connect(lambda: dress(app, window, theme.tokens_for(app)))
            session.start()
            await closed.wait()
            session.board.end()
    except DeskpilotError as error:
        print(str(error), file=sys.stderr)  # noqa: T201
        if not closed.is_set():  # who pressed an icon sees no stderr
            tell(window, error, closed)
            await closed.wait()
        return 1
    finally:
        window.removeEventFilter(watch)
        window.close()
        window.deleteLater()
    return 0


def tell(window: Window, error: DeskpilotError, seen: asyncio.Event) -> None:
    """Say in a box why the window cannot work, and set `seen` once that was read."""
    box = QMessageBox(
        QMessageBox.Icon.NoIcon, "Deskpilot", error.text, QMessageBox.StandardButton.Close, window
    )
    box.setInformativeText(error.remedy)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.finished.connect(seen.set)
    box.open()


def other(tokens: Tokens) -> Tokens:
    """Return the theme that is not this one."""
    from app.ui.style.tokens import DARK, LIGHT

    return LIGHT if tokens.dark else DARK


async def painted() -> None:
    """Wait until Qt has had a turn to paint."""
    turned = asyncio.Event()
    QTimer.singleShot(0, turned.set)
    await turned.wait()
