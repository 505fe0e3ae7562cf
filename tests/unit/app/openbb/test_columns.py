"""How a backend's columns look: numbers, words, colours, hover cards; nonsense is left out."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from app.openbb.columns import ColumnLook, formatted, read_looks
from app.openbb.parameters import filled, read_params
from app.openbb.widgets import by_id, read_spec
from tests.widget_backend import COLUMNS, PARAMS

NOW = dt.datetime(2024, 3, 31, 12, 0)


@pytest.mark.parametrize(
    ("value", "formatter", "decimals", "shown"),
    [
        (1234567.8, "int", None, "1,234,568"),
        (0.5, "percent", None, "0.50 %"),
        (0.5, "normalizedPercent", 1, "50.0 %"),
        (2024.0, "dateToYear", None, "2024"),
        (1.5e9, "normalized", None, "1.50 B"),
        (1234.0, "none", None, "1234"),
        (1234.5678, "", None, "1,234.5678"),
        (1234.5678, "", 1, "1,234.6"),
        (-12.0, "", None, "-12"),
    ],
)
def test_numbers_are_shown_by_their_formatter(
    value: float, formatter: str, decimals: int | None, shown: str
) -> None:
    assert formatted(value, formatter, decimals) == shown


def test_looks_are_read_and_rules_choose_colours() -> None:
    looks = read_looks({"columnsDefs": COLUMNS})
    assert looks["name"].text("orb holdings") == "Orb Holdings"
    assert (looks["change"].title, looks["internal"].hidden, looks["trend"].spark) == (
        "Change",
        True,
        "line",
    )
    assert (looks["change"].colour(-1), looks["change"].colour(1)) == (
        ("down", False),
        ("up", False),
    )
    assert [looks["risk"].colour(v) for v in (8, 3, 1)] == [("red", False), ("blue", False), None]
    card = looks["about"].hover({"value": "a", "description": "<img src=x onerror=alert(1)>"})
    assert card == "More\na <img src=x onerror=alert(1)"
    assert looks["symbol"].hover("x") == ""


@pytest.mark.parametrize(
    "columns",
    [
        None,
        {},
        [1, "x"],
        [{"field": 3}],
        [{"field": "a", "renderFn": 5, "renderFnParams": [], "decimalPlaces": "x"}],
    ],
)
def test_nonsense_about_columns_is_left_out(columns: Any) -> None:
    looks = read_looks({"columnsDefs": columns})
    assert looks in ({}, {"a": ColumnLook("a", renders=("5",))})


def test_a_colour_that_is_none_is_no_rule() -> None:
    rule = {"condition": "gt", "value": 1, "color": "red; background: url(http://x)"}
    look = read_looks({"columnsDefs": [{"field": "a", "renderFnParams": {"colorRules": [rule]}}]})[
        "a"
    ]
    assert look.rules == ()


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        ("$currentDate", "2024-03-31"),
        ("$currentDate-1w", "2024-03-24"),
        ("$currentDate-1M", "2024-02-29"),
        ("$currentDate+1y", "2025-03-31"),
        ("$currentDate-13h", "2024-03-30"),
        ("2020-01-01", "2020-01-01"),
        ("", None),
    ],
)
def test_days_are_written_out(value: str, sent: str | None) -> None:
    params = read_params([{"paramName": "day", "type": "date", "value": value}])
    assert filled(params, {}, NOW).get("day") == sent


def test_parameters_are_read_leniently() -> None:
    params = read_params(
        [*PARAMS, {"type": "text"}, 5, {"paramName": "symbol"}, {"paramName": "x", "type": "weird"}]
    )
    assert [p.name for p in params][-2:] == ["secret", "x"]
    assert (params[-1].kind, params[5].row, params[6].needs) == ("text", 5, ["region"])
    assert [o.value for o in params[7].options] == ["open", "high", "low", "close"]


@pytest.mark.parametrize("raw", [None, 5, [], {}, [{"name": "x"}], "text"])
def test_a_catalogue_of_nonsense_has_no_widgets(raw: Any) -> None:
    assert by_id(raw) == {}


def test_a_widget_without_a_known_type_is_shown_as_data() -> None:
    spec = read_spec(
        "x",
        {
            "endpoint": "/x",
            "type": "hologram",
            "refetchInterval": False,
            "gridData": {"w": 999},
        },
    )
    assert spec is not None
    assert (spec.type, spec.refresh_ms, spec.w) == ("raw", None, 40)
    assert read_spec("x", {"endpoint": ""}) is None
