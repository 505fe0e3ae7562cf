"""Web pages from backends. The web engine is loaded when the first page is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.openbb.kinds import HTML
from app.ui.dashboard.bodies import WidgetView
from app.ui.dashboard.bodies.text import WordsBody
from app.ui.theme.i18n import tr

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.openbb.content import Content


def page(content: Content, name: str) -> QWidget:
    """Return a body that shows an untrusted page. The page is rendered if the sandbox works;
    otherwise, it is shown as text.
    """
    from app.ui.dashboard.web_views import sandboxed

    if sandboxed():
        from app.ui.dashboard.web_views import HtmlBody

        return HtmlBody(str(content.value), name)
    from PySide6.QtGui import QTextDocumentFragment

    why = tr(
        "Only the text of this page is shown, because the sandbox for web pages doesn't work "
        "here. To see the page, start Deskpilot as a user other than root."
    )
    words = QTextDocumentFragment.fromHtml(str(content.value)).toPlainText()
    return WordsBody(f"{why}\n\n{words}", name, plain=True)


VIEW = WidgetView(HTML, page)
