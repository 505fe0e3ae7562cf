"""Every event of today's protocol, made with its own SDK: read, kept over a restart, and shown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from openbb_ai import helpers
from openbb_ai import models as sdk

from app.adapters.copilots.client import WireEvent, read
from app.adapters.copilots.sse import EventReader
from app.adapters.copilots.wire_events import translate
from app.domain.conversation import Turn
from app.domain.events import (
    Artifact,
    Citation,
    Citations,
    CitedPassage,
    CopilotCall,
    Event,
    QuoteBox,
    Reading,
    Status,
    Suggestions,
    as_dict,
    name_of,
    read_event,
    thought_begun,
    thought_ended,
)
from app.domain.stream import Chunk
from app.ui.chat.artifacts import artifact_at
from app.ui.chat.turn import TurnEntry
from app.ui.controls.actions import OpenArtifact, Unfold, UnfoldStep
from app.ui.dashboard.chart_tiles import figure_of
from app.ui.theme.tokens import LIGHT

if TYPE_CHECKING:
    from collections.abc import Iterable

UID = "9f8e7d6c-5b4a-4c2e-9d0f-9e8d7c6b5a4b"
ROWS: list[dict[str, Any]] = [
    {"year": n, "a|b": f"<b>*{n}*</b>", "deep": {"x": [n]}} for n in range(40)
]
CHARTS = [
    sdk.LineChartParameters(chartType="line", xKey="year", yKey=["a|b"]),
    sdk.BarChartParameters(chartType="bar", xKey="year", yKey=["a|b"]),
    sdk.ScatterChartParameters(chartType="scatter", xKey="year", yKey=["a|b"]),
    sdk.PieChartParameters(chartType="pie", angleKey="year", calloutLabelKey="a|b"),
    sdk.DonutChartParameters(chartType="donut", angleKey="year", calloutLabelKey="a|b"),
]


def table(**fields: Any) -> sdk.ClientArtifact:
    told: dict[str, Any] = {
        "type": "table",
        "name": "Years",
        "description": "forty",
        "content": ROWS,
    }
    return sdk.ClientArtifact(**told | fields)


def through(*events: Any) -> list[Any]:
    """Return what the terminal makes of events the SDK puts on the wire."""
    body = b""
    for event in events:
        told = event.model_dump(exclude_none=True)
        body += f"event: {told['event']}\r\ndata: {told['data']}\r\n\r\n".encode()
    found = [translate(made) for e in EventReader().feed(body) if (made := read(e)) is not None]
    return [item for item in found if item is not None]


def status(**fields: Any) -> sdk.StatusUpdateSSE:
    told: dict[str, Any] = {
        "eventType": "INFO",
        "message": "Looking",
        "details": [{"deep": {"er": [1]}}, "words"],
    }
    return sdk.StatusUpdateSSE(data=sdk.StatusUpdateSSEData(**told | fields))


def kept(event: Event) -> Event:
    """Return an event as it comes back from the store."""
    return read_event(name_of(event), json.loads(json.dumps(as_dict(event))))


def shown(*items: Any, opened: Iterable[Unfold] = ()) -> list[tuple[str, str]]:
    entry = TurnEntry(Turn("t", "c", None, "q", "done", 0.0, list(items)), set(opened), LIGHT)
    entry.rebuild()
    return [(piece.kind, piece.source) for piece in entry.pieces[1:]]


def test_words_calls_and_suggestions() -> None:
    call = sdk.FunctionCallSSEData(
        function="get_widget_data", input_arguments={"data_sources": []}, extra_state={"k": 1}
    )
    chunk, called, suggested = through(
        sdk.MessageChunkSSE(data=sdk.MessageChunkSSEData(delta="Hel\u2028lo")),
        sdk.FunctionCallSSE(data=call),
        sdk.PromptSuggestionsSSE(
            data=sdk.PromptSuggestionsSSEData(suggestions=["And <b>then</b>?"])
        ),
    )
    assert chunk == Chunk("assistant", "message", "Hel\u2028lo")
    assert isinstance(called, CopilotCall)
    assert json.loads(called.wire)["extra_state"] == {"k": 1}
    assert suggested == Suggestions(["And <b>then</b>?"])
    ((kind, source),) = shown(suggested)
    assert kind == "step"
    assert "ask:And &lt;b&gt;then&lt;/b&gt;?" in source  # pressed, it is asked


def test_a_step_keeps_its_nested_details_and_artifacts_and_opens(qapp: Any) -> None:
    (step,) = through(status(artifacts=[table(), table(type="text", content="*hi*")]))
    assert isinstance(step, Status)
    assert kept(step) == step
    assert step.details == [{"deep": {"er": [1]}}, "words"]
    assert [kind for kind, _ in shown(step)] == ["step"]
    opened = shown(step, opened={UnfoldStep(0)})
    assert [kind for kind, _ in opened] == ["step", "step", "table", "step", "text"]
    assert "deep" in opened[0][1]
    assert "words" in opened[0][1]
    assert (
        artifact_at(Turn("t", "c", None, "q", "done", 0.0, [step]), OpenArtifact(0, 1))
        == step.artifacts[1]
    )


@pytest.mark.parametrize("level", ["INFO", "WARNING", "ERROR", "SUCCESS"])
def test_a_step_of_any_level_is_one_line(level: str) -> None:
    ((kind, source),) = shown(Status(level, "<i>Looking</i>"))
    assert kind == "step"
    assert "&lt;i&gt;" in source


def test_what_is_to_be_hidden_is_kept_and_not_shown() -> None:
    (step,) = through(status(hidden=True))
    assert kept(step).hidden
    assert shown(step) == []


def test_a_table_stands_in_the_answer_and_nothing_in_it_is_markup(qapp: Any) -> None:
    (made,) = through(sdk.MessageArtifactSSE(data=table()))
    assert isinstance(made, Artifact)
    assert kept(made) == made
    head, body = shown(made)
    assert (head[0], body[0]) == ("step", "table")
    assert len(body[1].splitlines()) == 42
    assert body[1].splitlines()[0] == "| year | a\\|b | deep |"
    assert "\\<b\\>\\*0\\*\\</b\\>" in body[1]
    *_, more = shown(Artifact("table", "T", [{"n": n} for n in range(510)]))
    assert more[0] == "step"
    assert "10 more rows" in more[1]


@pytest.mark.parametrize("params", CHARTS, ids=lambda p: p.chartType)
def test_a_chart_is_named_and_drawn_in_the_answer(params: Any) -> None:
    (made,) = through(sdk.MessageArtifactSSE(data=table(type="chart", chart_params=params)))
    (kind, source), (drawn, _) = shown(made)
    assert (kind, drawn) == ("step", "chart")
    assert "art:0" in source
    figure = figure_of(made, LIGHT)
    assert figure
    trace = figure["data"][0]
    assert len(trace.get("x") or trace["values"]) == 40


def test_a_figure_of_plotlys_in_place_of_rows_is_drawn() -> None:
    raw = {
        "type": "chart",
        "name": "n",
        "content": [],
        "chart_params": {"data": [{"type": "bar", "y": [1]}], "layout": {"title": "t"}},
    }
    made = translate(WireEvent("copilotMessageArtifact", raw, ""))
    assert isinstance(made, Artifact)
    figure = figure_of(made, LIGHT)
    assert figure
    assert figure["data"] == [{"type": "bar", "y": [1]}]
    assert figure["layout"]["title"] == "t"


@pytest.mark.parametrize(
    ("kind", "language"), [("html", "html"), ("snowflake_python", "python"), ("app", "json")]
)
def test_what_is_a_program_or_a_page_is_shown_as_text_and_never_run(
    kind: str, language: str
) -> None:
    page = "<script>alert(1)</script>"
    _, (piece, source) = shown(Artifact(kind, "n", page))
    assert (piece, source) == ("code", f"```{language}\n{page}\n```")


def test_citations_keep_quotes_pages_and_addresses() -> None:
    box = sdk.CitationHighlightBoundingBox(text="grew", page=3, x0=1, top=2, x1=3.5, bottom=4)
    pdf = sdk.Citation(
        source_info=sdk.SourceInfo(
            type="widget", uuid=UUID(UID), name="Report", metadata={"input_args": {"a": 1}}
        ),
        details=[{"Page": 3}],
        quote_bounding_boxes=[[box]],
    )
    web = sdk.Citation(
        source_info=sdk.SourceInfo(
            type="web", name="News", metadata={"url": "https://example.org/a"}
        )
    )
    (made,) = through(sdk.CitationCollectionSSE(data=sdk.CitationCollection(citations=[pdf, web])))
    assert isinstance(made, Citations)
    assert kept(made) == made
    first, second = made.citations
    assert (first.widget, first.name, first.details) == (UID, "Report", [{"Page": 3}])
    assert first.quotes == [[QuoteBox(3, 1, 2, 3.5, 4, "grew")]]
    assert (second.kind, second.url) == ("web", "https://example.org/a")
    assert "Report (a 1), page 3" in shown(made)[0][1]


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", 7, None])
def test_an_address_of_a_citation_that_is_none_of_the_web_is_left_out(url: Any) -> None:
    raw = {"citations": [{"source_info": {"type": "web", "name": "x", "metadata": {"url": url}}}]}
    made = translate(WireEvent("copilotCitationCollection", raw, ""))
    assert isinstance(made, Citations)
    assert made.citations[0].url == ""


def test_what_was_kept_before_these_fields_were_there_is_read() -> None:
    old = {"citations": [{"widget": "w", "name": "n", "cell": None, "value": 1}]}
    assert read_event("citations", old) == Citations([Citation("w", "n", None, 1)])
    assert read_event("status", {"level": "INFO", "message": "m", "details": []}) == Status(
        "INFO", "m"
    )
    told = {"interpretation": {"words": ["a"]}, "alternatives": [{"words": ["b"]}]}
    reading = Reading(
        ("a",), (), False, (Reading(("b",), wire={"words": ["b"]}),), {"words": ["a"]}
    )
    for details, made in (
        ([told, "more"], Status("INFO", "m", ["more"], reading=reading)),
        ([{"thinking": True}], thought_begun()),
        ([{"thought": "x"}], thought_ended("x", 3)),
    ):
        kept = {"level": "INFO", "message": made.message, "details": details}
        assert read_event("status", kept) == made
        assert read_event("status", json.loads(json.dumps(as_dict(made)))) == made
    place = dict.fromkeys(("passage", "path", "hash", "label", "heading", "quote"), "x")
    place |= {"page": 2, "start": 0, "end": 1}
    old_citation = {
        "widget": "w",
        "name": "n",
        "cell": None,
        "kind": "document",
        "details": [place],
    }
    read = read_event("citations", {"citations": [old_citation]})
    assert isinstance(read, Citations)
    (citation,) = read.citations
    assert citation.passage == CitedPassage("x", "x", "x", 2, "x", "x", 0, 1, "x")


@pytest.mark.parametrize(
    ("more", "words", "value"),
    [
        ({}, "row 197, unemp", 5.0),
        ({"last_row": 199, "cells": 4}, "rows 197–200, 4 cells of unemp", None),
        ({"last_row": 196, "cells": 1}, "row 197, unemp", 5.0),
        ({"last_row": "far", "cells": 4}, "row 197, unemp", 5.0),
        ({"last_row": 199, "cells": True}, "row 197, unemp", 5.0),
    ],
)
def test_a_citation_may_be_of_many_cells(more: dict[str, Any], words: str, value: Any) -> None:
    detail = {"row": 196, "column": "unemp", "value": 5.0, "source_hash": "h"} | more
    raw = {"citations": [{"source_info": {"type": "widget", "uuid": "u"}, "details": [detail]}]}
    made = translate(WireEvent("copilotCitationCollection", raw, ""))
    assert isinstance(made, Citations)
    (citation,) = made.citations
    assert citation.cell is not None
    assert (citation.cell.words(), citation.value) == (words, value)
    assert read_event("citations", as_dict(made)) == made


@pytest.mark.parametrize("level", ["INFO", "WARNING", "ERROR"])
@pytest.mark.parametrize("details", [None, "words", {"Rows": 3, "url": "left out"}])
def test_a_reasoning_step_of_the_official_helpers(level: Any, details: Any) -> None:
    (step,) = through(helpers.reasoning_step("Looking", level, details))
    assert (step.level, step.message, step.group) == (level, "Looking", "reasoning")
    assert step.details == (
        [] if details is None else ["words"] if details == "words" else [{"Rows": 3}]
    )
    ((kind, source),) = shown(step)
    assert kind == "step"
    assert "Looking" in source


def test_a_table_of_the_official_helpers_has_a_name_without_one_given(qapp: Any) -> None:
    (made,) = through(helpers.table([{"x": 1, "y": None}, {"x": 2}]))
    assert made.name.startswith("Table_")
    assert made.content == [{"x": 1, "y": None}, {"x": 2}]
    assert [kind for kind, _ in shown(made)] == ["step", "table"]


@pytest.mark.parametrize("kind", ["line", "bar", "scatter", "pie", "donut"])
def test_a_chart_of_the_official_helpers_is_drawn(kind: Any) -> None:
    keys: dict[str, Any] = {"angle_key": "y", "callout_label_key": "x"}
    if kind not in ("pie", "donut"):
        keys = {"x_key": "x", "y_keys": ["y"]}
    (made,) = through(helpers.chart(kind, [{"x": "a", "y": 1}, {"x": "b", "y": 2}], **keys))
    figure = figure_of(made, LIGHT)
    assert figure
    trace = figure["data"][0]
    assert list(trace.get("y") or trace["values"]) == [1, 2]


def test_suggestions_words_and_calls_of_the_official_helpers() -> None:
    widget = sdk.Widget(origin="O", widget_id="w", name="W", description="d", params=[])
    request = sdk.WidgetRequest(widget=widget, input_arguments={"symbol": "AAPL"})
    words, call, asked = through(
        helpers.message_chunk("Hi"),
        helpers.get_widget_data([request]),
        helpers.prompt_suggestions(["More?"]),
    )
    assert words == Chunk("assistant", "message", "Hi")
    (source,) = call.arguments["data_sources"]
    assert (source["id"], source["origin"], source["input_args"]) == ("w", "O", {"symbol": "AAPL"})
    assert asked == Suggestions(["More?"])
