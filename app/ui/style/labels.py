"""Labels for words: of a style, wrapped, and never taken for markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget


def label(text: str, style: str, parent: QWidget, *, copied: bool = False) -> QLabel:
    """Return a label.

    style: a name of the style sheet, such as title, muted, caption or problem; copied: its words can be selected.
    """
    made = QLabel(text, parent)
    made.setObjectName(style)
    made.setWordWrap(True)
    made.setTextFormat(Qt.TextFormat.PlainText)
    if copied:
        made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made


def field_label(text: str, field: QWidget, parent: QWidget) -> QLabel:
    """Return the caption of a field, which is called so unless it has a name of its own."""
    made = label(text, "caption", parent)
    made.setBuddy(field)
    field.setAccessibleName(field.accessibleName() or text)
    return made
