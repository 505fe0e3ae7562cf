"""What the style sheet goes by, changed on a widget that is seen: it is drawn so from then on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget


def set_style(widget: QWidget, style: str) -> None:
    """Give a widget another style. style: a name of the style sheet, such as muted or problem."""
    widget.setObjectName(style)
    polish(widget)


def set_mark(widget: QWidget, name: str, value: bool) -> None:
    """Set a property that the style sheet asks for."""
    widget.setProperty(name, value)
    polish(widget)


def polish(widget: QWidget) -> None:
    """Have the style sheet look at a widget again: it does not hear of changes."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)
