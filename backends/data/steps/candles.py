"""Visualization: candlesticks with volume and indicators in panes below."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from backends.data.steps.charts import around, rows_of
from backends.data.table import Table
from backends.data.workflow.context import RunContext, number, time_of
from backends.data.workflow.interface import OfData, StepInterface
from backends.data.workflow.output import Chart

# Indicators that are drawn by themselves where their columns stand beside the price: pane →
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
    """Candles of one entity's price."""

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
    """Draw candles, Bollinger's bands over them, volume and indicators below.

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
    traces = [candle, *(trace(name, days, cells[name], "y") for name in over)]
    for i, (_, columns) in enumerate(panes):
        bars = columns == [arguments.volume]
        traces += [
            trace(name, days, cells[name], f"y{i + 2}", bars=bars or name in BARS)
            for name in columns
        ]
    heads = [name or ", ".join(columns) for name, columns in panes]
    left = (
        f"{table.count() - len(rows):,} of {table.count():,} days"
        if len(rows) < table.count()
        else None
    )
    return Chart({"data": traces, "layout": layout(arguments.title, heads)}, (table,), left)


def has(table: Table, name: str) -> bool:
    """Return whether there is a column."""
    return any(column.name == name for column in table.columns)


def found_panes(table: Table) -> list[tuple[str, list[str]]]:
    """Return the indicators whose columns are all there."""
    return [
        (pane, list(columns))
        for pane, columns in PANES.items()
        if all(has(table, c) for c in columns)
    ]


def trace(
    name: str, days: list[Any], cells: list[Any], axis: str, *, bars: bool = False
) -> dict[str, Any]:
    """Return a line, or bars, on an axis."""
    form = {"type": "bar"} if bars else {"type": "scatter", "mode": "lines"}
    return form | {"name": name, "x": days, "y": cells, "yaxis": axis}


def layout(title: str, panes: list[str]) -> dict[str, Any]:
    """Return the panes: the price in the upper part, the others below it, all over the same
    days.
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
    StepInterface(
        "candlestick",
        "visualization",
        "Candles of a price, with panes of volume and indicators.",
        Candlestick,
        candlestick,
        "chart",
    ),
)
