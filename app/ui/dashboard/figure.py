"""A chart artifact as a Plotly figure in the colours of the theme."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.domain.events import Artifact
    from app.ui.style.tokens import Tokens


def figure_of(artifact: Artifact, tokens: Tokens) -> dict[str, Any] | None:
    """Return data and layout; None for an artifact that is no chart of rows."""
    chart, rows = artifact.chart or {}, artifact.content
    if artifact.type == "chart" and chart.get("chartType") == "plotly":
        return {"data": chart["data"], "layout": chart["layout"] | themed(tokens)}
    if artifact.type == "chart" and isinstance(rows, list) and chart.get("angleKey"):
        return pie(chart, [row for row in rows if isinstance(row, dict)], tokens)
    if artifact.type != "chart" or not isinstance(rows, list) or not chart.get("xKey"):
        return None
    form = str(chart.get("chartType"))
    kind = {"bar": "bar"}.get(form, "scatter")
    x = [row.get(chart["xKey"]) for row in rows if isinstance(row, dict)]
    data: list[dict[str, Any]] = []
    for key in chart.get("yKey") or []:
        trace: dict[str, Any] = {
            "type": kind,
            "name": key,
            "x": x,
            "y": [r.get(key) for r in rows if isinstance(r, dict)],
        }
        if kind == "scatter":
            trace |= {
                "mode": "markers" if form == "scatter" else "lines",
                "line": {"color": tokens.accent, "width": 2},
            }
        else:
            trace |= {"marker": {"color": tokens.accent}}
        data.append(trace)
    axis = {"gridcolor": tokens.hairline, "zeroline": False, "linecolor": tokens.hairline, "nticks": 6}
    layout: dict[str, Any] = {
        **themed(tokens),
        "margin": {"l": 48, "r": 30, "t": 12, "b": 36},
        "showlegend": len(data) > 1,
        "xaxis": axis
        | {"showgrid": False, "type": "category" if isinstance(x[0] if x else "", str) else "-"},
        "yaxis": axis,
    }
    return {"data": data, "layout": layout}


def pie(chart: dict[str, Any], rows: list[dict[str, Any]], tokens: Tokens) -> dict[str, Any]:
    """Return a pie or a donut."""
    trace = {
        "type": "pie",
        "values": [row.get(chart["angleKey"]) for row in rows],
        "labels": [row.get(chart["calloutLabelKey"]) for row in rows],
        "hole": 0.5 if chart.get("chartType") == "donut" else 0,
    }
    return {"data": [trace], "layout": {**themed(tokens), "margin": {"l": 12, "r": 12, "t": 12, "b": 12}}}


def themed(tokens: Tokens) -> dict[str, Any]:
    """Return the colours of a layout."""
    font = {"color": tokens.muted, "size": 12}
    return {"paper_bgcolor": tokens.card, "plot_bgcolor": tokens.card, "font": font}
