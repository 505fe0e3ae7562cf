"""Open the window; only the modules for the first paint are imported beforehand."""

from __future__ import annotations

import os
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from contextlib import AbstractAsyncContextManager

    from app.services.deskpilot import Deskpilot
    from app.ui.main.run import PaintedWindow


def open_window() -> int:
    """Open the window, and return the exit status once it is closed."""
    painted = paint_window()
    from app.ui.main.run import run

    return run(build, painted)


@asynccontextmanager
async def build() -> AsyncGenerator[Deskpilot]:
    """Build the terminal once the window is painted; its parts are loaded outside the window's
    thread.
    """
    close_ways_out()  # nothing was asked of another machine so far
    import asyncio

    build_deskpilot = await asyncio.to_thread(load_bootstrap)
    async with build_deskpilot() as deskpilot:
        yield deskpilot


def load_bootstrap() -> Callable[[], AbstractAsyncContextManager[Deskpilot]]:
    """Import the modules that build the services, and read the trusted certificates; later, this
    would block the window.
    """
    from app import bootstrap
    from app.tools.web import authorities

    authorities()
    return bootstrap.build


def paint_window() -> PaintedWindow:
    """Show the window, and return once it can be seen."""
    from app.ui.main.startup import all_stays

    with all_stays():
        from app.ui.main.startup import search_none

        search_none()
        from app.ui.main.run import paint

        return paint(*first_look(), ready=has_models(), chats=has_chats())


def close_ways_out(asked: bool = False) -> None:
    """Block connections to other machines in this process and its children, if the user
    chose that.
    """
    from app.domain.settings import OFFLINE
    from backends import offline

    if asked or offline.wanted():
        os.environ[offline.VARIABLE] = "1"  # asked for from outside: no setting opens it again
        offline.close()
    elif kept_now().get(OFFLINE.key) is True:
        offline.close()


def has_display() -> bool:
    """Return whether a window can be shown."""
    if sys.platform != "linux":
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def first_look() -> tuple[str, str, str]:
    """Return the theme, language and size of text for the first paint; errors in the settings are
    reported later.
    """
    kept = kept_now()
    if not kept:
        # of the settings nothing is loaded before the window is seen
        return "system", "system", "100"
    from app.domain.errors import SetupError
    from app.domain.settings import LANGUAGE, TEXT_SIZE, THEME

    wanted = (THEME, LANGUAGE, TEXT_SIZE)
    try:
        theme, language, size = (one.checked(kept.get(one.key, one.default)) for one in wanted)
        return theme, language, size
    except SetupError:
        return THEME.default, LANGUAGE.default, TEXT_SIZE.default


def has_models() -> bool:
    """Return whether models or a provider of models were ever added, as far as a look at the disk
    tells; the service says more, seconds later.
    """
    from backends.paths import models_folder, providers_file

    if providers_file().exists():
        return True
    try:
        return any((folder / "installed.json").exists() for folder in models_folder().iterdir())
    except OSError:
        return False


def has_chats() -> bool:
    """Return whether an earlier session kept anything."""
    from backends.paths import store_file

    return store_file().exists()


def kept_now() -> dict[str, object]:
    """Return the changed settings; none if they cannot be read, which is reported later."""
    from backends.paths import settings_file

    if not settings_file().exists():
        return {}
    from app.adapters.system.json_file import JsonFile
    from app.domain.errors import SetupError

    try:
        return JsonFile(settings_file()).read_now()
    except SetupError:
        return {}
