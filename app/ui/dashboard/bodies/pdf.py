"""PDF files. Qt's PDF library is loaded when the first file is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.openbb.kinds import PDF
from app.ui.dashboard.bodies import WidgetView

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.openbb.content import Content


def pages(content: Content, name: str) -> QWidget:
    """Return the widget that shows PDF files."""
    from app.ui.dashboard.bodies.pdf_pages import PdfBody

    return PdfBody(content.value, name)


VIEW = WidgetView(PDF, pages)
