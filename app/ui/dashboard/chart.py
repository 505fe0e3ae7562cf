"""Charts: Plotly figures in the one web view there is, which can load nothing but plotly.js and its page."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QUrl
from PySide6.QtWebEngineCore import (
    QWebEnginePage,
    QWebEngineProfile,
    QWebEngineSettings,
    QWebEngineUrlRequestInterceptor,
)
from PySide6.QtWebEngineWidgets import QWebEngineView
from PySide6.QtWidgets import QApplication

from app.ui.style.icons import plotly_script

if TYPE_CHECKING:
    from PySide6.QtCore import QObject
    from PySide6.QtWebEngineCore import QWebEngineUrlRequestInfo
    from PySide6.QtWidgets import QWidget

    from app.ui.style.tokens import Tokens

PAGE = """<!doctype html><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src file: 'unsafe-inline';
 style-src 'unsafe-inline'; img-src data: blob:">
<style>html,body,#chart{{margin:0;height:100%;background:{card};overflow:hidden}}</style>
<div id="chart"></div><script src="{script}"></script>
<script>Plotly.newPlot("chart", {figure}, {{displaylogo:false,responsive:true,displayModeBar:false}})
.then(function(){{document.title="drawn"}})</script>"""


class Fence(QWebEngineUrlRequestInterceptor):
    """Blocks every request but for named local files and data."""

    def __init__(self, allowed: set[str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.allowed = allowed
        self.blocked: list[str] = []

    def interceptRequest(self, info: QWebEngineUrlRequestInfo) -> None:
        """Let a request through, or block it."""
        url = info.requestUrl()
        named = url.isLocalFile() and url.toLocalFile() in self.allowed
        if not named and url.scheme() not in ("data", "blob"):
            self.blocked.append(url.toString())
            info.block(True)


class ChartView(QWebEngineView):
    """The pooled web view; a new figure takes the place of the one before."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._folder = TemporaryDirectory(prefix="deskpilot-chart-")
        self._page_file = Path(self._folder.name) / "chart.html"
        # Without a name nothing is kept on disk. It must outlive its page, so the application owns it.
        self._profile = QWebEngineProfile(QApplication.instance())
        self.fence = Fence({plotly_script(), str(self._page_file)}, self._profile)
        self._profile.setUrlRequestInterceptor(self.fence)
        page = QWebEnginePage(self._profile, self)
        settings = page.settings()
        for attribute in (
            QWebEngineSettings.WebAttribute.LocalContentCanAccessRemoteUrls,
            QWebEngineSettings.WebAttribute.JavascriptCanOpenWindows,
            QWebEngineSettings.WebAttribute.JavascriptCanAccessClipboard,
            QWebEngineSettings.WebAttribute.PluginsEnabled,
        ):
            settings.setAttribute(attribute, False)
        self.setPage(page)
        self.setMinimumHeight(240)
        self.setAccessibleName("Chart")

    def draw(self, figure: dict[str, Any], tokens: Tokens) -> None:
        """Draw a Plotly figure."""
        safe = json.dumps(figure).replace("<", "\\u003c")  # a name with </script> in it must not end ours
        script = QUrl.fromLocalFile(plotly_script()).toString()
        self._page_file.write_text(PAGE.format(card=tokens.card, script=script, figure=safe), "utf-8")
        self.load(QUrl.fromLocalFile(str(self._page_file)))

    def end(self) -> None:
        """Stop loading and remove the page's folder."""
        self.stop()
        self._folder.cleanup()
