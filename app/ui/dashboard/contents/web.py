"""Charts and pages of backends in web views cut off from every network; pages run no script either."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtWebEngineCore import QWebEngineSettings

from app.ui.dashboard.chart import Drawing, Sealed, draw_page
from app.ui.style.tokens import LIGHT, Tokens
from app.ui.words import tr

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

PAGE = """<!doctype html><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<style>html{{background:{card};color:{text};font:14px sans-serif}} a{{color:{accent}}}
 iframe,object,embed,img:not([src^="data:"]){{display:none}}</style>
{body}"""


class HtmlBody(Sealed):
    """A page without scripts, frames or anything from elsewhere."""

    def __init__(self, html: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Page {name}", name=name))
        self.page().settings().setAttribute(
            QWebEngineSettings.WebAttribute.JavascriptEnabled, False
        )
        self._html = html

    def set_tokens(self, tokens: Tokens) -> None:
        """Show the page on the colours of a theme."""
        self.show_page(
            PAGE.format(card=tokens.card, text=tokens.text, accent=tokens.accent, body=self._html)
        )


class PlotBody(Drawing):
    """A Plotly figure, in the colours of the theme where it names none."""

    def __init__(self, figure: dict[str, Any], name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Chart {name}", name=name))
        self.figure = figure
        self._tokens = LIGHT

    def set_tokens(self, tokens: Tokens) -> None:
        """Draw it in the colours of a theme."""
        self._tokens = tokens
        self.show_page(draw_page(dressed(self.figure, tokens), tokens))


def dressed(figure: dict[str, Any], tokens: Tokens) -> dict[str, Any]:
    """Return a figure whose paper, axes and words fit the theme; what it draws keeps its colours."""
    layout = dict(figure["layout"])
    layout.pop("template", None)
    for key in ("width", "height"):
        layout.pop(key, None)
    axis = {
        "gridcolor": tokens.hairline,
        "zerolinecolor": tokens.hairline,
        "linecolor": tokens.hairline,
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
    return {"data": figure["data"], "layout": layout | plain | axes}
