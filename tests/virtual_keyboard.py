"""A display without a screen, and a keyboard whose keys are really pressed there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest


class VirtualKeyboard:
    """Presses keys on a display. name: of the display."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._display: Any = import_module("Xlib.display").Display(name)

    def press(self, *keys: str) -> None:
        """Press keys one after the other, and hold them."""
        self._send("KeyPress", keys)

    def let_go(self, *keys: str) -> None:
        """Let keys go."""
        self._send("KeyRelease", keys)

    def tap(self, *keys: str) -> None:
        """Press keys and let them go, all at one moment."""
        self._send("KeyPress", keys, sync=False)
        self._send("KeyRelease", keys[::-1])

    def close(self) -> None:
        """Hang up."""
        self._display.close()

    def _send(self, what: str, keys: tuple[str, ...], *, sync: bool = True) -> None:
        x, xk, xtest = (import_module(f"Xlib.{name}") for name in ("X", "XK", "ext.xtest"))
        for key in keys:
            code = self._display.keysym_to_keycode(xk.string_to_keysym(key))
            xtest.fake_input(self._display, getattr(x, what), code)
        if sync:
            self._display.sync()


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Iterator[VirtualKeyboard]:
    """A display of its own, which DISPLAY names, and its keyboard."""
    if sys.platform != "linux":
        pytest.skip("keys of X11 are on Linux only")
    assert shutil.which("Xvfb"), "Xvfb is missing: python3 packaging/dev.py test installs it"
    reading, writing = os.pipe()
    process = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "640x480x24", "-nolisten", "tcp"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    try:
        with os.fdopen(reading) as told:
            name = f":{told.readline().strip()}"
        monkeypatch.setenv("DISPLAY", name)
        for other in ("WAYLAND_DISPLAY", "XDG_SESSION_TYPE", "XAUTHORITY"):
            monkeypatch.delenv(other, raising=False)
        made = VirtualKeyboard(name)
        yield made
        made.close()
    finally:
        process.kill()
        process.wait()
