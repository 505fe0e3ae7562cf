"""Open the window: nothing is loaded before it is painted that the paint does not need."""

from __future__ import annotations

import os
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from app.services.deskpilot import Deskpilot
    from app.ui.main.run import Painted


def open_window() -> int:
    """Open the window, and return the exit status once it is closed."""
    painted = paint_window()
    from app.ui.main.run import run

    return run(build, painted)


@asynccontextmanager
async def build() -> AsyncGenerator[Deskpilot]:
    """Build the terminal once the window is painted; what it is made of is loaded beside the
    window's own thread.
    """
    close_ways_out()  # nothing was asked of another machine so far
    import asyncio
    from importlib import import_module

    bootstrap = await asyncio.to_thread(import_module, "app.bootstrap")
    trust = await asyncio.to_thread(import_module, "app.tools.web.client")
    await asyncio.to_thread(
        trust.authorities
    )  # they are kept: read later, they would hold up the window
    async with bootstrap.build() as deskpilot:
        yield deskpilot


def paint_window() -> Painted:
    """Show the window, and return once it can be seen."""
    from app.ui.main.loading import all_stays

    with all_stays():
        from app.ui.main.loading import search_none

        search_none()
        from app.cli.kept_settings import first_look
        from app.ui.main.run import paint

        return paint(*first_look())


def close_ways_out(asked: bool = False) -> None:
    """Let this process, and those it starts, reach nothing but this machine, if somebody wants
    that.
    """
    from app.cli.kept_settings import kept_now
    from app.domain.settings.pages import OFFLINE
    from backends import offline

    if asked or offline.wanted():
        os.environ[offline.VARIABLE] = "1"  # asked for from outside: no setting opens it again
        offline.close()
    elif kept_now().get(OFFLINE.key) is True:
        offline.close()


def has_display() -> bool:
    """Tell whether a window can be shown."""
    if sys.platform != "linux":
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
