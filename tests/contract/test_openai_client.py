"""OpenAI's own client and other people's requests, against our service with models of every type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import openai
import pytest

from tests.contract.conftest import LOOPBACK, REMOTE

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.parametrize("provider", [REMOTE])


@pytest.fixture
def client() -> Iterator[openai.OpenAI]:
    with openai.OpenAI(
        base_url=LOOPBACK["base_url"], api_key=LOOPBACK["api_key"], max_retries=0
    ) as made:
        yield made


def ask(path: str, body: dict[str, Any]) -> httpx.Response:
    headers = {"Authorization": f"Bearer {LOOPBACK['api_key']}"}
    return httpx.post(LOOPBACK["base_url"] + path, json=body, headers=headers)


def test_harm_is_found_text_by_text(client: openai.OpenAI, provider: str) -> None:
    told = client.moderations.create(input=["kind", "some harm", " "], model="echo")
    assert [result.flagged for result in told.results] == [False, True, False]
    assert told.model == "echo"
    parts: Any = [{"type": "text", "text": "harm"}]
    assert client.moderations.create(input=parts).results[0].flagged is True


def test_a_check_that_fails_is_an_error(client: openai.OpenAI, provider: str) -> None:
    with pytest.raises(openai.InternalServerError, match="could not be reached"):
        client.moderations.create(input="OFFLINE")


def test_a_call_of_a_tool_reaches_the_client_whole_and_streamed(
    client: openai.OpenAI, provider: str
) -> None:
    tool: Any = {
        "type": "function",
        "function": {"name": "look_up", "parameters": {"type": "object"}},
    }
    asked: Any = {
        "model": "echo",
        "messages": [{"role": "user", "content": 'Well CALL:look_up:{"row":1}'}],
        "tools": [tool],
    }
    whole = client.chat.completions.create(**asked).choices[0]
    assert (whole.message.content, whole.finish_reason) == ("Well ", "tool_calls")
    assert whole.message.tool_calls is not None
    call: Any = whole.message.tool_calls[0]
    assert (call.id, call.function.name, call.function.arguments) == (
        "call_1",
        "look_up",
        '{"row":1}',
    )
    chunks = [c.choices[0] for c in client.chat.completions.create(**asked, stream=True)]
    pieces = [piece for chunk in chunks for piece in chunk.delta.tool_calls or []]
    assert [(p.index, p.id, p.function and p.function.name) for p in pieces] == [
        (0, "call_1", "look_up")
    ]
    assert chunks[-1].finish_reason == "tool_calls"


@pytest.mark.parametrize(
    ("words", "calls"),
    [
        # two whole calls, a chunk each
        ('PIECE:a:f:{"x":1} PIECE:b:g:{"y":2}', [("a", "f", '{"x":1}'), ("b", "g", '{"y":2}')]),
        # fragments that name their call, taking turns
        ('PIECE:a:f: PIECE:b:g:{"y" PIECE:a::{"x":1} PIECE:b:::2}', [("a", "f", '{"x":1}'), ("b", "g", '{"y":2}')]),
        # fragments that name it once
        ('PIECE:a:f:{"x" PIECE::::1} PIECE:b:g: PIECE:::{}', [("a", "f", '{"x":1}'), ("b", "g", "{}")]),
        # fragments that repeat id and name
        ('PIECE:a:f:{"x" PIECE:a:f::1}', [("a", "f", '{"x":1}')]),
        # two calls with one id, and none with any
        ('PIECE:a:f:{"x":1} PIECE:a:f:{"x":2}', [("a", "f", '{"x":1}'), (None, "f", '{"x":2}')]),
        ("PIECE::f:{} PIECE::g:{}", [(None, "f", "{}"), (None, "g", "{}")]),
    ],
)  # fmt: skip
def test_calls_in_chunks_of_their_own_keep_their_place_and_fragments_are_joined(
    client: openai.OpenAI, provider: str, words: str, calls: list[tuple[str | None, str, str]]
) -> None:
    asked: Any = {"model": "echo", "messages": [{"role": "user", "content": words}]}
    whole: Any = client.chat.completions.create(**asked).choices[0].message.tool_calls
    with client.chat.completions.stream(**asked) as events:
        streamed: Any = events.get_final_completion().choices[0].message.tool_calls
    for found in (whole, streamed):
        told = [(call.id, call.function.name, call.function.arguments) for call in found]
        assert len({call.id for call in found}) == len(found)
        assert [
            (known and made, *rest) for (made, *rest), (known, *_) in zip(told, calls, strict=True)
        ] == calls


def test_documents_are_ranked_in_the_shape_of_others(provider: str) -> None:
    body = {"model": "echo", "query": "a b", "documents": ["b", {"text": "x"}, "a b"]}
    told = ask("/rerank", body | {"top_n": 2}).json()
    assert [(row["index"], row["relevance_score"]) for row in told["results"]] == [
        (2, 1.0),
        (0, 0.5),
    ]
    assert told["results"][0]["document"] == {"text": "a b"}
    bare = ask(
        "/rerank", body | {"return_documents": False, "score_threshold": 0.5, "top_n": 0}
    ).json()
    assert bare["results"] == [
        {"index": 2, "relevance_score": 1.0},
        {"index": 0, "relevance_score": 0.5},
    ]
    assert ask("/rerank", {"query": "a", "documents": []}).json()["results"] == []
    assert ask("/rerank", {"query": "a", "documents": [7]}).status_code == 422
