"""Every function a copilot may call, over a real widget backend: what is done, what it is told,
what is refused.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from openbb_ai import helpers as sdk
from openbb_ai.models import CitationHighlightBoundingBox, QueryRequest, SourceInfo

from app.data.sources import Sources
from app.domain.copilot import WHOLE
from app.domain.dashboard import Widget
from app.domain.events import Citation, Citations
from app.services.consents import Consent
from app.services.functions import FUNCTIONS
from backends.data import declared_select
from backends.data.declared_select import select_over
from backends.data.errors import KernelError
from tests.contract import widget_count
from tests.contract.scripted_peer import (
    PEER,
    Peer,
    Terminal,
    call,
    results,
    said,
    terminal,
    without,
)
from tests.end2end.strangers import serving

SEARCHER = without(
    PEER,
    **{
        "widget-dashboard-select": True,
        "widget-dashboard-search": True,
        "widget-global-search": True,
    },
)


@pytest.fixture
def backend() -> Iterator[str]:
    path = Path(__file__).parents[2] / "resources" / "samples" / "backend" / "backend.py"
    spec = importlib.util.spec_from_file_location("sample_backend", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with serving(module.app) as address:
        yield address


@pytest.fixture
async def here(tmp_path: Path, backend: str) -> AsyncIterator[Terminal]:
    async with terminal(tmp_path / "widgets") as made:
        assert made.boards
        await made.boards.live.backends.add(backend)
        yield made


async def place(
    here: Terminal, backend: str, widget: str = "weather_table", **values: Any
) -> Widget:
    assert here.boards
    made = here.boards.live.make(backend, widget, values)
    await here.widgets.add(made)
    await here.boards.live.refresh(made.uuid)
    return made


async def called(
    here: Terminal, function: str, attach: tuple[str, ...] = (), **arguments: Any
) -> list[dict[str, Any]]:
    """Return the entries a copilot is told of its call; both requests are read by today's SDK."""
    here.said.clear()
    peer = Peer(lambda body: said("ok") if results(body) else call(function, **arguments))
    _, ended = await here.ask(peer, copilot=SEARCHER, attach=attach)
    assert ended.state == "done"
    for body in peer.asked:
        QueryRequest.model_validate(body)
    (result,) = results(peer.asked[1])
    return result["data"]


def content(entry: dict[str, Any]) -> str:
    return entry["items"][0]["content"]


async def test_a_copilot_that_looks_around_is_told_of_all_and_another_of_what_is_attached(
    here: Terminal, backend: str, macro_csv: Path
) -> None:
    weather, macro = await place(here, backend), await here.open(macro_csv)
    peer = Peer(lambda _: said("ok"))
    await here.ask(peer, copilot=SEARCHER, attach=(weather.uuid,))
    read = QueryRequest.model_validate(peer.asked[0])
    assert read.widgets
    assert [(w.name, w.origin, w.widget_id) for w in read.widgets.primary] == [
        ("Weather", backend, "weather_table")
    ]
    params = {p.name: (p.type, p.current_value, p.options) for p in read.widgets.primary[0].params}
    assert params["city"] == ("text", "berlin", ["berlin", "singapore", "sydney"])
    assert [str(w.uuid) for w in read.widgets.secondary] == [macro]
    assert read.widgets.secondary[0].metadata == {}  # nothing of what it holds
    assert {w.widget_id for w in read.widgets.extra} == {
        "about",
        "weather_chart",
        "weather_figures",
        "weather_table",
    }
    assert read.workspace_state
    assert read.workspace_state.current_dashboard_info
    assert read.workspace_state.current_dashboard_info.tabs
    for copilot in (
        PEER,
        replace(SEARCHER, options={WHOLE: False}),
        replace(SEARCHER, query_url="http://far.example/q"),
    ):
        await here.ask(peer, copilot=copilot, attach=(weather.uuid,))
        told = peer.asked[-1]["widgets"]
        assert (len(told["primary"]), told["secondary"], told["extra"]) == (1, [], [])
        assert "workspace_state" not in peer.asked[-1]


async def test_data_are_those_of_the_parameters_of_the_call_not_those_shown(
    here: Terminal, backend: str
) -> None:
    weather = await place(here, backend)
    sources = [
        {"widget_uuid": weather.uuid, "origin": backend, "id": "weather_table", "input_args": args}
        for args in ({}, {"city": "sydney"}, {"city": "nowhere"})
    ]
    shown, asked, wrong = await called(
        here, "get_widget_data", (weather.uuid,), data_sources=sources
    )
    assert json.loads(content(shown))[0]["celsius"] == 0.5
    assert json.loads(content(asked))[0]["celsius"] == 23.5
    assert "There is no city nowhere" in content(wrong)
    assert here.widgets.get(weather.uuid).values == {}  # what is shown stays


async def test_a_new_function_is_one_file_and_one_line(
    here: Terminal, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    weather = await place(here, backend)

    async def told(origin: str) -> dict[str, Any]:
        here.said.clear()
        calls = lambda body: said("ok") if results(body) else call("count_widgets", origin=origin)  # noqa: E731
        peer = Peer(calls)
        _, ended = await here.ask(peer, copilot=PEER, attach=(weather.uuid,))
        assert ended.state == "done"
        (result,) = results(peer.asked[1])
        (entry,) = result["data"]
        return entry

    assert "no function 'count_widgets'" in (await told(backend))["message"]
    monkeypatch.setitem(FUNCTIONS, "count_widgets", widget_count.count_widgets)  # the one line
    assert (await told(backend))["data"] == {"origin": backend, "count": 1}
    assert "No widget is from 'nowhere'. Name another" in (await told("nowhere"))["message"]


async def test_extra_widgets_are_fetched_by_their_id(here: Terminal, backend: str) -> None:
    source = {"origin": backend, "id": "about", "input_args": {}}
    (entry,) = await called(here, "get_extra_widget_data", data_sources=[source])
    assert "Nothing was measured" in content(entry)


async def test_what_a_parameter_may_be(here: Terminal, backend: str) -> None:
    queries = [
        {
            "origin": backend,
            "id": "weather_table",
            "param": "city",
            "options_endpoint_input_args": {},
        }
    ]
    (entry,) = await called(here, "get_params_options", param_options_queries=queries)
    (told,) = json.loads(content(entry))["param_options"]
    assert (told["param"], told["options"][0]) == ("city", {"label": "Berlin", "value": "berlin"})
    (entry,) = await called(
        here, "get_params_options", param_options_queries=[queries[0] | {"param": "x"}]
    )
    assert "has no parameter 'x'" in content(entry)


async def test_widgets_and_notes_are_added(here: Terminal, backend: str) -> None:
    sources = [
        {
            "origin": backend,
            "id": "weather_table",
            "input_args": {"city": "sydney", "inner_tab": "x"},
        },
        {
            "origin": backend,
            "id": "rich_note",
            "input_args": {"name": "Read me", "content": "# Hi"},
        },
        {"origin": backend, "id": "no such widget", "input_args": {}},
    ]
    added, note, wrong = await called(here, "add_widget_to_dashboard", data_sources=sources)
    assert (added["status"], note["status"], wrong["status"]) == ("success", "success", "error")
    made = here.widgets.get(added["data"]["widget_uuid"])
    assert (made.name, made.values) == ("Weather", {"city": "sydney"})
    assert here.widgets.get(note["data"]["widget_uuid"]).text == "# Hi"
    assert "was not offered" in wrong["message"]


async def test_parameters_of_a_widget_are_set(here: Terminal, backend: str) -> None:
    weather = await place(here, backend)
    source = {"widget_uuid": weather.uuid, "origin": backend, "id": "weather_table"}
    wanted = [source | {"input_args": {"city": "sydney"}}, source | {"input_args": {"town": "x"}}]
    done, wrong = await called(
        here, "update_widget_in_dashboard", (weather.uuid,), data_sources=wanted
    )
    assert (done["status"], wrong["status"]) == ("success", "error")
    assert "It has: city, months." in wrong["message"]
    assert here.widgets.get(weather.uuid).values == {"city": "sydney"}


ROWS = [{"x": 1, "y": 2.5}, {"x": 2, "y": 3.5}]
BARS = {"chartType": "bar", "xKey": "x", "yKey": ["y"]}


@pytest.mark.parametrize(
    ("kind", "data", "params", "shown"),
    [
        ("note", "# Hi", None, "note"),
        ("html", "<p>Hi</p>", None, "html"),
        ("table", ROWS, None, "table"),
        ("chart", ROWS, BARS, "plotly"),
        ("chart", ROWS, {"chartType": "donut", "angleKey": "y", "calloutLabelKey": "x"}, "plotly"),
    ],
)
async def test_what_a_copilot_made_stands_on_the_dashboard_and_can_be_asked(
    here: Terminal, kind: str, data: Any, params: Any, shown: str
) -> None:
    arguments = {"widget_type": kind, "data": data, "name": "Made/up", "chart_params": params}
    (entry,) = await called(
        here, "add_generative_widget", **{k: v for k, v in arguments.items() if v is not None}
    )
    assert entry["status"] == "success"
    uid = entry["data"]["widget_uuid"]
    assert here.widgets.get(uid).type == shown
    source = {"widget_uuid": uid, "origin": "deskpilot", "id": uid, "input_args": {}}
    (asked,) = await called(here, "get_widget_data", (uid,), data_sources=[source])
    assert "Hi" in content(asked) or "2.5" in content(asked)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"widget_type": "chart", "data": ROWS},
        {"widget_type": "chart", "data": ROWS, "chart_params": {"xKey": 1, "yKey": [2]}},
        {"widget_type": "table", "data": "rows"},
        {"widget_type": "app", "data": "x"},
    ],
)
async def test_what_cannot_be_shown_is_refused(here: Terminal, arguments: Any) -> None:
    (entry,) = await called(here, "add_generative_widget", **arguments)
    assert entry["status"] == "error"
    assert here.widgets.all() == []


async def test_what_names_a_tab_stands_there_and_the_open_one_stays_open(
    here: Terminal, backend: str
) -> None:
    assert here.boards
    dashboard = here.boards.dashboard
    rates = dashboard.add_tab("Rates")
    dashboard.open("first")
    source = {"origin": backend, "id": "weather_table", "input_args": {"inner_tab": "Rates"}}
    wordy = {"id": "rich_note", "origin": "", "input_args": {"content": "Hi", "inner_tab": "Rates"}}
    added = await called(here, "add_widget_to_dashboard", data_sources=[source, wordy])
    (made,) = await called(
        here, "add_generative_widget", widget_type="note", data="Hi", name="N", inner_tab="Rates"
    )
    uids = [entry["data"]["widget_uuid"] for entry in [*added, made]]
    assert {t.id for t in next(p for p in dashboard.tabs if p.id == rates.id).tiles} == set(uids)
    assert (dashboard.current, dashboard.tiles) == ("first", ())
    assert made["message"] == "Added N to Rates."
    (other,) = await called(
        here, "add_generative_widget", widget_type="note", data="Hi", name="N", inner_tab="Gone"
    )
    assert other["message"] == "Added N to Dashboard, since there is no tab 'Gone'."
    assert [t.id for t in dashboard.tiles] == [other["data"]["widget_uuid"]]


async def test_tabs_are_made_named_and_removed_and_none_that_holds_widgets(
    here: Terminal, backend: str
) -> None:
    assert here.boards
    dashboard, tell = here.boards.dashboard, []
    here.widgets.subscribe(lambda: tell.append([t.name for t in dashboard.tabs]))
    await place(here, backend)
    opened = dashboard.current
    bar = "manage_navigation_bar"
    (made,) = await called(
        here, bar, operation="add_tabs", tabs=[{"name": "Rates"}, {"name": "FX"}]
    )
    assert (made["status"], made["message"]) == ("success", "Made Rates, FX.")
    assert dashboard.current == opened
    assert tell[-1] == ["Dashboard", "Rates", "FX"]
    assert (await called(here, bar, operation="rename_tabs", rename_map={"FX": "Currencies"}))[0][
        "status"
    ] == "success"
    assert (await called(here, bar, operation="remove_tabs", tabs=[{"name": "Rates"}]))[0][
        "status"
    ] == "success"
    assert [t.name for t in dashboard.tabs] == ["Dashboard", "Currencies"]
    (held,) = await called(here, bar, operation="remove_tabs", tabs=[{"name": "Dashboard"}])
    assert (held["status"], held["message"]) == (
        "error",
        "Dashboard contains widgets. Only the person may close it.",
    )
    asked: list[Consent] = []

    def answer(consent: Consent | None) -> None:
        if consent is not None:
            asked.append(consent)
            dashboard.consents.answer(len(asked) == 2, spoken=True)

    dashboard.consents.subscribe(answer)
    (held,) = await called(here, bar, operation="remove_tabs", tabs=[{"name": "Dashboard"}])
    assert held["status"] == "error"
    (gone,) = await called(here, bar, operation="remove_tabs", tabs=[{"name": "Dashboard"}])
    assert (gone["status"], [t.name for t in dashboard.tabs]) == ("success", ["Currencies"])
    assert asked == [Consent("Close the dashboard Dashboard? Widgets on it: 1.", safe=True)] * 2
    for wrong in (
        {"operation": "explode"},
        {"operation": "rename_tabs"},
        {"operation": "remove_tabs", "tabs": [{"name": "x"}]},
    ):
        assert (await called(here, bar, **wrong))[0]["status"] == "error"
    (many,) = await called(
        here, bar, operation="create", tabs=[{"name": str(n)} for n in range(32)]
    )
    assert "at most" in many["message"]


async def test_a_widget_that_was_not_offered_is_neither_added_nor_changed_nor_read(
    here: Terminal, backend: str
) -> None:
    weather = await place(here, backend)
    source = {
        "widget_uuid": weather.uuid,
        "origin": backend,
        "id": "weather_table",
        "input_args": {"city": "sydney"},
    }
    for function in ("get_widget_data", "add_widget_to_dashboard", "update_widget_in_dashboard"):
        peer = Peer(
            lambda body, f=function: said("ok") if results(body) else call(f, data_sources=[source])
        )  # type: ignore[misc]
        here.said.clear()
        await here.ask(peer, copilot=PEER)
        assert "was not offered" in results(peer.asked[1])[0]["content"]
    assert [w.values for w in here.widgets.all()] == [{}]


async def test_sql_reads_the_table_it_was_given_and_nothing_else(
    here: Terminal, macro_csv: Path
) -> None:
    uid = await here.open(macro_csv)
    (told,) = await called(
        here, "prepare_client_sql_tables", (uid,), widgets=[{"widget_uuid": uid}]
    )
    table = json.loads(content(told))
    assert (table["row_count"], table["columns"][0]["name"]) == (203, "year")
    name = table["table_name"]
    wanted = [
        f"SELECT max(unemp) AS worst FROM {name};",
        f"SELECT year FROM {name} -- all",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM glob('/*')",
        f"SELECT 1) ; DROP TABLE {name} ; SELECT (1",
        "COPY (SELECT 1) TO '/tmp/x.csv'",
        "INSERT INTO x VALUES (1)",
        "SELECT * FROM nowhere",
    ]
    queries = [{"sql": sql, "widget_uuids": [uid], "row_limit": 5} for sql in wanted]
    made = [content(e) for e in await called(here, "execute_client_sql", (uid,), queries=queries)]
    assert json.loads(made[0]) == [{"worst": 10.7}]
    assert (len(json.loads(made[1])["rows"]), "left out" in made[1]) == (5, True)
    assert ["error" in json.loads(m) for m in made[2:]] == [True] * 6
    assert not any("root:" in m for m in made)
    (other,) = await called(
        here, "execute_client_sql", queries=[{"sql": "SELECT 1", "widget_uuids": ["x"]}]
    )
    assert "was not offered" in content(other)


async def test_sql_joins_tables_with_dates_gaps_and_any_letters(
    here: Terminal, tmp_path: Path
) -> None:
    (tmp_path / "prices.csv").write_text(
        "day,symbol,close\n2024-10-14,é✓,231.3\n2024-10-15,é✓,\n2024-10-15,MSFT,418.7\n"
    )
    (tmp_path / "names.csv").write_text(
        "symbol,name,listed\né✓,Éclair,true\nMSFT,Microsoft,false\n"
    )
    prices, names = (
        await here.open(tmp_path / "prices.csv"),
        await here.open(tmp_path / "names.csv"),
    )
    both = (prices, names)
    told = await called(
        here, "prepare_client_sql_tables", both, widgets=[{"widget_uuid": u} for u in both]
    )
    left, right = (json.loads(content(t))["table_name"] for t in told)
    joined = (
        f"SELECT n.name, p.day, p.close, n.listed FROM {left} p JOIN {right} n USING (symbol) ORDER"
        " BY p.day, n.name"
    )
    wanted = [joined, f"SELECT count(*) AS n FROM {right}", "SELECT * FROM read_csv('/etc/passwd')"]
    queries = [{"sql": sql, "widget_uuids": list(both)} for sql in wanted]
    queries.append({"sql": joined, "widget_uuids": [prices, "x"]})
    made = [
        json.loads(content(e))
        for e in await called(here, "execute_client_sql", both, queries=queries)
    ]
    assert [tuple(row.values()) for row in made[0]] == [
        ("Éclair", "2024-10-14", 231.3, "true"),
        ("Microsoft", "2024-10-15", 418.7, "false"),
        ("Éclair", "2024-10-15", None, "true"),
    ]
    assert made[1] == [{"n": 2}]
    assert "error" in made[2]
    assert "was not offered" in made[3]["error"]


def test_sql_over_more_than_can_be_brought_together_is_refused(
    macro_csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Sources().add_file(macro_csv).table
    monkeypatch.setattr(declared_select, "CELLS", 1000)
    with pytest.raises(KernelError, match="cells in total"):
        select_over({"a": table, "b": table}, "SELECT 1", 10, 5)


def test_sql_without_end_is_stopped(macro_csv: Path) -> None:
    table = Sources().add_file(macro_csv).table
    endless = "SELECT count(*) FROM range(1000000000) a, range(1000000000) b"
    with pytest.raises(KernelError, match="was stopped"):
        table.select(endless, "t", 10, 0.3)


def wire(*events: Any) -> bytes:
    """Return events of the official package as they stand on the wire."""
    made = [event.model_dump(exclude_none=True) for event in events]
    return b"".join(f"event: {e['event']}\r\ndata: {e['data']}\r\n\r\n".encode() for e in made)


async def cited(
    here: Terminal, script: Any, *attach: str, copilot: Any = SEARCHER
) -> list[Citation]:
    """Return the citations of an answer. script: given the request as the official package reads
    it, its events.
    """
    here.said.clear()
    peer = Peer(lambda body: wire(*script(QueryRequest.model_validate(body))))
    turn, ended = await here.ask(peer, copilot=copilot, attach=attach)
    assert ended.state == "done"
    return [one for item in turn.items if isinstance(item, Citations) for one in item.citations]


async def test_what_the_official_package_cites_is_the_widget_its_name_and_what_it_says_of_it(
    here: Terminal, backend: str, macro_csv: Path
) -> None:
    berlin = await place(here, backend, city="berlin")
    sydney = await place(here, backend, city="sydney")
    macro = await here.open(macro_csv)
    box = CitationHighlightBoundingBox(text="It grew", page=3, x0=1, top=2, x1=3, bottom=4)

    def script(request: QueryRequest) -> list[Any]:
        assert request.widgets
        widgets = {str(w.uuid): w for w in request.widgets.primary}
        of_city = widgets[sydney.uuid]
        made = [
            sdk.cite(of_city, {"city": "sydney"}),
            sdk.cite(widgets[berlin.uuid], {"city": "berlin"}, {"Page Number": 7, "Quote": "cold"}),
            sdk.cite(widgets[macro], {}, {"Row": 3, "Column": "unemp", "Value": 5.1}),
            sdk.cite(widgets[macro], {"a": 1}, {"Section": "Rates"}),
        ]
        made[0].quote_bounding_boxes = [[box]]
        return [sdk.message_chunk("So it is [1]."), sdk.citations(made)]

    shown = await cited(here, script, berlin.uuid, sydney.uuid, macro)
    assert [one.widget for one in shown] == [sydney.uuid, berlin.uuid, macro, macro]
    assert [one.words() for one in shown] == [
        "Weather (city sydney), page 3",
        "Weather (city berlin), page 7, Quote: cold",
        "us macro, Row: 3, Column: unemp, Value: 5.1",
        "us macro (a 1), Section: Rates",
    ]
    assert [one.quote() for one in shown[:2]] == ["It grew", "cold"]


async def test_a_citation_of_an_artifact_the_web_or_an_unknown_widget_is_named_too(
    here: Terminal, backend: str
) -> None:
    weather = await place(here, backend)

    def script(request: QueryRequest) -> list[Any]:
        assert request.widgets
        widget = request.widgets.primary[0]
        drawn = sdk.table([{"x": 1}], name="Sums")
        first = sdk.cite(widget, {})
        sources = [
            SourceInfo(type="artifact", uuid=drawn.data.uuid),
            SourceInfo(type="web", metadata={"url": "https://example.org/a"}),
            SourceInfo(type="widget", origin="Elsewhere", widget_id="gone"),
            SourceInfo(type="direct retrieval", name="Filing"),
        ]
        made = [first.model_copy(update={"source_info": source}) for source in sources]
        return [drawn, sdk.citations(made)]

    artifact, web, gone, direct = await cited(here, script, weather.uuid)
    assert artifact.words() == "Sums"
    assert (web.words(), web.url) == ("https://example.org/a", "https://example.org/a")
    assert gone.words() == "gone"
    assert (direct.words(), direct.kind) == ("Filing", "direct retrieval")
