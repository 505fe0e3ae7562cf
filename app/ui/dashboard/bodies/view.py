"""How a kind of widget is shown: a new kind needs a view and its `WidgetKind`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from app.openbb.content import Content, WidgetKind


@dataclass(frozen=True)
class WidgetView:
    """The view of a kind. body: makes the widget for some content, with a name; it raises
    BackendError for damaged files. exports: the formats a card can be saved in. enlarges: whether
    it can be shown in a window of its own.
    """

    kind: WidgetKind
    body: Callable[[Content, str], QWidget]
    exports: tuple[str, ...] = ("PNG",)
    enlarges: bool = True
