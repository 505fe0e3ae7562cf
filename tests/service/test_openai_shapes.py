"""OpenAI's shapes: what is asked for is done, or refused in words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from backends.flexai.entities import AssistantPromptMessage, LLMResultChunk, LLMResultChunkDelta
from backends.service.routes.chat import CompletionChoice, choices_of, whole
from backends.service.routes.chat_request import read_messages, read_tools

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from tests.service.conftest import Service

CHAT = "/v1/chat/completions"
HI: list[dict[str, Any]] = [{"role": "user", "content": "Hi"}]
SCHEMA = {
    "type": "object",
    "properties": {"colour": {"enum": ["red", "blue"]}},
    "required": ["colour"],
}


@pytest.mark.starter
def test_models_are_listed_and_told_one_by_one(lasting: Service) -> None:
    with lasting.client() as client:
        listed = client.get("/v1/models").json()
        assert {m["id"] for m in listed["data"]} >= {"smollm2-135m", "minilm-l6"}
        assert client.get("/v1/models/minilm-l6").json() in listed["data"]
        assert client.get("/v1/models/gpt-5").status_code == 404


@pytest.mark.starter
def test_a_schema_binds_the_answer(lasting: Service) -> None:
    form = {"type": "json_schema", "json_schema": {"name": "pick", "schema": SCHEMA}}
    body = {
        "messages": [{"role": "user", "content": "The sky?"}],
        "response_format": form,
        "max_tokens": 60,
    }
    with lasting.client() as client:
        answer = client.post(CHAT, json=body).json()
    assert json.loads(answer["choices"][0]["message"]["content"])["colour"] in ("red", "blue")
    assert answer["model"] == "smollm2-135m"


@pytest.mark.starter
def test_stop_texts_and_limits_end_an_answer_and_say_so(lasting: Service) -> None:
    with lasting.client() as client:
        base = {
            "messages": [{"role": "user", "content": "Say: one two three four"}],
            "temperature": 0,
        }
        full = client.post(CHAT, json=base | {"max_tokens": 40}).json()["choices"][0]["message"][
            "content"
        ]
        cut = full[len(full) // 2 :][:4]
        stopped = client.post(CHAT, json=base | {"max_tokens": 40, "stop": cut}).json()["choices"][
            0
        ]
        limited = client.post(CHAT, json=base | {"max_completion_tokens": 2}).json()
    assert stopped["message"]["content"] == full[: full.index(cut)]
    assert stopped["finish_reason"] == "stop"
    assert limited["choices"][0]["finish_reason"] == "length"
    assert limited["usage"]["completion_tokens"] == 2


REFUSED: dict[str, tuple[int, dict[str, Any]]] = {
    "a model that is not here": (404, {"model": "gpt-5", "messages": HI}),
    "no messages": (400, {"messages": []}),
    "a role nobody has": (400, {"messages": [{"role": "king", "content": "x"}]}),
    "messages that are no list": (422, {"messages": "Hi"}),
    "too many answers": (422, {"messages": HI, "n": 200}),
    "a tool without a function": (400, {"messages": HI, "tools": [{"type": "function"}]}),
    "a temperature out of range": (400, {"messages": HI, "temperature": 99}),
    "a schema that is none": (400, {"messages": HI, "response_format": {"type": "json_schema"}}),
    "a prompt that does not fit": (
        400,
        {"messages": [{"role": "user", "content": "word " * 9000}]},
    ),
}


NAMED = {
    "a model that is not here": "model_not_found",
    "a prompt that does not fit": "context_length_exceeded",
}


@pytest.mark.starter
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_what_cannot_be_done_is_refused_in_openais_shape(lasting: Service, stream: bool) -> None:
    with lasting.client() as client:
        for case, (status, body) in REFUSED.items():
            answer = client.post(CHAT, json=body | {"stream": stream})
            assert answer.status_code == status, case
            error = answer.json()["error"]
            assert error["message"], case
            assert error["type"], case
            assert error["code"] == NAMED.get(case, status), case


@pytest.mark.starter
def test_a_path_that_is_not_served_is_an_error_of_the_same_shape(lasting: Service) -> None:
    with lasting.client() as client:
        assert client.get("/v1/fine-tunes").json()["error"]["code"] == 404
        assert client.get(CHAT).json()["error"]["code"] == 405


def test_a_conversation_with_tools_is_read_whole() -> None:
    function = {"name": "look_up", "arguments": '{"row": 1}'}
    calls = [{"id": "c1", "type": "function", "function": function}]
    raw: list[dict[str, Any]] = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "What is in row 1?"}]},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": "7"},
        {"role": "assistant", "content": "7", "tool_calls": None},
    ]
    messages = read_messages(raw)
    assert [m.role.value for m in messages] == [
        "developer",
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert messages[1].text() == "What is in row 1?"
    assert isinstance(messages[2], AssistantPromptMessage)
    assert [c.model_dump() for c in messages[2].tool_calls] == calls
    tool = read_tools([{"type": "function", "function": {"name": "look_up"}}])[0]
    assert (tool.name, tool.description, tool.parameters["type"]) == ("look_up", "", "object")


async def test_calls_of_tools_reach_the_caller_in_both_forms() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
    message = AssistantPromptMessage.model_validate({"content": "", "tool_calls": [call]})
    delta = LLMResultChunkDelta(index=0, message=message, finish_reason="tool_calls")
    chunk = LLMResultChunk(model="m", prompt_messages=[], delta=delta)

    async def chunks() -> AsyncGenerator[LLMResultChunk]:
        yield chunk

    events = [json.loads(e)["choices"][0] for e in choices_of(CompletionChoice({"id": "a"}), chunk)]
    assert events[0]["delta"]["tool_calls"] == [{"index": 0, **call}]
    assert events[-1]["finish_reason"] == "tool_calls"
    answer = await whole([chunks()], {})
    assert answer["choices"][0]["message"]["tool_calls"] == [call]
