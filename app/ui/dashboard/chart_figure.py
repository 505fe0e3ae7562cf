"""Convert a chart artifact to a Plotly figure in the colours of the theme."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from app.openbb.charts import largest_first, lies
from app.ui.theme.i18n import spoken_language

DAY, FORTNIGHT = 86_400_000, 1_209_600_000  # milliseconds
# date formats of an axis, for languages whose months are numbered
DATES: dict[str, dict[str, Any]] = {
    language: {
        "tickformatstops": [
            {"dtickrange": [None, DAY - 1], "value": "%H:%M\n%Y年%-m月%-d日"},
            {"dtickrange": [DAY, 2 * FORTNIGHT], "value": "%-m月%-d日\n%Y年"},
            {"dtickrange": ["M1", "M11"], "value": "%Y年%-m月"},
            {"dtickrange": ["M12", None], "value": "%Y年"},
        ],
        "hoverformat": "%Y年%-m月%-d日",
    }
    for language in ("zh", "ja")
}
ISO = re.compile(r"\d{4}-\d\d-\d\d")
SMALL = 11  # pixels: text size of axis labels
NAMED = 12  # bars: with at most this many, every bar is labelled

if TYPE_CHECKING:
    from app.domain.events import Artifact
    from app.ui.theme.tokens import Tokens


def figure_of(artifact: Artifact, tokens: Tokens) -> dict[str, Any] | None:
    """Return the data and layout of a figure; None if the artifact is not a chart of rows."""
    chart, rows = artifact.chart or {}, artifact.content
    if artifact.type == "chart" and chart.get("chartType") == "plotly":
        return dressed(chart, artifact.name, tokens)
    if artifact.type == "chart" and isinstance(rows, list) and chart.get("angleKey"):
        return pie(chart, [row for row in rows if isinstance(row, dict)], tokens)
    if artifact.type != "chart" or not isinstance(rows, list) or not chart.get("xKey"):
        return None
    form = str(chart.get("chartType"))
    kind = {"bar": "bar"}.get(form, "scatter")
    rows = largest_first(chart, rows) if kind == "bar" else rows
    x = [row.get(chart["xKey"]) for row in rows if isinstance(row, dict)]
    data: list[dict[str, Any]] = []
    colours = [tokens.accent, *tokens.lines]
    for number, key in enumerate(chart.get("yKey") or []):
        colour = colours[number % len(colours)]
        trace: dict[str, Any] = {
            "type": kind,
            "name": key,
            "x": x,
            "y": [r.get(key) for r in rows if isinstance(r, dict)],
        }
        if kind == "scatter":
            trace |= {
                "mode": "markers" if form == "scatter" else "lines",
                "line": {"color": colour, "width": 2},
            }
        else:
            trace |= {"marker": {"color": colour}}
        data.append(trace)
    axis = {
        "gridcolor": tokens.hairline,
        "zeroline": False,
        "linecolor": tokens.hairline,
        "nticks": 6,
    }
    if lies(chart, rows):
        return lying(data, axis, tokens)
    up = axis_of({"title": data[0]["name"], "automargin": True} if len(data) == 1 else {}, tokens)
    layout: dict[str, Any] = {
        **themed(tokens),
        "margin": {"l": 48, "r": 30, "t": 12, "b": 36},
        "showlegend": len(data) > 1,
        "xaxis": axis | across(data, x, kind, tokens),
        "yaxis": up | axis | {"separatethousands": True},
    }
    return {"data": data, "layout": layout}


def lying(data: list[dict[str, Any]], axis: dict[str, Any], tokens: Tokens) -> dict[str, Any]:
    """Return a figure of horizontal bars, one below the other, each with its full name
    beside it.
    """
    bars = [trace | {"x": trace["y"], "y": trace["x"], "orientation": "h"} for trace in data]
    small = {"tickfont": {"size": round(SMALL * tokens.scale)}}
    names = {"type": "category", "autorange": "reversed", "automargin": True, "showgrid": False}
    titled = {"title": bars[0]["name"]} if len(bars) == 1 else {}
    values = axis_of({**titled, "automargin": True}, tokens) | axis | {"separatethousands": True}
    layout: dict[str, Any] = {
        **themed(tokens),
        "margin": {"l": 12, "r": 30, "t": 8, "b": 36},
        "showlegend": len(bars) > 1,
        "bargap": 0.3,
        "xaxis": values,
        "yaxis": names | {"dtick": 1, "ticksuffix": " "} | small,
    }
    return {"data": bars, "layout": layout}


def across(data: list[dict[str, Any]], x: list[Any], kind: str, tokens: Tokens) -> dict[str, Any]:
    """Return the category axis of a chart of rows: days as dates, everything else as names."""
    made: dict[str, Any] = {"showgrid": False, "type": "-"}
    if is_dated(data) and (kind != "bar" or len(x) > NAMED):
        flat = {
            "nticks": 4,
            "tickangle": 0,
            "automargin": True,
            "tickfont": {"size": round(SMALL * tokens.scale)},
        }  # labels at an angle would be cut off
        return made | {"type": "date"} | flat | DATES.get(spoken_language(), {})
    if isinstance(x[0] if x else "", str):
        made["type"] = "category"
    if kind == "bar":
        made |= {
            "automargin": True,
            "autotickangles": [0, 40, 90],
            "tickfont": {"size": round(SMALL * tokens.scale)},
        }
        made |= {"nticks": len(x)} if len(x) <= NAMED else {}  # every bar is labelled
    return made


def dressed(chart: dict[str, Any], name: str, tokens: Tokens) -> dict[str, Any]:
    """Return a Plotly figure in the theme's colours, unless it has its own.

    name: the title of its tile, which is not repeated inside.
    """
    data, layout = list(chart["data"]), dict(chart["layout"]) | themed(tokens)
    title = layout.get("title")
    if name and isinstance(title, dict) and title.get("text") == name:
        del layout["title"]
        layout["margin"] = dict(layout.get("margin") or {}) | {"t": 10}
    candles = any(trace.get("type") == "candlestick" for trace in data)
    layout.setdefault("colorway", [tokens.accent, *tokens.lines])
    layout.setdefault("bargap", 0.3)
    around = {"l": 48, "r": 24, "t": 40 if layout.get("title") else 16, "b": 36}
    layout["margin"] = around | dict(layout.get("margin") or {})
    for axis in {"xaxis", "yaxis"} | {key for key in layout if key.startswith(("xaxis", "yaxis"))}:
        bare = {"showgrid": False} if axis.startswith("x") else {"separatethousands": True}
        layout[axis] = bare | axis_of(dict(layout.get(axis) or {}), tokens)
        if axis.startswith("x") and spoken_language() in DATES and is_dated(data):
            layout[axis] = DATES[spoken_language()] | layout[axis]
    return {
        "data": [dressed_trace(trace, tokens, candles=candles) for trace in data],
        "layout": layout,
    }


def is_dated(data: list[dict[str, Any]]) -> bool:
    """Return whether the category axis of a chart has dates."""
    firsts = [trace["x"][0] for trace in data if trace.get("x") is not None and len(trace["x"])]
    return bool(firsts) and all(isinstance(x, str) and ISO.match(x) for x in firsts)


def axis_of(axis: dict[str, Any], tokens: Tokens) -> dict[str, Any]:
    """Return an axis with faint lines and small text."""
    quiet = {
        "gridcolor": tokens.hairline,
        "zerolinecolor": tokens.faint,
        "linecolor": tokens.hairline,
        "automargin": True,
    }
    title = axis.get("title")
    held = dict(title) if isinstance(title, dict) else {"text": title} if title else {}
    small = {"size": round(SMALL * tokens.scale)}
    told = {"title": {"font": small, "standoff": 6} | held} if held else {}
    return quiet | {"tickfont": small} | axis | told


def dressed_trace(trace: dict[str, Any], tokens: Tokens, *, candles: bool) -> dict[str, Any]:
    """Return candles in the colours for rising and falling, and the traces below them in muted
    colours.
    """
    if trace.get("type") == "candlestick":
        rising, falling = (
            {"line": {"color": c, "width": 1}, "fillcolor": c}
            for c in (tokens.accent, tokens.danger)
        )
        return {"increasing": rising, "decreasing": falling} | trace
    if trace.get("type") == "bar" and candles:
        return {"marker": {"color": tokens.faint}, "opacity": 0.7} | trace
    if trace.get("type") == "scatter" and trace.get("mode") == "lines":
        return trace | {"line": {"width": 1.6} | dict(trace.get("line") or {})}
    return trace


def pie(chart: dict[str, Any], rows: list[dict[str, Any]], tokens: Tokens) -> dict[str, Any]:
    """Return a pie or donut chart."""
    trace = {
        "type": "pie",
        "values": [row.get(chart["angleKey"]) for row in rows],
        "labels": [row.get(chart["calloutLabelKey"]) for row in rows],
        "marker": {"colors": [tokens.accent, *tokens.lines]},
        "hole": 0.5 if chart.get("chartType") == "donut" else 0,
    }
    return {
        "data": [trace],
        "layout": {**themed(tokens), "margin": {"l": 12, "r": 12, "t": 12, "b": 12}},
    }


def themed(tokens: Tokens) -> dict[str, Any]:
    """Return the theme's colours for a layout."""
    font = {"color": tokens.muted, "size": round(12 * tokens.scale)}
    return {"paper_bgcolor": tokens.card, "plot_bgcolor": tokens.card, "font": font}
