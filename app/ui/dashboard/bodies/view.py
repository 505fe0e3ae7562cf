"""How a kind of widget is shown: what a new kind has beside its `WidgetKind`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from app.openbb.content import Content, WidgetKind


@dataclass(frozen=True)
class WidgetView:
    """The view of a kind. body: makes what shows some content, under a name; it raises BackendError
    for damaged files. exports: the forms a card is saved in. enlarges: whether it can be shown in a
    window of its own.
    """

    kind: WidgetKind
    body: Callable[[Content, str], QWidget]
    exports: tuple[str, ...] = ("PNG",)
    enlarges: bool = True
