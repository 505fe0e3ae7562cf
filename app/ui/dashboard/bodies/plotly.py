"""Charts from backends, drawn by Plotly. The web engine is loaded when the first chart is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.openbb.kinds import PLOTLY
from app.ui.dashboard.bodies import WidgetView

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.openbb.content import Content


def chart(content: Content, name: str) -> QWidget:
    """Return the widget that shows a chart."""
    from app.ui.dashboard.web_views import PlotBody

    return PlotBody(content.value, name)


VIEW = WidgetView(PLOTLY, chart, exports=("PNG", "SVG"))
