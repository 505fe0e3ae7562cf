"""Charts and pages of backends in isolated web views; pages run no scripts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from PySide6.QtGui import QColor
from PySide6.QtWebEngineCore import QWebEngineSettings

from app.ui.dashboard.chart_view import ChartCanvas, SealedView, draw_page
from app.ui.dashboard.table.cells import CONTRAST, contrast, legible
from app.ui.theme.i18n import tr
from app.ui.theme.tokens import LIGHT, Tokens

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

SEEN, PARTS = (
    1.6,
    200,
)  # lowest contrast of a drawn colour; lists with more entries are data and are not examined
RGB = re.compile(r"rgb\((\d{1,3}),(\d{1,3}),(\d{1,3})\)$")
PAGE = """<!doctype html><meta charset="utf-8">
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
            PAGE.format(card=tokens.card, text=tokens.text, accent=tokens.accent, body=self._html)
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
        self.show_page(draw_page(dressed(self.figure, tokens), tokens))


def dressed(figure: dict[str, Any], tokens: Tokens) -> dict[str, Any]:
    """Return a figure whose background, axes and text match the theme.

    Its data keep their colours if these are visible.
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
    """Return a colour if its contrast with the card is sufficient, otherwise a similar colour that
    is readable.
    """
    rgb = RGB.match(name.replace(" ", ""))
    colour = QColor(*map(int, rgb.groups())) if rgb else QColor(name)
    if not colour.isValid() or contrast(colour, QColor(tokens.card)) >= least:
        return name
    return legible(colour.name(), tokens.card).name()
