"""Files that are dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6 import QtCore

if TYPE_CHECKING:
    from PySide6.QtGui import QDropEvent


def copied(event: QDropEvent) -> None:
    """Take what is dragged as a copy: a file manager deletes what was moved away."""
    event.setDropAction(QtCore.Qt.DropAction.CopyAction)
    event.accept()
