"""Files that are dropped on the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6 import QtCore

if TYPE_CHECKING:
    from PySide6.QtGui import QDropEvent


def copied(event: QDropEvent) -> None:
    """Accept dragged files as copies, because a file manager deletes files that were moved."""
    event.setDropAction(QtCore.Qt.DropAction.CopyAction)
    event.accept()
