"""Choose what shows some content. Each kind is loaded when the first of it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.domain.widget_content import Content


def body_of(content: Content, name: str) -> QWidget:
    """Return a body that shows content; what has no view of its own is shown as JSON.

    Raises: BackendError for files that are damaged.
    """
    kind, value = content.type, content.value
    if kind in ("markdown", "text"):
        from app.ui.dashboard.bodies.words import WordsBody

        return WordsBody(str(value), name, plain=kind == "text")
    if kind == "document":
        from app.ui.dashboard.bodies.document import DocumentBody

        return DocumentBody(value, name)
    if kind == "note":
        from app.ui.dashboard.bodies.note import NoteBody

        return NoteBody(str(value), name)
    if kind == "candles":
        from app.ui.dashboard.bodies.candles import CandleBody

        return CandleBody(value, name)
    if kind == "metric":
        from app.ui.dashboard.bodies.metric import MetricBody

        return MetricBody(value)
    if kind == "newsfeed":
        from app.ui.dashboard.bodies.news import NewsBody

        return NewsBody(value, name)
    if kind == "pdf":
        from app.ui.dashboard.bodies.pdf import PdfBody

        return PdfBody(value, name)
    if kind == "files":
        from app.ui.dashboard.bodies.files import FilesBody

        return FilesBody(value, body_of)
    if kind == "image":
        from app.ui.dashboard.bodies.picture import PictureBody

        return PictureBody(value, name)
    if kind == "plotly":
        from app.ui.dashboard.bodies.web import PlotBody

        return PlotBody(value, name)
    if kind == "html":
        return page_of(str(value), name)
    from app.ui.dashboard.bodies.raw import RawBody

    return RawBody(value, name)


def page_of(html: str, name: str) -> QWidget:
    """Return a body that shows a page of others: drawn in the sandbox only, else its words."""
    from app.ui.dashboard.chart import sandboxed

    if sandboxed():
        from app.ui.dashboard.bodies.web import HtmlBody

        return HtmlBody(html, name)
    from PySide6.QtGui import QTextDocumentFragment

    from app.ui.dashboard.bodies.words import WordsBody
    from app.ui.words import tr

    why = tr(
        "Only the words of this page are shown: the sandbox that pages are drawn in doesn't work"
        " here. Start Deskpilot as a user other than root to see the page."
    )
    words = QTextDocumentFragment.fromHtml(html).toPlainText()
    return WordsBody(f"{why}\n\n{words}", name, plain=True)
