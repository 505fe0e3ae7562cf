"""Open the window, showing it first and loading the rest afterwards."""

from __future__ import annotations

import sys
import time
from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

from app.ui.composer.composer import EarlyWords
from app.ui.main.theme_switch import ThemeSwitch
from app.ui.main.window import MainWindow, keep_place, restore_place
from app.ui.theme.i18n import language_for, speak

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator
    from contextlib import AbstractAsyncContextManager
    from types import ModuleType

    from app.domain.errors import DeskpilotError
    from app.services.deskpilot import Deskpilot

    Build = Callable[[], AbstractAsyncContextManager[Deskpilot]]


# maximum wait for the window; a window that is opened minimised becomes visible later
SEEN_SECONDS = 0.3


class PaintedWindow:
    """A visible window, with its application and its theme."""

    def __init__(self, app: QApplication, window: MainWindow, dressing: ThemeSwitch) -> None:
        self.app, self.window, self.dressing = app, window, dressing


def run(build: Build, painted: PaintedWindow) -> int:
    """Run until the window is closed; return the exit status. build: a function that creates the
    services.
    """
    app, window, dressing = painted.app, painted.window, painted.dressing
    dressing.finish()
    window.fit(
        app.primaryScreen().availableGeometry()
    )  # not done earlier, because accessing a screen loads all of Qt's enums, which takes 13 ms
    app.sync()  # this lets the user type between steps that block the window
    import_module("asyncio")  # this accounts for most of the event loop's import time
    app.sync()
    from app.ui.main.event_loop import run_until_complete

    return run_until_complete(app, live(window, build, dressing))


def paint(
    chosen: str = "system",
    language: str = "system",
    size: str = "100",
    *,
    ready: bool = True,
    chats: bool = False,
) -> PaintedWindow:
    """Show the window and return once it is visible; no service is loaded yet.

    chosen, language, size: the theme, language and text size from the settings. ready: whether
    models that can answer seem to be present. chats: whether chats from earlier sessions still have
    to be loaded.
    """
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setApplicationName("Deskpilot")
    app.setQuitOnLastWindowClosed(False)  # closing a dialog must not end the loop
    speak(language_for(language), app)
    window = MainWindow()
    window.early = EarlyWords(window.composer)
    if chats or not ready:
        window.welcome.expect(models=not ready, chats=chats)
    dressing = ThemeSwitch(app, window, chosen, size)
    for part in (window, *window.findChildren(QWidget)):
        # This comes before the layout; otherwise, each change of font would repeat the layout.
        part.ensurePolished()
    restore_place(window)
    window.show()
    begun = time.monotonic()
    app.sync()  # no asyncio or Qt loop is running yet, so nothing is blocked
    while not window.windowHandle().isExposed() and time.monotonic() - begun < SEEN_SECONDS:
        app.sync()
    return PaintedWindow(app, window, dressing)


async def live(window: MainWindow, build: Build, dressing: ThemeSwitch) -> int:
    """Create the services for a visible window and wait until it is closed; reopen it if
    requested.
    """
    while True:
        status, again = await once(window, build, dressing)
        if not again:
            return status
        before, window = window.geometry(), MainWindow()
        window.setGeometry(before)
        dressing = dressing.of_another(window)
        dressing.finish()
        window.show()


async def once(window: MainWindow, build: Build, dressing: ThemeSwitch) -> tuple[int, bool]:
    """Run a window until it is closed; return the exit status and whether to open another
    window.
    """
    import asyncio

    from app.domain.errors import DeskpilotError

    closed, session = asyncio.Event(), None
    watch = CloseWatch(window, closed)
    await load()
    from app.ui.main.actions import install
    from app.ui.main.session import WindowSession

    try:
        async with build() as deskpilot:
            await dressing.follow(deskpilot.settings, deskpilot.live, deskpilot.tasks)
            session = WindowSession(window, deskpilot)
            install(window, session)
            session.start()
            await closed.wait()
            await session.end()
    except DeskpilotError as error:
        print(str(error), file=sys.stderr)  # noqa: T201
        if not closed.is_set():  # users who start Deskpilot from an icon do not see stderr
            tell(window, error, closed)
            await closed.wait()
        return 1, False
    finally:
        window.removeEventFilter(watch)
        window.close()
        window.deleteLater()
    return 0, session.reopened


def services() -> Iterator[ModuleType]:
    """Import the modules of the services, one at a time.

    They do not need Qt, so a thread may import them.
    """
    from app.services.conversation import turns

    yield turns
    from app.services.dashboard import widgets

    yield widgets
    from app.services import deskpilot

    yield deskpilot
    from app.services.voice import talk

    yield talk
    from app.services.voice import dictation

    yield dictation
    from app.services.conversation import code

    yield code


def parts() -> Iterator[ModuleType]:
    """Import the parts of the window, one module at a time, with the heaviest dependencies
    first.
    """
    from app.ui.markdown import builder

    yield builder
    from app.ui.dashboard import card

    yield card
    from app.ui.dashboard import board

    yield board
    from app.ui.chat import view

    yield view
    from app.ui.copilots import controller

    yield controller
    from app.ui.main import code

    yield code
    from app.ui.models import provider

    yield provider
    from app.ui.settings import window as settings_window

    yield settings_window
    from app.ui.settings import preferences

    yield preferences
    from app.ui.voice import voice

    yield voice
    from app.ui.main import chat_list

    yield chat_list
    from app.ui.main import conversations

    yield conversations
    from app.ui.main import session

    yield session
    from app.ui.main import actions

    yield actions


async def load() -> None:
    """Load the services of the window one after another; the window stays responsive."""
    import asyncio

    from app.ui.main.startup import all_stays

    with all_stays():
        loading = services()
        while await asyncio.to_thread(next, loading, None) is not None:
            pass
        for _ in parts():
            await asyncio.sleep(0)


def tell(window: MainWindow, error: DeskpilotError, seen: asyncio.Event) -> None:
    """Show why the window cannot operate, and set `seen` once the message is closed."""
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QMessageBox

    from app.ui.theme.i18n import said

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


class CloseWatch(QObject):
    """Sets an event when its window closes, and saves the window's position."""

    def __init__(self, window: QWidget, closed: asyncio.Event) -> None:
        super().__init__(window)
        self._window, self._closed = window, closed
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Detect the close event without stopping it."""
        if event.type() == QEvent.Type.Close:
            keep_place(self._window)
            self._closed.set()
        return super().eventFilter(watched, event)
