"""Bars of a UDF server: what is asked for, and what its answers mean."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from app.domain.errors import BackendError
from app.openbb.candles import asked, earlier, read_candles
from app.openbb.parameters import label_of, seconds_of
from app.openbb.widgets import read_spec

NOW = dt.datetime(2026, 11, 21, tzinfo=dt.UTC)
OK = {
    "s": "ok",
    "t": [1_700_092_800, 1_700_006_400],
    "o": [2, 1],
    "h": [4, 3],
    "l": [1, 0.5],
    "c": [3, 2],
    "v": [7],
}


@pytest.mark.parametrize(
    ("resolution", "seconds", "label"),
    [
        ("5", 300, "5 min"),
        ("60", 3600, "1 h"),
        ("1D", 86_400, "1 day"),
        ("W", 604_800, "1 week"),
        ("x", 60, "1 x"),
    ],
)
def test_how_long_a_bar_lasts(resolution: str, seconds: int, label: str) -> None:
    assert (seconds_of(resolution), label_of(resolution)) == (seconds, label)


def test_a_span_is_asked_for_that_holds_as_many_bars_as_wanted() -> None:
    query = asked({"symbol": "ORB", "resolution": "1D", "bars": 100}, NOW)
    assert (query["symbol"], query["countback"], query["to"]) == (
        "ORB",
        "100",
        str(int(NOW.timestamp())),
    )
    assert int(query["to"]) - int(query["from"]) >= 140 * 86_400  # weekends have no bars
    assert asked({"bars": 10**9}, NOW)["countback"] == "5000"


def test_bars_are_read_in_time_and_cut_to_the_last() -> None:
    content = read_candles("X", OK, 10)
    assert [bar["time"] for bar in content.value] == ["2023-11-15", "2023-11-16"]
    assert content.value[1] == {
        "time": "2023-11-16",
        "open": 2,
        "high": 4,
        "low": 1,
        "close": 3,
        "volume": 7,
    }
    assert content.value[0]["volume"] is None
    assert len(read_candles("X", OK, 1).value) == 1


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"s": "error", "errmsg": "unknown symbol"}, "unknown symbol"),
        ({"s": "no_data"}, "no bars"),
        (
            {"s": "ok", "t": [1], "o": ["x"], "h": [1], "l": [1], "c": [1]},
            "did not answer with bars",
        ),
        (
            {"s": "ok", "t": [1e18], "o": [1], "h": [1], "l": [1], "c": [1]},
            "did not answer with bars",
        ),
        ([], "did not answer with bars"),
        (None, "did not answer with bars"),
    ],
)
def test_what_is_no_bars_is_told(value: Any, why: str) -> None:
    with pytest.raises(BackendError) as caught:
        read_candles("X", value, 10)
    assert why in caught.value.text


def test_a_server_may_say_when_there_were_bars_last() -> None:
    assert earlier({"s": "no_data", "nextTime": 1_700_006_400}) == 1_700_006_400
    assert earlier({"s": "no_data"}) is None
    assert earlier(OK) is None


def test_a_chart_of_bars_has_parameters_of_its_own_and_those_told() -> None:
    raw = {
        "name": "X",
        "endpoint": "/udf/",
        "type": "advanced-chart",
        "data": {"defaultSymbol": "ORB"},
    }
    raw["params"] = [
        {"paramName": "symbol", "value": "other"},
        {"paramName": "market", "value": "eu"},
    ]
    spec = read_spec("x", raw)
    assert spec is not None
    assert [(p.name, p.value) for p in spec.params][:3] == [
        ("symbol", "ORB"),
        ("resolution", "1D"),
        ("bars", 250),
    ]
    assert [p.name for p in spec.params][3:] == ["market"]
    assert spec.params[0].endpoint == "/udf/search?query=&type=&exchange=&limit=50"
