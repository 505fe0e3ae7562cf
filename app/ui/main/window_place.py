"""Saves the size and position of the window from one start to the next."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from backends.paths import window_file

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget


def restore_place(window: QWidget) -> None:
    """Give a window the size and position it had when it was last closed."""
    try:
        kept = window_file().read_bytes()
    except OSError:  # on the first start there is no file
        return
    window.restoreGeometry(kept)


def keep_place(window: QWidget) -> None:
    """Save the size and position of a window for the next start."""
    with suppress(OSError):  # if the disk is full, the window opens at its earlier position
        window_file().write_bytes(window.saveGeometry().data())
