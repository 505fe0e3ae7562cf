"""Charts, key figures and bars of widgets, asked as tables."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from app.data.readers.typed_files import figure_rows
from app.data.sources import Sources
from app.domain.errors import SourceError

if TYPE_CHECKING:
    from pathlib import Path


def kept(path: Path, kind: str, value: Any) -> Path:
    path.write_text(json.dumps({"type": kind, "value": value}), "utf-8")
    return path


def test_lines_over_the_same_days_are_columns_of_one_table(tmp_path: Path) -> None:
    held = base64.b64encode(np.array([1.5, 2.5], dtype="<f8").tobytes()).decode()
    figure = {
        "data": [
            {
                "type": "scatter",
                "name": "AAPL",
                "x": ["2024-01-02", "2024-01-03"],
                "y": {"dtype": "f8", "bdata": held},
            },
            {"type": "bar", "name": "volume", "x": ["2024-01-01", "2024-01-03"], "y": [7, None]},
        ],
        "layout": {"xaxis": {"title": {"text": "day"}}},
    }
    source = Sources().add_file(kept(tmp_path / "chart.json", "plotly", figure))
    assert [(c.name, c.kind) for c in source.table.columns] == [
        ("day", "date"),
        ("volume", "number"),
        ("AAPL", "number"),
    ]
    assert source.table.rows(0, 3) == [
        ("2024-01-01", 7, None),
        ("2024-01-02", None, 1.5),
        ("2024-01-03", None, 2.5),
    ]


def test_candles_pies_and_points_that_come_twice() -> None:
    prices = {"type": "candlestick", "x": ["a"], "open": [1], "high": [4], "low": [0], "close": [2]}
    assert figure_rows({"data": [prices]}) == [
        {"x": "a", "open": 1, "high": 4, "low": 0, "close": 2}
    ]
    pie = {"type": "pie", "labels": ["a", "b"], "values": [1, 2]}
    assert figure_rows({"data": [pie]}) == [{"label": "a", "value": 1}, {"label": "b", "value": 2}]
    twice = {"type": "scatter", "name": "s", "x": [1, 1], "y": [2, 3]}
    assert figure_rows({"data": [twice]}) == [
        {"x": 1, "series": "s", "value": 2},
        {"x": 1, "series": "s", "value": 3},
    ]
    lying = {"type": "bar", "orientation": "h", "x": [5], "y": ["Ada"]}
    unnamed = {"type": "scatter", "y": [8, 9]}
    assert figure_rows({"data": [lying]}) == [{"x": "Ada", "y": 5}]
    assert figure_rows({"data": [unnamed, unnamed]}) == [
        {"x": 0, "y": 8, "y2": 8},
        {"x": 1, "y": 9, "y2": 9},
    ]


@pytest.mark.parametrize(
    "figure",
    [
        {"data": [{"type": "heatmap", "z": [[1, 2]]}]},
        {"data": [{"type": "scatter", "x": [1, 2], "y": [1]}]},
        {"data": [{"type": "scatter", "y": {"dtype": "f8", "bdata": "no base64!"}}]},
        {"data": [{"type": "scatter", "y": {"dtype": "nonsense", "bdata": "AAAA"}}]},
        {"data": "x"},
        {"layout": 7},
    ],
)
def test_what_has_no_points_is_no_table(figure: dict[str, Any], tmp_path: Path) -> None:
    assert figure_rows(figure) == []
    with pytest.raises(SourceError, match="contains no rows"):
        Sources().add_file(kept(tmp_path / "chart.json", "plotly", figure))


def test_key_figures_and_bars_are_rows(tmp_path: Path) -> None:
    figures = [
        {"label": "Cash", "value": "1,234", "delta": "5"},
        {"label": "Debt", "value": "99", "delta": None},
    ]
    source = Sources().add_file(kept(tmp_path / "figures.json", "metric", figures))
    assert source.table.rows(0, 2) == [("Cash", 1234, 5), ("Debt", 99, None)]
    bars = [{"time": "2024-01-02", "open": 1.5, "high": 2, "low": 1, "close": 2, "volume": None}]
    source = Sources().add_file(kept(tmp_path / "bars.json", "candles", bars))
    assert source.table.columns[0].kind == "date"
    assert source.profile.column("close") is not None
