"""Visualization: lines, bars, points, pies and candlesticks as Plotly figures, and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

from backends.data.errors import NothingSelected, WrongArguments
from backends.data.table import ORDINAL, Table, quote
from backends.data.workflow.context import RunContext, number, time_of
from backends.data.workflow.interface import Arguments, OfData, StepInterface
from backends.data.workflow.step import POINTS, Chart, OutputSheet

if TYPE_CHECKING:
    from collections.abc import Callable

    from backends.data.values import Scalar

LINES = 30  # maximum number of entities in a chart
FAR = 5  # a line on the same axis may be at most this many times larger than the bars


class ChartArguments(OfData):
    """Columns plotted against another column."""

    x: str
    y: list[str] = Field(min_length=1, max_length=12)
    by: str | None = Field(
        default=None, description="column that names the entity: one trace for each"
    )
    title: str = ""


class Pie(OfData):
    """Parts of a whole."""

    labels: str
    values: str
    title: str = ""


class OverlayArguments(Arguments):
    """Charts drawn on top of each other."""

    charts: list[str] = Field(min_length=2, max_length=12)
    title: str = ""


class ShowTable(OfData):
    """Rows to show as a table."""

    title: str = ""
    save: bool = Field(default=False, description="save it as CSV, too, where the person says")


def line(desk: RunContext, arguments: ChartArguments) -> Chart:
    """Draw lines, with a trace for each column and entity. In very long lines, points are left
    out.
    """
    return drawn(desk, arguments, {"type": "scatter", "mode": "lines"})


def bar(desk: RunContext, arguments: ChartArguments) -> Chart:
    """Draw bars side by side."""
    return drawn(desk, arguments, {"type": "bar"})


def scatter(desk: RunContext, arguments: ChartArguments) -> Chart:
    """Draw points."""
    return drawn(desk, arguments, {"type": "scatter", "mode": "markers"})


def drawn(desk: RunContext, arguments: ChartArguments, form: dict[str, Any]) -> Chart:
    """Return a chart of columns plotted against another column.

    Raises: UnknownColumn, WrongArguments.
    """
    table = desk.frame(arguments.data)
    x = table.column(arguments.x).name
    for name in arguments.y:
        number(table, name)
    traces: list[dict[str, Any]] = []
    shown, drawable = 0, table.count()
    for entity in entities(table, arguments.by):
        rows = rows_of(table, [x, *arguments.y], arguments.by, entity)
        shown += len(rows)
        for i, name in enumerate(arguments.y):
            label = name if arguments.by is None else str(entity)
            if arguments.by is not None and len(arguments.y) > 1:
                label = f"{entity} · {name}"
            traces.append(
                form | {"name": label, "x": [r[0] for r in rows], "y": [r[1 + i] for r in rows]}
            )
    if not traces:
        raise NothingSelected("There is nothing to draw.", "Choose another range.")
    axis = arguments.y[0] if len(arguments.y) == 1 else ""
    left = f"{drawable - shown:,} of {drawable:,} points" if shown < drawable else None
    made = layout(arguments.title, axis)
    labels = {str(label) for trace in traces for label in trace["x"]}
    if form["type"] == "bar" and table.column(x).kind == "text" and len(labels) <= LINES:
        made["xaxis"] = {
            "automargin": True,
            "dtick": 1,
            "autotickangles": [0, 40, 90],
        }  # so that each bar has a label
    return Chart({"data": traces, "layout": made}, (table,), left)


def entities(table: Table, by: str | None) -> list[Scalar]:
    """Return the entities that get a trace, in order; for a chart of all rows, a single None.

    Raises: WrongArguments if there are too many.
    """
    if by is None:
        return [None]
    name = quote(table.column(by).name)
    found = table.query(
        f"SELECT {name} FROM {table.relation} WHERE {name} IS NOT NULL GROUP BY 1 ORDER BY"
        f" min({ORDINAL}) LIMIT {LINES + 1}"
    )
    if len(found) > LINES:
        raise WrongArguments(
            f"{by} has more than {LINES} values.", "Draw fewer values, or use a bar chart."
        )
    return [row[0] for row in found]


def rows_of(
    table: Table, names: list[str], by: str | None, entity: Scalar
) -> list[tuple[Any, ...]]:
    """Return the cells of one trace; if there are very many, every n-th cell and the last one."""
    clause, bound = ("true", []) if by is None else (f"{quote(by)} = ?", [entity])
    listed = ", ".join(map(quote, names))
    (count,) = table.one(f"SELECT count(*) FROM {table.relation} WHERE {clause}", bound)
    step = -(-int(count) // POINTS)
    return table.query(
        f"SELECT {listed} FROM (SELECT {listed}, row_number() OVER (ORDER BY {ORDINAL}) - 1 AS _nth"
        f" FROM {table.relation} WHERE {clause}) WHERE _nth % {max(step, 1)} = 0 OR _nth ="
        f" {int(count) - 1} ORDER BY _nth",
        bound,
    )


def layout(title: str, y: str) -> dict[str, Any]:
    """Return the layout of a chart, which is compact enough for small tiles."""
    return around(title) | {
        "xaxis": {"automargin": True, "nticks": 5, "tickangle": 0},
        "yaxis": {"title": {"text": y}, "automargin": True},
    }


def around(title: str) -> dict[str, Any]:
    """Return the title, the margins and the position of the legend, which is below the chart."""
    made: dict[str, Any] = (
        {"title": {"text": title, "font": {"size": 12}, "y": 0.98}} if title else {}
    )
    return made | {
        "margin": {"l": 44, "r": 16, "t": 28 if title else 12, "b": 24},
        "legend": {"orientation": "h", "y": -0.16, "yanchor": "top", "font": {"size": 11}},
    }


def pie(desk: RunContext, arguments: Pie) -> Chart:
    """Draw a pie chart.

    Raises: WrongArguments for negative values.
    """
    table = desk.frame(arguments.data)
    number(table, arguments.values)
    rows = rows_of(table, [arguments.labels, arguments.values], None, None)
    if any(row[1] is not None and row[1] < 0 for row in rows):
        raise WrongArguments("A pie chart cannot show negative values.", "Use a bar chart.")
    trace = {"type": "pie", "labels": [str(r[0]) for r in rows], "values": [r[1] for r in rows]}
    return Chart({"data": [trace], "layout": around(arguments.title)}, (table,))


def overlay(desk: RunContext, arguments: OverlayArguments) -> Chart:
    """Draw charts on top of each other. Lines that are much larger than the bars get their own
    axis.

    Raises: WrongArguments for a pie chart or a candlestick chart.
    """
    charts = [desk.chart(handle) for handle in arguments.charts]
    traces = [dict(trace) for chart in charts for trace in chart.figure["data"]]
    if any(trace["type"] not in ("scatter", "bar") for trace in traces):
        raise WrongArguments(
            "Only lines, bars and points can be drawn over each other.", "Draw them separately."
        )
    made = dict(charts[0].figure["layout"])
    if arguments.title:
        made |= around(arguments.title)
    bars, others = (
        [t for t in traces if (t["type"] == "bar") is is_bar] for is_bar in (True, False)
    )
    if bars and others and reach(others) > FAR * reach(bars):
        for trace in others:
            trace["yaxis"] = "y2"
        names = ", ".join(dict.fromkeys(t["name"] for t in others))
        made["yaxis2"] = {
            "overlaying": "y",
            "side": "right",
            "automargin": True,
            "showgrid": False,
            "title": {"text": names},
        }
    if (
        len({str(chart.figure["layout"].get("yaxis")) for chart in charts}) > 1
        and "yaxis2" not in made
    ):
        made["yaxis"] = {"title": {"text": ""}}
    left = [chart.left_out for chart in charts if chart.left_out]
    return Chart(
        {"data": traces, "layout": made},
        tuple(f for c in charts for f in c.frames),
        "; ".join(left) or None,
    )


def reach(traces: list[dict[str, Any]]) -> float:
    """Return the largest absolute value in some traces."""
    cells = [abs(float(v)) for trace in traces for v in trace["y"] if v is not None]
    return max(cells, default=0.0)


def show_table(desk: RunContext, arguments: ShowTable) -> OutputSheet:
    """Show rows as a table."""
    return OutputSheet(desk.frame(arguments.data), arguments.title, arguments.save)


def interface(
    name: str, description: str, function: Callable[[RunContext, ChartArguments], Chart]
) -> StepInterface:
    """Return an interface that plots columns against another column."""
    return StepInterface(name, "visualization", description, ChartArguments, function, "chart")


# Indicators that automatically get a pane if the table has their columns next to the price: pane →
# columns.
PANES = {
    "MACD": ("dif", "dea", "macd"),
    "KDJ": ("k", "d", "j"),
    "RSI": ("rsi",),
    "CCI": ("cci",),
}
OVER_PRICE = ("boll_upper", "boll_mid", "boll_lower")
BARS = ("macd",)
GAP = 0.05


class Candlestick(OfData):
    """The price of one entity, as candlesticks."""

    time: str | None = Field(default=None, description="column of days; none: the first")
    open: str = "open"
    high: str = "high"
    low: str = "low"
    close: str = "close"
    volume: str | None = None
    panes: list[list[str]] = Field(
        default=[],
        max_length=5,
        description="columns of each further pane; those of indicators are found",
    )
    title: str = ""


def candlestick(desk: RunContext, arguments: Candlestick) -> Chart:
    """Draw candlesticks with Bollinger bands over them, and with the volume and indicators below.

    Raises: UnknownColumn, WrongArguments.
    """
    table = desk.frame(arguments.data)
    time = time_of(table, arguments.time)
    prices = [arguments.open, arguments.high, arguments.low, arguments.close]
    over = [name for name in OVER_PRICE if has(table, name)]
    panes = found_panes(table) + [("", columns) for columns in arguments.panes]
    panes = ([("", [arguments.volume])] if arguments.volume else []) + panes
    names = list(dict.fromkeys([*prices, *over, *(c for _, columns in panes for c in columns)]))
    for name in names:
        number(table, name)
    rows = rows_of(table, [time, *names], None, None)
    days = [row[0] for row in rows]
    cells = {name: [row[1 + i] for row in rows] for i, name in enumerate(names)}
    candle: dict[str, Any] = {
        "type": "candlestick",
        "name": arguments.close,
        "x": days,
        "yaxis": "y",
    }
    candle |= dict(zip(("open", "high", "low", "close"), (cells[n] for n in prices), strict=True))
    traces = [candle, *(pane_trace(name, days, cells[name], "y") for name in over)]
    for i, (_, columns) in enumerate(panes):
        bars = columns == [arguments.volume]
        traces += [
            pane_trace(name, days, cells[name], f"y{i + 2}", bars=bars or name in BARS)
            for name in columns
        ]
    heads = [name or ", ".join(columns) for name, columns in panes]
    left = (
        f"{table.count() - len(rows):,} of {table.count():,} days"
        if len(rows) < table.count()
        else None
    )
    return Chart({"data": traces, "layout": pane_layout(arguments.title, heads)}, (table,), left)


def has(table: Table, name: str) -> bool:
    """Return whether a table has a column."""
    return any(column.name == name for column in table.columns)


def found_panes(table: Table) -> list[tuple[str, list[str]]]:
    """Return the indicators whose columns all exist in a table."""
    return [
        (pane, list(columns))
        for pane, columns in PANES.items()
        if all(has(table, c) for c in columns)
    ]


def pane_trace(
    name: str, days: list[Any], cells: list[Any], axis: str, *, bars: bool = False
) -> dict[str, Any]:
    """Return a line, or bars, on an axis."""
    form = {"type": "bar"} if bars else {"type": "scatter", "mode": "lines"}
    return form | {"name": name, "x": days, "y": cells, "yaxis": axis}


def pane_layout(title: str, panes: list[str]) -> dict[str, Any]:
    """Return the layout of the panes: the price is at the top and the others are below it, all with
    the same days.
    """
    made: dict[str, Any] = around(title) | {"showlegend": False}
    made["xaxis"] = {
        "rangeslider": {"visible": False},
        "type": "category",
        "nticks": 3,
        "tickangle": 0,
        "anchor": f"y{len(panes) + 1}" if panes else "y",
    }
    low = min(0.2 * len(panes), 0.66)
    made["yaxis"] = {"domain": [low + GAP if panes else 0, 1]}
    height = low / len(panes) if panes else 0
    for i, name in enumerate(panes):
        top = low - i * height
        pane = {
            "domain": [max(0.0, top - height + GAP / 2), top],
            "title": {"text": name},
            "nticks": 3,
        }
        made[f"yaxis{i + 2}"] = pane
    return made


ALL = (
    interface("line", "Lines over time or another column; a line for each entity.", line),
    interface("bar", "Bars, for instance of entities at one point in time.", bar),
    interface("scatter", "Points of two columns.", scatter),
    StepInterface("pie", "visualization", "Parts of a whole.", Pie, pie, "chart"),
    StepInterface(
        "overlay",
        "visualization",
        "Charts in one, such as bars and a line.",
        OverlayArguments,
        overlay,
        "chart",
    ),
    StepInterface(
        "show_table",
        "visualization",
        "Rows as a table, saved if one wants.",
        ShowTable,
        show_table,
        "table",
    ),
    StepInterface(
        "candlestick",
        "visualization",
        "Candles of a price, with panes of volume and indicators.",
        Candlestick,
        candlestick,
        "chart",
    ),
)
