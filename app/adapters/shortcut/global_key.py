"""The one global key, taken in the way this system has."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from app.adapters.shortcut.portal import PortalKey
from app.adapters.shortcut.x11 import X11Key
from app.domain.errors import ShortcutError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ELSEWHERE = "In Deskpilot's own window Ctrl+M dictates."


class GlobalKey:
    """Holds at most one key. held: its name, empty for none."""

    def __init__(
        self, environment: Mapping[str, str] = os.environ, platform: str = sys.platform
    ) -> None:
        self._environment, self._platform = environment, platform
        self._key: X11Key | PortalKey | None = None
        self.held = ""

    async def hold(self, keys: str, told: Callable[[bool, int], object]) -> None:
        """Take a key, the one before is given back; nothing is taken for an empty name.

        told: called with whether it was pressed or let go, and when, in the system's milliseconds. On Wayland the
        person is asked for it first.
        Raises: ShortcutError where the system does not allow it, or another program has it.
        """
        self.close()
        if not keys:
            return
        if (
            self._environment.get("WAYLAND_DISPLAY")
            or self._environment.get("XDG_SESSION_TYPE") == "wayland"
        ):
            bus = self._environment.get("DBUS_SESSION_BUS_ADDRESS", "")
            self._key = await PortalKey.take(keys, told, bus=bus, elsewhere=ELSEWHERE)
        elif self._platform.startswith("linux") and self._environment.get("DISPLAY"):
            self._key = X11Key(keys, told)
        else:
            raise ShortcutError(
                "On this system Deskpilot cannot be given a key while another window is in front.",
                ELSEWHERE,
            )
        self.held = keys

    async def aclose(self) -> None:
        """Give the key back."""
        key = self._key
        self.close()
        if isinstance(key, PortalKey):
            await key.ended()

    def close(self) -> None:
        """Give the key back."""
        key, self._key, self.held = self._key, None, ""
        if key is not None:
            key.close()
