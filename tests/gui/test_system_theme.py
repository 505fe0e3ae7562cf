"""The window follows the desktop from light to dark: a real window, told by a desktop's portal."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from app.adapters.system.json_file import JsonFile
from app.domain.settings import THEME
from app.services.settings import Settings
from backends.paths import settings_file
from tests.desktop_portal import DesktopTheme, session_bus
from tests.virtual_keyboard import VirtualKeyboard, keyboard

__all__ = ["keyboard", "session_bus"]
WINDOW = """
import asyncio, sys
from PySide6.QtWidgets import QApplication
from app.adapters.system.json_file import JsonFile
from app.services.settings import Settings
from app.ui.main.event_loop import run_until_complete
from app.ui.main.theme_switch import ThemeSwitch
from app.ui.main.window import MainWindow
from backends.paths import settings_file

app, window = QApplication([]), MainWindow()
dressing = ThemeSwitch(app, window, sys.argv[1])
settings = Settings(JsonFile(settings_file()))

def tell(*_):
    print("dark" if window.tokens.dark else "light", flush=True)

async def live():
    closed = asyncio.Event()
    window.show()
    await dressing.follow(settings, None, None)
    app.styleHints().colorSchemeChanged.connect(tell)
    tell()
    await closed.wait()
    return 0

run_until_complete(app, live())
"""


class Shown:
    """A window in a process of its own, which says how it looks each time the desktop changes."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def looks(self) -> str:
        assert self.process.stdout is not None
        async with asyncio.timeout(60):
            return (await self.process.stdout.readline()).decode().strip()

    async def becomes(self, wanted: str) -> None:
        while await self.looks() != wanted:  # a desktop may tell of it once more
            pass


async def opened(bus: str, chosen: str) -> Shown:
    environment = {
        k: v for k, v in os.environ.items() if k not in ("DESKPILOT_THEME", "QT_QPA_PLATFORMTHEME")
    }
    environment |= {
        "DBUS_SESSION_BUS_ADDRESS": bus,
        "QT_QPA_PLATFORM": "xcb",
        "XDG_CURRENT_DESKTOP": "GNOME",
    }
    command = (sys.executable, "-c", WINDOW, chosen)
    process = await asyncio.create_subprocess_exec(
        *command, env=environment, stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[2]
    )
    return Shown(process)


@pytest.mark.parametrize("chosen", ["system", "light"])
async def test_the_window_turns_dark_and_light_with_the_desktop_unless_a_theme_was_chosen(
    home: Path, keyboard: VirtualKeyboard, session_bus: str, chosen: str
) -> None:
    await Settings(JsonFile(settings_file())).put(THEME, chosen)
    desktop = DesktopTheme(session_bus, dark=False)
    await desktop.start()
    shown = await opened(session_bus, chosen)
    try:
        assert await shown.looks() == "light"
        await desktop.turn(dark=True)
        await shown.becomes("dark" if chosen == "system" else "light")
        await desktop.turn(dark=False)
        await shown.becomes("light")
    finally:
        shown.process.kill()
        await shown.process.wait()
        await desktop.stop()
