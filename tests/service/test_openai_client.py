"""OpenAI's own Python client against the service, unchanged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import openai
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.service.conftest import Service

SCHEMA = {
    "type": "object",
    "properties": {"colour": {"enum": ["red", "blue"]}},
    "required": ["colour"],
}
TOOL: Any = {
    "type": "function",
    "function": {
        "name": "look_up",
        "description": "Look a row up",
        "parameters": {
            "type": "object",
            "properties": {"row": {"type": "integer"}},
            "required": ["row"],
        },
    },
}
SKY: Any = [{"role": "user", "content": "The sky is blue. Which colour is the sky?"}]


@pytest.fixture
def client(lasting: Service) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{lasting.url}/v1", api_key=lasting.token, max_retries=0) as made:
        yield made


@pytest.mark.starter
def test_a_stream_ends_with_its_usage_when_asked(client: openai.OpenAI) -> None:
    asked: Any = {
        "model": "smollm2-135m",
        "messages": SKY,
        "max_tokens": 8,
        "temperature": 0,
        "stream": True,
    }
    told = list(client.chat.completions.create(**asked, stream_options={"include_usage": True}))
    assert told[-1].choices == []
    assert told[-1].usage.completion_tokens == 8
    assert told[-1].usage.total_tokens == told[-1].usage.prompt_tokens + 8
    assert all(chunk.usage is None for chunk in told[:-1])
    assert [c.choices[0].finish_reason for c in told[:-1]][-1] == "length"
    assert all(chunk.usage is None for chunk in client.chat.completions.create(**asked))


@pytest.mark.starter
def test_a_schema_binds_a_stream_and_a_whole_answer(client: openai.OpenAI) -> None:
    form: Any = {
        "type": "json_schema",
        "json_schema": {"name": "pick", "schema": SCHEMA, "strict": True},
    }
    asked: Any = {
        "model": "smollm2-135m",
        "messages": SKY,
        "max_tokens": 60,
        "response_format": form,
    }
    whole = client.chat.completions.create(**asked)
    parts = client.chat.completions.create(**asked, stream=True)
    joined = "".join(chunk.choices[0].delta.content or "" for chunk in parts)
    for text in (whole.choices[0].message.content, joined):
        assert json.loads(text or "")["colour"] in ("red", "blue")


@pytest.mark.starter
def test_a_conversation_with_tools_is_taken_and_a_forced_call_refused(
    client: openai.OpenAI,
) -> None:
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "look_up", "arguments": '{"row": 1}'},
    }
    messages: Any = [
        *SKY,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "blue"},
    ]
    asked: Any = {"model": "smollm2-135m", "messages": messages, "tools": [TOOL], "max_tokens": 8}
    for choice in ("auto", "none"):
        answer = client.chat.completions.create(**asked, tool_choice=choice)
        assert answer.choices[0].finish_reason in ("stop", "length", "tool_calls")
    with pytest.raises(openai.BadRequestError, match="not offered"):
        client.chat.completions.create(
            **asked, tool_choice={"type": "function", "function": {"name": "nobody"}}
        )


@pytest.mark.parametrize(
    "texts", ["some text", ["some", "texts"], [{"type": "text", "text": "some"}]]
)
def test_without_a_guard_model_nothing_is_called_safe(client: openai.OpenAI, texts: Any) -> None:
    with pytest.raises(openai.NotFoundError, match="Nothing was checked") as caught:
        client.moderations.create(input=texts)
    assert "deskpilot models" in str(caught.value)


def test_an_image_is_not_checked_and_says_so(client: openai.OpenAI) -> None:
    image: Any = [{"type": "image_url", "image_url": {"url": "http://x/y.png"}}]
    with pytest.raises(openai.UnprocessableEntityError):
        client.moderations.create(input=image)


@pytest.mark.starter
def test_without_a_reranker_an_embedder_orders_and_says_so(service: Service) -> None:
    docs = [
        "The cat sleeps on the sofa.",
        "Unemployment rose.",
        "How many people are without work?",
    ]
    asked = {"query": "joblessness", "documents": docs, "top_n": 2}
    with service.client() as client:
        answer = client.post("/v1/rerank", json=asked).json()
        named = client.post("/v1/rerank", json=asked | {"model": "nobody"})
        empty = client.post("/v1/rerank", json=asked | {"query": " "})
    assert {row["index"] for row in answer["results"]} == {1, 2}
    assert answer["model"] == "minilm-l6"
    assert "no reranker on this machine. The embedder minilm-l6 ordered them" in answer["note"]
    assert (named.status_code, empty.status_code) == (404, 400)
    assert "no reranker 'nobody'" in named.json()["error"]["message"]
