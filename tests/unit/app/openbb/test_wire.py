"""What is found in the wild is read as far as it goes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.openbb.columns import read_looks
from app.openbb.widgets import read_apps, read_spec

ODD: list[Any] = [None, 5, "x", True, [], ["a", 1], {}, {"a": 1}, json.loads('"\\ud83d"')]
WIDGET = [
    *("name", "type", "description", "category", "source", "gridData", "data", "params"),
    *("runButton", "refetchInterval", "dataUpdateDisplay", "wsEndpoint", "staleTime"),
]
COLUMN = [
    *("headerName", "formatterFn", "decimalPlaces", "prefix", "renderFn", "renderFnParams"),
    *("hide", "sparkline", "width", "minWidth", "align", "pinned", "chartDataType"),
]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("name", WIDGET)
def test_a_widget_with_an_odd_field_is_still_a_widget(name: str, odd: Any) -> None:
    spec = read_spec("w", {"endpoint": "e", name: odd})
    assert spec is not None
    assert (spec.id, spec.endpoint) == ("w", "e")


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("name", COLUMN)
def test_a_column_with_an_odd_field_is_still_a_column(name: str, odd: Any) -> None:
    rules = {"colorRules": [odd, {"color": "red", "range": odd}], "hoverCard": odd}
    raw = {"field": "a", "renderFnParams": rules, name: odd}
    assert list(read_looks({"columnsDefs": [odd, raw]})) == ["a"]


@pytest.mark.parametrize("odd", ODD)
def test_a_dashboard_keeps_its_widgets_whatever_stands_beside_them(odd: Any) -> None:
    tab = {"name": odd, "layout": [odd, {"i": "w", "x": odd, "state": odd, "groups": odd}]}
    (made,) = read_apps({"name": odd, "tabs": {"t": tab, "u": odd}, "groups": odd, "prompts": odd})
    ((_, (placed,)),) = made.tabs
    assert placed.widget_id == "w"
