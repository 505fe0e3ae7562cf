"""The views of all kinds of widgets. A new kind requires a file in this folder and a line in this
file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.openbb.content import register
from app.openbb.kinds import FILES
from app.ui.dashboard.bodies import (
    WidgetView,
    candles,
    document,
    html,
    metric,
    news,
    note,
    pdf,
    picture,
    plotly,
    raw,
    text,
)
from app.ui.dashboard.bodies.files import FilesBody

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.openbb.content import Content

VIEWS: dict[str, WidgetView] = {}


def add(view: WidgetView) -> None:
    """Register a kind of widget with its view."""
    register(view.kind)
    VIEWS[view.kind.name] = view


def view_of(kind: str) -> WidgetView:
    """Return the view of a kind; for an unknown kind, the JSON view."""
    return VIEWS.get(kind, raw.VIEW)


def body_of(content: Content, name: str) -> QWidget:
    """Return the widget that shows some content.

    Raises: BackendError if its files are damaged.
    """
    view = view_of(content.type)
    body = view.body(content, name)
    body.setProperty("exports", list(view.exports))
    return body


add(candles.VIEW)
add(document.VIEW)
add(WidgetView(FILES, lambda content, _: FilesBody(content.value, body_of)))
add(html.VIEW)
add(metric.VIEW)
add(news.VIEW)
add(note.VIEW)
add(pdf.VIEW)
add(picture.VIEW)
add(plotly.VIEW)
add(raw.VIEW)
add(text.MARKDOWN_VIEW)
add(text.TEXT_VIEW)
