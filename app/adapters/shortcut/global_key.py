"""The one global key, taken in the way this system has."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from app.adapters.shortcut.x11 import X11Key
from app.domain.errors import ShortcutError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ELSEWHERE = "In Deskpilot's own window Ctrl+M dictates."


class GlobalKey:
    """Holds at most one key."""

    def __init__(self, environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> None:
        self._environment, self._platform = environment, platform
        self._key: X11Key | None = None

    def hold(self, keys: str, told: Callable[[bool, int], object]) -> None:
        """Take a key, the one before is given back; nothing is taken for an empty name.

        told: called with whether it was pressed or let go, and when, in the system's milliseconds.
        Raises: ShortcutError where the system does not allow it, or another program has it.
        """
        self.close()
        if keys:
            self._check()
            self._key = X11Key(keys, told)

    async def aclose(self) -> None:
        """Give the key back."""
        self.close()

    def close(self) -> None:
        """Give the key back."""
        key, self._key = self._key, None
        if key is not None:
            key.close()

    def _check(self) -> None:
        """Check that keys can be taken here.

        Raises: ShortcutError.
        """
        told = self._environment
        if told.get("WAYLAND_DISPLAY") or told.get("XDG_SESSION_TYPE") == "wayland":
            raise ShortcutError(
                "This desktop (Wayland) gives no program a key while another window is in front.", ELSEWHERE
            )
        if not self._platform.startswith("linux") or not told.get("DISPLAY"):
            raise ShortcutError(
                "On this system Deskpilot cannot be given a key while another window is in front.", ELSEWHERE
            )
