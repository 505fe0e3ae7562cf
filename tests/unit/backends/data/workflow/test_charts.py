"""Charts as figures: what they show, and that Plotly takes them."""

from __future__ import annotations

import json
from typing import Any

import plotly.graph_objects as go
import pytest

from backends.data.errors import WrongArguments
from backends.data.table import table_from_rows
from backends.data.workflow.run import run_workflow
from backends.data.workflow.step import (
    POINTS,
    Chart,
    OutputSheet,
    Step,
    Workflow,
    preview,
)
from tests.unit.backends.data.workflow.conftest import PRICES, Run, figure_of

ALL = (
    "read_series",
    {
        "source": "prices",
        "time": ["day"],
        "columns": ["open", "high", "low", "close", "vol"],
        "by": "stock",
    },
)
ALPHA = ("read_series", ALL[1] | {"entities": ["Alpha"]})


def checked(figure: dict[str, Any]) -> dict[str, Any]:
    """Return a figure that travels as JSON and that Plotly takes."""
    go.Figure(json.loads(json.dumps(figure, allow_nan=False)))
    return figure


def test_a_line_for_each(run: Run) -> None:
    figure = checked(
        figure_of(
            run(
                ALL,
                ("line", {"data": "r1", "x": "day", "y": ["close"], "by": "stock", "title": "T"}),
            )
        )
    )
    assert [t["name"] for t in figure["data"]] == ["Alpha", "Beta", "Gamma"]
    assert figure["data"][1]["y"] == PRICES[PRICES.stock == "Beta"].close.tolist()
    assert figure["layout"]["title"]["text"] == "T"


def test_bars_points_and_pies(run: Run) -> None:
    each = ("combine", {"data": "r1", "column": "vol", "by": ["stock"]})
    bars = checked(
        figure_of(run(ALL, each, ("bar", {"data": "r2", "x": "stock", "y": ["sum of vol"]})))
    )
    assert bars["data"][0]["y"] == PRICES.groupby("stock").vol.sum().tolist()
    pie = checked(
        figure_of(
            run(ALL, each, ("pie", {"data": "r2", "labels": "stock", "values": "sum of vol"}))
        )
    )
    assert pie["data"][0]["labels"] == ["Alpha", "Beta", "Gamma"]
    points = checked(figure_of(run(ALPHA, ("scatter", {"data": "r1", "x": "vol", "y": ["close"]}))))
    assert points["data"][0]["mode"] == "markers"


def test_a_part_below_nothing_is_in_no_pie(run: Run) -> None:
    change = ("change", {"data": "r1", "value": "close"})
    with pytest.raises(WrongArguments, match="below nothing"):
        run(ALPHA, change, ("pie", {"data": "r2", "labels": "day", "values": "change %"}))


def test_bars_and_a_line_far_above_them_have_an_axis_each(run: Run) -> None:
    figure = checked(
        figure_of(
            run(
                ALPHA,
                ("cumulate", {"data": "r1", "value": "vol"}),
                ("bar", {"data": "r2", "x": "day", "y": ["vol"]}),
                ("line", {"data": "r2", "x": "day", "y": ["cumulative vol"]}),
                ("overlay", {"charts": ["r3", "r4"], "title": "flow"}),
            )
        )
    )
    assert [(t["type"], t.get("yaxis")) for t in figure["data"]] == [
        ("bar", None),
        ("scatter", "y2"),
    ]


def test_candles_have_panes_for_what_is_there(run: Run) -> None:
    figure = checked(
        figure_of(
            run(
                ALPHA,
                ("technical", {"data": "r1", "indicator": "macd"}),
                ("technical", {"data": "r2", "indicator": "boll"}),
                ("candlestick", {"data": "r3", "volume": "vol", "title": "Alpha"}),
            )
        )
    )
    kinds = [(t["name"], t["type"], t["yaxis"]) for t in figure["data"]]
    assert kinds[0] == ("close", "candlestick", "y")
    assert ("vol", "bar", "y2") in kinds
    assert ("macd", "bar", "y3") in kinds
    assert ("boll_mid", "scatter", "y") in kinds
    domains = [figure["layout"][a]["domain"] for a in ("yaxis", "yaxis2", "yaxis3")]
    assert domains[2][0] >= 0
    assert domains[2][1] <= domains[1][0]
    assert domains[1][1] <= domains[0][0]


def test_a_long_line_is_thinned_and_says_so() -> None:
    table = table_from_rows([{"n": i, "v": i * 2} for i in range(3 * POINTS)], source="s")
    steps = [
        Step(id="a", interface="read_rows", arguments={"source": "s"}),
        Step(id="b", interface="line", arguments={"data": "a", "x": "n", "y": ["v"]}),
    ]
    chart = run_workflow(Workflow(steps=steps), {"s": table}.__getitem__).done[-1].output
    assert isinstance(chart, Chart)
    assert len(chart.figure["data"][0]["x"]) == POINTS + 1
    assert chart.figure["data"][0]["x"][-1] == 3 * POINTS - 1
    assert chart.left_out is not None


def test_a_table_is_shown_and_its_preview_tells_its_ends(run: Run) -> None:
    sheet = run(ALPHA, ("show_table", {"data": "r1", "title": "Alpha", "save": True}))
    assert isinstance(sheet, OutputSheet)
    assert sheet.save
    seen = preview(sheet)
    own = PRICES[PRICES.stock == "Alpha"]
    assert seen.rows == len(own)
    assert seen.first[0] == own.day.iloc[0]
    assert seen.last[0] == own.day.iloc[-1]
