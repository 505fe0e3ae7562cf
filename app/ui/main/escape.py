"""Escape stops an answer, unless something else in the window keeps the key for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6 import QtCore, QtGui
from PySide6.QtCore import QEvent

if TYPE_CHECKING:
    from collections.abc import Callable


def keeps_escape(event: QEvent, when: Callable[[], bool] | None = None) -> bool:
    """Take Escape for the widget this event came to; tell whether it was that, so that nothing is
    left to do.

    Qt asks with a `ShortcutOverride` before it runs the window's shortcut. when: whether the key is
    needed now.
    """
    override = event.type() == QEvent.Type.ShortcutOverride
    if (
        override
        and isinstance(event, QtGui.QKeyEvent)
        and event.key() == QtCore.Qt.Key.Key_Escape
        and (not when or when())
    ):
        event.accept()
        return True
    return False
