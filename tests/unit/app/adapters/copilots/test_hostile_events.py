"""Events and histories no honest copilot makes: none may end a turn without a word."""

from __future__ import annotations

import json

import pytest

from app.adapters.copilots.client import WireEvent, read
from app.adapters.copilots.requests import write_messages
from app.adapters.copilots.sse import ServerEvent
from app.adapters.copilots.wire_events import translate
from app.domain.conversation import Turn
from app.domain.events import Artifact, CallResult, CopilotCall, Reading, Status, Suggestions
from app.domain.stream import Chunk
from app.services.functions.widget_data import asked_for


def test_json_nested_without_end_is_no_event() -> None:
    assert read(ServerEvent("copilotMessageChunk", "[" * 200_000)) is None


def test_half_a_surrogate_pair_can_be_kept_and_printed() -> None:
    event = read(ServerEvent("copilotMessageChunk", r'{"delta": "a\ud83d"}'))
    assert event is not None
    assert translate(event) == Chunk("assistant", "message", "a?")
    whole = read(ServerEvent("copilotMessageChunk", r'{"delta": "\ud83d\ude00"}'))
    assert whole is not None
    assert whole.data["delta"] == "\U0001f600"


def test_not_a_number_in_a_call_can_be_sent_on() -> None:
    event = read(
        ServerEvent("copilotFunctionCall", '{"function": "f", "input_arguments": {"n": NaN}}')
    )
    assert event is not None
    assert json.dumps(event.data, allow_nan=False)


def test_suggestions_that_are_no_list_are_none() -> None:
    event = read(ServerEvent("copilotPromptSuggestions", '{"suggestions": 5}'))
    assert event is not None
    assert translate(event) == Suggestions([])


@pytest.mark.parametrize("sources", [5, "x", None, {"a": 1}, [7]])
def test_data_sources_of_another_shape_name_no_widget(sources: object) -> None:
    assert asked_for({"data_sources": sources}) == []


def test_a_call_without_its_result_is_not_sent_again() -> None:
    call = CopilotCall("f", {}, '{"function": "f", "input_arguments": {}}')
    stopped = Turn("1", "c", None, "first", "stopped", 0.0, [call])
    ran = Turn("2", "c", "1", "second", "done", 1.0, [call, CallResult("f", "x", False, 0.0)])
    roles = [m["role"] for m in write_messages([stopped, ran], with_calls=True)]
    assert roles == ["human", "human", "ai", "tool"]


def status(details: object) -> Status:
    made = translate(WireEvent("copilotStatusUpdate", {"message": "m", "details": details}, ""))
    assert isinstance(made, Status)
    return made


@pytest.mark.parametrize("reading", [5, "x", None, ["a"]])
def test_a_reading_of_another_shape_is_left_out(reading: object) -> None:
    made = status([{"interpretation": reading, "alternatives": [1], "more": 2}, 7])
    assert (made.reading, made.details) == (None, [{"more": 2}, 7])


def test_the_words_of_a_reading_are_texts_whatever_was_sent() -> None:
    sent = {
        "interpretation": {"words": 5, "ignored": 7},
        "alternatives": [1, None, {"words": ["a", 3]}],
    }
    made = status([sent])
    other = Reading(("a",), wire={"words": ["a", 3]})
    assert made.reading == Reading(alternatives=(other,), wire={"words": 5, "ignored": 7})
    assert made.details == []


@pytest.mark.parametrize("thought", [5, None, ["a"], {}])
def test_a_thought_of_another_shape_stays_a_detail(thought: object) -> None:
    made = status([{"thought": thought}])
    assert (made.thought, made.details) == (None, [{"thought": thought}])


@pytest.mark.parametrize("chart", [[1], "x", 5, {"xKey": ["x"], "yKey": 5}, {}])
def test_a_chart_of_another_shape_is_not_drawn(chart: object) -> None:
    event = WireEvent(
        "copilotMessageArtifact",
        {"type": "chart", "content": [{"x": 1}], "chart_params": chart},
        "",
    )
    made = translate(event)
    assert isinstance(made, Artifact)
    assert made.chart is None


def test_columns_of_a_chart_that_are_no_names_are_left_out() -> None:
    sent = {"type": "chart", "content": [], "chart_params": {"xKey": "x", "yKey": ["y", 5, {}]}}
    made = translate(WireEvent("copilotMessageArtifact", sent, ""))
    assert isinstance(made, Artifact)
    assert made.chart == {"xKey": "x", "yKey": ["y"]}


def test_a_passing_step_is_told_from_one_with_a_detail_of_that_name() -> None:
    assert (status([{"passing": True}]).passing, status([{"passing": True}]).details) == (True, [])
    assert (status([{"passing": 3}]).passing, status([{"passing": 3}]).details) == (
        False,
        [{"passing": 3}],
    )
