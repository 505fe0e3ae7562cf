"""Isolated web views: Plotly charts, which load only plotly.js and their own page, and pages from
backends, which run no scripts.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import QColor
from PySide6.QtWebEngineCore import (
    QWebEnginePage,
    QWebEngineProfile,
    QWebEngineSettings,
    QWebEngineUrlRequestInterceptor,
)
from PySide6.QtWebEngineWidgets import QWebEngineView
from PySide6.QtWidgets import QApplication

from app.ui.dashboard.table.cells import CONTRAST, contrast, legible
from app.ui.theme.i18n import tr
from app.ui.theme.tokens import LIGHT, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QObject
    from PySide6.QtWebEngineCore import QWebEngineUrlRequestInfo
    from PySide6.QtWidgets import QWidget


FLAGS = "QTWEBENGINE_CHROMIUM_FLAGS"
DISABLED = "QTWEBENGINE_DISABLE_SANDBOX"
TRY_SECONDS = 5


@cache
def sandboxed() -> bool:
    """Return whether pages can be drawn in the sandbox; users can disable it with an environment
    variable.

    Chromium refuses to start its sandbox as root. For other users on Linux, the sandbox needs user
    namespaces, which some systems forbid.
    """
    chosen = DISABLED in os.environ or "--no-sandbox" in os.environ.get(FLAGS, "")
    if chosen or sys.platform != "linux":
        return True
    return os.geteuid() != 0 and has_namespaces()


def has_namespaces() -> bool:
    """Return whether the user can create namespaces; this is tested by creating one."""
    program = shutil.which("unshare")
    if program is None:
        return True  # the tool for this test is missing, but namespaces work on most systems
    command = [program, "--user", "--map-root-user", "true"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=TRY_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


NOWHERE = "127.0.0.1:9"
PAGE = """<!doctype html><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src file: 'unsafe-inline';
 style-src 'unsafe-inline'; img-src data: blob:">
<style>html,body,#chart{{margin:0;height:100%;background:{card};overflow:hidden}}</style>
<script>window.onerror=window.onunhandledrejection=function(){{document.title="failed"}}</script>
<div id="chart"></div><script src="{script}"></script>
<script>Plotly.newPlot("chart", {figure}, {{displaylogo:false,displayModeBar:false}})
.then(function(){{document.title="drawn";
addEventListener("resize",function(){{Plotly.Plots.resize("chart").catch(function(){{}})}})}})</script>"""


class Fence(QWebEngineUrlRequestInterceptor):
    """Blocks every request except those for certain local files and for data URLs."""

    def __init__(self, allowed: set[str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.allowed = allowed
        self.blocked: list[str] = []

    def interceptRequest(self, info: QWebEngineUrlRequestInfo) -> None:
        """Allow or block a request."""
        url = info.requestUrl()
        named = url.isLocalFile() and url.toLocalFile() in self.allowed
        if not named and url.scheme() not in ("data", "blob"):
            self.blocked.append(url.toString())
            info.block(True)


_shared: list[tuple[QWebEngineProfile, Fence]] = []


def sealed_profile() -> tuple[QWebEngineProfile, Fence]:
    """Return the profile shared by all views, and its request filter.

    The profile must outlive its pages, so the application owns it. It has no name and therefore
    stores nothing on disk.
    """
    if not _shared:
        # One process draws all charts, because a process for each chart would take up 100 MB. A
        # page that bypasses the request filter can reach only a proxy that does not exist. The
        # browser's own network requests are switched off.
        alone = f"--process-per-site --proxy-server={NOWHERE} --disable-background-networking"
        if not sandboxed():  # if the sandbox were enabled, Chromium would terminate the application
            os.environ[DISABLED] = "1"
        os.environ[FLAGS] = f"{os.environ.get(FLAGS, '')} {alone}".strip()
        profile = QWebEngineProfile(QApplication.instance())
        fence = Fence({plotly_script()}, profile)
        profile.setUrlRequestInterceptor(fence)
        _shared.append((profile, fence))
    return _shared[0]


class ChartPage(QWebEnginePage):
    """A page that never navigates to another address."""

    home = QUrl()

    def __init__(self, profile: QWebEngineProfile, fence: Fence, parent: QObject) -> None:
        super().__init__(profile, parent)
        self._fence = fence

    def acceptNavigationRequest(
        self, url: QUrl | str, type: QWebEnginePage.NavigationType, isMainFrame: bool
    ) -> bool:
        """Accept only the page's own address."""
        if isMainFrame and QUrl(url) == self.home:
            return True
        self._fence.blocked.append(QUrl(url).toString())
        return False


class SealedView(QWebEngineView):
    """A web view that can access only its own page and plotly.js."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._folder = TemporaryDirectory(prefix="deskpilot-chart-")
        self._page_file = Path(self._folder.name) / "chart.html"
        profile, self.fence = sealed_profile()
        self.fence.allowed.add(str(self._page_file))
        folder = self._folder  # a connected signal does not keep the slot's object alive
        self.destroyed.connect(lambda: folder.cleanup())
        page = ChartPage(profile, self.fence, self)
        page.home = QUrl.fromLocalFile(str(self._page_file))
        settings = page.settings()
        for attribute in (
            QWebEngineSettings.WebAttribute.LocalContentCanAccessRemoteUrls,
            QWebEngineSettings.WebAttribute.JavascriptCanOpenWindows,
            QWebEngineSettings.WebAttribute.JavascriptCanAccessClipboard,
            QWebEngineSettings.WebAttribute.PluginsEnabled,
        ):
            settings.setAttribute(attribute, False)
        self.setPage(page)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.setProperty("square", True)

    def show_page(self, html: str) -> None:
        """Load a page in place of the previous one."""
        self._page_file.write_text(html, "utf-8", errors="replace")
        self.load(QUrl.fromLocalFile(str(self._page_file)))

    def end(self) -> None:
        """Stop loading and remove the page's folder."""
        self.stop()
        self.fence.allowed.discard(str(self._page_file))
        self._folder.cleanup()


class ChartCanvas(SealedView):
    """A Plotly figure that can be exported as a picture."""

    _take: Callable[[bytes], None] | None = None

    def draw(self, figure: dict[str, Any], tokens: Tokens) -> None:
        """Draw a Plotly figure in place of the previous one."""
        # this colour is shown while the page loads, because white would be too bright
        self.page().setBackgroundColor(QColor(tokens.card))
        self.show_page(draw_page(figure, tokens))

    def take_picture(
        self,
        form: str,
        take: Callable[[bytes], None],
        size: QSize | None = None,
        scale: float = 2.0,
    ) -> None:
        """Draw the figure again and pass its picture to `take`. form: "png" or "svg".

        size: in screen pixels; by default the displayed size. scale: the number of picture pixels
        per screen pixel.
        """
        self._take = take
        self.titleChanged.connect(self._taken)
        size = size or QSize(max(self.width(), 480), max(self.height(), 320))
        form = f"format:'{form}',scale:{scale},width:{size.width()},height:{size.height()}"
        self.page().runJavaScript(
            f"Plotly.toImage('chart',{{{form}}})"
            ".then(function(u){window.taken=u;document.title='taken'+Math.random()})"
        )

    def _taken(self, title: str) -> None:
        if title.startswith("taken") and self._take is not None:
            self.titleChanged.disconnect(self._taken)
            take, self._take = self._take, None
            self.page().runJavaScript("window.taken", lambda url: take(bytes_of_url(str(url))))


class ChartView(ChartCanvas):
    """The web view that shows the chart of an answer."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMinimumHeight(240)
        self.setAccessibleName(tr("Chart"))


def bytes_of_url(url: str) -> bytes:
    """Return the content of a data URL."""
    head, _, data = url.partition(",")
    return base64.b64decode(data) if head.endswith(";base64") else unquote_to_bytes(data)


def draw_page(figure: dict[str, Any], tokens: Tokens) -> str:
    """Return the page that draws a Plotly figure."""
    safe = json.dumps(figure).replace(
        "<", "\\u003c"
    )  # a name that contains </script> must not end our script
    script = QUrl.fromLocalFile(plotly_script()).toString()
    return PAGE.format(card=tokens.card, script=script, figure=safe)


def plotly_script() -> str:
    """Return the path of the plotly.js that ships in the plotly wheel."""
    from importlib.resources import files

    return str(files("plotly") / "package_data" / "plotly.min.js")


SEEN, PARTS = (
    1.6,
    200,
)  # minimum contrast of a drawn colour; longer lists than this are data and are not examined
RGB = re.compile(r"rgb\((\d{1,3}),(\d{1,3}),(\d{1,3})\)$")
HTML_PAGE = """<!doctype html><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<style>html{{background:{card};color:{text};font:14px sans-serif}} a{{color:{accent}}}
 iframe,object,embed,img:not([src^="data:"]){{display:none}}</style>
{body}"""


class HtmlBody(SealedView):
    """A page without scripts, frames or content from other servers."""

    def __init__(self, html: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Page {name}", name=name))
        self.page().settings().setAttribute(
            QWebEngineSettings.WebAttribute.JavascriptEnabled, False
        )
        self._html = html

    def set_tokens(self, tokens: Tokens) -> None:
        """Show the page with the colours of a theme."""
        self.show_page(
            HTML_PAGE.format(
                card=tokens.card, text=tokens.text, accent=tokens.accent, body=self._html
            )
        )


class PlotBody(ChartCanvas):
    """A Plotly figure, in the theme's colours unless it has its own."""

    def __init__(self, figure: dict[str, Any], name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Chart {name}", name=name))
        self.figure = figure
        self._tokens = LIGHT

    def set_tokens(self, tokens: Tokens) -> None:
        """Draw the figure with the colours of a theme."""
        self._tokens = tokens
        self.show_page(draw_page(themed(self.figure, tokens), tokens))


def themed(figure: dict[str, Any], tokens: Tokens) -> dict[str, Any]:
    """Return a figure whose background, axes and text match the theme.

    Its data keeps its colours if they are visible.
    """
    layout = dict(figure["layout"])
    layout.pop("template", None)
    for key in ("width", "height"):
        layout.pop(key, None)
    axis = {
        "gridcolor": tokens.hairline,
        "zerolinecolor": tokens.hairline,
        "linecolor": tokens.hairline,
        "automargin": True,
    }
    axes = {
        key: axis | (value if isinstance(value, dict) else {}) | axis
        for key, value in ({"xaxis": {}, "yaxis": {}} | layout).items()
        if key.startswith(("xaxis", "yaxis"))
    }
    plain = {
        "paper_bgcolor": tokens.card,
        "plot_bgcolor": tokens.card,
        "font": {"color": tokens.muted, "size": 12},
        "margin": {"l": 48, "r": 24, "t": 40 if layout.get("title") else 16, "b": 40},
        "colorway": [tokens.accent, "#e07a5f", "#6d83f2", "#d9a441", "#9b6dd6", "#6aa84f"],
    }
    shown = seen(layout | axes, tokens, words=True) | plain
    return {"data": [seen(trace, tokens) for trace in figure["data"]], "layout": shown}


def seen(part: Any, tokens: Tokens, *, words: bool = False) -> Any:
    """Return a part of a figure in which each colour that would be invisible on the card is
    replaced.

    words: whether the colours are for text, which needs more contrast.
    """
    if isinstance(part, list):
        return [seen(one, tokens, words=words) for one in part] if len(part) <= PARTS else part
    if not isinstance(part, dict):
        return part
    made = dict(part)
    for key, value in part.items():
        if key == "color" and isinstance(value, str):
            made[key] = readable(value, tokens, CONTRAST if words else SEEN)
        elif isinstance(value, dict | list):
            made[key] = seen(value, tokens, words=words)
    return made


def readable(name: str, tokens: Tokens, least: float) -> str:
    """Return a colour if its contrast with the card is sufficient; otherwise, return a similar
    colour that is readable.
    """
    rgb = RGB.match(name.replace(" ", ""))
    colour = QColor(*map(int, rgb.groups())) if rgb else QColor(name)
    if not colour.isValid() or contrast(colour, QColor(tokens.card)) >= least:
        return name
    return legible(colour.name(), tokens.card).name()
