"""Open the window: paint first, load the rest after."""

from __future__ import annotations

import sys
import time
from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication, QWidget

from app.ui.main.window import Window
from app.ui.theme.theme import Dressing
from app.ui.words import language_for, speak

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from app.domain.errors import DeskpilotError
    from app.services.deskpilot import Deskpilot

    Build = Callable[[], AbstractAsyncContextManager[Deskpilot]]

SERVICES = (  # no part of Qt is in them, so they are loaded beside the window's own thread
    "app.services.conversation.turns",
    "app.services.dashboard.offered_tables",
    "app.services.deskpilot",
    "app.services.voice.talk",
    "app.services.voice.dictation",
    "app.services.conversation.code",
)
PARTS = (
    "app.ui.chat.blocks.markdown",
    "app.ui.dashboard.card",
    "app.ui.dashboard.board",
    "app.ui.chat.view",
    "app.ui.copilots.choices",
    "app.ui.main.code",
    "app.ui.models.provider_trial",
    "app.ui.settings.window",
    "app.ui.settings.preferences",
    "app.ui.voice.voice",
    "app.ui.main.chat_list",
    "app.ui.main.conversations",
    "app.ui.main.session",
    "app.ui.main.actions",
)
SEEN_SECONDS = 0.3  # a window that is opened minimised is seen later, and waited for no longer


class Painted:
    """A window that can be seen."""

    def __init__(self, app: QApplication, window: Window, dressing: Dressing) -> None:
        self.app, self.window, self.dressing = app, window, dressing


def run(build: Build, painted: Painted) -> int:
    """Run until the window that was painted is closed; return the exit status. build: makes the
    services.
    """
    app, window, dressing = painted.app, painted.window, painted.dressing
    dressing.finish()
    window.fit(
        app.primaryScreen().availableGeometry()
    )  # not sooner: to ask a screen loads all names of Qt, 13 ms
    app.sync()  # who already types is answered between what holds up the window
    import_module("asyncio")  # the larger part of the bridge
    app.sync()
    from app.ui.main.bridge import run_until_complete

    return run_until_complete(app, live(window, build, dressing))


def paint(chosen: str = "system", language: str = "system") -> Painted:
    """Show the window, and return once it can be seen; of what works behind it nothing is loaded
    yet.

    chosen, language: the theme and the language of the settings.
    """
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setApplicationName("Deskpilot")
    app.setQuitOnLastWindowClosed(False)  # closing a dialog must not end the loop
    speak(language_for(language), app)
    window = Window()
    dressing = Dressing(app, window, chosen)
    for part in (window, *window.findChildren(QWidget)):
        # before anything is laid out: else each change of a font lays all out again
        part.ensurePolished()
    window.show()
    begun = time.monotonic()
    app.sync()  # no loop runs yet, of ours or of Qt's, that this could stand in
    while not window.windowHandle().isExposed() and time.monotonic() - begun < SEEN_SECONDS:
        app.sync()
    return Painted(app, window, dressing)


async def live(window: Window, build: Build, dressing: Dressing) -> int:
    """Build the services behind the painted window and wait until it is closed; open it anew if
    that is wanted.
    """
    while True:
        status, again = await once(window, build, dressing)
        if not again:
            return status
        before, window = window.geometry(), Window()
        window.setGeometry(before)
        dressing = dressing.of_another(window)
        dressing.finish()
        window.show()


async def once(window: Window, build: Build, dressing: Dressing) -> tuple[int, bool]:
    """Run one window until it is closed; return the exit status, and whether another is to be
    opened.
    """
    import asyncio

    from app.domain.errors import DeskpilotError
    from app.ui.main.close_watch import CloseWatch

    closed, session = asyncio.Event(), None
    watch = CloseWatch(window, closed)
    await load()
    from app.ui.main.actions import install
    from app.ui.main.session import Session

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


async def load() -> None:
    """Load what works behind the window, one part after the other; it answers who types
    meanwhile.
    """
    import asyncio

    from app.ui.main.loading import all_stays

    with all_stays():
        for part in SERVICES:
            await asyncio.to_thread(import_module, part)
        for part in PARTS:
            import_module(part)
            await asyncio.sleep(0)


def tell(window: Window, error: DeskpilotError, seen: asyncio.Event) -> None:
    """Say in a box why the window cannot work, and set `seen` once that was read."""
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QMessageBox

    from app.ui.words import said

    box = QMessageBox(
        QMessageBox.Icon.NoIcon,
        "Deskpilot",
        said(error.text),
        QMessageBox.StandardButton.Close,
        window,
    )
    box.setInformativeText(said(error.remedy))
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.finished.connect(seen.set)
    box.open()
