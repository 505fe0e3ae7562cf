"""A key taken on an X11 display: its presses and releases come to us, whichever window is in front."""

from __future__ import annotations

import asyncio
from importlib import import_module
from itertools import product
from typing import TYPE_CHECKING, Any

from app.domain.errors import ShortcutError

if TYPE_CHECKING:
    from collections.abc import Callable

MODIFIERS = {"ctrl": "ControlMask", "alt": "Mod1Mask", "shift": "ShiftMask", "super": "Mod4Mask"}
LOCKS = ("LockMask", "Mod2Mask")  # Caps Lock and Num Lock: with them on it is the same key


class X11Key:
    """One key. keys: such as `ctrl+alt+m`. Called on the loop: told(True, ms) on its press, told(False, ms) once it is let go.

    Raises: ShortcutError if there is no such key, or another program has it.
    """

    def __init__(self, keys: str, told: Callable[[bool, int], object]) -> None:
        display, error, x = (import_module(f"Xlib.{name}") for name in ("display", "error", "X"))
        self._x, self._told, self._down = x, told, False
        try:
            self._display: Any = display.Display()
        except (error.DisplayError, OSError) as failure:
            raise ShortcutError(
                "The display does not answer.", "Look whether other windows open."
            ) from failure
        self._root = self._display.screen().root
        *modifiers, name = keys.split("+")
        self._code = self._display.keysym_to_keycode(
            import_module("Xlib.XK").string_to_keysym(name)
        )
        self._mask = sum(getattr(x, MODIFIERS[modifier]) for modifier in modifiers)
        self._loop = asyncio.get_running_loop()
        if not self._code:
            self._display.close()
            raise ShortcutError(f"This keyboard has no key {name!r}.", "Choose another shortcut.")
        self._take(keys, error)
        self._loop.add_reader(self._display.fileno(), self._read)

    def close(self) -> None:
        """Give the key back."""
        self._loop.remove_reader(self._display.fileno())
        self._display.close()  # the display gives back what a program held that is gone

    def _take(self, keys: str, error: Any) -> None:
        refused = error.CatchError(error.BadAccess)
        for locks in product(*((0, getattr(self._x, lock)) for lock in LOCKS)):
            mode = self._x.GrabModeAsync
            self._root.grab_key(
                self._code, self._mask | sum(locks), True, mode, mode, onerror=refused
            )
        self._display.sync()
        if refused.get_error():
            self._display.close()
            raise ShortcutError(
                f"Another program has the keys {keys} already.", "Choose another shortcut."
            )

    def _read(self) -> None:
        """Tell of what was pressed. A key that is held repeats: what tells of its release then is none."""
        while self._display.pending_events():
            event = self._display.next_event()
            if event.type == self._x.KeyPress and not self._down:
                self._down = True
                self._told(True, event.time)
            elif event.type == self._x.KeyRelease and self._down and not self._held():
                self._down = False
                self._told(False, event.time)

    def _held(self) -> bool:
        return bool(self._display.query_keymap()[self._code // 8] & 1 << self._code % 8)
