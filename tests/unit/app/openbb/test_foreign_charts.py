"""Charts that backends write for Highcharts and Vega-Lite: drawn, or offered as a table."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.domain.errors import BackendError
from app.openbb.content import Content, Reply, read_content
from app.openbb.widgets import read_spec

DAY = 1_700_006_400_000  # 2023-11-15
HIGH: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [
    (
        {
            "chart": {"type": "column"},
            "xAxis": {"categories": ["a", "b"]},
            "series": [{"name": "S", "data": [3, {"y": 4, "color": "red"}]}],
        },
        [{"type": "bar", "name": "S", "orientation": "v", "x": ["a", "b"], "y": [3, 4]}],
    ),
    (
        {"chart": {"type": "bar"}, "series": [{"name": "S", "data": [["a", 3], ["b", 4]]}]},
        [{"type": "bar", "name": "S", "orientation": "h", "x": [3, 4], "y": ["a", "b"]}],
    ),
    (
        {
            "xAxis": [{"type": "datetime"}],
            "series": [
                {"name": "P", "data": [[DAY, 1.5], [DAY + 3_600_000, None]]},
                {"name": "V", "type": "area", "yAxis": 1, "pointStart": DAY, "data": [7]},
            ],
        },
        [
            {
                "type": "scatter",
                "mode": "lines",
                "name": "P",
                "x": ["2023-11-15", "2023-11-15 01:00:00"],
                "y": [1.5, None],
            },
            {
                "type": "scatter",
                "mode": "lines",
                "name": "V",
                "fill": "tozeroy",
                "x": ["2023-11-15"],
                "y": [7],
                "yaxis": "y2",
            },
        ],
    ),
    (
        {"series": [{"type": "pie", "name": "S", "data": [["a", 1], {"name": "b", "y": 2}]}]},
        [{"type": "pie", "name": "S", "labels": ["a", "b"], "values": [1, 2]}],
    ),
    (
        {"series": [{"type": "ohlc", "name": "S", "data": [[DAY, 1, 4, 0.5, 2]]}]},
        [
            {
                "type": "candlestick",
                "name": "S",
                "x": ["2023-11-15"],
                "open": [1],
                "high": [4],
                "low": [0.5],
                "close": [2],
            }
        ],
    ),
]


def read(kind: str, value: Any) -> Content:
    spec = read_spec("w", {"name": "W", "type": kind, "endpoint": "w"})
    assert spec is not None
    return read_content(spec, Reply("u", "application/json", json.dumps(value).encode()))


@pytest.mark.parametrize(("options", "traces"), HIGH)
def test_usual_kinds_of_highcharts_are_drawn(
    options: dict[str, Any], traces: list[dict[str, Any]]
) -> None:
    content = read("chart-highcharts", options)
    assert content.type == "plotly"
    assert content.value["data"] == traces
    assert read("chart-highcharts", json.dumps(options)) == content  # sent as text, too


def test_titles_and_stacks_go_along() -> None:
    options = {
        "title": {"text": "Sales"},
        "yAxis": {"title": {"text": "EUR"}},
        "plotOptions": {"column": {"stacking": "normal"}},
        "series": [{"type": "column", "data": [1]}, {"type": "column", "data": [2]}],
    }
    layout = read("chart-highcharts", options).value["layout"]
    assert layout["title"] == {"text": "Sales"}
    assert layout["yaxis"] == {"title": {"text": "EUR"}}
    assert layout["barmode"] == "stack"


def test_what_cannot_be_drawn_is_offered_as_the_table_of_its_numbers() -> None:
    flow = {"type": "sankey", "keys": ["from", "to", "weight"], "data": [["a", "b", 3]]}
    content = read("chart-highcharts", {"series": [flow]})
    assert content.type == "table"
    assert content.value == [{"series": "Series 1", "from": "a", "to": "b", "weight": 3}]
    tree = {"type": "treemap", "name": "T", "data": [{"name": "a", "value": 3, "color": "red"}]}
    assert read("chart-highcharts", {"series": [tree]}).value == [
        {"series": "T", "x": "a", "name": "a", "value": 3}
    ]
    assert read("chart-highcharts", {"chart": {}}).type == "raw"


def test_plain_marks_of_vegalite_are_drawn_and_others_are_a_table() -> None:
    rows = [{"a": "x", "b": 3, "c": "m"}, {"a": "y", "b": 4, "c": "n"}]
    encoding: dict[str, Any] = {
        "x": {"field": "a", "type": "nominal"},
        "y": {"field": "b", "type": "quantitative"},
        "color": {"field": "c"},
    }
    spec = {"mark": {"type": "bar"}, "data": {"values": rows}, "encoding": encoding}
    content = read("chart-vegalite", spec)
    assert content.type == "plotly"
    assert content.value["data"] == [
        {"type": "bar", "name": "m", "orientation": "v", "x": ["x"], "y": [3]},
        {"type": "bar", "name": "n", "orientation": "v", "x": ["y"], "y": [4]},
    ]
    counted = encoding | {"y": {"aggregate": "count", "field": "b"}}
    for other in (spec | {"mark": "arc"}, spec | {"encoding": counted}):
        assert read("chart-vegalite", other) == Content("table", rows)


def test_a_figure_of_plotly_under_another_name_is_a_figure() -> None:
    told = {"data": [{"type": "bar", "y": [1]}], "layout": {}}
    assert read("chart-highcharts", told) == Content("plotly", told)


@pytest.mark.parametrize(
    "value", [{"symbol": "A", "price": 3, "splits": []}, {"symbol": "A", "days": ["1"]}]
)
def test_scalars_with_a_list_that_holds_no_rows_are_one_row(value: dict[str, Any]) -> None:
    assert read("table", value) == Content("table", [value])
    with pytest.raises(BackendError, match="there are no rows"):
        read("table", {"count": 0, "results": []})
