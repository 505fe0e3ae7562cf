"""Charts that backends write for other libraries, drawn as Plotly figures or shown as a table of
their numbers; also the order and direction of bars.
"""

from __future__ import annotations

import calendar
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from app.openbb.wire import as_dict

if TYPE_CHECKING:
    from app.domain.events import Artifact


ISO = re.compile(r"\d{4}-\d\d-\d\d")
ROOM = 640  # width of the column that contains the answers, in pixels
# widths in pixels of a small letter, of a wide letter, and of the value axis
LETTER, WIDE_LETTER, AXIS = 6.5, 11.5, 60
# height in pixels of a horizontal bar, and of each bar beside it; maximum number of bars that are
# drawn horizontally
BAR, BESIDE, MOST_LYING = 24, 14, 40
ORDERED = re.compile(r"\d|[一二三四五六七八九十]月|星期|周[一二三四五六日]|[月火水木金土日]曜")
CALENDAR = {
    name.lower()
    for names in (calendar.month_name, calendar.month_abbr, calendar.day_name, calendar.day_abbr)
    for name in names
}


def largest_first(chart: dict[str, Any], rows: list[Any]) -> list[Any]:
    """Return the rows of a bar chart with the largest value first, because categories have no order
    of their own.

    Rows that are already sorted by value keep their order, as do days, months and numbered names.
    """
    keys = chart.get("yKey") or []
    names = [row.get(chart["xKey"]) for row in rows if isinstance(row, dict)]
    values = [row.get(keys[0]) for row in rows if isinstance(row, dict)] if len(keys) == 1 else []
    numbers = [value for value in values if isinstance(value, int | float)]
    known = len(numbers) == len(rows) > 0
    if not known or not is_category(names) or numbers in (sorted(numbers), sorted(numbers)[::-1]):
        return rows
    return sorted(rows, key=lambda row: row[keys[0]], reverse=True)


def is_category(names: list[Any]) -> bool:
    """Return whether names have no order of their own, that is, are neither days nor months and are
    not numbered.
    """
    return all(
        isinstance(name, str) and not ORDERED.search(name) and name.lower() not in CALENDAR
        for name in names
    )


def lies(chart: dict[str, Any], rows: list[Any]) -> bool:
    """Return whether the bars of a chart are horizontal. They are horizontal if their names are too
    long to fit side by side.
    """
    if chart.get("chartType") != "bar" or not chart.get("xKey"):
        return False
    held = [row.get(chart["xKey"]) for row in rows if isinstance(row, dict)]
    names = [name for name in held if isinstance(name, str)]
    if len(names) < len(held) or not 0 < len(names) <= MOST_LYING:
        return False
    widest = max(sum(WIDE_LETTER if ord(c) > 0x2E7F else LETTER for c in name) for name in names)
    dated = all(ISO.match(name) for name in names)
    return not dated and widest > (ROOM - AXIS) / len(names)


def height_of(artifact: Artifact, scale: float, least: int) -> int:
    """Return the height of a chart in an answer, in pixels; horizontal bars get the height that
    they need.

    scale: the text size factor. least: the minimum height, which is also used for other charts.
    """
    chart, rows = artifact.chart or {}, artifact.content
    if not isinstance(rows, list) or not lies(chart, rows):
        return least
    beside = BESIDE * (len(chart.get("yKey") or []) - 1)
    return max(least, round((len(rows) * (BAR + beside) + AXIS) * scale))


# Highcharts' chart types, by the Plotly type used to draw them
LINES = {"line", "spline", "area", "areaspline", "arearange", "scatter", "bubble"}
BAR_KINDS = {"column", "bar"}
PARTS = {"pie", "variablepie"}
CANDLES = {"candlestick", "ohlc"}
KNOWN = {*LINES - {"arearange"}, *BAR_KINDS, *PARTS, *CANDLES, "heatmap"}
NOT_DATA = frozenset(("color", "marker", "events", "dataLabels", "className", "selected", "sliced"))
# Vega-Lite's marks, by the Plotly mode used to draw them
MARKS = {"line": "lines", "area": "lines", "point": "markers", "circle": "markers"}


def figure_of_highcharts(options: dict[str, Any]) -> dict[str, Any] | None:
    """Return a Plotly figure for Highcharts options; None for kinds that cannot be drawn this
    way.
    """
    series = series_of(options)
    if not series or any(kind_of(options, one) not in KNOWN for one in series):
        return None
    across = first(options.get("xAxis"))
    turned = as_dict(options.get("chart")).get("inverted") is True
    made: list[dict[str, Any]] = []
    for place, one in enumerate(series, 1):
        name = str(one.get("name") or f"Series {place}")
        points = [point_of(raw, at, across, one) for at, raw in enumerate(one["data"])]
        trace = trace_of(kind_of(options, one), name, points, turned=turned)
        if one.get("yAxis") in (1, "1"):
            trace["yaxis"] = "y2"
        made.append(trace)
    stacked = any(
        as_dict(told).get("stacking")
        for told in (*as_dict(options.get("plotOptions")).values(), *series)
    )
    layout: dict[str, Any] = {"barmode": "stack" if stacked else "group"}
    if title := words_of(options.get("title")):
        layout["title"] = {"text": title}
    for key, axis in (("xaxis", across), ("yaxis", first(options.get("yAxis")))):
        if told := words_of(axis.get("title")):
            layout[key] = {"title": {"text": told}}
    if any("yaxis" in trace for trace in made):
        layout["yaxis2"] = {"overlaying": "y", "side": "right"}
    return {"data": made, "layout": layout}


def rows_of_highcharts(options: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the numbers in Highcharts options, as one row for each point."""
    across = first(options.get("xAxis"))
    rows: list[dict[str, Any]] = []
    for place, one in enumerate(series_of(options), 1):
        name = str(one.get("name") or f"Series {place}")
        for at, raw in enumerate(one["data"]):
            rows.append({"series": name, **point_of(raw, at, across, one)})
    return rows


def series_of(options: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the series that have points."""
    told = options.get("series")
    listed = told if isinstance(told, list) else [told]
    return [one for one in listed if isinstance(one, dict) and isinstance(one.get("data"), list)]


def kind_of(options: dict[str, Any], series: dict[str, Any]) -> str:
    """Return the kind of a series: its own kind or, if it has none, the chart's."""
    return str(series.get("type") or as_dict(options.get("chart")).get("type") or "line")


def point_of(raw: Any, at: int, across: dict[str, Any], series: dict[str, Any]) -> dict[str, Any]:
    """Return a point with its numbers by name. A bare number is placed by its position in the list,
    starting where the series begins.
    """
    start, step = series.get("pointStart"), series.get("pointInterval")
    begin = start if isinstance(start, int | float) else 0
    place: Any = begin + at * (step if isinstance(step, int | float) else 1)
    if isinstance(raw, dict):
        made = {str(k): v for k, v in raw.items() if k not in NOT_DATA}
        x = made.pop("x", made.get("name", place))
        return {"x": placed(x, across), **made}
    if isinstance(raw, list):
        keys = series.get("keys")
        if isinstance(keys, list) and "x" not in keys and "y" not in keys:
            return dict(zip(map(str, keys), raw, strict=False))
        if len(raw) == 2:
            return {"x": placed(raw[0], across), "y": raw[1]}
        names = ("x", "open", "high", "low", "close") if len(raw) == 5 else ("x", "y", "value")
        made = dict(zip(names, raw, strict=False))
        return made | {"x": placed(made.get("x", place), across)}
    return {"x": placed(place, across), "y": raw}


def placed(x: Any, across: dict[str, Any]) -> Any:
    """Return the position of a point in the units of its axis: a category, a day, or a number."""
    categories = across.get("categories")
    if isinstance(categories, list) and isinstance(x, int) and 0 <= x < len(categories):
        return categories[x]
    number = isinstance(x, int | float) and not isinstance(x, bool)
    if number and (across.get("type") == "datetime" or abs(x) > 1e11):
        try:  # milliseconds since 1970
            moment = datetime.fromtimestamp(x / 1000, UTC)
        except (OverflowError, OSError, ValueError):
            return x
        return moment.strftime("%Y-%m-%d" if x % 86_400_000 == 0 else "%Y-%m-%d %H:%M:%S")
    return x


def trace_of(kind: str, name: str, points: list[dict[str, Any]], *, turned: bool) -> dict[str, Any]:
    """Return the Plotly trace of a series."""
    x, y = [p.get("x") for p in points], [p.get("y") for p in points]
    if kind in PARTS:
        labels = [p.get("name", p.get("x")) for p in points]
        return {"type": "pie", "name": name, "labels": labels, "values": y}
    if kind in CANDLES:
        prices = {k: [p.get(k) for p in points] for k in ("open", "high", "low", "close")}
        return {"type": "candlestick", "name": name, "x": x, **prices}
    if kind == "heatmap":
        return {
            "type": "heatmap",
            "name": name,
            "x": x,
            "y": y,
            "z": [p.get("value") for p in points],
        }
    lying = (kind == "bar") != turned if kind in BAR_KINDS else turned
    places = {"x": y, "y": x} if lying else {"x": x, "y": y}
    if kind in BAR_KINDS:
        return {"type": "bar", "name": name, "orientation": "h" if lying else "v", **places}
    marks = "markers" if kind in ("scatter", "bubble") else "lines"
    fill = {"fill": "tozeroy"} if kind.startswith("area") else {}
    return {"type": "scatter", "mode": marks, "name": name, **fill, **places}


def figure_of_vegalite(spec: dict[str, Any]) -> dict[str, Any] | None:
    """Return a Plotly figure for a Vega-Lite specification with a single plain mark and inline
    data; None for any other specification.
    """
    rows, mark = rows_of_vegalite(spec), spec.get("mark")
    mark = mark.get("type") if isinstance(mark, dict) else mark
    encoding = as_dict(spec.get("encoding"))
    told = {name: as_dict(encoding.get(name)) for name in ("x", "y", "color")}
    x, y, by = (str(told[name].get("field") or "") for name in ("x", "y", "color"))
    # specifications that first compute something are not supported here
    plain = not any(
        one.get(key) for one in told.values() for key in ("aggregate", "bin", "timeUnit")
    )
    if not (rows and x and y and plain) or spec.get("transform"):
        return None
    if mark not in (*MARKS, "bar"):
        return None
    made: list[dict[str, Any]] = []
    for value in dict.fromkeys(str(row.get(by)) for row in rows) if by else ("",):
        mine = [row for row in rows if not by or str(row.get(by)) == value]
        places = {"x": [row.get(x) for row in mine], "y": [row.get(y) for row in mine]}
        if mark == "bar":
            lying = told["x"].get("type") == "quantitative" != told["y"].get("type")
            made.append(
                {"type": "bar", "name": value, "orientation": "h" if lying else "v", **places}
            )
        else:
            fill = {"fill": "tozeroy"} if mark == "area" else {}
            made.append(
                {"type": "scatter", "mode": MARKS[str(mark)], "name": value, **fill, **places}
            )
    axes = {
        f"{n}axis": {"title": {"text": str(told[n].get("title") or told[n]["field"])}} for n in "xy"
    }
    title = words_of(spec.get("title"))
    layout = axes | ({"title": {"text": title}} if title else {}) | {"barmode": "stack"}
    return {"data": made, "layout": layout}


def rows_of_vegalite(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the inline data of a Vega-Lite specification."""
    values = as_dict(spec.get("data")).get("values")
    rows = values if isinstance(values, list) else []
    return [row if isinstance(row, dict) else {"data": row} for row in rows]


def first(axis: Any) -> dict[str, Any]:
    """Return the first of several axes."""
    return as_dict(axis[0] if isinstance(axis, list) and axis else axis)


def words_of(title: Any) -> str:
    """Return a title's text."""
    text = title.get("text") if isinstance(title, dict) else title
    return text if isinstance(text, str) else ""
