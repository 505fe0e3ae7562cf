# ruff: noqa: F811
"""Tables whose server gives their rows out in ranges, and what cannot be shown but opened
elsewhere.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.data.views import RowOrder
from app.domain.copilot import OfferedWidget
from app.domain.errors import BackendError
from app.services.dashboard import fetches
from app.services.dashboard.tiles import Boards
from app.services.functions.context import CallContext
from app.services.functions.widget_data import get_widget_data
from tests.unit.app.services.dashboard.test_backends import Terminal, terminal  # noqa: F401 - a fixture
from tests.widget_backend import MANY, Server


async def test_all_rows_are_fetched_range_by_range(terminal: Terminal, server: Server) -> None:
    uid = (await terminal.placed(server, "large")).uuid
    assert terminal.widgets.profile(uid).rows == MANY
    asked = [
        query for method, path, query, _ in server.asked if (method, path) == ("POST", "large")
    ]
    assert [(q["startRow"], q["endRow"]) for q in asked] == [
        (0, 5000),
        (5000, 10_000),
        (10_000, 15_000),
    ]
    assert (asked[0]["symbol"], asked[0]["sortModel"], asked[0]["filterModel"]) == ("ORB", [], {})
    assert terminal.live.state(uid).total == 0
    mean = terminal.widgets.sources.run("mean", {"source": uid, "column": "id"})
    assert mean.value == (MANY - 1) / 2


async def test_of_more_than_can_be_kept_the_server_sorts_and_filters(
    terminal: Terminal,
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fetches, "EACH", 400)
    monkeypatch.setattr(fetches, "MOST", 1000)
    uid = (await terminal.placed(server, "large")).uuid
    state = terminal.live.state(uid)
    assert (terminal.widgets.profile(uid).rows, state.total) == (1000, MANY)
    state.order = RowOrder("square", True, {"id": "100..5000", "name": "item 7"})
    await terminal.live.refresh(uid)
    rows = terminal.widgets.sources.rows(uid, 0, 1000)
    squares = [row[1] for row in rows]
    assert state.error is None
    assert squares == sorted(squares, reverse=True)
    assert {row[2] for row in rows} == {"item 7"}
    assert all(100 <= row[0] <= 5000 for row in rows)
    state.order = RowOrder(filters={"id": "none"})
    await terminal.live.refresh(uid)
    assert "is not a number" in str(state.error)


async def test_a_copilot_may_ask_for_a_range_itself(terminal: Terminal, server: Server) -> None:
    uid = (await terminal.placed(server, "large", {"symbol": "KLM"})).uuid
    offered = {uid: OfferedWidget(uid, origin=server.url, widget_id="large")}
    desk = CallContext(
        terminal.widgets.sources,
        offered,
        terminal.widgets,
        Boards(terminal.dashboard, terminal.live),
    )
    asked = {
        "startRow": 10,
        "endRow": 12,
        "sortModel": [{"colId": "id", "sort": "desc"}],
        "symbol": "none",
    }
    source = {
        "widget_uuid": uid,
        "origin": server.url,
        "id": "large",
        "input_args": {},
        "ssm_request": asked,
    }
    made = await get_widget_data(desk, {"data_sources": [source]})
    assert [row["id"] for row in json.loads(made.entries[0])] == [MANY - 11, MANY - 12]
    assert server.last("large")["symbol"] == "KLM"  # a range is a range, and no parameter
    endless = {**source, "ssm_request": {"startRow": -5, "endRow": 10**12}}
    await get_widget_data(desk, {"data_sources": [endless]})
    assert (server.last("large")["startRow"], server.last("large")["endRow"]) == (0, fetches.EACH)


@pytest.mark.parametrize(
    ("text", "numeric", "told"),
    [
        ("> 5", True, {"filterType": "number", "type": "greaterThan", "filter": 5.0}),
        ("1..3", True, {"filterType": "number", "type": "inRange", "filter": 1.0, "filterTo": 3.0}),
        ("1,000", True, {"filterType": "number", "type": "equals", "filter": 1000.0}),
        ("orb", False, {"filterType": "text", "type": "contains", "filter": "orb"}),
        ("!= orb", False, {"filterType": "text", "type": "notEqual", "filter": "orb"}),
    ],
)
def test_filters_are_written_as_such_servers_read_them(
    text: str, numeric: bool, told: dict[str, Any]
) -> None:
    assert fetches.filter_of(text, numeric) == told
    with pytest.raises(BackendError, match="not a number"):
        fetches.filter_of("many", True)


@pytest.mark.parametrize(
    ("widget", "value"),
    [
        ("framed", {"url": "https://example.org/page?symbol=ORB"}),
        ("film", "https://www.youtube.com/watch?v=x"),
    ],
)
async def test_what_has_no_view_is_data_and_no_other_server_is_asked(
    terminal: Terminal,
    server: Server,
    widget: str,
    value: Any,
) -> None:
    uid = (await terminal.placed(server, widget)).uuid
    assert terminal.live.state(uid).error is None
    content = await terminal.live.read(uid, {})
    assert (content.type, content.value) == ("raw", value)


async def test_a_chart_of_highcharts_is_a_figure(terminal: Terminal, server: Server) -> None:
    uid = (await terminal.placed(server, "high")).uuid
    content = await terminal.live.read(uid, {})
    assert content.type == "plotly"
    assert content.value["data"][0]["x"] == [1, 2]


async def test_an_unknown_kind_that_is_a_page_is_shown_as_its_text(
    terminal: Terminal, server: Server
) -> None:
    uid = (await terminal.placed(server, "unknown page")).uuid
    content = await terminal.live.read(uid, {})
    assert content.type == "raw"
    assert content.value.startswith("<html>")
