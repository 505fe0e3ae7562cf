"""Requests of all generations, and events in the shapes of each."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backends.protocol.events import (
    CitationEvent,
    CitationsEvent,
    FunctionCall,
    MessageChunk,
    StatusUpdate,
    encode,
)
from backends.protocol.parser import parse_request
from backends.protocol.request import (
    BadRequest,
    CopilotMessage,
    FunctionResult,
    Human,
    RequestedCall,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda c: (
        st.lists(c, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "messages",
                    "role",
                    "content",
                    "widgets",
                    "data",
                    "items",
                    "tools",
                    "context",
                    "function",
                ]
            ),
            c,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_whatever_comes_is_a_query_or_a_sentence(body: Any) -> None:
    with suppress(BadRequest):
        parse_request(body)


@pytest.mark.parametrize("times", [0, 1, 2])
def test_a_call_is_read_as_object_or_encoded_once_or_twice(times: int) -> None:
    content: Any = {"function": "f", "input_arguments": {"a": 1}, "extra_state": {"k": "v"}}
    for _ in range(times):
        content = json.dumps(content)
    query = parse_request({"messages": [{"role": "ai", "content": content}]})
    assert query.messages == [RequestedCall("f", {"a": 1}, {"k": "v"})]


def test_what_is_nested_without_end_is_text() -> None:
    body = {"messages": [{"role": "ai", "content": "[" * 100_000}]}
    assert parse_request(body).messages == [CopilotMessage("[" * 100_000)]


def test_generations_are_told_by_their_widgets() -> None:
    said = [{"role": "human", "content": "x"}, {"role": "ai", "content": "y"}]
    assert parse_request({"messages": said, "widgets": []}).dialect == "2024"
    assert parse_request({"messages": said, "widgets": {"primary": []}}).dialect == "today"
    assert parse_request({"messages": said, "timezone": "UTC"}).dialect == "today"
    assert parse_request({"messages": said}).messages == [Human("x"), CopilotMessage("y")]


def test_a_failure_is_told_from_a_result() -> None:
    entry = {"error_type": "not_found", "content": "gone"}
    message = {"role": "tool", "function": "f", "data": [entry], "extra_state": {}}
    assert parse_request({"messages": [message]}).messages == [
        FunctionResult("f", {}, ["gone"], failed=True)
    ]


def test_a_terminal_of_2024_gets_only_the_events_it_knows() -> None:
    assert encode(StatusUpdate("INFO", "x"), "2024") is None
    assert encode(CitationsEvent([]), "2024") is None
    assert encode(MessageChunk("ü"), "2024") == ("copilotMessageChunk", '{"delta":"ü"}')
    assert encode(FunctionCall("f", {}), "2024") == (
        "copilotFunctionCall",
        '{"function":"f","input_arguments":{}}',
    )


def test_our_events_are_those_of_todays_sdk() -> None:
    from openbb_ai.models import CitationCollection
    from openbb_ai.models import StatusUpdateSSEData as Status

    citation = CitationEvent(
        "9f8e7d6c-5b4a-4c2e-9d0f-9e8d7c6b5a4c",
        {"uuid": "9f8e7d6c-5b4a-4c2e-9d0f-9e8d7c6b5a4b", "metadata": {}},
        [{"row": 1}],
    )
    encoded = encode(CitationsEvent([citation]), "today")
    assert encoded
    CitationCollection.model_validate_json(encoded[1])
    status = encode(StatusUpdate("INFO", "x", [{"a": 1}]), "today")
    assert status
    Status.model_validate_json(status[1])
