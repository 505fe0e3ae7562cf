"""A made-up kind of widget: the one file that adding a kind takes."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QProgressBar, QWidget

from app.openbb.content import Content, WidgetKind, wrong
from app.openbb.widgets import Spec
from app.ui.dashboard.bodies import WidgetView


def read_gauge(spec: Spec, value: Any) -> Content:
    """Return the percentage of an answer."""
    if not isinstance(value, dict) or not isinstance(value.get("percent"), int):
        raise wrong(spec, "a percentage")
    return Content("gauge", value["percent"])


def bar(content: Content, name: str) -> QWidget:
    """Return a bar as long as the percentage."""
    made = QProgressBar()
    made.setAccessibleName(name)
    made.setValue(content.value)
    return made


VIEW = WidgetView(
    WidgetKind(
        "gauge",
        names=("gauge", "meter"),
        parse=read_gauge,
        words=lambda content: f"{content.value} percent",
        height=7,
    ),
    bar,
    exports=("PNG", "SVG"),
    enlarges=False,
)
