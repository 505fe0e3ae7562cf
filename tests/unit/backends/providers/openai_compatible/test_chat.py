"""Chat: what is sent to a server, and what is made of its answers, in the shapes the servers really
use.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from backends.flexai.entities import (
    AssistantPromptMessage,
    ImagePromptMessageContent,
    LLMResult,
    ModelType,
    PromptMessageTool,
    SystemPromptMessage,
    TextPromptMessageContent,
    ToolPromptMessage,
    UserPromptMessage,
)
from backends.flexai.errors import InvokeBadRequestError, InvokeError
from backends.providers.openai_compatible.connection import data_of
from tests.unit.backends.providers.openai_compatible.conftest import SAID, Scripted, model

TOOL = PromptMessageTool(
    name="look_up", description="Looks up", parameters={"type": "object", "properties": {}}
)
SCHEMA = json.dumps(
    {"type": "object", "properties": {"n": {"type": "integer", "minimum": 5}}, "required": ["n"]}
)


def delta(finish: str | None = None, **what: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": what, "finish_reason": finish}]}


def part(place: int | None, **what: Any) -> dict[str, Any]:
    index = {} if place is None else {"index": place}
    known = {"id": what.pop("id")} if "id" in what else {}
    return delta(tool_calls=[{**index, **known, "function": what}])


USAGE: dict[str, Any] = {
    "choices": [],
    "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
}


def whole(
    peer: Scripted, parameters: dict[str, Any] | None = None, **credentials: str
) -> LLMResult:
    return model(ModelType.LLM).invoke(
        "m", peer.credentials(**credentials), SAID, parameters, stream=False
    )


def test_usage_comes_from_the_last_chunk_and_is_priced(peer: Scripted) -> None:
    peer.streams(
        delta(role="assistant", content=""),
        delta(content="Hel"),
        delta(content="lo"),
        delta("stop"),
        USAGE,
        "data: [DONE]\n\n",
    )
    prices = {"input_price": "2", "output_price": "6", "currency": "EUR"}
    chunks = list(model(ModelType.LLM).invoke("m", peer.credentials(**prices), SAID))
    assert [c.delta.message.text() for c in chunks] == ["Hel", "lo", ""]
    assert all(c.delta.usage is None and c.delta.finish_reason is None for c in chunks[:-1])
    usage = chunks[-1].delta.usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (11, 7, 18)
    assert (usage.total_price, usage.currency) == (Decimal("0.0000640"), "EUR")
    assert peer.body()["stream_options"] == {"include_usage": True}


def test_usage_is_estimated_where_the_server_tells_none(peer: Scripted) -> None:
    peer.streams(delta(content="Hello there"), delta("length"))
    usage = whole(peer).usage
    assert usage.prompt_tokens > 0
    assert usage.completion_tokens == 3


CALLS: dict[str, list[dict[str, Any]]] = {
    "in fragments": [
        part(0, id="c1", name="look_up", arguments=""),
        part(0, arguments='{"row"'),
        part(0, arguments=": 1}"),
        part(1, id="c2", name="count", arguments="{}"),
        delta("tool_calls"),
    ],
    "interleaved": [
        part(0, id="c1", name="look_up"),
        part(1, id="c2", name="count"),
        part(0, arguments='{"row": 1}'),
        part(1, arguments="{}"),
        delta("tool_calls"),
    ],
    "whole, all at place 0, ended as stop": [
        part(0, id="c1", name="look_up", arguments='{"row": 1}'),
        part(0, id="c2", name="count", arguments=""),
        delta("stop"),
    ],
    "the name repeated, arguments as an object": [
        part(0, id="c1", name="look_up", arguments=""),
        part(0, id="c1", name="look_up", arguments={"row": 1}),
        part(1, id="c2", name="count"),
        delta("function_call"),
    ],
    "several in one event, without places": [
        delta(
            tool_calls=[
                {"id": "c1", "function": {"name": "look_up", "arguments": '{"row": 1}'}},
                {"id": "c2", "function": {"name": "count", "arguments": "{}"}},
            ]
        ),
        delta("tool_calls"),
    ],
}


@pytest.mark.parametrize("form", CALLS)
def test_calls_are_put_together_from_their_pieces(form: str, peer: Scripted) -> None:
    peer.streams(*CALLS[form], USAGE)
    chunks = list(model(ModelType.LLM).invoke("m", peer.credentials(), SAID, tools=[TOOL]))
    calls = [call for chunk in chunks for call in chunk.delta.message.tool_calls]
    told = [(c.id, c.function.name, json.loads(c.function.arguments)) for c in calls]
    assert told == [("c1", "look_up", {"row": 1}), ("c2", "count", {})]
    assert chunks[-1].delta.finish_reason == "tool_calls"
    assert peer.body()["tools"][0]["function"]["name"] == "look_up"


@pytest.mark.parametrize(
    "events",
    [
        [delta(reasoning_content="Let me"), delta(reasoning_content=" see."), delta(content="Four.")],
        [delta(reasoning="Let me see."), delta(content="Four.")],
        [delta(content="<thi"), delta(content="nk>Let me see.</th"), delta(content="ink>"), delta(content="\n\nFour.")],
        [delta(content="<think>Let me see.</think>Four.")],
    ],
    ids=["its own field", "its other name", "marked and cut", "marked"],
)  # fmt: skip
def test_thoughts_are_kept_apart(events: list[dict[str, Any]], peer: Scripted) -> None:
    peer.streams(*events, delta("stop"), USAGE)
    message = whole(peer).message
    assert (message.content, message.reasoning) == ("Four.", "Let me see.")


def test_calls_without_an_id_get_one_each(peer: Scripted) -> None:
    peer.streams(part(0, name="a"), part(1, name="b"), delta("tool_calls"))
    ids = {call.id for call in whole(peer).message.tool_calls}
    assert len(ids) == 2
    assert all(ids)


def test_a_whole_conversation_travels(peer: Scripted) -> None:
    peer.streams(delta("stop", content="ok"))
    call = AssistantPromptMessage.ToolCall.model_validate(
        {"id": "c1", "function": {"name": "f", "arguments": "{}"}}
    )
    image = ImagePromptMessageContent(data="/9j/4AAQ", detail=ImagePromptMessageContent.DETAIL.HIGH)
    messages = [
        SystemPromptMessage(content="Be brief."),
        UserPromptMessage(
            content=[TextPromptMessageContent(data="What is it?"), image], name="Ann"
        ),
        AssistantPromptMessage(content=None, tool_calls=[call]),
        ToolPromptMessage(content="7", tool_call_id="c1"),
    ]
    model(ModelType.LLM).invoke(
        "m", peer.credentials(vision="true", endpoint_model_name="org/m"), messages,
        {"temperature": 0.333, "max_tokens": 9, "unheard_of": 1}, stop=["END"], stream=False, user="u1",
    )  # fmt: skip
    body = peer.body()
    assert (body["model"], body["stop"], body["user"]) == ("org/m", ["END"], "u1")
    assert (body["temperature"], body["max_tokens"]) == (0.333, 9)
    assert "unheard_of" not in body
    assert [m["role"] for m in body["messages"]] == ["system", "user", "assistant", "tool"]
    assert body["messages"][1]["name"] == "Ann"
    assert body["messages"][1]["content"][1] == {
        "type": "image_url",
        "image_url": {"url": "data:image/jpeg;base64,/9j/4AAQ", "detail": "high"},
    }
    assert body["messages"][2]["tool_calls"][0]["id"] == "c1"
    assert body["messages"][3]["tool_call_id"] == "c1"


def test_what_the_model_cannot_do_is_refused_before_anything_is_sent(peer: Scripted) -> None:
    image = [UserPromptMessage(content=[ImagePromptMessageContent(data="aGk=")])]
    cases: list[tuple[Any, dict[str, str], dict[str, Any]]] = [
        (image, {}, {}),
        (SAID, {"tools": "false"}, {"tools": [TOOL]}),
        (SAID, {"mode": "completion"}, {"tools": [TOOL]}),
        ([*SAID, *SAID], {"mode": "completion"}, {}),
        (SAID, {}, {"model_parameters": {"json_schema": "{"}}),
        (SAID, {}, {"model_parameters": {"json_schema": '{"type": 1}'}}),
        (SAID, {"context_size": "100"}, {"model_parameters": {"max_tokens": 101}}),
    ]
    for messages, credentials, more in cases:
        with pytest.raises(InvokeBadRequestError) as caught:
            model(ModelType.LLM).invoke(
                "m", peer.credentials(**credentials), messages, stream=False, **more
            )
        assert caught.value.remedy
    assert not peer.requests


def test_a_completion_goes_on_with_the_text(peer: Scripted) -> None:
    peer.streams(
        {"choices": [{"text": " there", "finish_reason": None}]},
        {"choices": [{"text": "", "finish_reason": "stop"}]},
    )
    assert whole(peer, mode="completion").message.text() == " there"
    assert peer.requests[0][0].startswith("POST /v1/completions")
    assert peer.body()["prompt"] == "Hi"


@pytest.mark.parametrize(
    ("server", "form"),
    [
        (
            "vllm",
            {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": json.loads(SCHEMA), "strict": True},
            },
        ),
        ("llama_cpp_python", {"type": "json_object", "schema": json.loads(SCHEMA)}),
    ],
)
def test_a_schema_is_sent_as_the_server_reads_it(
    server: str, form: dict[str, Any], peer: Scripted
) -> None:
    peer.streams(delta(content='{"n": 7}'), delta("stop"), USAGE)
    assert (
        whole(peer, {"json_schema": SCHEMA, "repeat_penalty": 1.1}, server=server).message.text()
        == '{"n": 7}'
    )
    assert peer.body(0)["response_format"] == form
    assert peer.body(0)["repetition_penalty" if server == "vllm" else "repeat_penalty"] == 1.1


@pytest.mark.parametrize("stream", [True, False])
def test_an_answer_that_is_no_object_is_asked_for_in_one(stream: bool, peer: Scripted) -> None:
    peer.streams(
        delta(reasoning_content="Hm."),
        delta(content='{"answer"'),
        delta(content=": 3}"),
        delta("stop"),
        USAGE,
    )
    schema = json.dumps({"enum": [1, 2, 3]})
    sent = model(ModelType.LLM).invoke(
        "m", peer.credentials(), SAID, {"json_schema": schema}, stream=stream
    )
    told = "".join(chunk.delta.message.text() for chunk in sent) if stream else sent.message.text()
    assert told == "3"
    bound = peer.body()["response_format"]["json_schema"]["schema"]
    assert (bound["type"], bound["properties"]) == ("object", {"answer": {"enum": [1, 2, 3]}})


def test_a_server_that_answers_bare_is_understood_too(peer: Scripted) -> None:
    peer.streams(delta(content="2"), delta("stop"), USAGE)
    assert whole(peer, {"json_schema": json.dumps({"enum": [1, 2, 3]})}).message.text() == "2"


@pytest.mark.parametrize(
    ("server", "form"), [("ollama", "json_object"), ("lm_studio", "json_schema")]
)
def test_any_json_is_asked_for_in_a_form_the_server_takes(
    server: str, form: str, peer: Scripted
) -> None:
    peer.streams(delta(content="{}"), delta("stop"), USAGE)
    assert whole(peer, {"response_format": "JSON"}, server=server).message.text() == "{}"
    assert peer.body()["response_format"]["type"] == form


@pytest.mark.parametrize("answer", ['{"n": 1}', '{"n": ', "Sure! Here it is."])
def test_an_answer_that_a_server_did_not_bind_fails_loudly(answer: str, peer: Scripted) -> None:
    peer.streams(delta(content=answer), delta("stop"), USAGE)
    with pytest.raises(InvokeError, match="does not match the schema"):
        whole(peer, {"json_schema": SCHEMA})


def test_an_answer_without_enough_tokens_for_its_schema_ends_by_length(peer: Scripted) -> None:
    peer.streams(delta(content='{"n": '), delta("length"), USAGE)
    sent = model(ModelType.LLM).invoke("m", peer.credentials(), SAID, {"json_schema": SCHEMA})
    assert list(sent)[-1].delta.finish_reason == "length"  # type: ignore[union-attr]


def test_a_server_that_does_not_stream_is_understood(peer: Scripted) -> None:
    message = {"role": "assistant", "content": "Hello"}
    peer.says({"choices": [{"message": message, "finish_reason": "stop"}], "usage": USAGE["usage"]})
    result = whole(peer)
    assert (result.message.text(), result.usage.completion_tokens) == ("Hello", 7)


@pytest.mark.parametrize(
    ("server", "path", "answer"),
    [
        ("vllm", "/tokenize", {"count": 42}),
        ("llama_server", "/tokenize", {"tokens": list(range(38))}),
        ("llama_cpp_python", "/extras/tokenize/count", {"count": 38}),
        ("localai", "/v1/tokenize", {"tokens": list(range(38))}),
    ],
)
def test_tokens_are_counted_by_the_server_that_can(
    server: str, path: str, answer: Any, peer: Scripted
) -> None:
    peer.says(answer)
    assert model(ModelType.LLM).get_num_tokens("m", peer.credentials(server=server), SAID) == 42
    assert peer.requests[0][0].startswith(f"POST {path} ")


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_events_are_whole_wherever_the_bytes_are_cut(size: int) -> None:
    sent = "data: a\u2028b\r\n\r\n: ping\r\rdata:c\ndata: d\n\nevent: x\ndata: {}\r\n\r\ndata: half".encode()
    pieces = [sent[at : at + size] for at in range(0, len(sent), size)]
    assert list(data_of(pieces)) == ["a\u2028b", "c\nd", "{}"]


def test_a_server_that_wants_its_version_is_told_it_with_the_key_in_its_own_header(
    peer: Scripted,
) -> None:
    peer.says({"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}]})
    told = {"api_version": "2024-10-21", "api_key": "secret"}
    assert (
        model(ModelType.LLM)
        .invoke("m", peer.credentials(**told), SAID, stream=False)
        .message.text()
        == "Hi"
    )
    line, headers, _ = peer.requests[-1]
    assert "/chat/completions?api-version=2024-10-21" in line
    assert headers["api-key"] == "secret"
