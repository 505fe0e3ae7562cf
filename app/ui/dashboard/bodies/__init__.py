"""The views of the kinds of content that a tile can show, one file for each kind.

A new kind of widget needs a view and its `WidgetKind`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from app.openbb.content import Content, WidgetKind


@dataclass(frozen=True)
class WidgetView:
    """The view of a kind of widget.

    body: a function that creates the widget for some content and a name, and raises BackendError if
    files are damaged. exports: the formats in which a card can be saved. enlarges: whether the
    card's body can be shown in its own window.
    """

    kind: WidgetKind
    body: Callable[[Content, str], QWidget]
    exports: tuple[str, ...] = ("PNG",)
    enlarges: bool = True
