"""Charts, key figures and price bars of widgets as rows, so that they can be queried like a
table.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from app.openbb.content import kind_of

if TYPE_CHECKING:
    from pathlib import Path

FETCHED = re.compile(r"^[0-9a-f]{32}$")  # the folder with the data fetched for one widget
SUBJECT = re.compile(r"[A-Z^][A-Z0-9.^=:-]{0,14}|.*[\u3040-\u30ff\u4e00-\u9fff].*")
PRICES = ("open", "high", "low", "close")
LINES = ("scatter", "scattergl", "bar", "")


def rows_of(kind: str, value: Any) -> list[dict[str, Any]]:
    """Return the content of a widget as rows; empty if it has none."""
    if kind == "plotly" and isinstance(value, dict):
        return figure_rows(value)
    if kind_of(kind).tabular and isinstance(value, list):
        return [row for row in value if isinstance(row, dict)]
    return []


def figure_rows(figure: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the points of a Plotly figure, with a row for each x and a column for each trace.

    If a trace has an x twice, return a row for each point, with the name of the trace. Figures
    without such points (maps, heat maps, networks) give no rows.
    """
    data, layout = figure.get("data"), figure.get("layout")
    layout = layout if isinstance(layout, dict) else {}
    traces = [one for one in data if isinstance(one, dict)] if isinstance(data, list) else []
    if len(traces) == 1 and traces[0].get("type") == "pie":
        pairs = zip(listed(traces[0].get("labels")), listed(traces[0].get("values")), strict=False)
        return [{"label": label, "value": value} for label, value in pairs]
    place = axis_name(layout, "xaxis") or "x"
    columns: list[tuple[str, list[Any], list[Any]]] = []
    for number, trace in enumerate(traces, 1):
        columns += points(trace, str(trace.get("name") or "").strip(), number, layout)
    if not columns:
        return []
    columns = with_own_names(columns, place)
    if any(len(set(map(str, x))) < len(x) for _, x, _ in columns):
        return [
            {place: at, "series": name, "value": y}
            for name, xs, ys in columns
            for at, y in zip(xs, ys, strict=True)
        ]
    rows: dict[Any, dict[str, Any]] = {}
    for name, xs, ys in columns:
        for at, y in zip(xs, ys, strict=True):
            rows.setdefault(str(at), {place: at})[name] = y
    made = list(rows.values())
    kinds = {type(row[place]) for row in made}
    rising = (
        all(a <= b for _, x, _ in columns for a, b in pairwise(x))
        if kinds in ({str}, {int}, {float})
        else False
    )
    return sorted(made, key=lambda row: row[place]) if rising else made


def points(
    trace: dict[str, Any], name: str, number: int, layout: dict[str, Any]
) -> list[tuple[str, list[Any], list[Any]]]:
    """Return the columns that a trace draws, each as name, positions and values."""
    x = listed(trace.get("x"))
    kind = str(trace.get("type") or "")
    if kind in ("candlestick", "ohlc"):
        drawn = [(f"{name} {price}".strip(), listed(trace.get(price))) for price in PRICES]
    elif kind in LINES:
        y = listed(trace.get("y"))
        if kind == "bar" and trace.get("orientation") == "h":
            x, y = y, x
        drawn = [(name or axis_name(layout, "yaxis") or f"y{number if number > 1 else ''}", y)]
    else:
        return []
    return [
        (title, x or list(range(len(y))), y) for title, y in drawn if y and len(x or y) == len(y)
    ]


def with_own_names(
    columns: list[tuple[str, list[Any], list[Any]]], place: str
) -> list[tuple[str, list[Any], list[Any]]]:
    """Return columns with distinct names, none of which is the name of the position column."""
    taken, made = {place.lower()}, columns[:]
    for at, (name, x, y) in enumerate(columns):
        own, n = name, 2
        while own.lower() in taken:
            own, n = f"{name} {n}", n + 1
        taken.add(own.lower())
        made[at] = (own, x, y)
    return made


def axis_name(layout: dict[str, Any], axis: str) -> str:
    """Return the title of an axis."""
    told = layout.get(axis)
    title = told.get("title") if isinstance(told, dict) else None
    text = title.get("text") if isinstance(title, dict) else title
    return " ".join(text.split())[:80] if isinstance(text, str) else ""


def listed(raw: Any) -> list[Any]:
    """Return the values of a trace, which are sent as a list or as numbers in base64."""
    if isinstance(raw, list):
        return [None if isinstance(one, list | dict) else one for one in raw]
    if not isinstance(raw, dict) or not isinstance(raw.get("bdata"), str):
        return []
    import numpy as np

    try:
        held = base64.b64decode(raw["bdata"], validate=True)
        return np.frombuffer(held, dtype=np.dtype(str(raw.get("dtype"))).newbyteorder("<")).tolist()
    except (binascii.Error, TypeError, ValueError):
        return []


def fetched_with(path: Path) -> dict[str, Any]:
    """Return the parameters with which a widget's data was fetched; empty for any other file."""
    if not FETCHED.match(path.parent.name):
        return {}
    try:
        told = json.loads(path.with_name("parameters.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def subjects(values: dict[str, Any]) -> list[str]:
    """Return the values of parameters that name the subject of the data, such as AAPL or 北京
    (Beijing).
    """
    every = [
        one for value in values.values() for one in (value if isinstance(value, list) else [value])
    ]
    words = [part.strip() for one in every if isinstance(one, str) for part in one.split(",")]
    return list(
        dict.fromkeys(word for word in words if len(word) <= 40 and SUBJECT.fullmatch(word))
    )
